// A key on the token of an HSM: every use of it is a call of the token, which says what it can.
import type { KeyObject } from 'node:crypto';
import type { Wrapped } from '../../../../crypto/cipher/wrap.ts';
import { keyFacts } from '../../../../crypto/key/key-algorithm.ts';
import { exportRaw } from '../../../../crypto/key/raw-key.ts';
import type { CryptographicAlgorithm, CryptographicParameters, RecommendedCurve } from '../../../../crypto/parameters.ts';
import { equalMac } from '../../../../crypto/signature/mac.ts';
import { verify as verifyWith } from '../../../../crypto/signature/sign.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { TokenKeyKind, TokenMechanism } from '../../../hsm/api.ts';
import { flagOf } from '../flag.ts';
import { HSM } from '../hsm-identifier.ts';
import type * as Keys from '../key.ts';
import { algorithmOf, curveOf, lengthOf } from '../key-attributes.ts';
import type { ManagedObject } from '../managed-object.ts';
import { ivFor } from '../software-key/ciphers.ts';
import { publicKeyOf as storedPublicKey } from '../software-key/material.ts';
import { ivToTell, macMechanism, owned, requireIv, withIv } from './cipher-mechanism.ts';
import { deriveOnToken } from './derivation.ts';
import { KeyOnToken } from './key-on-token.ts';
import { sendTokenPart } from './parts.ts';
import { CURVES } from './public-key.ts';
import { wrapByRsaAes } from './rsa-aes.ts';
import { signatureFrom, tokenSigning } from './signature-mechanism.ts';
import { type AesChoice, aesChoice, fitting, isWrap, RSA, rsaChoice, wrapMechanism, wrappingParameters } from './token-cipher.ts';
import { decapsulateOnToken } from './token-decapsulation.ts';
import { decryptAes, decryptRsa } from './token-decryption.ts';
import { materialFrom, publicHalf, signingHalf } from './token-material.ts';
import type { Tokens } from './tokens.ts';
import { holdOnToken } from './unwrapped.ts';
import { wrapOnToken } from './wrapped-there.ts';

/** Keys whose identifier is that of an HSM. */
export function hsmKeys(tokens: Tokens): Keys.KeyKind {
  return {
    holds: ({ id }) => id.startsWith(`${HSM}::`),
    open: (object, ctx) => new HsmKey(new KeyOnToken(tokens, object), object, ctx),
    giveUp: (id) => tokens.giveUp(id),
  };
}

class HsmKey implements Keys.Key {
  readonly #object: ManagedObject;
  readonly #token: KeyOnToken;
  readonly #ctx: Keys.KeyContext;

  constructor(token: KeyOnToken, object: ManagedObject, ctx: Keys.KeyContext) {
    this.#object = object;
    this.#ctx = ctx;
    this.#token = token;
  }

  get kind(): TokenKeyKind {
    return this.#token.kind;
  }

  get id(): string {
    return this.#object.id;
  }

