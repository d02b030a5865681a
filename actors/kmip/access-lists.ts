// The lists under /access, one page at a time: the caller's own objects, objects granted to the caller, and the grants of an object.
import { Fault } from '../../kernel/fault.ts';
import { viewAccounts } from '../../kernel/store/accounts.ts';
import { plannedAnew } from '../../kernel/store/planned-anew.ts';
import { compactCodeName, enumerationNames } from '../../kmip/ttlv/enumeration-of.ts';
import { writeJson } from '../../kmip/ttlv/json.ts';
import { nameOf } from '../../kmip/ttlv/read.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import type { Grantee, JsonNames, Listed, ObtainedObject, OwnedObject, Page, Principal } from './api.ts';
import { granteesOf, parseOperations } from './object/grants.ts';
import { tagsOf } from './object/index-terms.ts';
import { stateAt } from './object/life/lifecycle.ts';
import type { ObjectDescription } from './object/managed-object.ts';
import { owns } from './principal.ts';
import type { KeyServer } from './server.ts';

/** A page ends early after this many bytes of attributes in the binary encoding. */
const MAX_PAGE_BYTES = 4_194_304;

interface Found {
  readonly id: string;
  /** Size of the attributes. */
  readonly bytes: number | string;
}

export async function listOwned(server: KeyServer, caller: Principal, { limit, after, names }: Page): Promise<Listed<OwnedObject>> {
  const { administers: administered = [] } = caller;
  const before = after === undefined ? Number.MAX_SAFE_INTEGER : positionIn(after);
  const found = await server.store.all<Found & { seq: number | string }>(
    `SELECT id, seq, length(attributes) AS bytes FROM kms_object WHERE owner IN ($1${administered.map((_, at) => `, $${at + 4}`).join('')}) AND seq < $2
     ORDER BY seq DESC LIMIT $3`,
    [caller.user, before, limit + 1, ...administered],
  );
  const { rows, isLast } = cut(found, limit);
  const now = Math.floor(server.now() / 1000);
  const objects = (await server.rows.describeAll(server.store, idsOf(rows))).filter(({ owner }) => owns(caller, owner));
  const items = objects.map((object): OwnedObject => ({ object_id: object.id, state: stateName(object, now, names), attributes: readable(object, names) }));
  return { items, next: isLast ? undefined : String(rows.at(-1)?.seq) };
}

/** Grants to the caller by name come first, because anybody can grant anything to everybody. */
export async function listObtained(server: KeyServer, caller: Principal, { limit, after, names }: Page): Promise<Listed<ObtainedObject>> {
  const [direct, ...wide] = granteesOf(caller) as [string, ...string[]];
  const [section, from] = sectionIn(after);
  const found = section === 'named' ? (await findGranted(server, caller, [direct], from, limit + 1)).map((row) => ({ ...row, section: 'named' })) : [];
  if (found.length <= limit) {
    const rest = await findGranted(server, caller, wide, section === 'all' ? from : '', limit + 1 - found.length);
    found.push(...rest.map((row) => ({ ...row, section: 'all' })));
  }
  const { rows, isLast } = cut(found, limit);
  const now = Math.floor(server.now() / 1000);
  const obtained = await withRights(server, caller, idsOf(rows));
  const owners = await viewAccounts(
    server.store,
    obtained.map(({ object }) => object.owner),
  );
  const items = obtained.map(
    ({ object, rights }): ObtainedObject => ({
      object_id: object.id,
      owner_id: owners.get(object.owner)?.name ?? object.owner,
      state: stateName(object, now, names),
      operations: [...rights].sort(),
    }),
  );
  const last = rows.at(-1);
  return { items, next: isLast || !last ? undefined : cursor(`${last.section}:${last.id}`) };
}

interface Obtained {
  readonly object: ObjectDescription;
  readonly rights: ReadonlySet<string>;
}

/** Objects of others, with the rights of the caller. Only grants with a valid MAC count. */
async function withRights({ store, rows }: KeyServer, caller: Principal, ids: readonly string[]): Promise<Obtained[]> {
  const grants = Map.groupBy(await rows.grants.ofUsersOn(store, granteesOf(caller), ids), ({ object_id }) => object_id);
  return (await rows.describeAll(store, ids))
    .filter(({ owner }) => !owns(caller, owner))
    .map((object) => {
      const own = (grants.get(object.id) ?? []).filter((row) => rows.grants.isOwn(row, rows.markOf(object)));
      return { object, rights: new Set(own.flatMap(({ operations }) => [...parseOperations(operations)])) };
    })
    .filter(({ rights }) => rights.size > 0);
}

