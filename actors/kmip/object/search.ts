// Finds objects by their attributes: what is indexed in the database, the rest in the objects themselves.
import type { OperationContext } from '../operations/operation.ts';
import { Refusal } from '../refusal.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { MASK } from '../ttlv/mask.ts';
import { type Node, type Structure, TYPE } from '../ttlv/node.ts';
import { textOf } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';
import { sameNode } from './attributes.ts';
import { visibleTo } from './identifier.ts';
import { isIndexed, parseTags, tagTerm, termOf } from './index-terms.ts';
import { stateAt } from './lifecycle.ts';
import type { ManagedObject } from './managed-object.ts';

export interface Search {
  readonly attributes: readonly Node[];
  /** StorageStatusMask. */
  readonly storage: number | undefined;
  /** ObjectGroupMember. */
  readonly groupMember: number | undefined;
  readonly offset: number;
  readonly limit: number;
}

export interface Found {
  /** Newest first. */
  readonly ids: readonly string[];
  /** All that match, whatever the limit. */
  readonly total: number;
}

const { Destroyed, DestroyedCompromised } = ENUM.State;
const { OnLineStorage, ArchivalStorage, DestroyedStorage } = MASK.StorageStatusMask;
const CHUNK = 500;
/** Conditions and tags of one search: what both databases take as one statement. */
const MOST_TERMS = 500;

export async function findObjects(ctx: OperationContext, search: Search): Promise<Found> {
  const { where, params, rest } = conditions(ctx, search);
  if (rest.length === 0) return byIndex(ctx, where, params, search);
  return byLooking(ctx, where, params, rest, search);
}

async function byIndex(
  { server: { store } }: OperationContext,
  where: string,
  params: readonly (string | number)[],
  { offset, limit }: Search,
): Promise<Found> {
  const count = await store.get<{ n: number | string }>(`SELECT COUNT(*) AS n FROM kms_object o WHERE ${where}`, params);
  const total = Number(count?.n ?? 0);
  if (limit === 0 || total <= offset) return { ids: [], total };
  const rows = await store.all<{ id: string }>(
    `SELECT o.id FROM kms_object o WHERE ${where} ORDER BY o.seq DESC LIMIT $${params.length + 1} OFFSET $${params.length + 2}`,
    [...params, limit, offset],
  );
  return { ids: rows.map(({ id }) => id), total };
}

/** Conditions that no index knows: the objects that fulfil the others are read, a part at a time. */
async function byLooking(
  ctx: OperationContext,
  where: string,
  params: readonly (string | number)[],
  rest: readonly Node[],
  { offset, limit }: Search,
): Promise<Found> {
  const { store, rows } = ctx.server;
  const ids: string[] = [];
  let total = 0;
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const part = await store.all<{ id: string; seq: number | string }>(
      `SELECT o.id, o.seq FROM kms_object o WHERE ${where} AND o.seq < $${params.length + 1} ORDER BY o.seq DESC LIMIT ${CHUNK}`,
      [...params, before],
    );
    for (const object of await rows.readAll(
      store,
      part.map(({ id }) => id),
    )) {
      if (!matches(object, rest, ctx.now)) continue;
      if (total >= offset && ids.length < limit) ids.push(object.id);
      total += 1;
    }
    const last = part.at(-1);
    if (!last || part.length < CHUNK) return { ids, total };
    before = Number(last.seq);
  }
}

interface Conditions {
  readonly where: string;
  readonly params: (string | number)[];
  readonly rest: readonly Node[];
}

