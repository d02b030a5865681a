// Finds the object that a `kid` stands for, of the kind that an algorithm needs: the other half of a pair is found by its link.
import type { OperationName } from '../../../kmip/operation-name.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { linkedTo } from '../object/create.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import type { Objects, OperationContext } from '../operation-context.ts';
import { unfit } from './fitting-key.ts';
import { notFound } from './problem.ts';

const { ObjectType } = ENUM;

/** Keys of these kinds do the protecting of public-key encryption and the checking of signatures. */
const isPublic = ({ type }: ManagedObject): boolean => type === ObjectType.PublicKey || type === ObjectType.Certificate;

/**
 * The object under an identifier.
 * @throws Problem not_found for one that no identifier can be; Refusal as `byId`
 */
export function byKid<T>(objects: Objects<T>, kid: string, right: OperationName): Promise<T> {
  return orNotFound(kid, () => objects.byId(kid, right));
}

/** The same without its content. */
export function describeByKid<D>(objects: Objects<unknown, D>, kid: string, right: OperationName): Promise<D> {
  return orNotFound(kid, () => objects.describeById(kid, right));
}

async function orNotFound<T>(kid: string, find: () => Promise<T>): Promise<T> {
  // PostgreSQL has no texts with NUL.
  if (kid.includes('\0')) throw notFound();
  try {
    return await find();
  } catch (error) {
    // A text that only looks like the beginning of a list of tags names nothing either.
    throw error instanceof Refusal && error.reason === 'InvalidField' ? notFound() : error;
  }
}

/**
 * A secret key. If the identifier holds only one key of a pair, there is no secret key under it.
 * @param absent the half that the operation could use with another algorithm is a key of the wrong kind, the other is no key for it at all
 * @throws Problem not_found, crypto_failure
 */
export async function findSecretKey(ctx: OperationContext, kid: string, right: OperationName, absent: 'private' | 'public' | 'both'): Promise<ManagedObject> {
  const object = await byKid(ctx, kid, right);
  if (object.type === ObjectType.SymmetricKey || object.type === ObjectType.SecretData) return object;
  const half = isPublic(object) ? 'public' : 'private';
  if (absent === 'both' || absent === half) throw notFound();
  throw unfit();
}

/** A public key or a certificate, also by its private key. @throws Problem not_found, crypto_failure for a secret key */
export async function findPublicKey(ctx: OperationContext, kid: string, right: OperationName): Promise<ManagedObject> {
  const object = await byKid(ctx, kid, right);
  if (isPublic(object)) return object;
  return otherHalf(ctx, object, right, ObjectType.PrivateKey, 'PublicKeyLink');
}

/** A private key, also by its public key. @throws Problem not_found, crypto_failure for a secret key */
export async function findPrivateKey(ctx: OperationContext, kid: string, right: OperationName): Promise<ManagedObject> {
  const object = await byKid(ctx, kid, right);
  if (object.type === ObjectType.PrivateKey) return object;
  return otherHalf(ctx, object, right, ObjectType.PublicKey, 'PrivateKeyLink');
}

async function otherHalf(
  ctx: OperationContext,
  object: ManagedObject,
  right: OperationName,
  from: number,
  link: 'PublicKeyLink' | 'PrivateKeyLink',
): Promise<ManagedObject> {
  if (object.type !== from) throw unfit();
  const id = linkedTo(object, link);
  if (id === undefined) throw notFound();
  return ctx.byId(id, right);
}

/** A private key under its own identifier, that signs. @throws Problem not_found for every other kind of object */
export async function findSigningKey(ctx: OperationContext, kid: string): Promise<ManagedObject> {
  const object = await byKid(ctx, kid, 'Sign');
  if (object.type !== ObjectType.PrivateKey) throw notFound();
  return object;
}
