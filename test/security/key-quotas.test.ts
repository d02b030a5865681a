// Quotas of the key server: exact under many writers at once on every node; what takes nothing more is never refused, and what is freed can be used again.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { openStore } from '../../kernel/store/open.ts';
import { type Nodes, startNodes } from '../nodes.ts';
import { type People, people } from '../people.ts';
import { type Answer, signInAdmin } from '../server.ts';
import { testDatabases } from '../stores.ts';

const databases = await testDatabases();
const MAX_BYTES = 20_000;
const CONFIG = `[keys.quotas]
objects_per_identity = 5
object_bytes_per_identity = ${MAX_BYTES}
objects_per_realm = 8
object_bytes_per_realm = 1000000
grants_per_identity = 3
`;
const ATTEMPTS = Array.from({ length: 16 }, (_, at) => at);

type Node = { readonly tag: string; readonly type?: string; readonly value: unknown };
const text = (tag: string, value: string): Node => ({ tag, type: 'TextString', value });
const integer = (tag: string, value: number): Node => ({ tag, type: 'Integer', value });
const enumeration = (tag: string, value: string): Node => ({ tag, type: 'Enumeration', value });
const comment = (length: number): Node => text('Comment', 'x'.repeat(length));

for (const database of databases) {
  let nodes: Nodes;
  let they: People;
  const cookies: Record<string, string> = {};
  const name = (what: string) => `${database.dialect}: ${what}`;
  const node = (at: number) => (at % 2 === 0 ? nodes.one : nodes.other);
  const kmip = (user: string, at: number, operation: string, ...value: Node[]) =>
    node(at).ask('POST', '/kmip/2_1', { cookie: cookies[user], body: { tag: operation, value } });
  const create = (user: string, at = 0, ...more: Node[]) =>
    kmip(user, at, 'Create', enumeration('ObjectType', 'SymmetricKey'), {
      tag: 'Attributes',
      value: [enumeration('CryptographicAlgorithm', 'AES'), integer('CryptographicLength', 256), integer('CryptographicUsageMask', 12), ...more],
    });
  const idIn = ({ body }: Answer) => (body.value as Node[]).find(({ tag }) => tag === 'UniqueIdentifier')?.value as string;
  const named = (id: string) => text('UniqueIdentifier', id);
  const grant = (user: string, at: number, id: string, to: string) =>
    node(at).ask('POST', '/access/grant', { cookie: cookies[user], body: { unique_identifier: id, user_id: to, operation_types: ['encrypt'] } });
  function requireRefused(answer: Answer, quota: string, limit: number): void {
    assert.equal(answer.status, 422, answer.text);
    assert.ok(
      answer.body.message.startsWith('Server_Limit_Exceeded') && answer.body.message.includes(`[keys.quotas] ${quota}: no more than ${limit}`),
      answer.text,
    );
  }
  /** What the database counts is what there is. @returns amounts of an owner */
  async function counts(owner: string): Promise<Record<string, number>> {
    const store = await openStore(nodes.storeUrl, { writer: 'test/quotas', clock: nodes.one.clock });
    type Amount = { readonly kind: string; readonly scope: string; readonly amount: number };
    const counted = await store.all<Amount>('SELECT kind, scope, amount FROM kms_usage');
    const there = await store.all<Amount>(
      `SELECT 'object' AS kind, owner AS scope, COUNT(*) AS amount FROM kms_object GROUP BY owner
       UNION ALL SELECT 'object_bytes', owner, CAST(SUM(OCTET_LENGTH(attributes) + COALESCE(OCTET_LENGTH(content), 0)) AS BIGINT) FROM kms_object GROUP BY owner
       UNION ALL SELECT 'realm_object', substr(owner, 1, 2), COUNT(*) FROM kms_object GROUP BY 2
       UNION ALL SELECT 'realm_object_bytes', substr(owner, 1, 2), CAST(SUM(OCTET_LENGTH(attributes) + COALESCE(OCTET_LENGTH(content), 0)) AS BIGINT)
         FROM kms_object GROUP BY 2
       UNION ALL SELECT 'grant', owner, COUNT(*) FROM kms_grant JOIN kms_object ON kms_object.id = kms_grant.object_id GROUP BY owner`,
    );
    await store.close();
    const lines = (rows: readonly Amount[]) => rows.map(({ kind, scope, amount }) => `${kind} ${scope} ${amount}`).sort();
    assert.deepEqual(lines(counted), lines(there));
    return Object.fromEntries(counted.filter(({ scope }) => scope === owner).map(({ kind, amount }) => [kind, amount]));
  }
  async function destroy(user: string, id: string): Promise<void> {
    assert.equal((await kmip(user, 0, 'Destroy', named(id), { tag: 'Remove', type: 'Boolean', value: true })).status, 200);
  }

  test(name('the servers and people of these tests'), async () => {
    nodes = await startNodes(database, { config: CONFIG });
    they = people(nodes.one, await signInAdmin(nodes.one));
    await they.realm('r');
    for (const user of ['ann', 'ben', 'cid']) {
      await they.user('r', user, `${user} password`);
      cookies[user] = await they.session('r', user, `${user} password`);
    }
  });

  test(name('objects of one owner: of sixteen made at once as many as there is room for; using, changing state and destroying go on'), async () => {
    const answers = await Promise.all(ATTEMPTS.map((at) => create('ann', at)));
    const made = answers.filter(({ status }) => status === 200).map(idIn);
    assert.equal(made.length, 5);
    for (const answer of answers) if (answer.status !== 200) requireRefused(answer, 'objects_per_identity', 5);
    assert.equal((await counts('r/ann'))['object'], 5);
    const [first, second] = made as [string, string];
    assert.equal((await kmip('ann', 0, 'Activate', named(first))).status, 200);
    assert.equal((await kmip('ann', 1, 'GetAttributes', named(first))).status, 200);
    requireRefused(await kmip('ann', 0, 'ReKey', named(first)), 'objects_per_identity', 5);
    requireRefused(
      await kmip(
        'ann',
        0,
        'Register',
        enumeration('ObjectType', 'OpaqueObject'),
        { tag: 'Attributes', value: [] },
        {
          tag: 'OpaqueObject',
          value: [
            { tag: 'OpaqueDataType', type: 'Enumeration', value: '0x80000001' },
            { tag: 'OpaqueDataValue', type: 'ByteString', value: '00' },
          ],
        },
      ),
      'objects_per_identity',
      5,
    );
    await destroy('ann', second);
    assert.equal((await create('ann', 1)).status, 200);
    assert.equal((await create('ann')).status, 422);
    await counts('r/ann');
  });

  test(name('objects of a realm: what others in it have counts too, and other realms have their own'), async () => {
    const answers = await Promise.all(ATTEMPTS.map((at) => create(at % 4 < 2 ? 'ben' : 'cid', at)));
    const refused = answers.filter(({ status }) => status !== 200);
    assert.equal(answers.length - refused.length, 3);
    for (const answer of refused) requireRefused(answer, 'objects_per_realm', 8);
    cookies['root'] = they.root;
    assert.equal((await create('root')).status, 200);
    const made = answers.flatMap((answer, at) => (answer.status === 200 ? [[at % 4 < 2 ? 'ben' : 'cid', idIn(answer)] as const] : []));
    for (const [user, id] of made) await destroy(user, id);
    assert.deepEqual(await counts('r/ben'), {});
  });

  test(name('bytes of one owner: new objects and growing attributes count, shrinking and ending are never refused'), async () => {
    const id = idIn(await create('ben'));
    const { object_bytes: small } = (await counts('r/ben')) as { object_bytes: number };
    const room = MAX_BYTES - small;
    requireRefused(
      await kmip('ben', 0, 'AddAttribute', named(id), { tag: 'NewAttribute', value: [comment(room + 100)] }),
      'object_bytes_per_identity',
      MAX_BYTES,
    );
    assert.equal((await kmip('ben', 0, 'AddAttribute', named(id), { tag: 'NewAttribute', value: [comment(room - 200)] })).status, 200);
    requireRefused(
      await kmip('ben', 0, 'SetAttribute', named(id), { tag: 'NewAttribute', value: [comment(room + 100)] }),
      'object_bytes_per_identity',
      MAX_BYTES,
    );
    requireRefused(await create('ben'), 'object_bytes_per_identity', MAX_BYTES);
    assert.equal((await counts('r/ben'))['object'], 1);
    // More than there is room for, as a quota that was lowered leaves it: only what makes it more is refused.
    const store = await openStore(nodes.storeUrl, { writer: 'test/more', clock: nodes.one.clock });
    await store.transaction((tx) => tx.run("UPDATE kms_usage SET amount = amount + 100000 WHERE scope = 'r/ben' AND kind = 'object_bytes'"));
    assert.equal((await kmip('ben', 0, 'Activate', named(id))).status, 200);
    requireRefused(await kmip('ben', 0, 'SetAttribute', named(id), { tag: 'NewAttribute', value: [comment(room)] }), 'object_bytes_per_identity', MAX_BYTES);
    assert.equal((await kmip('ben', 0, 'SetAttribute', named(id), { tag: 'NewAttribute', value: [comment(10)] })).status, 200);
    const revoked = await kmip('ben', 0, 'Revoke', named(id), {
      tag: 'RevocationReason',
      value: [enumeration('RevocationReasonCode', 'CessationOfOperation')],
    });
    assert.equal(revoked.status, 200, revoked.text);
    await store.transaction((tx) => tx.run("UPDATE kms_usage SET amount = amount - 100000 WHERE scope = 'r/ben' AND kind = 'object_bytes'"));
    await store.close();
    await destroy('ben', id);
    assert.deepEqual(await counts('r/ben'), {});
  });

  test(name('grants of one owner: of sixteen at once as many as there is room for; more rights for one who has some, and taking away, go on'), async () => {
    const id = idIn(await create('cid'));
    const answers = await Promise.all(ATTEMPTS.map((at) => grant('cid', at, id, `r/user${at}`)));
    const refused = answers.filter(({ status }) => status !== 200);
    assert.equal(answers.length - refused.length, 3, answers.map(({ text }) => text).join('\n'));
    for (const { status, body, text } of refused) {
      assert.deepEqual([status, body.code], [429, 'KEYS_QUOTA_EXCEEDED'], text);
      assert.ok(body.message.includes('[keys.quotas] grants_per_identity: no more than 3'), body.message);
    }
    assert.equal((await counts('r/cid'))['grant'], 3);
    const at = answers.findIndex(({ status }) => status === 200);
    const again = { unique_identifier: id, user_id: `r/user${at}`, operation_types: ['decrypt'] };
    assert.equal((await nodes.one.ask('POST', '/access/grant', { cookie: cookies['cid'], body: again })).status, 200);
    const all = { ...again, operation_types: ['encrypt', 'decrypt'] };
    assert.equal((await nodes.one.ask('POST', '/access/revoke', { cookie: cookies['cid'], body: all })).status, 200);
    assert.equal((await counts('r/cid'))['grant'], 2);
    assert.deepEqual([(await grant('cid', 0, id, 'r/one')).status, (await grant('cid', 0, id, 'r/two')).status], [200, 429]);
    await destroy('cid', id);
    assert.deepEqual(await counts('r/cid'), {});
  });

  test(name('the servers end'), () => nodes.end());
}

test('the databases are stopped', async () => {
  for (const database of databases) await database.stop();
});

test.run();
