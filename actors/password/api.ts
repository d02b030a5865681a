// What the password actor does: Argon2id, and nothing else.

export type PasswordApi = {
  /** @returns the PHC string. The password's bytes are overwritten. */
  hash(password: Uint8Array): string;
  /** Costs the same whether there is a hash to compare with or not. The password's bytes are overwritten. */
  verify(phc: string | null, password: Uint8Array): boolean;
};
