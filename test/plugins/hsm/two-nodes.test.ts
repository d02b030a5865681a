// Two nodes over one database and one token: keys of one name, made at the same time.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { NameReservations } from '../../../actors/kmip/object/hsm-key/name-reservations.ts';
import { createClock } from '../../../kernel/clock.ts';
import { openStore } from '../../../kernel/store/open.ts';
import { type Nodes, startNodes } from '../../nodes.ts';
import { until } from '../../runtime.ts';
import { type Answer, signInAdmin, type TestServer } from '../../server.ts';
import { createSoftHsm, type SoftHsm } from '../../softhsm.ts';
import { testDatabases } from '../../stores.ts';
import { skipWithout } from '../../system.ts';

const database = (await testDatabases()).find(({ dialect }) => dialect === 'postgres');
const PIN = '12345678';
const ROUNDS = 12;
let hsm: SoftHsm;
let slot: number;
let nodes: Nodes;
let cookie: string;

const ask = (node: TestServer, path: string, body: unknown): Promise<Answer> => node.ask('POST', path, { body, cookie });
const both = <T>(work: (node: TestServer) => Promise<T>): Promise<T[]> => Promise.all([nodes.one, nodes.other].map(work));
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).toSorted();

if (database && !skipWithout('softhsm2')) {
  test.before(async () => {
    hsm = createSoftHsm();
    slot = hsm.addToken('shared', PIN);
    // Processes of their own, because a library is the same for all of a process.
    const instance = `hsm_model = "soft_hsm"\nhsm_slot = [${slot}]\nhsm_password = ["${PIN}"]\nhsm_admin = ["_/admin"]\nisolation = "process"\nprobe_seconds = 1`;
    nodes = await startNodes(database, { config: `[[hsm_instances]]\n${instance}\n` });
    cookie = await signInAdmin(nodes.one);
    const isThere = async (node: TestServer) => /"accessible":true/.test((await node.ask('GET', '/hsm/status', { cookie })).text);
    await until(async () => (await both(isThere)).every(Boolean), 'both see the token', 30_000);
  });
  test.after(async () => {
    await nodes?.end();
    await database.stop();
    hsm?.end();
  });

  test('one of two nodes makes the key, the other is refused, and both use it', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const kid = `hsm::soft_hsm::${slot}::round ${round}`;
      const made = await both((node) => ask(node, '/v1/crypto/keys', { kid, kty: 'oct', alg: 'A256GCM' }));
      assert.deepEqual(statuses(made), [200, 422], made.map(({ text }) => text).join());
      assert.match(made.map(({ text }) => text).join(), /is being made by another request|already exists|already has/);
      const sealed = await both((node) => ask(node, '/v1/crypto/encrypt', { kid, alg: 'dir', enc: 'A256GCM', data: 'aGVsbG8' }));
      assert.deepEqual(statuses(sealed), [200, 200]);
      const opened = await both((node) => ask(node, '/v1/crypto/decrypt', sealed[0]?.body));
      assert.deepEqual(statuses(opened), [200, 200]);
    }
    assert.equal((hsm.tool(slot, 'labels(4)') as string[]).length, ROUNDS);
  });

  test('a key on the token that is due is rotated once, by one of them, and neither tells a failure', async () => {
    const kid = `hsm::soft_hsm::${slot}::due`;
    const text = (tag: string, value: string) => ({ tag, type: 'TextString', value });
    const attributes = [text('UniqueIdentifier', kid), { tag: 'CryptographicAlgorithm', type: 'Enumeration', value: 'AES' }];
    const more = [
      { tag: 'CryptographicLength', type: 'Integer', value: 256 },
      { tag: 'CryptographicUsageMask', type: 'Integer', value: 12 },
      { tag: 'RotateInterval', type: 'Interval', value: 30 },
    ];
    const kind = { tag: 'ObjectType', type: 'Enumeration', value: 'SymmetricKey' };
    const create = { tag: 'Create', value: [kind, { tag: 'Attributes', value: [...attributes, ...more] }] };
    assert.equal((await ask(nodes.one, '/kmip/2_1', create)).status, 200);
    const labels = () => (hsm.tool(slot, 'labels(4)') as string[]).filter((label) => label.startsWith('due')).toSorted();
    // The look of every minute finds it due.
    await nodes.advance(61_000);
    await until(() => labels().length > 1, 'it is rotated', 30_000);
    // Keys of a slot are made one after the other: what began before has ended then.
    await both((node) => ask(node, '/v1/crypto/keys', { kid: `${kid} ${node === nodes.one}`, kty: 'oct', alg: 'A256GCM' }));
    assert.deepEqual(labels().slice(0, 3), ['due', 'due false', 'due true']);
    assert.deepEqual(labels().slice(3), ['due::1']);
    assert.deepEqual((await nodes.one.ask('GET', '/audit?event=key.rotate', { cookie })).body.events, []);
  });

  test('a name is reserved until its row is written, or given up, or its time is over', async () => {
    const store = await openStore(nodes.storeUrl, { writer: 'test', clock: createClock() });
    const [one, other] = [new NameReservations(store), new NameReservations(store)];
    const taken = await Promise.all([one.take(['a', 'a_pk'], 0), other.take(['a', 'a_pk'], 0)]);
    assert.deepEqual(taken.toSorted(), [false, true]);
    assert.equal(await other.take(['b', 'a_pk'], 1_000), false);
    assert.equal(await other.take(['b'], 1_000), true, 'of names that are not all free none is taken');
    assert.equal(await other.take(['a'], 120_000), true);
    await one.giveUp(['a', 'a_pk', 'b']);
    assert.equal(await other.take(['a', 'a_pk'], 1_000), true);
    await store.transaction((tx) => one.end(tx, 'a'));
    assert.deepEqual([await one.take(['a'], 1_000), await one.take(['a_pk'], 1_000)], [true, false]);
    await store.close();
  });

  test.run();
}
