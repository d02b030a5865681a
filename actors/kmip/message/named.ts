// Before an operation runs: replaces what its payload refers to, the results of earlier items and objects by their Name, and takes in keys on tokens.
import { Refusal } from '../../../kmip/refusal.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { type Node, type Structure, structure, TYPE, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { withData } from '../earlier.ts';
import type { OperationContext } from '../operation-context.ts';
import { owns } from '../principal.ts';
import { discoverNamed } from './discover.ts';

const { OnLineStorage, ArchivalStorage } = MASK.StorageStatusMask;
/** Of one item of a batch: each is a search. */
const MAX_NAMES = 64;

/** @param given in the form of 2.1 @throws Refusal */
export function resolveNames(ctx: OperationContext, given: Structure): Structure | Promise<Structure> {
  const payload = ctx.version.major > 1 ? withData(given, ctx.batch) : given;
  const names = ctx.version.major >= 3 ? countNames(payload.value) : 0;
  if (names > MAX_NAMES) throw new Refusal('ServerLimitExceeded', `an item can name at most ${MAX_NAMES} objects by NameReference; this one names ${names}`);
  if (names > 0) return named(ctx, payload).then((found) => discovered(ctx, found));
  return discovered(ctx, payload);
}

function discovered(ctx: OperationContext, payload: Structure): Structure | Promise<Structure> {
  const found = discoverNamed(ctx, payload);
  return found instanceof Promise ? found.then(() => payload) : payload;
}

function countNames(nodes: readonly Node[]): number {
  let count = 0;
  for (const node of nodes) {
    if (node.type === TYPE.NameReference) count += 1;
    else if (node.type === TYPE.Structure) count += countNames(node.value);
  }
  return count;
}

async function named(ctx: OperationContext, { tag, value }: Structure): Promise<Structure> {
  const nodes: Node[] = [];
  for (const node of value) {
    if (node.type === TYPE.NameReference) nodes.push(text(node.tag, await objectNamed(ctx, node.value)));
    else nodes.push(node.type === TYPE.Structure ? await named(ctx, node) : node);
  }
  return structure(tag, nodes);
}

/**
 * The object with this Name among those that the caller may know of. Others may name what they have granted as they like, so the caller's own comes
 * first: an owner has a Name once, but for the two keys of a pair.
 * @throws Refusal ObjectNotFound, InvalidField if it stands for several
 */
async function objectNamed(ctx: OperationContext, name: string): Promise<string> {
  const { ids } = await ctx.server.objects.find(ctx, {
    attributes: [structure(TAG.Name, [text(TAG.NameValue, name)])],
    storage: OnLineStorage | ArchivalStorage,
    groupMember: undefined,
    offset: 0,
    limit: 2,
  });
  const [id, other] = ids;
  if (id === undefined) throw new Refusal('ObjectNotFound', `there is no object with the Name ${JSON.stringify(name)}`);
  if (other !== undefined && (!(await isOwn(ctx, id)) || (await isOwn(ctx, other))))
    throw new Refusal('InvalidField', `several objects have the Name ${JSON.stringify(name)}: give the identifier of the one you mean`);
  return id;
}

async function isOwn(ctx: OperationContext, id: string): Promise<boolean> {
  return owns(ctx.caller, (await ctx.describeById(id, 'GetAttributes')).owner);
}
