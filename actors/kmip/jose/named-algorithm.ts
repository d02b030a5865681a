// Finds the algorithm that a request names. A registered name that is not offered, or not in that place, is refused as unsupported.
import { findContentEncryption } from '../../../jose/content-encryption.ts';
import { findKeyManagement } from '../../../jose/key-management.ts';
import { findMacAlgorithm } from '../../../jose/mac-algorithm.ts';
import { findSignatureAlgorithm } from '../../../jose/signature-algorithm.ts';
import { badRequest, JoseProblem } from './problem.ts';

/** The IANA registry "JSON Web Signature and Encryption Algorithms", without names for the Web Cryptography API. */
const REGISTERED: ReadonlySet<string> = new Set([
  ...['none', 'HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'ES256K'],
  ...['EdDSA', 'Ed25519', 'Ed448', 'ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87'],
  ...['RSA1_5', 'RSA-OAEP', 'RSA-OAEP-256', 'RSA-OAEP-384', 'RSA-OAEP-512', 'A128KW', 'A192KW', 'A256KW', 'dir'],
  ...['ECDH-ES', 'ECDH-ES+A128KW', 'ECDH-ES+A192KW', 'ECDH-ES+A256KW', 'A128GCMKW', 'A192GCMKW', 'A256GCMKW'],
  ...['PBES2-HS256+A128KW', 'PBES2-HS384+A192KW', 'PBES2-HS512+A256KW'],
  ...['A128GCM', 'A192GCM', 'A256GCM', 'A128CBC-HS256', 'A192CBC-HS384', 'A256CBC-HS512'],
]);

/** Where the name was given. Other software writes protected headers, so an unknown name there counts as an unsupported algorithm. */
type Place = 'body' | 'header';

/** Explains why an algorithm is refused: an unregistered name is a bad request, a registered one is not supported here. */
export function refuse(member: 'alg' | 'enc', name: string, place: Place): JoseProblem {
  if (place === 'body' && !REGISTERED.has(name)) return badRequest(`${member} is not a registered algorithm`);
  return new JoseProblem('unsupported_algorithm', `${member} is not supported here`);
}

/** @throws Problem bad_request or unsupported_algorithm, also for names of algorithms of another kind: `none` and the MACs are not signatures */
function named<R>(member: 'alg' | 'enc', find: (name: string) => R | undefined): (name: string, place: Place) => R {
  return (name, place) => {
    const found = find(name);
    if (!found) throw refuse(member, name, place);
    return found;
  };
}

export const signatureAlgorithm = named('alg', findSignatureAlgorithm);
export const macAlgorithm = named('alg', findMacAlgorithm);
export const keyManagement = named('alg', findKeyManagement);
export const contentEncryption = named('enc', findContentEncryption);
