// Keys that clients bring, in the form that tokens take (C_CreateObject).
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { keyFacts } from '../../../../crypto/key/key-algorithm.ts';
import { exportRaw } from '../../../../crypto/key/raw-key.ts';
import type { CryptographicAlgorithm } from '../../../../crypto/parameters.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import type { BroughtKey, RsaNumbers, TokenPublicKey } from '../../../hsm/api.ts';
import { algorithmOf } from '../key-attributes.ts';
import type { ManagedObject } from '../managed-object.ts';
import { pairKeyOf, secretOf } from '../software-key/material.ts';
import { CURVES, paramsOf } from './public-key.ts';

const { ObjectType } = ENUM;

interface Brought {
  readonly key: BroughtKey;
  readonly algorithm: CryptographicAlgorithm | undefined;
  /** Bits. */
  readonly length: number;
}

/** @throws Refusal for a key that tokens do not take */
export function broughtKey(object: ManagedObject): Brought {
  if (object.type === ObjectType.SymmetricKey || object.type === ObjectType.SecretData) {
    const algorithm = algorithmOf(object);
    const isAes = object.type === ObjectType.SymmetricKey && algorithm === 'AES';
    if (!isAes && algorithm !== undefined && !algorithm.startsWith('HMAC_'))
      throw new Refusal('InvalidField', `Only AES symmetric keys and HMAC keys can be kept in an HSM, not ${algorithm}`);
    const value = new Uint8Array(secretOf(object).export());
    return { key: { kind: 'secret', type: isAes ? 'AES' : 'GENERIC', value }, algorithm, length: value.length * 8 };
  }
  const pairKey = pairKeyOf(object);
  const { algorithm, length } = keyFacts(pairKey);
  const key: BroughtKey = pairKey.type === 'private' ? privateKey(pairKey) : { kind: 'public', key: tokenPublicKey(pairKey) };
  return { key, algorithm, length };
}

function privateKey(key: KeyObject): BroughtKey {
  if (key.asymmetricKeyType === 'rsa') return { kind: 'private', rsa: rsaNumbers(key.export({ format: 'jwk' })) };
  const { type, params } = curveOf(key);
  return { kind: 'private', type, params: paramsOf({ params }), scalar: new Uint8Array(exportRaw(key)) };
}

function rsaNumbers(jwk: JsonWebKey): RsaNumbers {
  const number = (name: keyof RsaNumbers) => new Uint8Array(Buffer.from(jwk[name] as string, 'base64url'));
  return { n: number('n'), e: number('e'), d: number('d'), p: number('p'), q: number('q'), dp: number('dp'), dq: number('dq'), qi: number('qi') };
}

function tokenPublicKey(key: KeyObject): TokenPublicKey {
  if (key.asymmetricKeyType === 'rsa') {
    const { n, e } = key.export({ format: 'jwk' });
    return { type: 'RSA', modulus: new Uint8Array(Buffer.from(n as string, 'base64url')), exponent: new Uint8Array(Buffer.from(e as string, 'base64url')) };
  }
  const { type, params } = curveOf(key);
  return { type, params: paramsOf({ params }), point: new Uint8Array(exportRaw(key.type === 'private' ? createPublicKey(key) : key)) };
}

function curveOf(key: KeyObject): (typeof CURVES)[number] {
  const { algorithm, curve } = keyFacts(key);
  const known = CURVES.find((each) => each.curve === curve);
  if (!known)
    throw new Refusal(
      'UnsupportedCryptographicParameters',
      `an HSM takes RSA, EC and Ed25519 keys, not ${algorithm}${curve === undefined ? '' : ` on ${curve}`}`,
    );
  return known;
}
