// Locate among many objects: the answers are right, nobody's search passes through the rows of others, and every condition that is indexed uses its index.
import assert from 'node:assert/strict';
import { createCipheriv } from 'node:crypto';
import { test } from 'uvu';
import { keysetMembers } from '../../../actors/kmip/object/finding/identifier.ts';
import { taggedObject } from '../../../actors/kmip/object/finding/tagged.ts';
import type { Draft } from '../../../actors/kmip/object/managed-object.ts';
import { ObjectRows } from '../../../actors/kmip/object/rows/rows.ts';
import { findObjects } from '../../../actors/kmip/object/search/search.ts';
import { DataKey } from '../../../kernel/keys/data-key.ts';
import type { Reader } from '../../../kernel/store/store.ts';
import { AttributeSet } from '../../../kmip/attribute/set.ts';
import { symmetricKey } from '../../../kmip/key-block.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { boolean, dateTime, enumeration, integer, type Node, structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { IS_ON_POSTGRES } from '../../database.ts';
import { ALICE, ObjectsInMemory } from '../../fakes/objects.ts';
import { type Answered, aesKey, startKeyServer } from './key-server.ts';

const MANY = 20_000;
const FEW = 200;
const START = 1_700_000_000;
const CAROL = { ...ALICE, user: 'acme/carol' };
const { State } = ENUM;
const server = await startKeyServer({ threads: 2 });
test.after(() => server.end());

const nameNode = (value: string) => structure(TAG.Name, [text(TAG.NameValue, value), enumeration(TAG.NameType, ENUM.NameType.UninterpretedTextString)]);
const tagsNode = (...tags: string[]) =>
  structure(TAG.Attribute, [text(TAG.VendorIdentification, 'gatehouse'), text(TAG.AttributeName, 'tag'), text(TAG.AttributeValue, JSON.stringify(tags))]);
/** The same bytes for everybody: nobody uses them. */
const content = symmetricKey(createCipheriv('aes-256-ecb', new Uint8Array(32), null).update(new Uint8Array(32)), 'AES', 256);

/** Every tenth is to be activated in the past, every other tenth has been deactivated by its date; neither has been noted. */
function object(owner: string, at: number): Draft {
  const dates: Node[] = [dateTime(TAG.InitialDate, START + at)];
  if (at % 10 === 1) dates.push(dateTime(TAG.ActivationDate, START));
  if (at % 10 === 2) dates.push(dateTime(TAG.ActivationDate, START), dateTime(TAG.DeactivationDate, START + 1));
  const attributes = [
    enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES),
    integer(TAG.CryptographicUsageMask, at % 4 === 0 ? 0x0c : 0x04),
    nameNode(`key ${at}`),
    tagsNode('all', `of ${Math.floor(at / 100)}`),
    ...(at % 1000 < 3 ? [structure(TAG.RotateName, [text(TAG.RotateNameValue, `set ${Math.floor(at / 1000)}`), enumeration(TAG.RotateNameType, 1)])] : []),
    ...dates,
  ];
  const state = at % 10 === 1 ? State.PreActive : State.Active;
  const set = AttributeSet.of(structure(TAG.Attributes, attributes));
  return { id: `${owner} ${at}`, type: ENUM.ObjectType.SymmetricKey, state, owner, archived: false, attributes: set, content };
}

const dataKey = new DataKey('keys', new Uint8Array(32), () => START * 1000);
const rows = new ObjectRows(dataKey, () => START * 1000);

test.before(async () => {
  for (const [{ user }, count] of [
    [ALICE, MANY],
    [CAROL, FEW],
  ] as const)
    for (let from = 0; from < count; from += 5_000)
      await dataKey.retrying(server.store, () =>
        server.store.transaction(async (tx) => {
          for (let at = from; at < Math.min(count, from + 5_000); at++) await rows.insert(tx, object(user, at));
        }),
      );
  await server.kmip.grant(`${ALICE.user} 7`, CAROL.user, ['encrypt'], ALICE);
});

const found = ({ members, ids }: Answered) => ({ total: members['LocatedItems'], ids });

async function locate(caller: typeof ALICE, ...attributes: readonly Node[]) {
  const answer = await server.ask('Locate', [structure(TAG.Attributes, attributes)], caller);
  assert.ok(answer.ok, answer.reason);
  return found(answer);
}

const idsOf = (owner: string, ...numbers: number[]) => numbers.map((at) => `${owner} ${at}`);

test('by name', async () => {
  assert.deepEqual(await locate(ALICE, nameNode('key 12345')), { total: 1, ids: idsOf(ALICE.user, 12345) });
  assert.deepEqual(await locate(CAROL, nameNode('key 12345')), { total: 0, ids: [] });
  // What another owner granted is found as well, newest first.
  assert.deepEqual(await locate(CAROL, nameNode('key 7')), { total: 2, ids: [...idsOf(CAROL.user, 7), ...idsOf(ALICE.user, 7)] });
});

