// ECDH-ES: the key that two key pairs agree on, and the ephemeral public key in the protected header (RFC 7518 section 4.6, RFC 8037 section 3.2).
import { createHash, createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { curveName } from '../../../jose/curve.ts';
import { refusalOf } from '../../../kmip/crypto-refusal.ts';
import type { KeyFacts } from '../object/key.ts';
import { publicJwk } from './jwk.ts';
import { type Members, optionalOctets } from './members.ts';
import { badRequest, decryptionFailed, JoseProblem } from './problem.ts';

/** The inputs of the derivation besides the shared secret. They bind the key to one algorithm, one length and two parties. */
interface KeyDerivation {
  /** AlgorithmID: `enc` if the result encrypts the content, otherwise `alg`. */
  readonly algorithm: string;
  /** In bytes. */
  readonly length: number;
  readonly apu: Uint8Array;
  readonly apv: Uint8Array;
}

/** `apu` and `apv` from a body or header, as bytes and in the form for a header. @throws Problem bad_request */
export function partyInformation(members: Members): { apu: Uint8Array; apv: Uint8Array; encoded: Members } {
  const apu = optionalOctets(members, 'apu');
  const apv = optionalOctets(members, 'apv');
  return {
    apu: apu ?? Buffer.alloc(0),
    apv: apv ?? Buffer.alloc(0),
    encoded: { ...(apu && { apu: members['apu'] }), ...(apv && { apv: members['apv'] }) },
  };
}

const CURVES: ReadonlySet<string> = new Set(['P-256', 'P-384', 'P-521', 'X25519', 'X448']);

/** The curve of a key that supports key agreement. @throws Problem crypto_failure for any other key */
export function agreementCurve(key: KeyFacts): string {
  const curve = curveName(key.curve);
  if (curve === undefined || !CURVES.has(curve))
    throw new JoseProblem('crypto_failure', 'the key does not fit alg: ECDH-ES needs a key on P-256, P-384, P-521, X25519 or X448');
  return curve;
}

/** Generates a key pair for one message, on the curve of the recipient's key. */
export function ephemeralPair(curve: string): { privateKey: KeyObject; epk: Members } {
  const { privateKey, publicKey } = curve.startsWith('X')
    ? generateKeyPairSync(curve.toLowerCase() as 'x25519')
    : generateKeyPairSync('ec', { namedCurve: curve });
  return { privateKey, epk: publicJwk(publicKey) };
}

/** The sender's public key from a header. @throws Problem bad_request unless it is a point of that curve */
export function readEphemeral(epk: unknown, curve: string): KeyObject {
  if (typeof epk !== 'object' || epk === null) throw badRequest('missing member: epk');
  const { kty, crv, x, y } = epk as Members;
  const isCurve = crv === curve && kty === (curve.startsWith('X') ? 'OKP' : 'EC');
  if (!isCurve || typeof x !== 'string' || (kty === 'EC' && typeof y !== 'string')) throw badRequest('epk is not a public key on the curve of the key');
  const key: JsonWebKey = { kty: String(kty), crv: curve, x, ...(typeof y === 'string' && kty === 'EC' && { y }) };
  try {
    return createPublicKey({ key, format: 'jwk' });
  } catch {
    throw badRequest('epk is not a public key on the curve of the key');
  }
}

/**
 * Derives a key from a shared secret.
 * @param secret computes the shared secret of the two key pairs
 * @throws Problem decryption_failed if there is no shared secret (an X25519 key of small order)
 */
export async function agreedKey(secret: () => Promise<Uint8Array>, derivation: KeyDerivation): Promise<Buffer> {
  try {
    return concatKdf(await secret(), derivation);
  } catch (error) {
    throw refusalOf(error)?.reason === 'CryptographicFailure' ? decryptionFailed() : error;
  }
}

/** NIST SP 800-56A section 5.8.2.1 with SHA-256, as RFC 7518 section 4.6.2 specifies. */
function concatKdf(secret: Uint8Array, { algorithm, length, apu, apv }: KeyDerivation): Buffer {
  const info = Buffer.concat([...prefixLength(Buffer.from(algorithm)), ...prefixLength(apu), ...prefixLength(apv), number(length * 8)]);
  const rounds: Buffer[] = [];
  for (let round = 1; rounds.length * 32 < length; round++) rounds.push(createHash('sha256').update(number(round)).update(secret).update(info).digest());
  return Buffer.concat(rounds).subarray(0, length);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const prefixLength = (bytes: Uint8Array): Uint8Array[] => [number(bytes.length), bytes];
