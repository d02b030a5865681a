// Finds the object for a `kid`, of the type that an algorithm needs; the link leads to the other half of a pair.
import { andThen, orElse } from '../../../kernel/at-once.ts';
import type { OperationName } from '../../../kmip/operation-name.ts';
import { isAbsence, Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { HSM } from '../object/hsm-identifier.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import type { Objects, OperationContext } from '../operation-context.ts';
import { unfit } from './fitting-key.ts';
import { noOtherHalf, notFound } from './problem.ts';

const { ObjectType } = ENUM;

/** Objects of these types encrypt and verify signatures. */
const isPublic = ({ type }: ManagedObject): boolean => type === ObjectType.PublicKey || type === ObjectType.Certificate;

/**
 * The object with this identifier.
 * @throws Problem not_found for a text that cannot be an identifier; Refusal as `byId`
 */
function byKid<T>(objects: Objects<T>, kid: string, right: OperationName): T | Promise<T> {
  return orNotFound(kid, () => objects.byId(kid, right));
}

/** As byKid, without the content. */
export function describeByKid<D>(objects: Objects<unknown, D>, kid: string, right: OperationName): D | Promise<D> {
  return orNotFound(kid, () => objects.describeById(kid, right));
}

function orNotFound<T>(kid: string, find: () => T | Promise<T>): T | Promise<T> {
  // PostgreSQL does not allow NUL in texts.
  if (kid.includes('\0')) throw notFound();
  return orElse(find, (error) => {
    // Looks like the beginning of a list of tags, but is not one, so no object has this name. For a key in an HSM the refusal says that several keys have the name.
    throw error instanceof Refusal && error.reason === 'InvalidField' && !kid.startsWith(`${HSM}::`) ? notFound() : error;
  });
}

/**
 * A secret key. If the identifier belongs to one key of a pair, no secret key has it.
 * @param absent the half of a pair that is reported as missing; the other half is reported as unfit, because the operation can use it with another
 * algorithm
 * @throws Problem not_found, crypto_failure
 */
export function findSecretKey(
  ctx: OperationContext,
  kid: string,
  right: OperationName,
  absent: 'private' | 'public' | 'both',
): ManagedObject | Promise<ManagedObject> {
  return andThen(byKid(ctx, kid, right), (object) => {
    if (object.type === ObjectType.SymmetricKey || object.type === ObjectType.SecretData) return object;
    const half = isPublic(object) ? 'public' : 'private';
    throw absent === 'both' || absent === half ? notFound() : unfit();
  });
}

/** A public key or a certificate; the identifier may also be that of the private key. @throws Problem not_found, crypto_failure for a secret key */
export function findPublicKey(ctx: OperationContext, kid: string, right: OperationName): Promise<ManagedObject> {
  return findHalf(ctx, kid, right, { is: isPublic, from: ObjectType.PrivateKey, link: 'PublicKeyLink' });
}

/** A private key; the identifier may also be that of the public key. @throws Problem not_found, crypto_failure for a secret key */
export function findPrivateKey(ctx: OperationContext, kid: string, right: OperationName): Promise<ManagedObject> {
  return findHalf(ctx, kid, right, { is: ({ type }) => type === ObjectType.PrivateKey, from: ObjectType.PublicKey, link: 'PrivateKeyLink' });
}

interface Half {
  is(object: ManagedObject): boolean;
  /** Type of the other half, and its link to this one. */
  readonly from: number;
  readonly link: 'PublicKeyLink' | 'PrivateKeyLink';
}

/**
 * A signature names the private key, and a JWE the public one. The right is that on the half that works: whoever may verify signatures, or decrypt,
 * needs none on the half that the message names.
 */
async function findHalf(ctx: OperationContext, kid: string, right: OperationName, { is, from, link }: Half): Promise<ManagedObject> {
  let absence: unknown = notFound();
  const named = await orElse<ManagedObject | undefined>(
    () => byKid(ctx, kid, right),
    (error) => {
      if (!isAbsence(error)) throw error;
      absence = error;
      return undefined;
    },
  );
  if (named && is(named)) return named;
  if (named && named.type !== from) throw unfit();
  const id = await ctx.linkOf(named?.id ?? kid, from, link);
  if (id === undefined) throw named ? noOtherHalf(link === 'PublicKeyLink' ? 'public' : 'private') : absence;
  return ctx.byId(id, right);
}

/** A private key by its own identifier, in order to sign. @throws Problem not_found for every other kind of object */
export async function findSigningKey(ctx: OperationContext, kid: string): Promise<ManagedObject> {
  const object = await byKid(ctx, kid, 'Sign');
  if (object.type !== ObjectType.PrivateKey) throw notFound();
  return object;
}
