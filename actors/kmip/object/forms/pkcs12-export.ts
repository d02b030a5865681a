// Returns a private key as a PKCS#12 file, with its certificate and those of the issuers (KMIP 1.4 section 4.11, 2.1 section 6.1.19).
import { isSameKey } from '../../../../crypto/key/same-key.ts';
import { writePkcs12 } from '../../../../crypto/pkcs12/pkcs12.ts';
import { certificateFacts } from '../../../../crypto/x509/certificate-facts.ts';
import { keyBlock, keyBlockOf } from '../../../../kmip/key-block.ts';
import type { OperationName } from '../../../../kmip/operation-name.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { type Structure, structure } from '../../../../kmip/ttlv/node.ts';
import { nameOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { OperationContext } from '../../operation-context.ts';
import { linkedTo } from '../create.ts';
import { keyOf } from '../key.ts';
import { stateAt } from '../life/lifecycle.ts';
import type { ManagedObject, ObjectDescription } from '../managed-object.ts';
import { openWrapped } from '../wrapping/opened.ts';
import { certificateOf } from './certificate-content.ts';
import { askedFormat } from './format.ts';
import { passwordFor } from './pkcs12-password.ts';

const { ObjectType, State } = ENUM;
/** Maximum number of certificates in one file. */
const MAX_CERTIFICATES = 32;

export const isPkcs12Asked = (request: Structure): boolean => askedFormat(request) === 'PKCS_12';

/**
 * The private key for the file, also if the request names its certificate.
 * @throws Refusal InvalidField for a certificate without a private key
 */
export function keyOfFile(named: ManagedObject, request: Structure, right: OperationName, ctx: OperationContext): ManagedObject | Promise<ManagedObject> {
  return named.type === ObjectType.Certificate && isPkcs12Asked(request) ? keyOfCertificate(named, right, ctx) : named;
}

async function keyOfCertificate(named: ManagedObject, right: OperationName, ctx: OperationContext): Promise<ManagedObject> {
  const publicKey = linkedTo(named, 'PublicKeyLink');
  const id = linkedTo(named, 'PrivateKeyLink') ?? (publicKey && linkedTo(await ctx.describeById(publicKey, right), 'PrivateKeyLink'));
  if (id === undefined) throw new Refusal('InvalidField', `PKCS#12: no private key is linked to ${named.id}`);
  return ctx.byId(id, right);
}

/** @param named the object that the client named; if it is a certificate, it is that of the key @returns a PrivateKey with the file as its material */
export async function asPkcs12(key: ManagedObject, named: ManagedObject, request: Structure, right: OperationName, ctx: OperationContext): Promise<Structure> {
  const password = await passwordFor(key, request, ctx);
  const clear = await openWrapped(key, ctx);
  const certificates = await chainOf(clear, named, right, ctx);
  const friendlyName = key.attributes.first(TAG.PKCS_12FriendlyName)?.value;
  const file = { privateKey: await keyOf(clear, ctx).material(), certificates, friendlyName: typeof friendlyName === 'string' ? friendlyName : undefined };
  const material = await ctx.aside(() => writePkcs12(file, password));
  const { algorithm, length } = keyBlockOf(clear.content as Structure);
  return structure(TAG.PrivateKey, [keyBlock({ format: 'PKCS_12', material, algorithm, length })]);
}

/** Follows the links from the certificate of the key to the issuers. */
async function chainOf(key: ManagedObject, named: ManagedObject, right: OperationName, ctx: OperationContext): Promise<Uint8Array[]> {
  let certificate = named.type === ObjectType.Certificate ? named : await ctx.byId(await leafOf(key, right, ctx), right);
  const chain = [requireUsable(certificate, ctx)];
  if (!isSameKey(certificateFacts(chain[0] as Uint8Array).publicKey, await keyOf(key, ctx).publicKey()))
    throw new Refusal('InvalidField', `PKCS#12: the certificate ${certificate.id} does not belong to the private key ${key.id}`);
  const seen = new Set([certificate.id]);
  for (let id = linkedTo(certificate, 'CertificateLink'); id !== undefined && !seen.has(id); id = linkedTo(certificate, 'CertificateLink')) {
    if (chain.length === MAX_CERTIFICATES) throw new Refusal('InvalidField', `PKCS#12: the chain has more than ${MAX_CERTIFICATES} certificates`);
    certificate = await ctx.byId(id, right);
    seen.add(id);
    chain.push(requireUsable(certificate, ctx));
  }
  return chain;
}

async function leafOf(key: ObjectDescription, right: OperationName, ctx: OperationContext): Promise<string> {
  const publicKey = linkedTo(key, 'PublicKeyLink');
  const holder = publicKey === undefined ? undefined : await ctx.describeById(publicKey, right);
  for (const object of holder ? [holder, key] : [key]) {
    const id = linkedTo(object, 'PKCS_12CertificateLink') ?? linkedTo(object, 'CertificateLink');
    if (id !== undefined) return id;
  }
  throw new Refusal('InvalidField', `PKCS#12: no certificate is linked to ${key.id} or its public key`);
}

function requireUsable(certificate: ManagedObject, { now }: OperationContext): Uint8Array {
  const state = stateAt(certificate, now);
  if (certificate.archived) throw new Refusal('ObjectArchived', `PKCS#12: ${certificate.id} of the chain is archived; recover it first`);
  if (state === State.Compromised) throw new Refusal('WrongKeyLifecycleState', `PKCS#12: ${certificate.id} of the chain is ${nameOf('State', state)}`);
  return certificateOf(certificate);
}