/** Sorted by identifier. An object granted to the caller by name is not listed again for a grant to a group. */
function findGranted({ store }: KeyServer, { user }: Principal, grantees: readonly string[], after: string, limit: number): Promise<Found[]> {
  const others = grantees.includes(user) ? '' : 'AND NOT EXISTS (SELECT 1 FROM kms_grant d WHERE d.object_id = g.object_id AND d.user_id = $1)';
  const of = (place: number) => `SELECT * FROM (SELECT g.object_id AS id, length(o.attributes) AS bytes FROM kms_grant g JOIN kms_object o ON o.id = g.object_id
    WHERE g.user_id = $${place} AND g.object_id > $2 AND o.id > $2 AND o.owner <> $1 ${others} ORDER BY g.object_id LIMIT $3) AS part${place}`;
  const parts = grantees.map((_, index) => of(index + 4)).join(' UNION ');
  return store.all<Found>(plannedAnew(`SELECT id, bytes FROM (${parts}) AS found ORDER BY id LIMIT $3`), [user, after, limit, ...grantees]);
}

export async function listGrantees({ store, rows }: KeyServer, object: ObjectDescription, { limit, after }: Page): Promise<Listed<Grantee>> {
  const found = await rows.grants.page(store, object.id, after === undefined ? '' : textIn(after), limit + 1);
  const shown = found.slice(0, limit);
  const own = shown.filter((row) => rows.grants.isOwn(row, rows.markOf(object)));
  const views = await viewAccounts(
    store,
    own.map(({ user_id: account }) => account),
  );
  // Grants to deleted users are not listed.
  const items = own.flatMap(({ user_id: account, operations }): Grantee[] => {
    const { name = account, isEnded } = views.get(account) ?? {};
    return isEnded ? [] : [{ user_id: name, operations: [...parseOperations(operations)].sort() }];
  });
  return { items, next: found.length > limit ? cursor(shown.at(-1)?.user_id ?? '') : undefined };
}

/** The entries that fit on a page, at least one. */
function cut<T extends Found>(found: readonly T[], limit: number): { rows: readonly T[]; isLast: boolean } {
  let bytes = 0;
  const over = found.findIndex((row, at) => {
    bytes += Number(row.bytes);
    return at > 0 && bytes > MAX_PAGE_BYTES;
  });
  const rows = found.slice(0, over === -1 ? limit : Math.min(over, limit));
  return { rows, isLast: rows.length === found.length };
}

const idsOf = (rows: readonly Found[]): string[] => rows.map(({ id }) => id);

function stateName(object: ObjectDescription, now: number, names: JsonNames): string {
  const state = stateAt(object, now);
  return names === 'compact' ? compactCodeName(state, enumerationNames(TAG.State)) : nameOf('State', state);
}

/** Attributes in a form for people: the JSON of the tree, and the tags. */
function readable(object: ObjectDescription, names: JsonNames): unknown {
  const attributes = JSON.parse(writeJson(object.attributes.toStructure(), undefined, names === 'compact')).value;
  return { object_type: nameOf('ObjectType', object.type), tags: tagsOf(object), attributes };
}

const cursor = (text: string): string => Buffer.from(text).toString('base64url');
const unknownPlace = (): Fault => new Fault('BAD_REQUEST', { detail: 'after: is taken from the Link header of the page before' });

function textIn(after: string): string {
  const text = Buffer.from(after, 'base64url').toString();
  if (cursor(text) !== after || text.includes('\0')) throw unknownPlace();
  return text;
}

function positionIn(after: string): number {
  if (!/^[1-9]\d{0,14}$/.test(after)) throw unknownPlace();
  return Number(after);
}

function sectionIn(after: string | undefined): readonly ['named' | 'all', string] {
  if (after === undefined) return ['named', ''];
  const [, section, id] = /^(named|all):(.+)$/s.exec(textIn(after)) ?? [];
  if (id === undefined) throw unknownPlace();
  return [section as 'named' | 'all', id];
}
