// The mechanisms of PKCS#11 for signatures: with the hash on the token if it has that mechanism, else over a digest that this server makes.
import { hash, type KeyObject } from 'node:crypto';
import { nullElement, octets, oid, sequence, unsigned } from '../../../../crypto/der.ts';
import type { Digest } from '../../../../crypto/digest-name.ts';
import { fromBytes } from '../../../../crypto/key/modular.ts';
import { requireRoom } from '../../../../crypto/signature/pss.ts';
import { oneOf } from '../../../../crypto/signature/sign.ts';
import { schemeOf } from '../../../../crypto/signature/signature-scheme.ts';
import type { PartStart, TokenMechanism } from '../../../hsm/api.ts';
import type { Signing } from '../key.ts';
import { hashOf, owned } from './cipher-mechanism.ts';
import { lacksMechanism, malformed } from './token-refusal.ts';

export interface TokenSigning {
  readonly mechanism: TokenMechanism;
  /** What the token signs. */
  readonly input: Uint8Array;
}

/**
 * @param publicKey of the pair, which tells its algorithm
 * @param has the mechanisms of the token; undefined if they are not known
 * @throws CryptoError as `schemeOf`, and for data and a digest at once or neither, as with keys in software
 */
export function tokenSigning(publicKey: KeyObject, { parameters, ...given }: Omit<Signing, 'encoding'>, has: ReadonlySet<string> | undefined): TokenSigning {
  const { data, digest } = oneOf(given);
  const scheme = schemeOf(publicKey, parameters, digest?.length);
  const message = owned(data);
  const digested = (of: Digest): Uint8Array => (digest === undefined ? new Uint8Array(hash(of.name, message, 'buffer')) : owned(digest));
  switch (scheme.kind) {
    case 'pure':
      return { mechanism: { name: 'CKM_EDDSA' }, input: message };
    case 'ecdsa':
      return { mechanism: { name: 'CKM_ECDSA' }, input: truncated(digested(scheme.digest), publicKey) };
    case 'dsa':
      throw lacksMechanism('CKM_DSA');
    case 'pkcs1': {
      const name = `CKM_${scheme.digest.name.toUpperCase()}_RSA_PKCS`;
      if (digest === undefined && has?.has(name)) return { mechanism: { name }, input: message };
      return { mechanism: { name: 'CKM_RSA_PKCS' }, input: digestInfo(scheme.digest, digested(scheme.digest)) };
    }
    case 'pss': {
      const named = `CKM_${scheme.digest.name.toUpperCase()}_RSA_PKCS_PSS`;
      const isWhole = digest === undefined && has?.has(named) === true;
      const name = isWhole ? named : 'CKM_RSA_PKCS_PSS';
      const hashes = { hash: hashOf(scheme.digest, name), maskHash: hashOf(scheme.maskDigest, name) };
      const saltBytes = scheme.saltLength ?? scheme.digest.length;
      requireRoom(publicKey, scheme);
      const mechanism = { name, parameter: { kind: 'pss', ...hashes, saltBytes } } as const;
      return { mechanism, input: isWhole ? message : digested(scheme.digest) };
    }
  }
}

/** The same in parts. @throws CryptoError as `schemeOf` */
export function signingInParts(publicKey: KeyObject, parameters: Signing['parameters'], has: ReadonlySet<string> | undefined): PartStart {
  const whole = tokenSigning(publicKey, { parameters, data: new Uint8Array() }, has).mechanism;
  const scheme = schemeOf(publicKey, parameters);
  if (scheme.kind === 'pure') return { what: 'sign', mechanism: whole, by: 'end' };
  const { digest } = scheme;
  if (!TAKES_DIGEST.has(whole.name)) return { what: 'sign', mechanism: whole, by: 'token' };
  const head = scheme.kind === 'pkcs1' ? digestInfo(digest, new Uint8Array(digest.length)).slice(0, -digest.length) : new Uint8Array();
  const maxBytes = (scheme.kind === 'ecdsa' && orderBytes(publicKey)) || digest.length;
  return { what: 'sign', mechanism: whole, by: 'end', digest: { name: digest.name, head, maxBytes } };
}

const TAKES_DIGEST: ReadonlySet<string> = new Set(['CKM_ECDSA', 'CKM_RSA_PKCS', 'CKM_RSA_PKCS_PSS']);

/** EMSA-PKCS1-v1_5 without the padding, which the token adds (RFC 8017 section 9.2). */
const digestInfo = (digest: Digest, value: Uint8Array): Uint8Array => new Uint8Array(sequence(sequence(oid(digest.oid), nullElement()), octets(value)));

/** Tokens take no digest that is longer than the order of the curve; ECDSA uses its leftmost bits (FIPS 186-5 section 6.4.1). */
function truncated(digest: Uint8Array, publicKey: KeyObject): Uint8Array {
  const bytes = orderBytes(publicKey);
  return bytes === undefined ? digest : digest.slice(0, bytes);
}

/** Of curves whose order has whole bytes, so that leftmost bits are leftmost bytes. */
const ORDER_BYTES: Readonly<Record<string, number>> = { secp224r1: 28, prime256v1: 32, secp256k1: 32, secp384r1: 48, secp521r1: 66 };

const orderBytes = ({ asymmetricKeyDetails }: KeyObject): number | undefined => ORDER_BYTES[asymmetricKeyDetails?.namedCurve ?? ''];

/** In bytes. */
const ED25519_SIGNATURE = 64;

function signatureBytes(publicKey: KeyObject): number | undefined {
  if (publicKey.asymmetricKeyType === 'ed25519') return ED25519_SIGNATURE;
  const { modulusLength } = publicKey.asymmetricKeyDetails ?? {};
  const order = orderBytes(publicKey);
  return modulusLength === undefined ? order && 2 * order : Math.ceil(modulusLength / 8);
}

/**
 * From what a token gives to the signature. A token gives a number as long as the modulus, or two as long as the order of the curve (RFC 8017
 * sections 8.1.1 and 8.2.1, PKCS #11 v2.40 mechanisms section 2.3.1).
 * @param by what was asked, for the message @throws Refusal GeneralFailure if it has another length
 */
export function signatureFrom(given: Uint8Array, publicKey: KeyObject, by: string, encoding?: Signing['encoding']): Uint8Array {
  const bytes = signatureBytes(publicKey) ?? given.length;
  if (given.length !== bytes) throw malformed(`${by} gave ${given.length} bytes, not ${bytes}`);
  return publicKey.asymmetricKeyType === 'ec' && encoding !== 'ieee-p1363' ? toDer(given) : given;
}

/** From r and s side by side to the DER form of KMIP. */
function toDer(signature: Uint8Array): Uint8Array {
  const half = signature.length / 2;
  return new Uint8Array(sequence(unsigned(fromBytes(signature.subarray(0, half))), unsigned(fromBytes(signature.subarray(half)))));
}
