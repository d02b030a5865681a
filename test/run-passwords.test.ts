// What a password hash costs in a test file: little by the runner's stand-in, the server's cost where the file asks for it.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { file, ROOT, removeRepositories, run } from './made-up-run.ts';
import { COST } from './runner/low-cost.ts';

test.after(removeRepositories);

const hashes = (...first: readonly string[]) =>
  file(
    "import { Worker } from 'node:worker_threads';",
    ...first,
    `const source = "const { default: create } = await import('file://${ROOT}actors/password/password.actor.ts'); console.log(create(null).api.hash(new Uint8Array(9)));";`,
    "test('hashes in a thread', () => new Promise((done) => new Worker(new URL('data:text/javascript,' + encodeURIComponent(source))).on('exit', done)));",
    "test('fails, so that the run prints it', () => { throw new Error('on purpose'); });",
  );

test('passwords are hashed at a low cost in servers of tests, at that of the server where a file wants it', async () => {
  const { lines } = await run({ quick: hashes(), real: hashes("process.env['GATEHOUSE_TEST_PASSWORD_COST'] = 'full';") }, { limitMs: 30_000 });
  // The run tells a failed file twice.
  const costs = lines.flatMap((line) => /argon2id\$v=19\$([^$]+)\$/.exec(line)?.[1] ?? []);
  const low = `m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}`;
  assert.deepEqual([...new Set(costs)].sort(), [low, 'm=65536,t=3,p=4'], lines.join('\n'));
});

test.run();
