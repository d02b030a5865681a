// Reads PKCS#10 certificate requests in DER or PEM (RFC 2986).
import type { KeyObject } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { DER, type Element, readInside, readOid } from '../der.ts';
import { type Extension, readExtensions } from './certificate-extension.ts';
import { publicKeyOf } from './certificate-facts.ts';
import { isSignedBy, readSigned } from './signed-der.ts';

export interface CertificateRequest {
  /** DER of the distinguished name. */
  readonly subject: Buffer;
  readonly subjectPublicKey: KeyObject;
  /** The extensions that the extensionRequest attribute asks for. */
  readonly requestedExtensions: readonly Extension[];
}

const WHAT = 'the certificate request';
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';

/** @throws CryptoError bad_certificate_request if the request is malformed or is not signed with its own key */
export function readCertificateRequest(request: Uint8Array): CertificateRequest {
  try {
    return parseRequest(fromPem(Buffer.from(request.buffer, request.byteOffset, request.length)));
  } catch (error) {
    if (error instanceof CryptoError) throw new CryptoError('bad_certificate_request', error.message);
    throw error;
  }
}

function fromPem(request: Buffer): Buffer {
  const [, base64] = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([\s\S]*?)-----END (?:NEW )?CERTIFICATE REQUEST-----/.exec(request.toString('latin1')) ?? [];
  return base64 === undefined ? request : Buffer.from(base64, 'base64');
}

function parseRequest(der: Buffer): CertificateRequest {
  const signed = readSigned(der, WHAT);
  const [, subject, spki, attributes] = signed.fields;
  if (subject?.tag !== DER.sequence || spki?.tag !== DER.sequence) throw new CryptoError('invalid', `${WHAT} is not PKCS#10`);
  const subjectPublicKey = publicKeyOf(spki.whole);
  if (!isSignedBy(signed, subjectPublicKey, WHAT)) throw new CryptoError('invalid', `${WHAT} is not signed by its own key`);
  return { subject: subject.whole, subjectPublicKey, requestedExtensions: readRequestedExtensions(attributes) };
}

function readRequestedExtensions(attributes: Element | undefined): Extension[] {
  if (attributes?.tag !== 0xa0) return [];
  for (const attribute of readInside(attributes, 0xa0, WHAT)) {
    const [type, values] = readInside(attribute, DER.sequence, WHAT);
    if (readOid(type, WHAT) !== EXTENSION_REQUEST) continue;
    const [extensions] = readInside(values, DER.set, WHAT);
    return extensions === undefined ? [] : readExtensions(extensions.whole);
  }
  return [];
}
