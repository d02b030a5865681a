// Reads public keys. OpenSSL reads the point at infinity too, with which everybody can make signatures (NIST SP 800-56A section 5.6.2.3.3).
import { createPublicKey, type KeyObject } from 'node:crypto';

/**
 * OpenSSL cannot write the point at infinity again. This asks for SubjectPublicKeyInfo, because the request for the raw point or for details of the key
 * leaves OpenSSL's error behind (see read-private-key.ts).
 * @param input as of node:crypto, whose declaration does not know raw keys
 * @throws errors of node:crypto
 */
export function readPublicKey(input: object): KeyObject {
  const read = (createPublicKey as unknown as (input: object) => KeyObject)(input);
  if (read.asymmetricKeyType === 'ec') read.export({ format: 'der', type: 'spki' });
  return read;
}
