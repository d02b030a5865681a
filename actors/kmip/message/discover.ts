// Before an operation runs: takes in the keys that it names and that somebody else has made on a token.
import { type Node, type Structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { HSM } from '../object/hsm-identifier.ts';
import type { OperationContext } from '../operation-context.ts';

/** Where a payload names objects. */
const NAMES: ReadonlySet<number> = new Set([TAG.UniqueIdentifier, TAG.PrivateKeyUniqueIdentifier, TAG.PublicKeyUniqueIdentifier]);
/** Structures of a payload that name keys: the wrapping key, and the objects of links. */
const INSIDE: ReadonlySet<number> = new Set([TAG.KeyWrappingSpecification, TAG.EncryptionKeyInformation]);

export function discoverNamed(ctx: OperationContext, payload: Structure): void | Promise<void> {
  return (ctx.caller.administers ?? []).length === 0 ? undefined : discoverIn(ctx, payload);
}

function discoverIn(ctx: OperationContext, payload: Structure, from = 0): void | Promise<void> {
  for (let at = from; at < payload.value.length; at += 1) {
    const found = discoverOne(ctx, payload.value[at] as Node);
    if (found instanceof Promise) return found.then(() => discoverIn(ctx, payload, at + 1));
  }
}

function discoverOne(ctx: OperationContext, node: Node): void | Promise<void> {
  if (node.type === TYPE.Structure && INSIDE.has(node.tag)) return discoverIn(ctx, node);
  if (node.type === TYPE.TextString && NAMES.has(node.tag)) return discoverKey(ctx, node.value);
}

export function discoverKey(ctx: OperationContext, id: string): void | Promise<void> {
  return id.startsWith(`${HSM}::`) ? ctx.server.objects.sourceOf(id).discover?.(ctx, id) : undefined;
}
