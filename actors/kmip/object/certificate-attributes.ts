// What a certificate says of itself, as attributes.
import type { Structure } from '../ttlv/node.ts';
import { bytesOf, required } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';
import type { AttributeSet } from './attributes.ts';

export function describeCertificate(content: Structure, _attributes: AttributeSet): void {
  required(bytesOf(content, TAG.CertificateValue), TAG.CertificateValue);
}
