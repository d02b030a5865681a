// Algorithm names that are registered for JOSE. A registered name that is not offered, or not in that place, is refused as unsupported.
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
export type Place = 'body' | 'header';

/** Explains why an algorithm is refused: an unregistered name is a bad request, a registered one is not supported here. */
export function refuse(member: 'alg' | 'enc', name: string, place: Place): JoseProblem {
  if (place === 'body' && !REGISTERED.has(name)) return badRequest(`${member} is not a registered algorithm`);
  return new JoseProblem('unsupported_algorithm', `${member} is not supported here`);
}
