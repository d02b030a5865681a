// Finds the issuer of a certificate: the named key and certificate, those linked with them, or the subject's own key.
import type { KeyObject } from 'node:crypto';
import { isSameKey } from '../../../crypto/key/same-key.ts';
import { certificateFacts } from '../../../crypto/x509/certificate-facts.ts';
import { deniesIssuing } from '../../../crypto/x509/granted-extensions.ts';
import type { OperationName } from '../../../kmip/operation-name.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import type { Structure } from '../../../kmip/ttlv/node.ts';
import { nameOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { linkedTo } from '../object/create.ts';
import { certificateOf } from '../object/forms/certificate-content.ts';
import { requireAvailable } from '../object/life/availability.ts';
import { takeUse } from '../object/life/usage-limits.ts';
import type { ManagedObject, ObjectDescription } from '../object/managed-object.ts';
import type { Objects, ObjectTransaction } from '../operation-context.ts';

const { ObjectType, State } = ENUM;
const BIT = MASK.CryptographicUsageMask;

export interface Issuer {
  readonly key: ManagedObject;
  /** Undefined if the certificate is self-signed. */
  readonly certificate: ManagedObject | undefined;
}

interface IssuerSearch {
  readonly objects: Objects<ManagedObject>;
  /** The right that the caller needs on the objects of the issuer. */
  readonly right: OperationName & ('Certify' | 'ReCertify');
  /** Seconds since the epoch. */
  readonly now: number;
  /** Links to the issuer's certificate and private key, if the request names them. */
  readonly certificate: Structure | undefined;
  readonly key: Structure | undefined;
  readonly subjectKey: KeyObject;
  /** The public key that belongs to a private key. */
  publicKeyOf(key: ManagedObject): Promise<KeyObject>;
  /** The private key of the subject, if this server has it. */
  own(): Promise<ManagedObject | undefined>;
}

/** @throws Refusal InvalidField if no issuer can be determined, InvalidObjectType, and those of `requireUsable` */
export async function findIssuer(search: IssuerSearch): Promise<Issuer> {
  const { objects, right, now } = search;
  const named = search.certificate && (await objects.use(search.certificate, right, TAG.LinkedObjectIdentifier));
  const key = await keyFor(search, named);
  requireKind(key, ObjectType.PrivateKey, right);
  requireUsable(key, now);
  const mask = key.attributes.first(TAG.CryptographicUsageMask)?.value;
  if (typeof mask !== 'number' || (mask & (BIT.CertificateSign | BIT.Sign | BIT.Unrestricted)) === 0)
    throw new Refusal(
      'IncompatibleCryptographicUsageMask',
      mask === undefined
        ? `${key.id} has no usage mask; it needs one that permits CertificateSign or Sign`
        : `the usage mask of ${key.id} does not permit CertificateSign or Sign; one of them is needed to sign certificates`,
    );
  const certificate = named ?? (await certificateFor(search, key));
  if (!certificate) return { key, certificate };
  requireKind(certificate, ObjectType.Certificate, right);
  requireUsable(certificate, now);
  requireAuthority(certificate, search);
  return { key, certificate };
}

/**
 * Nobody accepts what is below a certificate that denies to be an authority. One that says nothing may issue, and each may be renewed by its own key.
 * @throws Refusal InvalidField
 */
function requireAuthority(certificate: ManagedObject, { subjectKey, right }: IssuerSearch): void {
  const { extensions, publicKey } = certificateFacts(certificateOf(certificate));
  const why = deniesIssuing(extensions);
  if (why !== undefined && !isSameKey(publicKey, subjectKey)) throw invalid(right, `the certificate ${certificate.id} cannot issue others: ${why}`);
}

async function keyFor({ objects, right, key, own }: IssuerSearch, certificate: ManagedObject | undefined): Promise<ManagedObject> {
  if (key) return objects.use(key, right, TAG.LinkedObjectIdentifier);
  const found = certificate ? await privateKeyOf(certificate, objects, right) : await own();
  if (found) return found;
  if (certificate) throw invalid(right, `no private key is linked to the issuing certificate ${certificate.id}`);
  throw invalid(right, 'name an issuer, or link a private key to the public key');
}

async function privateKeyOf(object: ManagedObject, objects: Objects<ManagedObject>, right: OperationName): Promise<ManagedObject | undefined> {
  const direct = linkedTo(object, 'PrivateKeyLink');
  if (direct !== undefined) return objects.byId(direct, right);
  const publicKey = linkedTo(object, 'PublicKeyLink');
  const further = publicKey === undefined ? undefined : linkedTo(await objects.byId(publicKey, right), 'PrivateKeyLink');
  return further === undefined ? undefined : objects.byId(further, right);
}

/** The certificate that belongs to a private key, unless the key is the subject's own. */
async function certificateFor({ objects, right, subjectKey, publicKeyOf }: IssuerSearch, key: ManagedObject): Promise<ManagedObject | undefined> {
  if (isSameKey(await publicKeyOf(key), subjectKey)) return undefined;
  const direct = linkedTo(key, 'CertificateLink');
  if (direct !== undefined) return objects.byId(direct, right);
  const publicKey = linkedTo(key, 'PublicKeyLink');
  const further = publicKey === undefined ? undefined : linkedTo(await objects.byId(publicKey, right), 'CertificateLink');
  if (further !== undefined) return objects.byId(further, right);
  throw invalid(right, `the private key ${key.id} does not belong to the public key, and no certificate is linked to it`);
}

/** @throws Refusal InvalidObjectType */
export function requireKind(object: ManagedObject, type: ManagedObject['type'], operation: OperationName): void {
  if (object.type === type) return;
  const [asked, found] = [nameOf('ObjectType', type), nameOf('ObjectType', object.type)];
  throw new Refusal('InvalidObjectType', `Invalid ${operation} request: a ${asked} is needed, but ${object.id} is a ${found}`);
}

/**
 * Checks that a key or certificate may still be used to issue certificates. It does not need to be active yet, because nothing in KMIP
 * activates the keys of a certificate.
 * @throws Refusal ObjectArchived, ObjectDestroyed, WrongKeyLifecycleState
 */
export function requireUsable(object: ObjectDescription, now: number): void {
  const state = requireAvailable(object, now);
  if (state === State.Deactivated || state === State.Compromised)
    throw new Refusal('WrongKeyLifecycleState', `${object.id} is ${nameOf('State', state)} and cannot be used to issue a certificate`);
}

/** Counts a signature of the key, which must still be usable. @throws Refusal PermissionDenied if its usage limits are exhausted, and those of `requireUsable` */
export async function countSignature(
  tx: ObjectTransaction,
  id: string,
  { right, bytes, now }: { readonly right: OperationName; readonly bytes: number; readonly now: number },
): Promise<void> {
  const key = await tx.describeById(id, right);
  requireUsable(key, now);
  if (takeUse(key, bytes)) await tx.update(key);
}

export function invalid(operation: OperationName, why: string): Refusal {
  return new Refusal('InvalidField', `Invalid ${operation} request: ${why}`);
}
