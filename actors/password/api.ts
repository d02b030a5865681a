// The interface of the password actor: hashes and verifies passwords with Argon2id.

export type PasswordApi = {
  /** @returns the PHC string. Overwrites the bytes of the password. */
  hash(password: Uint8Array): string;
  /** Takes the same time with and without a hash to compare with. Overwrites the bytes of the password. */
  verify(phc: string | null, password: Uint8Array): boolean;
};
