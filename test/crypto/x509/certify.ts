// Certificates by a private key at hand, at once.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { sign } from '../../../crypto/signature/sign.ts';
import { type CertificateOptions, unsignedCertificate } from '../../../crypto/x509/certificate.ts';
import { signedDer } from '../../../crypto/x509/signed-der.ts';

export type CertifyOptions = Omit<CertificateOptions, 'issuerPublicKey'> & { readonly issuerKey: KeyObject };

/** DER. @throws Refusal as the operation refuses */
export function certify({ issuerKey, ...options }: CertifyOptions): Uint8Array {
  const unsigned = unsignedCertificate({ ...options, issuerPublicKey: createPublicKey(issuerKey) });
  return signedDer(unsigned, sign(issuerKey, unsigned.parameters, { data: unsigned.data }));
}
