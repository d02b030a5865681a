// Certify: issues a certificate for a public key, a certificate request or a new key pair (KMIP 2.1 section 6.1.6).
import type { KeyObject } from 'node:crypto';
import { isSameKey } from '../../../crypto/key/same-key.ts';
import { certify as issue } from '../../../crypto/x509/certificate.ts';
import type { CertificateRequest } from '../../../crypto/x509/certificate-request.ts';
import type { DistinguishedName } from '../../../crypto/x509/distinguished-name.ts';
import type { AttributeSet } from '../../../kmip/attribute/set.ts';
import { CERTIFICATE_REQUEST, OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { child } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { countSignature, findIssuer, type Issuer, invalid, requireKind, requireUsable } from '../certificate/issuer.ts';
import { linkPublicKey } from '../certificate/public-key-link.ts';
import { reCertifyDraft } from '../certificate/renewal.ts';
import { requestIn, requestOf } from '../certificate/request.ts';
import { type CertificateWishes, DAY, wishesOf } from '../certificate/wishes.ts';
import { newPair, type PairDrafts } from '../creation/key-pair.ts';
import { withPair } from '../creation/pair-source.ts';
import { requireStorage } from '../creation/protection-storage.ts';
import { describeCertificate } from '../object/attributes/certificate-attributes.ts';
import { newAttributes } from '../object/attributes/new-attributes.ts';
import { linkedTo, newObject, requireCreation, setLink } from '../object/create.ts';
import { requireNoExpectation } from '../object/finding/expected-type.ts';
import { certificateContent, certificateOf } from '../object/forms/certificate-content.ts';
import { keyOf } from '../object/key.ts';
import { dateAttribute } from '../object/life/lifecycle.ts';
import type { Draft, ManagedObject } from '../object/managed-object.ts';
import { withOutside } from '../object/outside.ts';
import { chosenIn, placeFor } from '../object/place.ts';
import type { Operation } from '../operation.ts';
import type { ObjectTransaction, OperationContext } from '../operation-context.ts';
import { withDefaults } from '../policy/defaults.ts';

const { ObjectType } = ENUM;
const DEFAULT_DAYS = 365;

/** What the certificate certifies. */
interface Subject {
  readonly publicKey: KeyObject;
  readonly request: CertificateRequest | undefined;
  /** The public key, if it is an object of this server. */
  readonly object: ManagedObject | undefined;
  /** The new keys, if they are created together with the certificate. */
  readonly pair: PairDrafts | undefined;
}

export const certify = {
  name: 'Certify',
  members: payloadMembers([...OBJECT, ...CERTIFICATE_REQUEST, 'Attributes', 'ProtectionStorageMasks']),
  leaves: [{ tag: TAG.UniqueIdentifier, code: ENUM.UniqueIdentifier.Certify }],
  absentReason: 'ItemNotFound',
  event: 'key.certify',
  run,
} satisfies Operation;

async function run(payload: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  await requireCreation(ctx);
  requireStorage(payload, TAG.ProtectionStorageMasks);
  if (await isCertificate(payload, ctx)) return renew(payload, ctx);
  const request = withDefaults(payload, (await ctx.policy()).defaults, { type: ObjectType.Certificate, tags: [TAG.Attributes] });
  const wishes = wishesOf(request, ctx.server.args.vendorIdentification);
  const attributes = newAttributes(wishes.request, ObjectType.Certificate, TAG.Attributes);
  const place = placeFor(ctx, { type: ObjectType.Certificate, chosen: chosenIn(attributes.nodes()) });
  const subject = await subjectOf(payload, wishes, ctx);
  const issuer = await findIssuer({
    objects: ctx,
    right: 'Certify',
    now: ctx.now,
    certificate: wishes.issuerCertificate,
    key: wishes.issuerKey,
    subjectKey: subject.publicKey,
    publicKeyOf: (key) => keyOf(key, ctx).publicKey(),
    own: () => ownKey(subject, ctx),
  });
  const signed = await signCertificate(subject, issuer, wishes, attributes, ctx);
  const content = certificateContent(signed.certificate);
  const uses = (subject.object ?? subject.pair?.publicKey)?.attributes.first(TAG.CryptographicUsageMask)?.value;
  describeCertificate(content, attributes, typeof uses === 'number' ? uses : undefined);
  const draft = newObject(ctx, { place, type: ObjectType.Certificate, content, attributes });
  linkCertificate(draft, subject, issuer);
  await ctx.change((tx) => put(tx, draft, subject, { ...issuer, signed: signed.bytes }, ctx.now));
  return [text(TAG.UniqueIdentifier, draft.id)];
}

/** Some clients renew a certificate with Certify. */
async function isCertificate(payload: Structure, ctx: OperationContext): Promise<boolean> {
  return child(payload, TAG.UniqueIdentifier) !== undefined && (await ctx.describe(payload, 'Certify')).type === ObjectType.Certificate;
}

/** Does the same as ReCertify. */
async function renew(payload: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const id = await withOutside((outside) => ctx.change(async (tx) => (await reCertifyDraft(tx, await tx.use(payload, 'Certify'), payload, ctx, outside)).id));
  return [text(TAG.UniqueIdentifier, id)];
}

async function subjectOf(payload: Structure, wishes: CertificateWishes, ctx: OperationContext): Promise<Subject> {
  const request = await requestIn(payload, ctx, 'Certify', ctx.now);
  const isNamed = child(payload, TAG.UniqueIdentifier) !== undefined;
  if (request && !isNamed) requireNoExpectation(payload);
  if (request && !isNamed) return { publicKey: request.subjectPublicKey, request, object: undefined, pair: undefined };
  const isNew = !isNamed && ctx.batch.placeholder === undefined && wishes.ofKey.some(({ tag }) => tag === TAG.CryptographicAlgorithm);
  if (isNew) {
    requireNoExpectation(payload);
    const pair = await pairFor(wishes, ctx);
    return { publicKey: await keyOf(pair.publicKey, ctx).publicKey(), request, object: undefined, pair };
  }
  const object = await ctx.use(payload, 'Certify');
  if (object.type === ObjectType.CertificateRequest) {
    const stored = requestOf(object, 'Certify', ctx.now);
    return { publicKey: stored.subjectPublicKey, request: stored, object: undefined, pair: undefined };
  }
  requireKind(object, ObjectType.PublicKey, 'Certify');
  requireUsable(object, ctx.now);
  const publicKey = await keyOf(object, ctx).publicKey();
  if (request && !isSameKey(request.subjectPublicKey, publicKey))
    throw invalid('Certify', 'the public key in the certificate request is not the one to certify');
  return { publicKey, request, object, pair: undefined };
}

async function pairFor({ ofKey }: CertificateWishes, ctx: OperationContext): Promise<PairDrafts> {
  const given = structure(TAG.RequestPayload, [structure(TAG.CommonAttributes, ofKey)]);
  const { defaults } = await ctx.policy();
  const attributesOf = (type: ManagedObject['type']) =>
    newAttributes(withDefaults(given, defaults, { type, tags: [TAG.CommonAttributes] }), type, TAG.CommonAttributes);
  return withPair(ctx, async (source) => newPair(ctx, attributesOf(ObjectType.PrivateKey), attributesOf(ObjectType.PublicKey), source));
}

async function ownKey({ object, pair }: Subject, ctx: OperationContext): Promise<ManagedObject | undefined> {
  if (pair) return pair.privateKey;
  const id = object && linkedTo(object, 'PrivateKeyLink');
  return id === undefined ? undefined : ctx.byId(id, 'Certify');
}

async function signCertificate(
  { publicKey, request }: Subject,
  issuer: Issuer,
  wishes: CertificateWishes,
  attributes: AttributeSet,
  ctx: OperationContext,
): Promise<{ readonly certificate: Uint8Array; readonly bytes: number }> {
  const subject: DistinguishedName | Uint8Array | undefined = request?.subject ?? wishes.subject;
  if (subject === undefined) throw invalid('Certify', 'the certificate needs a subject: give its attributes or a certificate request');
  const notBefore = dateAttribute(attributes, TAG.ActivationDate) ?? ctx.now;
  const until = wishes.validityDays === undefined ? dateAttribute(attributes, TAG.DeactivationDate) : undefined;
  const key = keyOf(issuer.key, ctx);
  const certificate = {
    subjectPublicKey: publicKey,
    subject,
    issuerPublicKey: await key.publicKey(),
    ...(issuer.certificate ? { issuerCertificate: certificateOf(issuer.certificate) } : {}),
    notBefore,
    notAfter: until ?? notBefore + (wishes.validityDays ?? DEFAULT_DAYS) * DAY,
    ...(wishes.extensions === undefined ? {} : { extensions: wishes.extensions }),
    ...(request ? { requestedExtensions: request.requestedExtensions } : {}),
  };
  let bytes = 0;
  const signed = await issue(certificate, async (parameters, data) => {
    bytes = data.length;
    return key.sign({ parameters, data });
  });
  return { certificate: signed, bytes };
}

function linkCertificate(draft: Draft, { object, pair }: Subject, { certificate }: Issuer): void {
  const publicKey = pair?.publicKey ?? object;
  if (publicKey) setLink(draft, 'PublicKeyLink', publicKey.id);
  const privateKey = publicKey && linkedTo(publicKey, 'PrivateKeyLink');
  if (privateKey !== undefined) setLink(draft, 'PrivateKeyLink', privateKey);
  if (certificate) setLink(draft, 'CertificateLink', certificate.id);
  if (pair) setLink(pair.publicKey, 'CertificateLink', draft.id);
}

/** Checks the keys again, because they may have been destroyed or revoked since they were read, and counts the signature. @param issuer with the bytes that it signed */
async function put(
  tx: ObjectTransaction,
  draft: Draft,
  { object, pair }: Subject,
  { key, certificate, signed }: Issuer & { readonly signed: number },
  now: number,
): Promise<void> {
  if (certificate) requireUsable(await tx.describeById(certificate.id, 'Certify'), now);
  // A new pair has no limits.
  if (key !== pair?.privateKey) await countSignature(tx, key.id, { right: 'Certify', bytes: signed, now });
  for (const key of pair ? [pair.privateKey, pair.publicKey] : []) {
    await tx.insert(key);
    await tx.audit('key.create', key.id);
  }
  if (object) {
    const publicKey = await tx.describeById(object.id, 'Certify');
    requireUsable(publicKey, now);
    // The link decides which certificate issues later ones, so a user with only a grant on the key must not set it.
    if (publicKey.owner === draft.owner) await linkPublicKey(tx, publicKey, draft.id, now);
  }
  await tx.insert(draft);
  await tx.audit('key.certify', draft.id);
}
