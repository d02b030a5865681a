// The warm-up serves thousands of messages in every thread of the key server, and leaves nothing: no object, no audit row, no count, no log line.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { IS_ON_POSTGRES } from '../../database.ts';
import { FRONTS, signInAdmin, startServer, type TestServer } from '../../server.ts';
import { untilWarm } from '../../warm.ts';

/** In the time that the warm-up takes on the slowest machine. */
const MOST_CALLS = 30;

let server: TestServer;
let cookie: string;
test.before(async () => {
  server = await startServer({ env: { GATEHOUSE_KEYS_SELF_TESTS: 'true' } });
  cookie = await signInAdmin(server);
});
test.after(() => server?.end());

const metrics = async (): Promise<string> => (await server.ask('GET', '/metrics')).text;
const lines = (text: string, name: string): string[] => text.split('\n').filter((line) => line.startsWith(name));

/** What requests leave. */
async function traces() {
  const text = await metrics();
  const audit = await server.ask('GET', '/audit?limit=100', { cookie });
  const owned = await server.ask('GET', '/access/owned', { cookie });
  assert.deepEqual([audit.status, owned.status], [200, 200]);
  return {
    operations: lines(text, 'gatehouse_kmip_operations_total{'),
    calls: lines(text, 'gatehouse_actor_calls_total{').filter((line) => line.includes('actor="kmip')),
    audit: audit.body,
    owned: owned.body,
  };
}

test('every thread gets warm, and nothing is left of it', async () => {
  const before = await traces();
  const linesBefore = server.lines.length;
  const kmip = (server.runtime.groups.get('kmip')?.supervisors ?? []).map(({ key }) => `kmip/${key}`);
  await untilWarm(server, ['kmip_stream/0', ...kmip, ...(IS_ON_POSTGRES && FRONTS !== '1' ? [] : ['kmip/beside'])]);
  const warm = lines(await metrics(), 'gatehouse_self_test_warm{');
  assert.ok(warm.length > kmip.length && warm.every((line) => line.endsWith(' 1')), warm.join('\n'));
  const after = await traces();
  // The question itself for what the caller owns is a call, and the server looks after asynchronous requests; the warm-up has thousands.
  const withoutOwned = ({ calls: _, ...rest }: typeof after) => rest;
  assert.deepEqual(withoutOwned(after), withoutOwned(before));
  const count = ({ calls }: typeof after) => calls.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  assert.ok(count(after) - count(before) <= MOST_CALLS, `${after.calls}`);
  assert.deepEqual(
    server.lines.slice(linesBefore).filter(({ level }) => level !== 'info' && level !== 30),
    [],
  );
});

test.run();