  get algorithm(): CryptographicAlgorithm | undefined {
    const { curve } = this;
    return CURVES.find((each) => each.curve === curve)?.algorithm ?? algorithmOf(this.#object);
  }

  get length(): number {
    return lengthOf(this.#object);
  }

  get curve(): RecommendedCurve | undefined {
    return this.kind === 'secret' ? undefined : curveOf(this.#object);
  }

  get isForPssOnly(): boolean {
    return false;
  }

  cipher(choice: Keys.CipherChoice): Keys.CipherFacts {
    if (this.kind === 'secret') return this.#aes(choice).cipher;
    this.#token.requireMechanism(rsaChoice(this, choice.parameters).name);
    return RSA;
  }

  takesParts(_: 'Encrypt' | 'Decrypt', choice: Keys.CipherChoice): boolean {
    return this.kind === 'secret' && !isWrap(this.#aes(choice).name);
  }

  #aes(choice: Keys.CipherChoice): AesChoice {
    return aesChoice(this.#token, this, choice);
  }

  async encrypt({ parameters, algorithm, iv: given, aad, data }: Keys.Encryption): Promise<Keys.Encrypted> {
    if (this.kind !== 'secret') {
      this.#token.requireKind('public');
      const mechanism = rsaChoice(this, parameters);
      return parameters.paddingMethod === 'None' ? wrapByRsaAes(this.#token, mechanism, data) : this.#token.encrypt(mechanism, fitting(this, mechanism, data));
    }
    const { cipher, name } = this.#aes({ algorithm, parameters });
    if (isWrap(name)) {
      // Some tokens pad what RFC 3394 does not allow.
      cipher.requireLengths?.('encrypt', { iv: given, bytes: data.length });
      return { data: await this.#token.run('wrap', wrapMechanism(name, given), data) };
    }
    const made = given === undefined ? ivFor(cipher, parameters) : undefined;
    const iv = requireIv(cipher, given ?? made);
    cipher.requireLengths?.('encrypt', { iv, bytes: data.length });
    const { tagBytes } = cipher;
    const { data: sealed, iv: chosen } = await this.#token.encrypt(withIv(name, { iv, aad, tagBytes }, parameters), data);
    const told = ivToTell(name, chosen, given, made);
    if (tagBytes === 0) return { data: sealed, iv: told };
    return { data: sealed.slice(0, -tagBytes), tag: sealed.slice(-tagBytes), iv: told };
  }

  async decrypt(input: Keys.Decryption): Promise<Uint8Array> {
    return this.kind === 'secret' ? decryptAes(this.#token, this.#aes(input), input) : decryptRsa(this.#token, this.#object, this, input);
  }

  async sign(input: Keys.Signing): Promise<Uint8Array> {
    this.#token.requireKind('private');
    const half = await signingHalf(this.#token, this.#object);
    const signing = tokenSigning(half, input, this.#token.mechanisms);
    return signatureFrom(await this.#token.run('sign', signing.mechanism, signing.input), half, signing.mechanism.name, input.encoding);
  }

  /** Needs no secret, so it does not wait for the token. */
  async verify({ parameters, data, digest, encoding, signature }: Keys.Verification): Promise<boolean> {
    const input = { ...(data !== undefined && { data }), ...(digest !== undefined && { digest }) };
    return verifyWith(await this.publicKey(), parameters, input, signature, encoding);
  }

  async mac({ parameters, data }: Keys.Authentication): Promise<Uint8Array> {
    this.#token.requireKind('secret');
    return this.#token.run('sign', macMechanism(this, parameters), data);
  }

  async verifyMac(input: Keys.Authentication, expected: Uint8Array): Promise<boolean> {
    return equalMac(await this.mac(input), expected);
  }

  async wrap(parameters: CryptographicParameters, material: Uint8Array): Promise<Wrapped> {
    const { data, iv, tag } = await this.encrypt({ algorithm: 'AES', parameters: this.#wrapping(parameters), data: material });
    return { data: tag === undefined ? data : Buffer.concat([data, tag]), ...(iv !== undefined && { iv }) };
  }

  async unwrap(parameters: CryptographicParameters, { data, iv }: Wrapped): Promise<Uint8Array> {
    const choice = { algorithm: 'AES' as const, parameters: this.#wrapping(parameters) };
    const tagBytes = this.kind === 'secret' ? this.#aes(choice).cipher.tagBytes : 0;
    if (data.length < tagBytes) throw new Refusal('CryptographicFailure', 'the wrapped key is too short');
    const end = data.length - tagBytes;
    return this.decrypt({ ...choice, iv, data: data.subarray(0, end), tag: tagBytes > 0 ? data.subarray(end) : undefined });
  }

  async wrapThere(parameters: CryptographicParameters, other: Keys.Key): Promise<Wrapped | undefined> {
    return other instanceof HsmKey ? wrapOnToken(this.#token, this, parameters, other.#token) : undefined;
  }

  #wrapping(parameters: CryptographicParameters): CryptographicParameters {
    return this.kind === 'secret' ? wrappingParameters(parameters) : parameters;
  }

  hold(object: ManagedObject, wrapped: Keys.WrappedMaterial, inClear: () => Promise<Keys.Key>): Promise<Keys.Key | undefined> {
    return holdOnToken({ token: this.#token, key: this, open: (token) => new HsmKey(token, object, this.#ctx) }, object, wrapped, inClear);
  }

  derive(input: Keys.Derivation): Promise<Uint8Array> {
    return deriveOnToken(this.#token, input);
  }

  async agree(peer: KeyObject): Promise<Uint8Array> {
    this.#token.requireKind('private');
    const { curve, length } = this;
    if (curve === undefined || keyFacts(peer).curve !== curve)
      throw new Refusal('BadCryptographicParameters', `the public key of the other side must be on the curve of ${this.id}`);
    const mechanism: TokenMechanism = { name: 'CKM_ECDH1_DERIVE', parameter: { kind: 'ecdh', peer: owned(exportRaw(peer)) } };
    return this.#token.derive(mechanism, Math.ceil(length / 8));
  }

  decapsulate(ciphertext: Uint8Array): Promise<Uint8Array> {
    return decapsulateOnToken(this, ciphertext);
  }

  parts(part: Keys.KeyPart): Promise<Keys.PartOutput> {
    return sendTokenPart({ object: this.#object, token: this.#token, key: this, aes: (choice) => this.#aes(choice) }, this.#ctx, part);
  }

  async publicKey(): Promise<KeyObject> {
    this.#token.requireKind('private', 'public');
    return this.kind === 'public' ? storedPublicKey(this.#object) : publicHalf(this.#token, this.#object);
  }

  async material(): Promise<KeyObject> {
    if (this.kind === 'public') return this.publicKey();
    if (!flagOf(this.#object.attributes, TAG.Extractable, true)) throw new Refusal('NotExtractable', `DENIED: ${this.id} does not leave its token`);
    if (flagOf(this.#object.attributes, TAG.Sensitive, false))
      throw new Refusal('Sensitive', `DENIED: ${this.id} is sensitive and does not leave its token in clear`);
    return materialFrom(this.#token);
  }
}
