// Issues a new certificate for the key of an old one, for ReCertify, Certify and scheduled rotation.
import type { KeyObject } from 'node:crypto';
import { isSameKey } from '../../../crypto/key/same-key.ts';
import { type CertificateOptions, randomSerial, unsignedCertificate } from '../../../crypto/x509/certificate.ts';
import { type CertificateFacts, certificateFacts } from '../../../crypto/x509/certificate-facts.ts';
import type { CertificateRequest } from '../../../crypto/x509/certificate-request.ts';
import { signedDer } from '../../../crypto/x509/signed-der.ts';
import type { AttributeSet } from '../../../kmip/attribute/set.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import type { Structure } from '../../../kmip/ttlv/node.ts';
import { child, intervalOf, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { describeCertificate } from '../object/attributes/certificate-attributes.ts';
import { link, linkedTo, newObject, removeLink, setLink } from '../object/create.ts';
import { certificateContent, certificateOf } from '../object/forms/certificate-content.ts';
import { keyOf } from '../object/key.ts';
import { replace, replacementAttributes, requireReplaceable } from '../object/keyset/replacement.ts';
import { dateAttribute } from '../object/life/lifecycle.ts';
import type { Draft, ManagedObject } from '../object/managed-object.ts';
import { fingerprint, type Outside } from '../object/outside.ts';
import { chosenIn, placeFor } from '../object/place.ts';
import type { ObjectTransaction, OperationContext } from '../operation-context.ts';
import { countSignature, findIssuer, type Issuer, requireKind } from './issuer.ts';
import { linkPublicKey } from './public-key-link.ts';
import { requestIn } from './request.ts';
import { type CertificateWishes, DAY, wishesOf } from './wishes.ts';

type PublicKeyOf = (key: ManagedObject) => Promise<KeyObject>;

/**
 * @param payload supplies Offset, Attributes and a certificate request
 * @param outside signs; a signature is valid as long as the certificate and the key stay the same
 * @returns the new certificate, already stored
 */
export async function reCertifyDraft(tx: ObjectTransaction, old: Draft, payload: Structure, ctx: OperationContext, outside: Outside): Promise<Draft> {
  requireKind(old, ENUM.ObjectType.Certificate, 'ReCertify');
  await requireReplaceable(tx, old, 'certificate', ctx.now);
  const wishes = wishesOf(payload, ctx.server.args.vendorIdentification);
  const before = certificateFacts(certificateOf(old));
  const request = await requestIn(payload, tx, 'ReCertify', ctx.now);
  if (request && !isSameKey(request.subjectPublicKey, before.publicKey))
    throw new Refusal('InvalidCSR', 'the public key in the certificate request is not the one in the certificate');
  const attributes = replacementAttributes(old, wishes.request, intervalOf(payload, TAG.Offset), ctx, TAG.Attributes);
  // The usage mask follows from the extensions, so the old mask stays valid only while the extensions stay the same.
  const given = structureOf(wishes.request, TAG.Attributes);
  if (wishes.extensions !== undefined && !(given && child(given, TAG.CryptographicUsageMask))) attributes.remove(TAG.CryptographicUsageMask);
  const place = placeFor(ctx, { type: old.type, chosen: chosenIn(attributes.nodes()), replaced: old.id });
  const publicKeyOf: PublicKeyOf = async (key) => outside.result(`public key of ${fingerprint(key)}`, () => keyOf(key, ctx).publicKey());
  const issuer = await issuerFor(tx, old, before, wishes, ctx, publicKeyOf);
  const validity = validityOf(payload, attributes, wishes, before, ctx.now);
  const unsigned = unsignedCertificate({
    ...renew(before, request, wishes, issuer, validity),
    issuerPublicKey: await publicKeyOf(issuer.key),
    serial: outside.keep('serial number', randomSerial),
  });
  const { data, parameters } = unsigned;
  const signature = outside.result(`signature by ${fingerprint(issuer.key)} of ${data.toString('base64')}`, async () =>
    keyOf(issuer.key, ctx).sign({ parameters, data }),
  );
  const content = certificateContent(signedDer(unsigned, signature));
  describeCertificate(content, attributes);
  const replacement = newObject(ctx, { place, type: old.type, content, attributes });
  if (issuer.certificate) setLink(replacement, 'CertificateLink', issuer.certificate.id);
  else removeLink(replacement, 'CertificateLink');
  await replace(tx, ctx, { old, replacement });
  await relink(tx, old, replacement, ctx);
  await countSignature(tx, issuer.key.id, { right: 'ReCertify', bytes: data.length, now: ctx.now });
  await tx.audit('key.recertify', old.id);
  return replacement;
}

/** The issuer of the old certificate, unless the request names one. */
function issuerFor(
  tx: ObjectTransaction,
  old: Draft,
  { publicKey }: CertificateFacts,
  wishes: CertificateWishes,
  ctx: OperationContext,
  publicKeyOf: PublicKeyOf,
): Promise<Issuer> {
  const isNamed = wishes.issuerCertificate !== undefined || wishes.issuerKey !== undefined;
  const issuer = linkedTo(old, 'CertificateLink');
  return findIssuer({
    objects: tx,
    right: 'ReCertify',
    now: ctx.now,
    certificate: wishes.issuerCertificate ?? (isNamed || issuer === undefined ? undefined : link('CertificateLink', issuer)),
    key: wishes.issuerKey,
    subjectKey: publicKey,
    publicKeyOf,
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

/**
 * Unless dates are given, the new certificate is valid from now or the Offset, for as long as the old one. An ActivationDate that was
 * copied from the old object counts only if it is in the future.
 */
function validityOf(payload: Structure, attributes: AttributeSet, { validityDays }: CertificateWishes, before: CertificateFacts, now: number): ValidityPeriod {
  const given = structureOf(payload, TAG.Attributes);
  const activation = dateAttribute(attributes, TAG.ActivationDate) ?? now;
  const notBefore = given && child(given, TAG.ActivationDate) ? activation : Math.max(now, activation);
  if (validityDays !== undefined) return { notBefore, notAfter: notBefore + validityDays * DAY };
  return { notBefore, notAfter: dateAttribute(attributes, TAG.DeactivationDate) ?? notBefore + (before.notAfter - before.notBefore) };
}

function renew(
  before: CertificateFacts,
  request: CertificateRequest | undefined,
  wishes: CertificateWishes,
  issuer: Issuer,
  validity: ValidityPeriod,
): Omit<CertificateOptions, 'issuerPublicKey'> {
  return {
    subjectPublicKey: before.publicKey,
    subject: request?.subject ?? wishes.subject ?? before.subject.der,
    ...(issuer.certificate ? { issuerCertificate: certificateOf(issuer.certificate) } : {}),
    ...validity,
    ...(wishes.extensions === undefined ? {} : { extensions: wishes.extensions }),
    ...(request ? { requestedExtensions: request.requestedExtensions } : {}),
    renewedExtensions: before.extensions,
  };
}

/** Links the public key to the new certificate. If a grantee renews it, only if the key was linked to the old one. */
async function relink(tx: ObjectTransaction, old: Draft, replacement: Draft, { caller, now }: OperationContext): Promise<void> {
  const id = linkedTo(old, 'PublicKeyLink');
  const publicKey = id === undefined ? undefined : await tx.read(id);
  if (publicKey?.owner !== old.owner) return;
  if (old.owner === caller.user || linkedTo(publicKey, 'CertificateLink') === old.id) await linkPublicKey(tx, publicKey, replacement.id, now);
}
