// Which cipher and mechanism of PKCS#11 a use of a key on a token means.
import { type Cipher, cipherFor } from '../../../../crypto/cipher/cipher.ts';
import { otherInitialValue } from '../../../../crypto/cipher/key-wrap.ts';
import type { CryptographicParameters } from '../../../../crypto/parameters.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { HASH_BYTES } from '../../../../kmip/token-hash.ts';
import type { TokenMechanism } from '../../../hsm/api.ts';
import type { CipherChoice, CipherFacts, KeyFacts } from '../key.ts';
import { aesMechanism, owned, requireIv, rsaMechanism, withIv } from './cipher-mechanism.ts';
import type { KeyOnToken } from './key-on-token.ts';
import { lacksMechanism } from './token-refusal.ts';

export interface AesChoice {
  readonly cipher: Cipher;
  readonly name: string;
}

export const RSA: CipherFacts = { name: 'RSA', ivBytes: undefined, authenticated: false, tagBytes: 0 };

const WRAPS = { CKM_AES_KEY_WRAP: 'NISTKeyWrap', CKM_AES_KEY_WRAP_KWP: 'AESKeyWrapPadding' } as const;

type WrapMechanism = keyof typeof WRAPS;

/** Mechanisms that a token uses on keys only, which it must have as objects for it. */
export const isWrap = (mechanism: string): mechanism is WrapMechanism => Object.hasOwn(WRAPS, mechanism);

/** The default initial value is not sent, because many tokens know no other. @throws CryptoError invalid for one of another length */
export function wrapMechanism(name: WrapMechanism, iv: Uint8Array | undefined): TokenMechanism {
  const other = otherInitialValue(WRAPS[name], iv);
  return other === undefined ? { name } : { name, parameter: { kind: 'bytes', bytes: owned(other) } };
}

/** For a key whose length its token does not tell, as openCryptoki of imported ones: what is asked of the cipher is alike for all lengths, and the token has the key. */
const UNTOLD_BITS = 256;

/** @throws Refusal for what tokens do not have, and of `cipherFor` */
export function aesChoice(token: KeyOnToken, { id, length }: Pick<KeyFacts, 'id' | 'length'>, { algorithm, parameters }: CipherChoice): AesChoice {
  if (algorithm === undefined) throw new Refusal('BadCryptographicParameters', `neither the parameters nor ${id} names a cryptographic algorithm`);
  // PKCS #11 has no names for these.
  if (algorithm === 'AES_CBC_HMAC') throw lacksMechanism('for AES-CBC with HMAC');
  if (algorithm === 'FPE_FF1') throw lacksMechanism('for FF1');
  const cipher = cipherFor(algorithm, parameters, (length || UNTOLD_BITS) / 8);
  if (algorithm !== 'AES') throw lacksMechanism(`CKM_${algorithm.toUpperCase()}`);
  const name = aesMechanism(parameters);
  token.requireMechanism(name);
  return { cipher, name };
}

/** As keys in software: a symmetric wrapping key is always used with AES, and with key wrap with padding if no mode is named. */
export const wrappingParameters = (parameters: CryptographicParameters): CryptographicParameters => ({
  blockCipherMode: 'AESKeyWrapPadding',
  ...parameters,
  cryptographicAlgorithm: 'AES',
});

/**
 * How a token wraps a key of its own, or unwraps one.
 * @returns undefined if that takes more than one call @throws Refusal for what the token does not have
 */
export function keyMechanism(token: KeyOnToken, key: KeyFacts, parameters: CryptographicParameters, iv: Uint8Array | undefined): TokenMechanism | undefined {
  if (token.kind !== 'secret') {
    const mechanism = parameters.paddingMethod === 'None' ? undefined : rsaChoice(key, parameters);
    if (mechanism) token.requireMechanism(mechanism.name);
    return mechanism;
  }
  const chosen = wrappingParameters(parameters);
  const { cipher, name } = aesChoice(token, key, { algorithm: 'AES', parameters: chosen });
  if (isWrap(name)) return wrapMechanism(name, iv);
  return withIv(name, { iv: requireIv(cipher, iv), aad: undefined, tagBytes: cipher.tagBytes }, chosen);
}

/** @throws Refusal for keys that are not RSA keys */
export function rsaChoice({ algorithm }: Pick<KeyFacts, 'algorithm'>, parameters: CryptographicParameters): TokenMechanism {
  if (algorithm !== 'RSA') throw lacksMechanism(`for ECIES; ${algorithm} keys on tokens do not encrypt`);
  if (parameters.cryptographicAlgorithm !== undefined && parameters.cryptographicAlgorithm !== 'RSA')
    throw new Refusal('BadCryptographicParameters', `the algorithm of the key is RSA, not ${parameters.cryptographicAlgorithm}`);
  return rsaMechanism(parameters);
}

/** Tokens refuse too much data with whatever they have, such as CKR_GENERAL_ERROR (RFC 8017 sections 7.1.1 and 7.2.1). @throws Refusal InvalidField */
export function fitting({ length }: Pick<KeyFacts, 'length'>, { parameter }: TokenMechanism, data: Uint8Array): Uint8Array {
  const padding = parameter?.kind === 'oaep' ? 2 * HASH_BYTES[parameter.hash] + 2 : 11;
  if (data.length > Math.ceil(length / 8) - padding) throw new Refusal('InvalidField', 'data too large for this key');
  return data;
}
