// ReCertify: a new certificate for the key of an old one, linked to it, under its names (KMIP 2.1 section 6.1.45).
import { certify as issue } from '../../../crypto/x509/certificate.ts';
import { type CertificateFacts, certificateFacts } from '../../../crypto/x509/certificate-facts.ts';
import type { CertificateRequest } from '../../../crypto/x509/certificate-request.ts';
import type { AttributeSet } from '../../../kmip/attribute/set.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { type Structure, text } from '../../../kmip/ttlv/node.ts';
import { child, intervalOf, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { describeCertificate } from '../object/certificate-attributes.ts';
import { certificateContent, certificateOf } from '../object/certificate-content.ts';
import { link, linkedTo, newObject, setLink } from '../object/create.ts';
import { asymmetricKey } from '../object/key-material.ts';
import { dateAttribute } from '../object/lifecycle.ts';
import type { Draft } from '../object/managed-object.ts';
import { replace, replacementAttributes, requireReplaceable } from '../object/replacement.ts';
import { findIssuer, type Issuer, requireKind } from './certificate-issuer.ts';
import { requestIn } from './certificate-request.ts';
import { type CertificateWishes, wishesOf } from './certificate-wishes.ts';
import { DAY, linkPublicKey } from './certify.ts';
import type { ObjectTransaction, Operation, OperationContext } from './operation.ts';
import { requireStorage } from './protection-storage.ts';

export const reCertify: Operation = async (request, ctx) => {
  requireStorage(request, TAG.ProtectionStorageMasks);
  const id = await ctx.change(async (tx) => (await reCertifyDraft(tx, await tx.use(request, 'ReCertify'), request, ctx)).id);
  return [text(TAG.UniqueIdentifier, id)];
};

/**
 * Everything is done in the transaction, the signature as well: it takes no other thread.
 * @param payload Offset, Attributes and a certificate request are read from it
 * @returns the new certificate, written
 */
export async function reCertifyDraft(tx: ObjectTransaction, old: Draft, payload: Structure, ctx: OperationContext): Promise<Draft> {
  requireKind(old, ENUM.ObjectType.Certificate, 'ReCertify');
  requireReplaceable(old, 'certificate', ctx.now);
  const wishes = wishesOf(payload, ctx.server.args.vendorIdentification);
  const before = certificateFacts(certificateOf(old));
  const request = await requestIn(payload, tx, 'ReCertify', ctx.now);
  if (request && !request.subjectPublicKey.equals(before.publicKey)) throw new Refusal('InvalidCSR', 'the certificate request is for another public key');
  const attributes = replacementAttributes(old, wishes.request, intervalOf(payload, TAG.Offset), ctx, TAG.Attributes);
  // The uses follow from the extensions; those of the old certificate hold as long as its extensions do.
  const given = structureOf(wishes.request, TAG.Attributes);
  if (wishes.extensions !== undefined && !(given && child(given, TAG.CryptographicUsageMask))) attributes.remove(TAG.CryptographicUsageMask);
  const issuer = await issuerFor(tx, old, before, wishes, ctx);
  const validity = validityOf(payload, attributes, wishes, before, ctx.now);
  const content = certificateContent(renewed(before, request, wishes, issuer, validity));
  describeCertificate(content, attributes);
  const replacement = newObject(ctx, { type: old.type, content, attributes });
  if (issuer.certificate) setLink(replacement, 'CertificateLink', issuer.certificate.id);
  await replace(tx, ctx, { old, replacement });
  await relink(tx, old, replacement, ctx);
  await tx.audit('key.recertify', old.id);
  return replacement;
}

/** The issuer of the old certificate, unless the request names one. */
function issuerFor(tx: ObjectTransaction, old: Draft, { publicKey }: CertificateFacts, wishes: CertificateWishes, ctx: OperationContext): Promise<Issuer> {
  const isNamed = wishes.issuerCertificate !== undefined || wishes.issuerKey !== undefined;
  const issuer = linkedTo(old, 'CertificateLink');
  return findIssuer({
    objects: tx,
    right: 'ReCertify',
    now: ctx.now,
    certificate: wishes.issuerCertificate ?? (isNamed || issuer === undefined ? undefined : link('CertificateLink', issuer)),
    key: wishes.issuerKey,
    subjectKey: publicKey,
    own: async () => {
      const id = linkedTo(old, 'PrivateKeyLink');
      return id === undefined ? undefined : tx.byId(id, 'ReCertify');
    },
  });
}

interface ValidityPeriod {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** From now or the Offset, as long as the old one was, unless dates are given; a date copied from the old object does not lie in its past. */
function validityOf(payload: Structure, attributes: AttributeSet, { validityDays }: CertificateWishes, before: CertificateFacts, now: number): ValidityPeriod {
  const given = structureOf(payload, TAG.Attributes);
  const activation = dateAttribute(attributes, TAG.ActivationDate) ?? now;
  const notBefore = given && child(given, TAG.ActivationDate) ? activation : Math.max(now, activation);
  if (validityDays !== undefined) return { notBefore, notAfter: notBefore + validityDays * DAY };
  return { notBefore, notAfter: dateAttribute(attributes, TAG.DeactivationDate) ?? notBefore + (before.notAfter - before.notBefore) };
}

function renewed(
  before: CertificateFacts,
  request: CertificateRequest | undefined,
  wishes: CertificateWishes,
  issuer: Issuer,
  validity: ValidityPeriod,
): Uint8Array {
  return issue({
    subjectPublicKey: before.publicKey,
    subject: request?.subject ?? wishes.subject ?? before.subject.der,
    issuerKey: asymmetricKey(issuer.key),
    ...(issuer.certificate ? { issuerCertificate: certificateOf(issuer.certificate) } : {}),
    ...validity,
    ...(wishes.extensions === undefined ? {} : { extensions: wishes.extensions }),
    ...(request ? { requestedExtensions: request.requestedExtensions } : {}),
    renewedExtensions: before.extensions,
  });
}

/** The public key leads to the new certificate; where a grantee renews it, only if it led to the old one. */
async function relink(tx: ObjectTransaction, old: Draft, replacement: Draft, { caller, now }: OperationContext): Promise<void> {
  const id = linkedTo(old, 'PublicKeyLink');
  const publicKey = id === undefined ? undefined : await tx.read(id);
  if (publicKey?.owner !== old.owner) return;
  if (old.owner === caller.user || linkedTo(publicKey, 'CertificateLink') === old.id) await linkPublicKey(tx, publicKey, replacement.id, now);
}
