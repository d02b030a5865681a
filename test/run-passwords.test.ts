// What a password hash costs in a test file: little by the runner's stand-in, more or the server's cost where the file asks for it.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { file, ROOT, removeRepositories, run } from './made-up-run.ts';
import { COST as LOW } from './runner/low-cost.ts';
import { COST as MIDDLE } from './runner/middle-cost.ts';

test.after(removeRepositories);

const hashes = (...first: readonly string[]) =>
  file(
    "import { Worker } from 'node:worker_threads';",
    ...first,
    `const source = "const { default: create } = await import('file://${ROOT}actors/password/password.actor.ts'); console.log(create(null).api.hash(new Uint8Array(9)));";`,
    "test('hashes in a thread', () => new Promise((done) => new Worker(new URL('data:text/javascript,' + encodeURIComponent(source))).on('exit', done)));",
    "test('fails, so that the run prints it', () => { throw new Error('on purpose'); });",
  );

test('servers of tests hash passwords at a low cost, or at the one that a file asks for', async () => {
  const wanting = (cost: string) => hashes(`process.env['GATEHOUSE_TEST_PASSWORD_COST'] = '${cost}';`);
  const { lines } = await run({ quick: hashes(), middle: wanting('middle'), real: wanting('full') }, { limitMs: 30_000 });
  // The run tells a failed file twice.
  const costs = lines.flatMap((line) => /argon2id\$v=19\$([^$]+)\$/.exec(line)?.[1] ?? []);
  const told = [LOW, MIDDLE].map(({ memoryCost, timeCost, parallelism }) => `m=${memoryCost},t=${timeCost},p=${parallelism}`);
  assert.deepEqual([...new Set(costs)].sort(), [...told, 'm=65536,t=3,p=4'].sort(), lines.join('\n'));
});

test.run();
