// A thread that ends before it has taken its task: it is lost with the reason, and nobody waits for it for ever.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'uvu';

const LOST_MS = 30_000;
/** Loaded into every thread before anything else: those beside the main thread cannot begin. */
const NO_THREADS = "data:text/javascript,import { isMainThread } from 'node:worker_threads'; if (!isMainThread) throw new Error('it cannot begin');";
const at = (path: string) => JSON.stringify(new URL(`../../../kernel/${path}`, import.meta.url).href);
const PROGRAM = `
import { createClock } from ${at('clock.ts')};
import { startWorker } from ${at('runtime/thread/worker.ts')};
import { createVersions } from ${at('versions.ts')};
const options = { memoryMb: 64, nice: 0, offset: createClock().offset, versions: createVersions().memory };
const worker = startWorker(new URL(${at('runtime/thread/thread-host.ts')}), options, {}, []);
console.log(String(await worker.lost));
await worker.gone;
`;

test('a thread that cannot begin is lost with the reason', () => {
  const args = ['--disable-warning=ExperimentalWarning', '--import', NO_THREADS, '--input-type=module', '--eval', PROGRAM];
  const { stdout, signal } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: LOST_MS });
  assert.deepEqual([stdout.trim(), signal], ['Error: it cannot begin', null]);
});

test.run();
