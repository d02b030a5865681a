// A key of the database that is wrapped by one on a token: the token does what it can with it, and this server, with the key in clear, the rest.
import type { KeyObject } from 'node:crypto';
import { cbcHmac } from '../../../../crypto/cipher/cbc-hmac.ts';
import { cipherFor } from '../../../../crypto/cipher/cipher.ts';
import type { Wrapped } from '../../../../crypto/cipher/wrap.ts';
import type { CryptographicAlgorithm, CryptographicParameters, RecommendedCurve } from '../../../../crypto/parameters.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import type * as Keys from '../key.ts';
import { FF1 } from '../software-key/ciphers.ts';
import { isNotThere } from './token-refusal.ts';

export class WrappedKey implements Keys.Key {
  readonly #there: Keys.Key;
  readonly #inClear: () => Promise<Keys.Key>;

  /** @param there the key on the token @param inClear opens it on this server */
  constructor(there: Keys.Key, inClear: () => Promise<Keys.Key>) {
    this.#there = there;
    this.#inClear = inClear;
  }

  get id(): string {
    return this.#there.id;
  }

  get kind(): Keys.KeyFacts['kind'] {
    return this.#there.kind;
  }

  get algorithm(): CryptographicAlgorithm | undefined {
    return this.#there.algorithm;
  }

  get length(): number {
    return this.#there.length;
  }

  get curve(): RecommendedCurve | undefined {
    return this.#there.curve;
  }

  get isForPssOnly(): boolean {
    return false;
  }

  async #either<T>(work: (key: Keys.Key) => T | Promise<T>): Promise<T> {
    try {
      return await work(this.#there);
    } catch (error) {
      if (!isNotThere(error)) throw error;
      return work(await this.#inClear());
    }
  }

  cipher(choice: Keys.CipherChoice): Keys.CipherFacts {
    if (choice.algorithm === 'FPE_FF1') return FF1;
    try {
      return this.#there.cipher(choice);
    } catch (error) {
      if (!isNotThere(error) || this.kind !== 'secret') throw error;
      return this.#cipherInClear(choice, error);
    }
  }

  #cipherInClear({ algorithm, parameters }: Keys.CipherChoice, error: unknown): ReturnType<typeof cipherFor> {
    if (algorithm === undefined || algorithm === 'FPE_FF1') throw error;
    return algorithm === 'AES_CBC_HMAC' ? cbcHmac(parameters, this.length / 8) : cipherFor(algorithm, parameters, this.length / 8);
  }

  takesParts(kind: 'Encrypt' | 'Decrypt', choice: Keys.CipherChoice): boolean {
    if (this.kind !== 'secret' || choice.algorithm === 'FPE_FF1') return false;
    try {
      return this.#there.takesParts(kind, choice);
    } catch (error) {
      if (!isNotThere(error)) throw error;
      const { encryptor, decryptor } = this.#cipherInClear(choice, error);
      return (kind === 'Encrypt' ? encryptor : decryptor) !== undefined;
    }
  }

  /** A part that begins nothing goes where the first one went, which only the answer tells. */
  async parts(part: Keys.KeyPart): Promise<Keys.PartOutput> {
    if (part.kind === 'SignatureVerify') return (await this.#inClear()).parts(part);
    try {
      return await this.#there.parts(part);
    } catch (error) {
      const isElsewhere = part.is === 'first' ? isNotThere(error) : error instanceof Refusal && error.reason === 'InvalidCorrelationValue';
      if (!isElsewhere) throw error;
      return (await this.#inClear()).parts(part);
    }
  }

  encrypt(input: Keys.Encryption): Promise<Keys.Encrypted> {
    return this.#either((key) => key.encrypt(input));
  }

  decrypt(input: Keys.Decryption): Promise<Uint8Array> {
    return this.#either((key) => key.decrypt(input));
  }

  sign(input: Keys.Signing): Promise<Uint8Array> {
    return this.#either((key) => key.sign(input));
  }

  verify(input: Keys.Verification): Promise<boolean> {
    return this.#either((key) => key.verify(input));
  }

  mac(input: Keys.Authentication): Promise<Uint8Array> {
    return this.#either((key) => key.mac(input));
  }

  verifyMac(input: Keys.Authentication, expected: Uint8Array): Promise<boolean> {
    return this.#either((key) => key.verifyMac(input, expected));
  }

  wrap(parameters: CryptographicParameters, material: Uint8Array): Promise<Wrapped> {
    return this.#either((key) => key.wrap(parameters, material));
  }

  unwrap(parameters: CryptographicParameters, wrapped: Wrapped): Promise<Uint8Array> {
    return this.#either((key) => key.unwrap(parameters, wrapped));
  }

  derive(input: Keys.Derivation): Promise<Uint8Array> {
    return this.#either((key) => key.derive(input));
  }

  agree(peer: KeyObject): Promise<Uint8Array> {
    return this.#either((key) => key.agree(peer));
  }

  decapsulate(ciphertext: Uint8Array): Promise<Uint8Array> {
    return this.#either((key) => key.decapsulate(ciphertext));
  }

  publicKey(): Promise<KeyObject> {
    return this.#there.publicKey();
  }

  /** A key that is asked for itself leaves the token, as far as its attributes and its wrapping key permit. */
  async material(): Promise<KeyObject> {
    return (await this.#inClear()).material();
  }
}
