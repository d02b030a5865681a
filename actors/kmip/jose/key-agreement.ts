// ECDH-ES: the key that two key pairs agree on, and the ephemeral public key in the protected header (RFC 7518 section 4.6, RFC 8037 section 3.2).
import { createHash, createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { requireSecret } from '../../../crypto/key/shared-secret.ts';
import { CURVES, type Curve, curveName } from '../../../jose/curve.ts';
import { refusalOf } from '../../../kmip/crypto-refusal.ts';
import type { KeyFacts } from '../object/key.ts';
import { publicJwk } from './jwk.ts';
import { type Members, octets, optionalOctets } from './members.ts';
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

const AGREEING: ReadonlyMap<string, Curve> = new Map(CURVES.flatMap((each) => (each.agrees ? [[each.crv, each]] : [])));

/** The curve of a key that supports key agreement. @throws Problem crypto_failure for any other key */
export function agreementCurve(key: KeyFacts): Curve {
  const curve = AGREEING.get(curveName(key.curve) ?? '');
  if (!curve) throw new JoseProblem('crypto_failure', `the key does not fit alg: ECDH-ES needs a key on one of ${[...AGREEING.keys()].join(', ')}`);
  return curve;
}

/** Generates a key pair for one message, on the curve of the recipient's key. */
export function ephemeralPair({ kty, crv }: Curve): { privateKey: KeyObject; epk: Members } {
  const { privateKey, publicKey } = kty === 'OKP' ? generateKeyPairSync(crv.toLowerCase() as 'x25519') : generateKeyPairSync('ec', { namedCurve: crv });
  return { privateKey, epk: publicJwk(publicKey) };
}

/** The sender's public key from a header. @throws Problem bad_request unless it is a point of that curve, as strictly encoded as an imported one */
export function readEphemeral(epk: unknown, { kty, crv, length }: Curve): KeyObject {
  if (typeof epk !== 'object' || epk === null) throw badRequest('missing member: epk');
  const members = epk as Members;
  const coordinate = (name: string): string => {
    if (octets(members, name).length !== length) throw badRequest(`${name} of epk must be ${length} bytes on ${crv}`);
    return members[name] as string;
  };
  if (members['crv'] !== crv || members['kty'] !== kty) throw badRequest('epk is not a public key on the curve of the key');
  const key: JsonWebKey = { kty, crv, x: coordinate('x'), ...(kty === 'EC' && { y: coordinate('y') }) };
  try {
    return createPublicKey({ key, format: 'jwk' });
  } catch {
    throw badRequest('epk is not a public key on the curve of the key');
  }
}

/**
 * Derives a key from a shared secret.
 * @param secret computes the shared secret of the two key pairs
 * @param refusal of a public key that leads to no shared secret (an X25519 key of small order)
 * @throws Problem
 */
export async function agreedKey(secret: () => Promise<Uint8Array>, derivation: KeyDerivation, refusal = decryptionFailed): Promise<Buffer> {
  try {
    return concatKdf(requireSecret(await secret()), derivation);
  } catch (error) {
    throw refusalOf(error)?.reason === 'CryptographicFailure' ? refusal() : error;
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
