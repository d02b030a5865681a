// Where anonymization works: small requests in the thread that serves HTTPS, all others in threads that a time limit can end, and all of them there if the configuration says so.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';

const SMALL: Readonly<Record<string, object>> = {
  hash: { data: 'a', method: 'SHA3', salt: 'c2FsdA==' },
  noise: { data: 1, data_type: 'float', method: 'Uniform', min_bound: 0, max_bound: 1 },
  'word-mask': { data: 'a b', words: ['a'] },
  'word-tokenize': { data: 'a b', words: ['a'] },
  'aggregate-number': { data: 1.5, data_type: 'float', power_of_ten: 0 },
  'aggregate-date': { data: '2024-01-01T00:00:00Z', time_unit: 'Day' },
  'scale-number': { data: 1, data_type: 'float', mean: 0, std_deviation: 1, scale: 1, translate: 0 },
};
/** The method, the body, and the status of the answer. */
const OTHERS: readonly (readonly [string, object, number])[] = [
  ['word-pattern-mask', { data: 'a b', pattern: 'a', replace: 'c' }, 200],
  ['hash', { data: 'a', method: 'Argon2', salt: 'YWJjZGVmZ2g=' }, 200],
  ['hash', { data: 'a', method: 'Argon2' }, 422],
  ['word-mask', { data: 'a '.repeat(2_048), words: ['a'] }, 200],
  ['aggregate-date', { data: 'yesterday', time_unit: 'Day' }, 422],
];

let server: TestServer;
let cookie: string;
async function open(config: string): Promise<void> {
  server = await startServer({ config });
  cookie = await signInAdmin(server);
}
test.after.each(() => server?.end());

const ask = (method: string, body: object) => server.ask('POST', `/tokenize/${method}`, { cookie, body });
const state = () => server.runtime.groups.get('tokenize')?.supervisors.map((each) => each.state);
async function counts(): Promise<string[]> {
  const { text } = await server.ask('GET', '/metrics', { cookie });
  return [...text.matchAll(/^gatehouse_actor_beside_calls_total\{actor="tokenize",outcome="(\w+)"\} (\d+)$/gm)].map(
    ([, outcome, count]) => `${outcome} ${count}`,
  );
}

test('small requests are answered in the front, also the first, and start no thread', async () => {
  await open('[tokenize]\ntime_limit_ms = 5000\n');
  for (let round = 0; round < 2; round++) for (const [method, body] of Object.entries(SMALL)) assert.equal((await ask(method, body)).status, 200, method);
  assert.deepEqual(await counts(), ['answered 14', 'left 0', 'failed 0']);
  assert.ok(state()?.every((each) => each === 'resting'));
  for (const [method, body, status] of OTHERS) {
    const answer = await ask(method, body);
    assert.equal(answer.status, status, answer.text);
  }
  assert.deepEqual(await counts(), ['answered 14', `left ${OTHERS.length}`, 'failed 0']);
  assert.ok(state()?.includes('running'));
});

test('placement = "own" keeps every request out of the front', async () => {
  await open('[tokenize]\nplacement = "own"\ntime_limit_ms = 5000\n');
  for (const [method, body] of Object.entries(SMALL)) assert.equal((await ask(method, body)).status, 200, method);
  assert.deepEqual(await counts(), []);
  assert.ok(state()?.includes('running'));
});

test.run();
