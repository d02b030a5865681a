// ML-DSA keys of the crypto API: says what a new one is like, and reads others, whose private member is the seed (FIPS 204, key type AKP of the JOSE registry).
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import { SIGNING } from '../../../jose/key-purpose.ts';
import { findSignatureAlgorithm, ML_DSA_SEED_LENGTH } from '../../../jose/signature-algorithm.ts';
import { importKey } from '../../../kmip/key-format/key-format.ts';
import { publicJwk } from './jwk.ts';
import { type Members, optionalOctets } from './members.ts';
import type { NewPair } from './new-pair.ts';
import { notOfKind } from './not-of-kind.ts';
import { badRequest } from './problem.ts';

/** @throws Problem bad_request, unsupported_algorithm */
export function newMlDsaKey(body: Members, alg: string | undefined): NewPair {
  if (alg === undefined) throw badRequest('missing member: alg');
  const algorithm = findSignatureAlgorithm(alg)?.mlDsa?.algorithm;
  if (!algorithm) throw notOfKind(alg);
  const seed = optionalOctets(body, 'priv');
  const given = optionalOctets(body, 'pub');
  if (seed === undefined && given === undefined) return { wish: { algorithm }, alg, purpose: SIGNING };
  if (seed === undefined) return { given: { publicKey: read('PublicKey', given ?? Buffer.alloc(0), alg, algorithm) }, alg, purpose: SIGNING };
  if (seed.length !== ML_DSA_SEED_LENGTH) throw badRequest(`priv must be the seed of ${ML_DSA_SEED_LENGTH} bytes`);
  const privateKey = read('PrivateKey', seed, alg, algorithm);
  const publicKey = createPublicKey(privateKey);
  if (given !== undefined && given.toString('base64url') !== publicJwk(publicKey)['pub']) throw badRequest('pub must be the public key of priv');
  return { given: { privateKey, publicKey }, alg, purpose: SIGNING };
}

function read(kind: 'PrivateKey' | 'PublicKey', bytes: Uint8Array, alg: string, algorithm: CryptographicAlgorithm): KeyObject {
  try {
    return importKey(kind, 'Raw', bytes, algorithm);
  } catch (cause) {
    throw badRequest(kind === 'PrivateKey' ? `priv is not a private key of ${alg}` : `pub is not a public key of ${alg}`, cause);
  }
}
