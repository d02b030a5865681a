// Reads private keys from DER. OpenSSL reads some that it cannot compute with.
import { createPrivateKey, type KeyObject } from 'node:crypto';

/**
 * An EC key whose value is longer than the order of its curve cannot be written again. This asks for PKCS#8, because the request for the raw
 * value leaves OpenSSL's error behind, and with it the next key that this thread reads, whosever it is, would be refused.
 * @throws errors of node:crypto, which may tell about the key
 */
export function readPrivateKey(key: Buffer, type: 'pkcs1' | 'pkcs8' | 'sec1'): KeyObject {
  const read = createPrivateKey({ key, format: 'der', type });
  if (read.asymmetricKeyType === 'ec') read.export({ format: 'der', type: 'pkcs8' }).fill(0);
  return read;
}
