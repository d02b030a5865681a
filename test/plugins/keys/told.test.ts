// What the key server tells of itself holds: profiles name what is served, and the counters say why operations failed.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { OPERATIONS } from '../../../actors/kmip/operations/index.ts';
import { PROFILES, profilesServed } from '../../../kmip/profile.ts';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';

type Json = { readonly tag: string; readonly type?: string; readonly value: unknown };

let server: TestServer;
let cookie: string;
test.before(async () => {
  server = await startServer();
  cookie = await signInAdmin(server);
});
test.after(() => server?.end());

const kmip = (tag: string, ...value: Json[]) => server.ask('POST', '/kmip/2_1', { cookie, body: { tag, value } });

async function queried(fn: string): Promise<string[]> {
  const { body, status, text } = await kmip('Query', { tag: 'QueryFunction', type: 'Enumeration', value: fn });
  assert.equal(status, 200, text);
  return (body.value as Json[]).map(({ tag, value }) => (tag === 'ProfileInformation' ? (value as Json[])[0]?.value : value) as string);
}

test('Query names the profiles of which every operation is served, and no other', async () => {
  const [profiles, operations] = [await queried('QueryProfiles'), new Set(await queried('QueryOperations'))];
  assert.ok(profiles.includes('BaselineServer'));
  // Polling, logins and asynchronous operations are not served here.
  assert.ok(!profiles.includes('CompleteServer'));
  for (const profile of profiles) {
    const wanted = PROFILES[profile as keyof typeof PROFILES];
    assert.ok(wanted, `${profile} has no list of operations`);
    assert.deepEqual(
      wanted.filter((operation) => !operations.has(operation)),
      [],
      profile,
    );
  }
});

test('a profile goes with any of its operations, and the complete one comes with the last', () => {
  const served = new Set(Object.keys(OPERATIONS));
  assert.ok(profilesServed(served).includes('RNGCryptographicServer'));
  const without = new Set([...served].filter((name) => name !== 'RNGSeed'));
  assert.deepEqual(
    profilesServed(served).filter((name) => !profilesServed(without).includes(name)),
    ['AdvancedCryptographicServer', 'RNGCryptographicServer'],
  );
  assert.ok(profilesServed(new Set(PROFILES.CompleteServer)).includes('CompleteServer'));
});

test('the counter of results tells their reason, of KMIP and of the crypto API', async () => {
  const counted = async (operation: string, outcome: string) => {
    const { text } = await server.ask('GET', '/metrics');
    return Number(new RegExp(`^gatehouse_kmip_operations_total\\{operation="${operation}",outcome="${outcome}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  };
  const missing = { tag: 'UniqueIdentifier', type: 'TextString', value: 'nothing' };
  assert.equal((await kmip('Get', missing)).status, 422);
  assert.equal((await kmip('Destroy', missing)).status, 422);
  assert.equal((await server.ask('DELETE', '/v1/crypto/keys/nothing', { cookie })).status, 404);
  assert.equal(await counted('Get', 'ObjectNotFound'), 1);
  assert.equal(await counted('Destroy', 'ItemNotFound'), 1);
  assert.equal(await counted('deleteKey', 'ItemNotFound'), 1);
  assert.ok((await counted('Query', 'Success')) >= 2);
  assert.doesNotMatch((await server.ask('GET', '/metrics')).text, /outcome="OperationFailed"/);
});

test.run();
