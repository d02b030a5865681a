// A log that cannot be written: its disk is full, or whoever reads it has stopped. The server goes on, and the log says later that entries are missing.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'undici';
import { test } from 'uvu';
import { mountDisk } from '../disk.ts';
import { freePort } from '../postgres.ts';
import { until } from '../runtime.ts';
import { type Ask, asker, temporaryFolder, WITHOUT_SELF_TESTS } from '../server.ts';
import { exitOf, root } from './started.ts';

/** Their entries are more than a pipe holds. */
const REQUESTS = 3_000;
const AT_ONCE = 100;

for (const threads of ['1', '2']) {
  test(`a full disk of the log ends nothing, at the start or later: [http] threads = ${threads}`, async () => {
    const folder = temporaryFolder();
    const disk = mountDisk(folder, 1);
    if (!disk) return;
    const file = join(folder, 'log');
    const output = openSync(file, 'a');
    disk.fill();
    const { child, ask } = await startInto(output, threads);
    await requests(ask, 200);
    assert.equal(readFileSync(file, 'utf8'), '');
    disk.empty();
    await goesOn(ask, () => readFileSync(file, 'utf8'));
    child.kill('SIGTERM');
    assert.equal(await exitOf(child), 0);
    closeSync(output);
    disk.end();
  });

  test(`who does not read the log holds up nothing for long: [http] threads = ${threads}`, async () => {
    const { child, ask } = await startInto('pipe', threads);
    const began = performance.now();
    await requests(ask, REQUESTS);
    assert.ok(performance.now() - began < 30_000);
    // Entries of other threads may still wait, and the first of them waits for the reader.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await requests(ask, 200);
    let text = '';
    child.stdout?.on('data', (data) => (text += data));
    await goesOn(ask, () => text);
    child.kill('SIGTERM');
    assert.equal(await exitOf(child), 0);
    assert.match(text, /is ready at.*"signal":"SIGTERM"/s);
  });
}

/** Each entry is whole, or is not there. */
async function goesOn(ask: Ask, log: () => string): Promise<void> {
  await until(async () => {
    await ask('GET', '/health');
    return /"missing":\d+.*\n/.test(log());
  }, 'the log goes on');
  const entries = log()
    .split('\n')
    .slice(0, -1)
    .filter((line) => !/is ready at/.test(line));
  const missing = entries.map((line) => JSON.parse(line) as { missing?: number }).reduce((sum, entry) => sum + (entry.missing ?? 0), 0);
  assert.ok(missing > 100, String(missing));
}

async function requests(ask: Ask, count: number): Promise<void> {
  for (let left = count; left > 0; left -= AT_ONCE) {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => ask('GET', '/health')));
    for (const { status } of answers) assert.equal(status, 200);
  }
}

async function startInto(output: number | 'pipe', threads: string): Promise<{ readonly child: ChildProcess; readonly ask: Ask }> {
  const dataDir = join(temporaryFolder(), 'data');
  const port = await freePort();
  const args = ['main.ts', '--data-dir', dataDir, '--port', String(port)];
  const env = { ...process.env, ...WITHOUT_SELF_TESTS, GATEHOUSE_LOG_LEVEL: 'debug', GATEHOUSE_HTTP_THREADS: threads };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', output, output] });
  child.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  const ask = asker(`https://127.0.0.1:${port}`, new Agent({ connect: { rejectUnauthorized: false } }));
  // Its line that says so cannot be read.
  const isReady = async () => (await ask('GET', '/ready')).status === 200;
  await until(() => isReady().catch(() => false), 'the server is ready', 120_000);
  return { child, ask };
}

test.run();
