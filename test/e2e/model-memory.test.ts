// The memory of a model comes back when it is unloaded: measured on the processes of a real server, with a model of some 200 MiB.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { writeModel } from '../models/build.ts';
import { DIMENSIONS, embedderFile } from '../models/embedder.ts';
import { form } from '../plugins/ai/files.ts';
import { temporaryFolder } from '../server.ts';
import { exitOf, serverPid, start } from './started.ts';

const MODEL_MB = 200;
const MAX_LEFT_MB = 150;
const MIB = 1_048_576;

/** @returns MiB resident of a process and of all below it; a process that has just ended has none */
function residentMb(pid: number): number {
  try {
    const own = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
    const threads = readdirSync(`/proc/${pid}/task`).map((id) => readFileSync(`/proc/${pid}/task/${id}/children`, 'utf8'));
    const children = threads.flatMap((text) => text.split(' ').filter((id) => id.trim() !== ''));
    return children.reduce((sum, child) => sum + residentMb(Number(child)), own);
  } catch {
    return 0;
  }
}

test('after a model is unloaded, memory is within 150 MiB of the start', async () => {
  const folder = temporaryFolder();
  const model = writeModel('embedder', folder);
  writeFileSync(join(model, 'onnx', 'model.onnx'), embedderFile(false, Math.ceil((MODEL_MB * MIB) / (4 * DIMENSIONS))));
  rmSync(join(model, 'manifest.json'));
  const config = `[ai]\nopen = true\nkeep_alive_seconds = 1\n[[ai.models]]\nid = "large"\ntask = "embedding"\nfolder = "${model}"\n`;
  writeFileSync(join(folder, 'config.toml'), config);
  const server = await start(join(folder, 'data'), ['--config', join(folder, 'config.toml')]);
  // A test that fails must not leave a server behind; one that has ended does not mind.
  const kill = () => void server.child.kill('SIGKILL');
  process.on('exit', kill);
  test.after(kill);
  const state = async () => (await server.ask('GET', '/models')).body.models[0].state as string;
  assert.equal(await state(), 'absent');
  const before = residentMb(serverPid(server));
  let most = 0;
  for (let round = 0; round < 2; round++) {
    const { status } = await server.ask('POST', '/rag_predict', await form({ db: 'documents', query: 'Who is the watchman?', ranking: 'vectors' }));
    assert.equal(status, 200);
    most = Math.max(most, residentMb(serverPid(server)));
    for (let turn = 0; turn < 400 && (await state()) !== 'absent'; turn++) await new Promise((resolve) => setTimeout(resolve, 25));
    assert.equal(await state(), 'absent');
  }
  // Its process ends a moment later.
  let after = residentMb(serverPid(server));
  for (let turn = 0; turn < 80 && after - before >= MAX_LEFT_MB; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 25));
    after = residentMb(serverPid(server));
  }
  console.log(`${Math.round(before)} MiB at the start, ${Math.round(most)} with the model, ${Math.round(after)} without`);
  assert.ok(most - before > MODEL_MB, 'the model was loaded');
  assert.ok(after - before < MAX_LEFT_MB, `${before} MiB at the start, ${after} after`);
  process.off('exit', kill);
  server.child.kill('SIGTERM');
  assert.equal(await exitOf(server.child), 0);
  rmSync(folder, { recursive: true });
});

test.run();
