// Reads X.509 certificates.
import { type KeyObject, X509Certificate } from 'node:crypto';

export function certificateFacts(der: Uint8Array): { publicKey: KeyObject } {
  return { publicKey: new X509Certificate(der).publicKey };
}