test('by tag, with an attribute that all have', async () => {
  const hundred = Array.from({ length: 100 }, (_, at) => 599 - at);
  assert.deepEqual(await locate(ALICE, tagsNode('of 5')), { total: 100, ids: idsOf(ALICE.user, ...hundred) });
  const aes = enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES);
  assert.equal((await locate(ALICE, aes, tagsNode('of 5', 'all', '_kk'))).total, 100);
  // Too many to count beside a page that is full.
  const page = await locate(ALICE, aes);
  assert.deepEqual([page.total, page.ids.length, page.ids[0]], [undefined, 1_000, `${ALICE.user} ${MANY - 1}`]);
  assert.equal((await locate(CAROL, aes)).total, FEW + 1);
});

test('by state, as it is now and not as it was noted', async () => {
  const state = (value: number) => enumeration(TAG.State, value);
  const total = async (caller: typeof ALICE, value: number) => (await locate(caller, state(value))).total;
  assert.equal(await total(ALICE, State.Active), MANY * 0.9);
  assert.equal(await total(ALICE, State.Deactivated), MANY * 0.1);
  assert.equal(await total(ALICE, State.PreActive), 0);
  assert.equal(await total(CAROL, State.Deactivated), FEW * 0.1);
  assert.deepEqual(await locate(CAROL, state(State.Active), nameNode('key 11')), { total: 1, ids: idsOf(CAROL.user, 11) });
});

test('by dates, one or two of a kind', async () => {
  const initial = (at: number) => dateTime(TAG.InitialDate, START + at);
  assert.deepEqual(await locate(CAROL, initial(5)), { total: 1, ids: idsOf(CAROL.user, 5) });
  assert.deepEqual(await locate(CAROL, initial(9), initial(6)), { total: 5, ids: [...idsOf(CAROL.user, 9, 8, 7, 6), ...idsOf(ALICE.user, 7)] });
  assert.equal((await locate(ALICE, initial(100), initial(10_099))).total, 10_000);
  assert.equal((await locate(ALICE, dateTime(TAG.DeactivationDate, START + 1))).total, MANY / 10);
});

test('by what is only in the objects', async () => {
  const mask = integer(TAG.CryptographicUsageMask, 0x0c);
  assert.equal((await locate(CAROL, mask)).total, FEW / 4);
  // The page is full long before all of them are read: then they are not counted.
  const page = await locate(ALICE, mask);
  assert.deepEqual([page.total, page.ids.length, page.ids[0]], [undefined, 1_000, `${ALICE.user} ${MANY - 4}`]);
  assert.deepEqual(await locate(CAROL, mask, tagsNode('of 1'), dateTime(TAG.InitialDate, START + 104)), { total: 1, ids: idsOf(CAROL.user, 104) });
});

test('by what nearly all objects share, which has no index', async () => {
  const dave = { ...ALICE, user: 'acme/dave' };
  const id = await server.made('Create', aesKey(boolean(TAG.Sensitive, true)), dave);
  const other = await server.made('Create', aesKey(boolean(TAG.Extractable, false)), dave);
  const ids = async (...nodes: readonly Node[]) => (await locate(dave, ...nodes)).ids;
  assert.deepEqual(await ids(boolean(TAG.Fresh, true)), [other, id]);
  assert.deepEqual(await ids(enumeration(TAG.KeyFormatType, ENUM.KeyFormatType.Raw)), [other, id]);
  assert.deepEqual(await ids(boolean(TAG.Sensitive, true)), [id]);
  assert.deepEqual(await ids(boolean(TAG.AlwaysSensitive, false)), [other]);
  assert.deepEqual(await ids(boolean(TAG.Extractable, false)), [other]);
  assert.deepEqual(await ids(boolean(TAG.NeverExtractable, false), boolean(TAG.Sensitive, true)), [id]);
  const terms = await server.store.all<{ tag: number }>('SELECT tag FROM kms_attribute WHERE object_id = $1 ORDER BY tag', [id]);
  assert.deepEqual(new Set(terms.map(({ tag }) => tag)), new Set([TAG.CryptographicAlgorithm, TAG.CryptographicLength, TAG.Tag]));
});

test('page by page, each object once', async () => {
  const page = (offset: number) =>
    server.ask('Locate', [integer(TAG.MaximumItems, 70), integer(TAG.OffsetItems, offset), structure(TAG.Attributes, [tagsNode('all')])], CAROL);
  const pages = [];
  for (const offset of [0, 70, 140, 210]) pages.push(found(await page(offset)));
  assert.deepEqual(new Set(pages.map(({ total }) => total)), new Set([FEW + 1]));
  assert.deepEqual(
    pages.flatMap(({ ids }) => ids),
    [...idsOf(CAROL.user, ...Array.from({ length: FEW }, (_, at) => FEW - 1 - at)), ...idsOf(ALICE.user, 7)],
  );
  const last = await server.ask('Locate', [integer(TAG.MaximumItems, 2), integer(TAG.OffsetItems, MANY - 2)], ALICE);
  assert.deepEqual(found(last), { total: MANY, ids: idsOf(ALICE.user, 1, 0) });
});

