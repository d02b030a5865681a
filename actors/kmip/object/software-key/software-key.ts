// A key whose material is stored on this server: the only kind of key that works with the bytes themselves.
import type { KeyObject } from 'node:crypto';
import { decrypt as decryptWithPair } from '../../../../crypto/cipher/asymmetric-encrypt.ts';
import type { Cipher } from '../../../../crypto/cipher/cipher.ts';
import type { Wrapped } from '../../../../crypto/cipher/wrap.ts';
import { derive, derivePbkdf2 } from '../../../../crypto/derivation/derive.ts';
import { ff1Decrypt, ff1Encrypt } from '../../../../crypto/format-preserving/fpe.ts';
import { decapsulate } from '../../../../crypto/key/encapsulation.ts';
import { agree } from '../../../../crypto/key/key-agreement.ts';
import { keyFacts } from '../../../../crypto/key/key-algorithm.ts';
import type { CryptographicAlgorithm, CryptographicParameters, RecommendedCurve } from '../../../../crypto/parameters.ts';
import { macAlgorithm, mac as macOf, macVerify } from '../../../../crypto/signature/mac.ts';
import { isSlowSigner, signInPool, sign as signWith, verify as verifyWith } from '../../../../crypto/signature/sign.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import type * as Keys from '../key.ts';
import { algorithmOf } from '../key-attributes.ts';
import type { ManagedObject } from '../managed-object.ts';
import { FF1, ivFor, pairCipher, requireFormat, secretCipher } from './ciphers.ts';
import { pairKeyOf, publicKeyOf, secretOf } from './material.ts';
import { encryptWithPair } from './pair-encrypt.ts';
import { sendPart } from './parts.ts';
import { unwrapWith, wrapWith } from './wrap.ts';

const { ObjectType } = ENUM;

/** Holds every key that no other kind holds, so it must come last. */
export const softwareKeys: Keys.KeyKind = {
  holds: () => true,
  open: (object, ctx) => new SoftwareKey(object, ctx),
};

/** Lives for one use; the opened key material is cached with the object. */
class SoftwareKey implements Keys.Key {
  readonly #object: ManagedObject;
  readonly #ctx: Keys.KeyContext;
  readonly #isSecret: boolean;
  #opened: KeyObject | undefined;
  /** The last choice of a cipher, because the request is first checked with it and then served. */
  #algorithm: Keys.CipherAlgorithm | undefined;
  #parameters: CryptographicParameters | undefined;
  #chosen: Cipher | undefined;

  constructor(object: ManagedObject, ctx: Keys.KeyContext) {
    this.#object = object;
    this.#ctx = ctx;
    this.#isSecret = object.type === ObjectType.SymmetricKey || object.type === ObjectType.SecretData;
  }

