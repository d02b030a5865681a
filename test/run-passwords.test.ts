// What a password hash costs in a test file: little by the runner's stand-in, the server's cost where the file asks for it.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { file, ROOT, removeRepositories, run } from './made-up-run.ts';

test.after(removeRepositories);

const hashes = (...first: readonly string[]) =>
  file(
    "import { Worker } from 'node:worker_threads';",
    ...first,
    `const source = "const { default: create } = await import('file://${ROOT}actors/password/password.actor.ts'); console.log(create(null).api.hash(new Uint8Array(9)));";`,
    "test('hashes in a thread', () => new Promise((done) => new Worker(new URL('data:text/javascript,' + encodeURIComponent(source))).on('exit', done)));",
    "test('fails, so that the run prints it', () => { throw new Error('on purpose'); });",
  );

test('passwords of servers that a test starts are hashed at a low cost, and at that of the server where the file wants it', async () => {
  const { lines } = await run({ quick: hashes(), real: hashes("process.env['GATEHOUSE_TEST_PASSWORD_COST'] = 'full';") }, { limitMs: 30_000 });
  // The run tells a failed file twice.
  const costs = lines.flatMap((line) => /argon2id\$v=19\$([^$]+)\$/.exec(line)?.[1] ?? []);
  assert.deepEqual([...new Set(costs)].sort(), ['m=1024,t=1,p=1', 'm=65536,t=3,p=4'], lines.join('\n'));
});

test.run();
