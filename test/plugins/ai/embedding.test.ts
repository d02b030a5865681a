// A real embedding model in a started server: its known answers, texts of any length, and the process that it runs in.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { getPriority, homedir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import type { Embedded } from '../../../actors/model/api.ts';
import { callWith } from '../../../kernel/runtime/mailbox/remote.ts';
import { startServer, type TestServer } from '../../server.ts';
import { modelProcesses, modelsOf, realModel, residentMb } from './models.ts';

const folder = realModel('all-MiniLM-L6-v2');
/** Cosine similarities with "That is a happy person", as published with the file. */
const KNOWN = [
  ['That is a happy dog', 0.71],
  ['That is a very happy person', 0.917],
  ['Today is a sunny day', 0.263],
] as const;
const PERSON = 'That is a happy person';
const TELEMETRY = join(homedir(), '.cache', 'Microsoft');

let server: TestServer;
const atStart = { telemetry: existsSync(TELEMETRY), memory: 0 };
test.before(async () => {
  server = await startServer({ config: `[[ai.models]]\nid = "minilm"\ntask = "embedding"\nfolder = "${folder}"\n` });
  atStart.memory = residentMb('self');
});
test.after(() => server?.end());

const embed = (...texts: string[]) => modelsOf(server).embed('minilm', texts, 'query', 'me');
const vector = ({ vectors, dimensions }: Embedded, at: number) => vectors.subarray(at * dimensions, (at + 1) * dimensions);
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * (b[at] as number), 0);
const outcome = (call: Promise<unknown>) =>
  call.then(
    () => 'ok',
    (error: { code: string }) => error.code,
  );

test('its vectors have the published similarities, alone and in a batch of unequal lengths', async () => {
  const long = 'Nothing in this text is about anybody who could be called happy. '.repeat(8);
  const together = await embed(PERSON, ...KNOWN.map(([text]) => text), long);
  for (const [index, [text, similarity]] of KNOWN.entries()) {
    const alone = await embed(text);
    // Weights of int8: numbers are rounded in the scale of the whole batch.
    assert.ok(Math.abs(cosine(vector(together, 0), vector(together, index + 1)) - similarity) < 0.01, text);
    assert.ok(cosine(vector(alone, 0), vector(together, index + 1)) > 0.98, `${text}: ${cosine(vector(alone, 0), vector(together, index + 1))}`);
    assert.ok(Math.abs(cosine(vector(alone, 0), vector(alone, 0)) - 1) < 1e-5, 'of length 1');
  }
});

test('a text that is longer than the model takes is cut into windows of whole sentences, not truncated', async () => {
  const sentences = Array.from({ length: 60 }, (_, index) => `Sentence number ${index} of this long text is about the weather. `);
  const end = 'The last words are about a happy dog in a garden.';
  const text = sentences.join('') + end;
  const [long, without, query] = [await embed(text), await embed(sentences.join('')), await embed('a happy dog in the garden')];
  assert.ok((long.windows[0] as number) > 2, `${long.windows[0]} windows`);
  const best = (found: Embedded) => Math.max(...Array.from({ length: found.windows[0] as number }, (_, at) => cosine(vector(found, at), vector(query, 0))));
  assert.ok(best(long) > best(without) + 0.1, 'what stands at the end is found');
  const [spans = []] = await modelsOf(server).cut('minilm', [text], 100, 'me');
  assert.equal(spans.map(([from, to]) => text.slice(from, to)).join(''), text, 'nothing is lost');
  for (const [from, to] of spans.slice(0, -1)) assert.match(text.slice(from, to), /\. $/);
  const word = '日本語'.repeat(2_000);
  assert.ok(((await embed(word)).windows[0] as number) > 10);
  assert.deepEqual([(await embed()).windows, (await embed('')).windows], [[], [1]]);
});