  get #secret(): KeyObject {
    this.#opened ??= secretOf(this.#object);
    return this.#opened;
  }

  get id(): string {
    return this.#object.id;
  }

  get kind(): Keys.KeyFacts['kind'] {
    return KIND.get(this.#object.type);
  }

  get algorithm(): CryptographicAlgorithm | undefined {
    return this.#isSecret ? algorithmOf(this.#object) : keyFacts(pairKeyOf(this.#object)).algorithm;
  }

  get length(): number {
    return this.#isSecret ? (this.#secret.symmetricKeySize ?? 0) * 8 : keyFacts(pairKeyOf(this.#object)).length;
  }

  get curve(): RecommendedCurve | undefined {
    return this.#isSecret ? undefined : keyFacts(pairKeyOf(this.#object)).curve;
  }

  get isForPssOnly(): boolean {
    return !this.#isSecret && pairKeyOf(this.#object).asymmetricKeyType === 'rsa-pss';
  }

  cipher(choice: Keys.CipherChoice): Keys.CipherFacts {
    if (!this.#isSecret) return pairCipher(pairKeyOf(this.#object));
    return choice.algorithm === 'FPE_FF1' ? FF1 : this.#cipher(choice);
  }

  takesParts(kind: 'Encrypt' | 'Decrypt', choice: Keys.CipherChoice): boolean {
    if (!this.#isSecret || choice.algorithm === 'FPE_FF1') return false;
    const { encryptor, decryptor } = this.#cipher(choice);
    return (kind === 'Encrypt' ? encryptor : decryptor) !== undefined;
  }

  #cipher({ algorithm, parameters }: Keys.CipherChoice): Cipher {
    if (this.#chosen !== undefined && this.#algorithm === algorithm && this.#parameters === parameters) return this.#chosen;
    this.#chosen = secretCipher(this.#object.id, this.#secret, algorithm, parameters);
    this.#algorithm = algorithm;
    this.#parameters = parameters;
    return this.#chosen;
  }

  encrypt(input: Keys.Encryption): Keys.Encrypted {
    if (!this.#isSecret) return encryptWithPair(pairKeyOf(this.#object), input);
    if (input.algorithm === 'FPE_FF1') return { data: ff1Encrypt(this.#secret, requireFormat(input.format), input.data) };
    const cipher = this.#cipher(input);
    const { aad, data } = input;
    const made = input.iv === undefined ? ivFor(cipher, input.parameters) : undefined;
    const sealed = cipher.encrypt(this.#secret, { iv: input.iv ?? made, aad, data });
    return { data: sealed.data, tag: sealed.tag, iv: made };
  }

  decrypt(input: Keys.Decryption): Uint8Array {
    const { iv, aad, data, tag, parameters } = input;
    if (this.#isSecret) {
      if (input.algorithm === 'FPE_FF1') return ff1Decrypt(this.#secret, requireFormat(input.format), data);
      return this.#cipher(input).decrypt(this.#secret, { iv, aad, data, tag });
    }
    const key = pairKeyOf(this.#object);
    return pairCipher(key).name === 'ML-KEM' ? decapsulate(key, data) : decryptWithPair(key, parameters, data, aad);
  }

  sign({ parameters, data, digest, encoding }: Keys.Signing): Uint8Array | Promise<Uint8Array> {
    const key = pairKeyOf(this.#object);
    if (data !== undefined && digest === undefined && isSlowSigner(key)) return this.#ctx.aside(() => signInPool(key, parameters, data));
    return signWith(key, parameters, signatureInput(data, digest), encoding);
  }

  async verify({ parameters, data, digest, encoding, signature }: Keys.Verification): Promise<boolean> {
    return verifyWith(publicKeyOf(this.#object), parameters, signatureInput(data, digest), signature, encoding);
  }

  mac({ parameters, data }: Keys.Authentication): Uint8Array {
    return macOf(macAlgorithm(algorithmOf(this.#object), parameters), this.#secret, data);
  }

  async verifyMac({ parameters, data }: Keys.Authentication, expected: Uint8Array): Promise<boolean> {
    return macVerify(macAlgorithm(algorithmOf(this.#object), parameters), this.#secret, data, expected);
  }

  async wrap(parameters: CryptographicParameters, material: Uint8Array): Promise<Wrapped> {
    return wrapWith(this.#wrappingKey(), parameters, material);
  }

  async unwrap(parameters: CryptographicParameters, wrapped: Wrapped): Promise<Uint8Array> {
    return unwrapWith(this.#wrappingKey(), parameters, wrapped);
  }

  #wrappingKey(): KeyObject {
    return this.#object.type === ObjectType.SymmetricKey ? this.#secret : pairKeyOf(this.#object);
  }

  async derive({ method, ...given }: Keys.Derivation): Promise<Uint8Array> {
    const input = { ...given, key: this.#secret, keyAlgorithm: algorithmOf(this.#object) };
    const derived = method === 'PBKDF2' ? await this.#ctx.aside(() => derivePbkdf2(input)) : derive(method, input);
    // The derived key is kept, so it must not share memory with a larger result.
    return new Uint8Array(derived);
  }

  async agree(peer: KeyObject): Promise<Uint8Array> {
    return agree(pairKeyOf(this.#object), peer);
  }

  async decapsulate(ciphertext: Uint8Array): Promise<Uint8Array> {
    return decapsulate(pairKeyOf(this.#object), ciphertext);
  }

  async parts(part: Keys.KeyPart): Promise<Keys.PartOutput> {
    return sendPart(this.#object, this.#ctx, part);
  }

  async publicKey(): Promise<KeyObject> {
    return publicKeyOf(this.#object);
  }

  async material(): Promise<KeyObject> {
    return this.#isSecret ? this.#secret : pairKeyOf(this.#object);
  }
}

const KIND: ReadonlyMap<number, Keys.KeyFacts['kind']> = new Map([
  [ObjectType.SymmetricKey, 'secret'],
  [ObjectType.SecretData, 'secret'],
  [ObjectType.PrivateKey, 'private'],
  [ObjectType.PublicKey, 'public'],
  [ObjectType.Certificate, 'public'],
]);

function signatureInput(data: Uint8Array | undefined, digest: Uint8Array | undefined) {
  return { ...(data !== undefined && { data }), ...(digest !== undefined && { digest }) };
}
