// The certificate request in a Certify or Re-certify payload: its bytes, or an object that holds them (KMIP 2.1 sections 2.2 and 6.1.6).
import { type CertificateRequest, readCertificateRequest } from '../../../crypto/x509/certificate-request.ts';
import type { OperationName } from '../../../kmip/operation-name.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import type { Structure } from '../../../kmip/ttlv/node.ts';
import { bytesOf, child, codeOf, nameOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import type { Objects } from '../operation-context.ts';
import { requireKind, requireUsable } from './issuer.ts';

const { CertificateRequestType, ObjectType } = ENUM;

/** @returns undefined if the payload has none @throws Refusal InvalidCSR, InvalidMessage, FeatureNotSupported for CRMF and PGP */
export async function requestIn(
  payload: Structure,
  objects: Objects<ManagedObject>,
  operation: OperationName,
  now: number,
): Promise<CertificateRequest | undefined> {
  const isGiven = bytesOf(payload, TAG.CertificateRequestValue) !== undefined;
  const isNamed = child(payload, TAG.CertificateRequestUniqueIdentifier) !== undefined;
  if (isGiven && isNamed) throw new Refusal('InvalidField', 'give either CertificateRequestValue or CertificateRequestUniqueIdentifier, not both');
  if (isGiven) return openRequest(payload);
  if (!isNamed && codeOf(payload, TAG.CertificateRequestType) !== undefined)
    throw new Refusal('InvalidMessage', 'missing field: CertificateRequestValue; CertificateRequestType alone is not enough');
  if (!isNamed) return undefined;
  return requestOf(await objects.use(payload, operation, TAG.CertificateRequestUniqueIdentifier), operation, now);
}

/** @param object a CertificateRequest */
export function requestOf(object: ManagedObject, operation: OperationName, now: number): CertificateRequest {
  requireKind(object, ObjectType.CertificateRequest, operation);
  requireUsable(object, now);
  return openRequest(object.content as Structure);
}

function openRequest(holder: Structure): CertificateRequest {
  const type = required(codeOf(holder, TAG.CertificateRequestType), TAG.CertificateRequestType);
  if (type !== CertificateRequestType.PKCS_10 && type !== CertificateRequestType.PEM)
    throw new Refusal('FeatureNotSupported', `certificate requests of type ${nameOf('CertificateRequestType', type)} are not supported; use PKCS#10`);
  return readCertificateRequest(required(bytesOf(holder, TAG.CertificateRequestValue), TAG.CertificateRequestValue));
}