test('its process yields, has nothing of the environment of the server, and writes nothing to the home', async () => {
  process.env['GATEHOUSE_SECRET'] = 'a secret of the server';
  await modelsOf(server).unload('minilm');
  await embed(PERSON);
  delete process.env['GATEHOUSE_SECRET'];
  const [running, ...others] = modelProcesses();
  assert.ok(running && others.length === 0);
  const names = Object.keys(running.variables).filter((name) => !name.startsWith('NODE_CHANNEL_'));
  assert.deepEqual(names.sort(), ['GLIBC_TUNABLES', 'HOME', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_', 'ORT_DISABLE_TELEMETRY']);
  assert.equal(running.variables['ORT_DISABLE_TELEMETRY'], '1');
  assert.ok(getPriority(running.pid) > getPriority(process.pid));
  assert.equal(existsSync(TELEMETRY), atStart.telemetry);
  const written = readdirSync(`/proc/${running.pid}/fdinfo`).filter((fd) =>
    /^flags:\s+\d*[12]\s*$/m.test(readFileSync(`/proc/${running.pid}/fdinfo/${fd}`, 'utf8')),
  );
  assert.ok(written.length > 0);
});

test('when its process is killed, what runs fails, and the next request has a new one', async () => {
  await embed(PERSON);
  const [{ pid } = { pid: 0 }] = modelProcesses();
  const long = 'A long text keeps the process busy while it is killed. '.repeat(3_000);
  const doomed = outcome(embed(long));
  await until(async () => (await modelsOf(server).list())[0]?.requests === 1);
  process.kill(pid, 'SIGKILL');
  assert.equal(await doomed, 'ACTOR_LOST');
  assert.equal(await outcome(embed(PERSON)), 'ok');
  assert.equal((await server.ask('GET', '/health')).status, 200);
  assert.ok(modelProcesses().every((each) => each.pid !== pid));
});

test('it goes on when a terminal or a service manager tells all processes of the server to end', async () => {
  await embed(PERSON);
  const [{ pid } = { pid: 0 }] = modelProcesses();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
  assert.equal(await outcome(embed(PERSON)), 'ok');
  assert.deepEqual(
    modelProcesses().map((each) => each.pid),
    [pid],
  );
});

test('a caller who leaves is out within one step, and others are served meanwhile', async () => {
  const long = 'A long text would keep the process busy for a minute if nobody stopped it. '.repeat(20_000);
  const leave = new AbortController();
  const left = outcome(callWith(modelsOf(server), { signal: leave.signal }).embed('minilm', [long], 'passage', 'one'));
  await until(async () => (await modelsOf(server).list())[0]?.requests === 1);
  assert.equal(await outcome(embed(PERSON)), 'ok');
  leave.abort();
  assert.equal(await left, 'CANCELLED');
  const [{ pid } = { pid: 0 }] = modelProcesses();
  await until(() => isIdle(pid));
});

test('a process that hangs is ended when its callers have left, and the metrics count it', async () => {
  await embed(PERSON);
  const [{ pid } = { pid: 0 }] = modelProcesses();
  process.kill(pid, 'SIGSTOP');
  const leave = new AbortController();
  const left = outcome(callWith(modelsOf(server), { signal: leave.signal }).embed('minilm', [PERSON], 'query', 'one'));
  await until(async () => (await modelsOf(server).list())[0]?.requests === 1);
  leave.abort();
  assert.equal(await left, 'CANCELLED');
  const crashes = async () => (await modelsOf(server).list())[0]?.figures.crashes ?? 0;
  const before = await crashes();
  await until(async () => (await modelsOf(server).list())[0]?.requests === 0);
  await server.runtime.advance(61_000);
  await until(async () => (await crashes()) === before + 1);
  assert.equal(await outcome(embed(PERSON)), 'ok');
  const { text } = await server.ask('GET', '/metrics');
  assert.match(text, new RegExp(`^gatehouse_model_crashes_total\\{model="minilm"\\} ${before + 1}$`, 'm'));
  assert.match(text, /^gatehouse_model_requests_total\{model="minilm",outcome="CANCELLED"\} [1-9]/m);
});

test('a process is not taken for one that hangs because calls of it are cancelled again and again', async () => {
  await embed(PERSON);
  const [{ pid } = { pid: 0 }] = modelProcesses();
  const requests = async () => (await modelsOf(server).list())[0]?.requests;
  /** Cancelled while the process works on it. */
  const cancelled = async () => {
    process.kill(pid, 'SIGSTOP');
    const leave = new AbortController();
    const left = outcome(callWith(modelsOf(server), { signal: leave.signal }).embed('minilm', [PERSON], 'query', 'one'));
    await until(async () => (await requests()) === 1);
    leave.abort();
    assert.equal(await left, 'CANCELLED');
    await until(async () => (await requests()) === 0);
  };
  await cancelled();
  process.kill(pid, 'SIGCONT');
  assert.equal(await outcome(embed(PERSON)), 'ok');
  await server.runtime.advance(40_000);
  await cancelled();
  await server.runtime.advance(21_000);
  process.kill(pid, 'SIGCONT');
  assert.equal(await outcome(embed(PERSON)), 'ok');
  assert.deepEqual(
    modelProcesses().map((each) => each.pid),
    [pid],
  );
});

test('after it is unloaded no process is left, and the memory is as before', async () => {
  await embed(PERSON);
  assert.equal(await modelsOf(server).unload('minilm'), true);
  assert.equal((await modelsOf(server).list())[0]?.state, 'absent');
  await until(() => modelProcesses().length === 0);
  assert.ok(residentMb('self') - atStart.memory < 150, `${atStart.memory} MiB, then ${residentMb('self')}`);
});

/** Whether a process takes no processor time for a moment. */
async function isIdle(pid: number): Promise<boolean> {
  const ticks = () =>
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .split(' ')
      .slice(13, 15)
      .reduce((sum, each) => sum + Number(each), 0);
  const begin = ticks();
  await new Promise((resolve) => setTimeout(resolve, 300));
  return ticks() - begin <= 2;
}

async function until(isThere: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 500; turn += 1) {
    if (await isThere()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail('it never came');
}

if (folder !== undefined) test.run();
