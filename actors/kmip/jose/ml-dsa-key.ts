// ML-DSA keys of the crypto API: generates new ones, and imports others, whose private member is the seed (FIPS 204, key type AKP of the JOSE registry).
import { createPublicKey, type KeyObject } from 'node:crypto';
import { generatePair } from '../../../crypto/key/key-pair.ts';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import { importKey } from '../../../kmip/key-format/key-format.ts';
import { publicJwk } from './jwk.ts';
import { SIGNING } from './key-purpose.ts';
import { type Members, optionalOctets } from './members.ts';
import type { NewPair } from './new-key.ts';
import { notOfKind } from './not-of-kind.ts';
import { badRequest } from './problem.ts';

const ALGORITHMS: ReadonlyMap<string, CryptographicAlgorithm> = new Map([
  ['ML-DSA-44', 'MLDSA_44'],
  ['ML-DSA-65', 'MLDSA_65'],
  ['ML-DSA-87', 'MLDSA_87'],
]);

/** Bytes of the seed, which is the whole private key. */
const SEED_LENGTH = 32;

/** @throws Problem bad_request, unsupported_algorithm */
export function createMlDsaKey(body: Members, alg: string | undefined): NewPair {
  if (alg === undefined) throw badRequest('missing member: alg');
  const algorithm = ALGORITHMS.get(alg);
  if (!algorithm) throw notOfKind(alg);
  const seed = optionalOctets(body, 'priv');
  const given = optionalOctets(body, 'pub');
  if (seed === undefined && given === undefined) return { ...generatePair(algorithm), alg, purpose: SIGNING, imported: false };
  if (seed === undefined) return { publicKey: read('PublicKey', given ?? Buffer.alloc(0), algorithm), alg, purpose: SIGNING, imported: true };
  if (seed.length !== SEED_LENGTH) throw badRequest(`priv must be the seed of ${SEED_LENGTH} bytes`);
  const privateKey = read('PrivateKey', seed, algorithm);
  const publicKey = createPublicKey(privateKey);
  if (given !== undefined && given.toString('base64url') !== publicJwk(publicKey)['pub']) throw badRequest('pub is not that of priv');
  return { privateKey, publicKey, alg, purpose: SIGNING, imported: true };
}

function read(kind: 'PrivateKey' | 'PublicKey', bytes: Uint8Array, algorithm: CryptographicAlgorithm): KeyObject {
  try {
    return importKey(kind, 'Raw', bytes, algorithm);
  } catch (cause) {
    throw badRequest(kind === 'PrivateKey' ? 'priv is not a private key' : 'pub is no public key', cause);
  }
}