function conditions({ caller, now, version }: OperationContext, { attributes, storage, groupMember }: Search): Conditions {
  const params: (string | number)[] = [];
  const param = (value: string | number) => `$${params.push(value)}`;
  const parts = [visibleTo(caller, params), ...storageCondition(storage, attributes)];
  // KMIP 2.x has no templates.
  if (version.major > 1) parts.push(`o.object_type <> ${ENUM.ObjectType.Template}`);
  const rest: Node[] = [];
  const term = ({ tag, value }: { tag: number; value: string }) =>
    parts.push(`EXISTS (SELECT 1 FROM kms_attribute a WHERE a.object_id = o.id AND a.tag = ${param(tag)} AND a.value = ${param(value)})`);
  for (const node of attributes) {
    const tags = tagsAsked(node);
    if (tags) for (const tag of tags) term(tagTerm(tag));
    else if (node.tag === TAG.UniqueIdentifier && node.type === TYPE.TextString) parts.push(`o.id = ${param(node.value)}`);
    else if (node.tag === TAG.ObjectType && node.type === TYPE.Enumeration) parts.push(`o.object_type = ${param(node.value)}`);
    else if (isIndexed(node) && node.tag !== TAG.State) term(termOf(node));
    else rest.push(node);
  }
  if (parts.length + rest.length > MOST_TERMS) throw new Refusal('InvalidField', `${MOST_TERMS} attributes and tags at most can be searched for`);
  if (groupMember !== undefined) rest.push({ tag: TAG.ObjectGroupMember, type: TYPE.Enumeration, value: groupMember });
  // A state that time has changed since it was stored is looked at; the row only narrows it down.
  const state = attributes.find(({ tag }) => tag === TAG.State);
  if (state?.type === TYPE.Enumeration) parts.push(`(o.state = ${param(state.value)} OR o.due_at <= ${param(now * 1000)})`);
  return { where: parts.join(' AND '), params, rest };
}

/** The mask names where the objects asked for are; without it on-line ones, and destroyed ones only where the state is asked for. */
function storageCondition(storage: number | undefined, attributes: readonly Node[]): string[] {
  const destroyed = `o.state IN (${Destroyed}, ${DestroyedCompromised})`;
  const byState = attributes.some(({ tag }) => tag === TAG.State);
  if (storage === undefined) return byState ? ['o.archived = 0'] : ['o.archived = 0', `NOT ${destroyed}`];
  const parts: string[] = [];
  if (storage & OnLineStorage) parts.push(byState ? 'o.archived = 0' : `(o.archived = 0 AND NOT ${destroyed})`);
  if (storage & ArchivalStorage) parts.push('o.archived = 1');
  if (storage & DestroyedStorage) parts.push(destroyed);
  return [parts.length === 0 ? '1 = 0' : `(${parts.join(' OR ')})`];
}

/** The tags of a vendor attribute `tag`. */
function tagsAsked(node: Node): string[] | undefined {
  if (node.tag !== TAG.Attribute || node.type !== TYPE.Structure || textOf(node, TAG.AttributeName) !== 'tag') return undefined;
  return parseTags(textOf(node, TAG.AttributeValue) ?? '');
}

/** Whether an object has all of these; two dates of one kind are the ends of a range. */
function matches(object: ManagedObject, conditions: readonly Node[], now: number): boolean {
  return conditions.every((asked) => {
    if (asked.tag === TAG.State) return stateAt(object, now) === asked.value;
    if (asked.tag === TAG.ObjectGroupMember) return isFresh(object) === (asked.value === ENUM.ObjectGroupMember.GroupMemberFresh);
    const values = object.attributes.all(asked.tag).map(({ node }) => node);
    if (asked.type === TYPE.DateTime) return values.some((node) => inRange(node, conditions, asked.tag));
    if (asked.tag === TAG.CryptographicUsageMask) return values.some(({ value }) => ((value as number) & (asked.value as number)) === asked.value);
    return values.some((node) => includes(node, asked));
  });
}

function isFresh({ attributes }: ManagedObject): boolean {
  return attributes.first(TAG.Fresh)?.value === true;
}

function inRange(node: Node, conditions: readonly Node[], tag: number): boolean {
  const ends = conditions.filter((each) => each.tag === tag).map(({ value }) => value as number);
  return (node.value as number) >= Math.min(...ends) && (node.value as number) <= Math.max(...ends);
}

/** A structure may name only some of the members. */
function includes(node: Node, asked: Node): boolean {
  if (asked.type !== TYPE.Structure || node.type !== TYPE.Structure) return sameNode(node, asked);
  return asked.value.every((member) => (node as Structure).value.some((own) => own.tag === member.tag && includes(own, member)));
}