test('more conditions than anybody needs are refused, not run', async () => {
  const many = Array.from({ length: 200 }, (_, at) => `tag ${at}`);
  assert.match((await server.ask('Locate', [structure(TAG.Attributes, [tagsNode(...many)])])).reason, /^Invalid_Field/);
  assert.match((await server.ask('Get', [text(TAG.UniqueIdentifier, JSON.stringify(many))])).reason, /^Invalid_Field/);
});

test('a search that reads object after object ends in time, and sooner in a transaction', async () => {
  const unread = [integer(TAG.CryptographicUsageMask, 0x10)];
  let seconds = 0;
  const search = (reader: Reader, attributes: readonly Node[]) => {
    const parts = { rows, store: server.store, monotonic: () => ++seconds * 1_000 };
    const context = Object.create(new ObjectsInMemory([]), { reader: { value: reader }, server: { value: parts } }) as ObjectsInMemory;
    seconds = 0;
    return findObjects(context, { attributes, storage: undefined, groupMember: undefined, offset: 0, limit: 10 });
  };
  const isTooLong = (error: unknown) => error instanceof Refusal && error.reason === 'ServerLimitExceeded' && error.message.includes('CryptographicUsageMask');
  await assert.rejects(search(server.store, unread), isTooLong);
  const alone = seconds;
  await assert.rejects(
    server.store.transaction((tx) => search(tx, unread)),
    isTooLong,
  );
  assert.ok(seconds < 5 && alone > 20 && alone < 40, `${seconds} and ${alone}`);
  assert.deepEqual(await search(server.store, [...unread, tagsNode('of 5')]), { ids: [], total: 0 });
  // The members of a keyset are in the index, whatever else of its name is given.
  const keyset = (...members: Node[]) => search(server.store, [structure(TAG.RotateName, members)]);
  const members = { ids: idsOf(ALICE.user, 5_002, 5_001, 5_000), total: 3 };
  assert.deepEqual(await keyset(text(TAG.RotateNameValue, 'set 5')), members);
  assert.deepEqual(await keyset(text(TAG.RotateNameValue, 'set 5'), enumeration(TAG.RotateNameType, 1)), members);
  assert.deepEqual(await keyset(text(TAG.RotateNameValue, 'set 5'), enumeration(TAG.RotateNameType, 2)), { ids: [], total: 0 });
});

/** PostgreSQL goes through tables as small as these one by one unless it is kept from it; a scan that is left then has no index. */
async function planOf(sql: string, params: Parameters<Reader['all']>[1]): Promise<string> {
  if (!IS_ON_POSTGRES) return (await server.store.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)).map(({ detail }) => detail).join('; ');
  return server.store.transaction(async (tx) => {
    await tx.run('SET LOCAL enable_seqscan = off');
    const lines = await tx.all<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, params);
    return lines.map((line) => line['QUERY PLAN'].replace('Seq Scan on', 'SCAN')).join('; ');
  });
}

test('no statement of a search scans a table', async () => {
  const plans: { sql: string; plan: string }[] = [];
  const explained: Reader = {
    get: async (sql, params) => (await explained.all(sql, params))[0] as never,
    async all(sql, params) {
      plans.push({ sql, plan: await planOf(sql, params) });
      return server.store.all(sql, params);
    },
  };
  const inMemory = new ObjectsInMemory([], { caller: CAROL });
  const context = Object.create(inMemory, { reader: { value: explained }, server: { value: { rows } } }) as ObjectsInMemory;
  const search = (...attributes: Node[]) => findObjects(context, { attributes, storage: undefined, groupMember: undefined, offset: 0, limit: 10 });
  await search();
  await search(nameNode('key 1'));
  await search(tagsNode('all', 'of 1'), enumeration(TAG.State, State.Active));
  await search(enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES), dateTime(TAG.InitialDate, START));
  await search(text(TAG.UniqueIdentifier, `${CAROL.user} 1`));
  await keysetMembers(explained, 'set 0', CAROL);
  await taggedObject(explained, '["of 700"]', CAROL, 'Encrypt', async () => false);
  await explained.all('SELECT object_id AS id FROM kms_attribute WHERE owner = $1 AND tag = $2 AND value = $3', [CAROL.user, 1, 'x']);
  await explained.all('SELECT id FROM kms_object WHERE due_at <= $1 AND (due_at, seq) > ($2, $3) ORDER BY due_at, seq LIMIT 10', [1, 0, 0]);
  assert.ok(plans.length >= 12);
  for (const { sql, plan } of plans) {
    assert.doesNotMatch(plan, /SCAN (o|a|g|kms_\w+)\b/, `${sql}\n${plan}`);
    if (sql.includes('due_at <=')) assert.match(plan, /kms_object_due/);
    // With a term, the rows of the owner are not gone through one by one; PostgreSQL decides that by their number.
    if (!IS_ON_POSTGRES && sql.includes('a.owner =')) assert.doesNotMatch(plan, /kms_object_owner/, `${sql}\n${plan}`);
  }
});

test.run();
