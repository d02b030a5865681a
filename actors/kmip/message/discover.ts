// Before an operation runs: takes in the keys that it names and that somebody else has made on a token.
import { type Structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { HSM } from '../object/hsm-key/identifier.ts';
import type { OperationContext } from '../operation-context.ts';

/** Where a payload names objects. */
const NAMES: ReadonlySet<number> = new Set([TAG.UniqueIdentifier, TAG.PrivateKeyUniqueIdentifier, TAG.PublicKeyUniqueIdentifier]);
/** Structures of a payload that name keys: the wrapping key, and the objects of links. */
const INSIDE: ReadonlySet<number> = new Set([TAG.KeyWrappingSpecification, TAG.EncryptionKeyInformation]);

export function discoverNamed(ctx: OperationContext, payload: Structure): void | Promise<void> {
  return (ctx.caller.administers ?? []).length === 0 ? undefined : discoverIn(ctx, payload);
}

async function discoverIn(ctx: OperationContext, payload: Structure): Promise<void> {
  for (const node of payload.value) {
    if (node.type === TYPE.Structure && INSIDE.has(node.tag)) await discoverIn(ctx, node);
    else if (node.type === TYPE.TextString && NAMES.has(node.tag)) await discoverKey(ctx, node.value);
  }
}

export async function discoverKey(ctx: OperationContext, id: string): Promise<void> {
  if (id.startsWith(`${HSM}::`)) await ctx.server.objects.sourceOf(id).discover?.(ctx, id);
}
