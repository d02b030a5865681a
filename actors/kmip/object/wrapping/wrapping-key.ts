// Finds the key that wraps or unwraps another: the named one, or the private key of a named public key (KMIP 1.4 sections 2.1.5 and 2.1.6).
import { refusalOf } from '../../../../kmip/crypto-refusal.ts';
import type { OperationName } from '../../../../kmip/operation-name.ts';
import { Refusal, type ResultReason } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { type Structure, TYPE } from '../../../../kmip/ttlv/node.ts';
import { child, required } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { OperationContext } from '../../operation-context.ts';
import { linkedTo } from '../create.ts';
import { isCryptographic } from '../life/lifecycle.ts';
import { requireUse, USE } from '../life/usage.ts';
import type { ManagedObject, ObjectDescription } from '../managed-object.ts';

const { ObjectType } = ENUM;

/** Problems with a wrapping key have their own result reasons. */
const OF_WRAPPING: Readonly<Partial<Record<ResultReason, ResultReason>>> = {
  ObjectNotFound: 'WrappingObjectNotFound',
  ItemNotFound: 'WrappingObjectNotFound',
  ObjectArchived: 'WrappingObjectArchived',
  ObjectDestroyed: 'WrappingObjectDestroyed',
};

/** @param information EncryptionKeyInformation @throws Refusal if it is missing, or if the caller may not wrap with the key, or if the key is unsuitable */
export async function wrappingKey(ctx: OperationContext, information: Structure): Promise<ManagedObject> {
  const key = await findWrappingKey(async () => ctx.use(information, 'Get'), nameIn(information), 'Get', 'wrap');
  // Specification 1.4 tables 338 and 364.
  if (!isCryptographic(key)) throw new Refusal(ctx.version.major === 1 ? 'IllegalOperation' : 'InvalidObjectType', `${key.id} is no key and cannot wrap`);
  return requireUsable(key, USE.WrapKey, ctx);
}

/** The named key, or the private key if a public key or a certificate is named. @throws Refusal as `wrappingKey` */
export async function unwrappingKey(ctx: OperationContext, information: Structure): Promise<ManagedObject> {
  const name = nameIn(information);
  // Anybody who may know the public key may follow its links. The right to decrypt is needed on the private key.
  const named = await findWrappingKey(async () => ctx.describe(information, 'GetAttributes'), name, 'Decrypt', 'unwrap');
  if (named.type !== ObjectType.PublicKey && named.type !== ObjectType.Certificate)
    return requireUsable(await findWrappingKey(async () => ctx.use(information, 'Decrypt'), name, 'Decrypt', 'unwrap'), USE.UnwrapKey, ctx);
  const id = await privateKeyOf(named, ctx);
  const key = await findWrappingKey(async () => ctx.byId(id, 'Decrypt'), id, 'Decrypt', `unwrap what ${named.id} has wrapped`);
  if (key.type !== ObjectType.PrivateKey)
    throw new Refusal('InvalidObjectType', `the PrivateKeyLink of ${named.id} points to ${key.id}, which is not a private key and cannot unwrap`);
  return requireUsable(key, USE.UnwrapKey, ctx);
}

/** Follows the object's own link, or else the link of its public key. @throws Refusal InvalidField */
async function privateKeyOf(named: ObjectDescription, ctx: OperationContext): Promise<string> {
  const direct = linkedTo(named, 'PrivateKeyLink');
  if (direct !== undefined) return direct;
  const publicKey = linkedTo(named, 'PublicKeyLink');
  const further =
    publicKey === undefined
      ? undefined
      : linkedTo(await findWrappingKey(async () => ctx.describeById(publicKey, 'GetAttributes'), publicKey, 'GetAttributes', 'unwrap'), 'PrivateKeyLink');
  if (further !== undefined) return further;
  throw new Refusal('InvalidField', `unwrapping needs the private key of ${named.id}, which has no PrivateKeyLink`);
}

/** Elsewhere a payload without an identifier means the placeholder; this structure has to name its key. @throws Refusal InvalidMessage */
function nameIn(information: Structure): string {
  const { type, value } = required(child(information, TAG.UniqueIdentifier), TAG.UniqueIdentifier);
  return type === TYPE.TextString ? value : 'of the placeholder';
}

/** The same message for a missing key and for one that the caller may not use. */
async function findWrappingKey<T>(find: () => Promise<T>, name: string, right: OperationName, what: string): Promise<T> {
  const said = `the wrapping key ${name} is not found, or you do not have the permission ${right} on it, which is needed to ${what}`;
  return inWrapping(find, said);
}

async function inWrapping<T>(work: () => Promise<T>, notFound: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const refusal = refusalOf(error);
    const reason = refusal && OF_WRAPPING[refusal.reason];
    if (!refusal || reason === undefined) throw error;
    throw new Refusal(reason, reason === 'WrappingObjectNotFound' ? notFound : refusal.message);
  }
}

function requireUsable(key: ManagedObject, use: typeof USE.WrapKey | typeof USE.UnwrapKey, { now }: OperationContext): Promise<ManagedObject> {
  return inWrapping(async () => {
    requireUse(key, use, now);
    return key;
  }, '');
}
