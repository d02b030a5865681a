// What all keys have in common that the crypto API stores: ordinary objects, active at once.
import type { KeyPurpose } from '../../../jose/key-purpose.ts';
import { AttributeSet } from '../../../kmip/attribute/set.ts';
import { dateTime, integer } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { KeyKeeper } from '../object/key-keeper.ts';
import type { Draft } from '../object/managed-object.ts';
import type { ObjectTransaction, OperationContext } from '../operation-context.ts';

export function attributesFor(ctx: OperationContext, mask: number, { parameters }: KeyPurpose): AttributeSet {
  const attributes = new AttributeSet();
  attributes.set(integer(TAG.CryptographicUsageMask, mask));
  attributes.set(dateTime(TAG.ActivationDate, ctx.now));
  if (parameters) attributes.set(parameters);
  return attributes;
}

/** Stores all or none. @param keeper of the keys; undefined if the objects hold them @param brought whether a client has brought them */
export async function store(ctx: OperationContext, drafts: readonly Draft[], keeper: KeyKeeper | undefined, brought: boolean): Promise<void> {
  const create = async (tx: Pick<ObjectTransaction, 'create'>) => {
    for (const draft of drafts) await tx.create(brought ? 'key.import' : 'key.create', draft);
  };
  if (!keeper || !brought) return ctx.create(create);
  return ctx.change(async (tx) => {
    for (const draft of drafts) await keeper.linkTaken(tx, draft, ctx.now);
    await create(tx);
  });
}

/** Runs work with keys that were brought to their keeper, which destroys them if it fails. */
export async function keeping<T>(keeper: KeyKeeper | undefined, ids: readonly string[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await keeper?.discard(ids);
    throw error;
  }
}
