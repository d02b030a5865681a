// An installation without the optional package of ONNX Runtime: the server starts, says what is off, and does the rest.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'undici';
import { test } from 'uvu';
import { writeModel } from '../models/build.ts';
import { form } from '../plugins/ai/files.ts';
import { until } from '../runtime.ts';
import { asker, temporaryFolder, WITHOUT_SELF_TESTS } from '../server.ts';
import { exitOf, root } from './started.ts';

const LEFT_OUT = 'onnxruntime-node';
const UNUSED = new Set(['node_modules', '.git', 'test', 'bench', 'docs', 'soak']);

/** A copy of the program: of links Node would take the packages beside what they lead to. */
function installWithout(folder: string): string {
  const program = join(folder, 'program');
  for (const name of readdirSync(root).filter((each) => !UNUSED.has(each))) cpSync(join(root, name), join(program, name), { recursive: true });
  mkdirSync(join(program, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== LEFT_OUT && !name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(program, 'node_modules', name));
  return join(program, 'main.ts');
}

test('without ONNX Runtime the server starts, names what is off, and summarises without a model', async () => {
  const folder = temporaryFolder();
  const [main, config, dataDir] = [installWithout(folder), join(folder, 'config.toml'), join(folder, 'data')];
  const model = writeModel('opus-mt-en-fr', folder);
  writeFileSync(config, `[ai]\nopen = true\n[[ai.models]]\nid = "to-french"\ntask = "translation"\nlanguages = ["en-fr"]\nfolder = "${model}"\n`);
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, '--config', config, '--data-dir', dataDir, '--port', '0'], {
    env: { ...process.env, ...WITHOUT_SELF_TESTS },
  });
  test.after(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  await until(() => /is ready at/.test(output) || child.exitCode !== null, 'the server is ready', 60_000);
  const address = /is ready at (https:\S+)/.exec(output)?.[1];
  assert.ok(address, output);
  const ask = asker(address, new Agent({ connect: { ca: readFileSync(join(dataDir, 'tls', 'cert.pem'), 'utf8') } }));
  const [told] = (await ask('GET', '/models')).body.models;
  assert.match(JSON.stringify(told), /onnxruntime-node is not installed: run npm install/);
  const translated = await ask('POST', '/translate', await form({ doc: 'the black cat sleeps.', src_lang: 'en', tgt_lang: 'fr' }));
  assert.deepEqual([translated.status, translated.body.code], [503, 'MODEL_NOT_INSTALLED'], translated.text);
  const summary = await ask('POST', '/summarize', await form({ doc: 'The watchman counts the boats. The boats are blue.' }));
  assert.deepEqual([summary.status, summary.headers['x-ai-engine']], [200, 'extractive'], summary.text);
  assert.equal((await ask('GET', '/ready')).status, 200);
  child.kill('SIGTERM');
  assert.equal(await exitOf(child), 0, output);
  rmSync(folder, { recursive: true });
});

test.run();
