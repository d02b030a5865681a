// A model and its memory over engines that a test decides: when it is loaded and unloaded, whose turn it is, and what a crash costs.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { LoadedMemory } from '../../../actors/model/loaded-memory.ts';
import { Model } from '../../../actors/model/model.ts';
import { createClock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { logTo } from '../../../kernel/log/log-entry.ts';
import { fakeEngines, modelSpec } from '../../fakes/engine.ts';

const KEEP_ALIVE_MS = 60_000;
const COOLDOWN_MS = 30_000;

const open: Model[] = [];
// Their timers would keep this process.
test.after.each(async () => {
  await Promise.all(open.splice(0).map((model) => model.close()));
});

function setUp(ids: readonly string[], { maxMemoryMb = 1_000, maxRunning = 2, maxWaiting = 4, maxWaitingOfOne = 3, memoryMb = 100 } = {}) {
  const clock = createClock();
  const engines = fakeEngines(memoryMb);
  const told: string[] = [];
  const missing: string[] = [];
  const memory = new LoadedMemory(maxMemoryMb);
  const models = ids.map(
    (id) =>
      new Model(modelSpec(id), {
        ...{ clock, memory, log: logTo((_level, _fields, message) => void told.push(String(message))), threads: 1, useMatrixAcceleration: false },
        open: (spec) => engines.open(spec),
        estimate: async () => 100,
        revision: async () => 'r',
        missing: async () => missing,
        limits: { keepAliveMs: KEEP_ALIVE_MS, maxCrashes: 2, withinMs: 300_000, cooldownMs: COOLDOWN_MS },
        turns: { maxRunning, maxWaiting, maxWaitingOfOne },
      }),
  );
  open.push(...models);
  const embed = (model: Model | undefined, text: string, caller = 'me', signal = new AbortController().signal, waitMs?: number) =>
    (model as Model)
      .run(caller, signal, (engine, cancelled) => engine.embed([text], 'query', cancelled), waitMs)
      .then(
        () => 'ok',
        (error: Fault) => error.code,
      );
  const runs = (text: string) => eventually(() => engines.running.has(text), `${text} runs`);
  const finish = (text: string) => engines.running.get(text)?.();
  const pass = (ms: number) => {
    Atomics.add(clock.offset, 0, BigInt(ms));
    clock.fireDue();
  };
  return { models, engines, told, missing, embed, runs, finish, pass };
}

async function eventually(isThere: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let turn = 0; turn < 1_000; turn += 1) {
    if (await isThere()) return;
    await new Promise(setImmediate);
  }
  assert.fail(`never: ${what}`);
}

const stateOf = async (model: Model | undefined) => (await model?.status())?.state;

test('a model is loaded once for all who want it, and unloaded when nobody has used it for its keep-alive', async () => {
  const { models, engines, embed, runs, finish, pass } = setUp(['a']);
  const [a] = models;
  assert.deepEqual([await stateOf(a), engines.opened], ['absent', []]);
  const both = [embed(a, 'one'), embed(a, 'two')];
  await runs('one');
  await runs('two');
  assert.deepEqual(engines.opened, ['a']);
  pass(KEEP_ALIVE_MS + 1);
  assert.equal(await stateOf(a), 'ready', 'it is busy');
  finish('one');
  finish('two');
  assert.deepEqual(await Promise.all(both), ['ok', 'ok']);
  pass(KEEP_ALIVE_MS - 10_000);
  assert.equal(await stateOf(a), 'ready');
  pass(11_000);
  await eventually(async () => (await stateOf(a)) === 'absent', 'it is unloaded');
  assert.equal(engines.alive.size, 0);
  const again = embed(a, 'three');
  await runs('three');
  finish('three');
  assert.equal(await again, 'ok');
  assert.deepEqual((await a?.status())?.figures.loads, 2);
});

test('where memory is short, the model that was used least recently goes; a busy one finishes first', async () => {
  const { models, engines, embed, runs, finish, pass } = setUp(['a', 'b', 'c'], { maxMemoryMb: 250 });
  const [a, b, c] = models;
  for (const [model, text] of [
    [a, 'first'],
    [b, 'second'],
    [a, 'third'],
  ] as const) {
    const asked = embed(model, text);
    await runs(text);
    finish(text);
    assert.equal(await asked, 'ok');
    pass(1);
  }
  const other = embed(c, 'fourth');
  await runs('fourth');
  assert.deepEqual([...engines.alive], ['a', 'c'], 'b was used before a');
  const long = embed(a, 'long');
  await runs('long');
  const back = embed(b, 'fifth');
  finish('fourth');
  assert.equal(await other, 'ok');
  await runs('fifth');
  assert.deepEqual([...engines.alive].sort(), ['a', 'b'], 'c was idle, a is busy');
  finish('long');
  finish('fifth');
  assert.deepEqual(await Promise.all([long, back]), ['ok', 'ok']);
  const { models: small, embed: ask } = setUp(['big'], { maxMemoryMb: 99 });
  assert.equal(await ask(small[0], 'any'), 'MODEL_FAILED');
});

test('a model that takes more than was estimated makes those that rest go, then and the next time', async () => {
  const { models, engines, told, embed, runs, finish } = setUp(['a', 'b'], { maxMemoryMb: 250, memoryMb: 150 });
  const ask = async (model: Model | undefined, text: string) => {
    const asked = embed(model, text);
    await runs(text);
    const alive = [...engines.alive];
    finish(text);
    return [await asked, ...alive];
  };
  const [a, b] = models;
  assert.deepEqual(await ask(a, 'first'), ['ok', 'a']);
  assert.equal((await ask(b, 'second'))[0], 'ok');
  await eventually(() => !engines.alive.has('a'), 'a has gone');
  assert.deepEqual(await ask(a, 'third'), ['ok', 'a']);
  assert.ok(told.every((message) => !/takes more memory/.test(message)));
});

test('a model that takes more than all of the memory is told, and works alone', async () => {
  const { models, engines, told, embed, runs, finish } = setUp(['a', 'b'], { maxMemoryMb: 120, memoryMb: 150 });
  for (const [model, text] of [
    [models[0], 'first'],
    [models[1], 'second'],
    [models[0], 'third'],
  ] as const) {
    const asked = embed(model, text);
    await runs(text);
    assert.deepEqual([...engines.alive], [model?.id]);
    finish(text);
    assert.equal(await asked, 'ok');
  }
  assert.equal(told.filter((message) => /takes more memory than \[ai\] max_memory_mb/.test(message)).length, 3);
});

test('callers take turns; who has too many waiting is refused, and so is everybody when too many wait', async () => {
  const { models, embed, runs, finish, engines } = setUp(['a'], { maxRunning: 1 });
  const [a] = models;
  const ended: string[] = [];
  const ask = (text: string, caller: string) => embed(a, text, caller).then((outcome) => void ended.push(`${text} ${outcome}`));
  const asked = ['1', '2', '3', '4'].map((text) => ask(text, 'many'));
  await runs('1');
  assert.equal(await embed(a, '5', 'many'), 'MODEL_SHARE');
  const one = ask('of another', 'one');
  assert.equal(await embed(a, '6', 'third'), 'MODEL_BUSY');
  for (const text of ['1', '2', 'of another', '3', '4']) {
    await runs(text);
    assert.deepEqual([...engines.running.keys()], [text]);
    finish(text);
  }
  await Promise.all([...asked, one]);
  assert.deepEqual(ended, ['1 ok', '2 ok', 'of another ok', '3 ok', '4 ok']);
});

test('a caller who leaves frees the place, while it waits and while it runs', async () => {
  const { models, embed, runs, finish, engines } = setUp(['a'], { maxRunning: 1 });
  const [a] = models;
  const [running, waiting] = [new AbortController(), new AbortController()];
  const first = embed(a, 'first', 'me', running.signal);
  await runs('first');
  const second = embed(a, 'second', 'me', waiting.signal);
  const third = embed(a, 'third');
  waiting.abort();
  assert.equal(await second, 'CANCELLED');
  running.abort();
  assert.equal(await first, 'CANCELLED');
  await runs('third');
  assert.deepEqual([...engines.running.keys()], ['third']);
  finish('third');
  assert.equal(await third, 'ok');
  assert.equal((await a?.status())?.requests, 0);
});

test('a caller who leaves while the files are looked for loads no model', async () => {
  const { models, embed, engines } = setUp(['a']);
  const leave = new AbortController();
  const asked = embed(models[0], 'left', 'me', leave.signal);
  leave.abort();
  await new Promise(setImmediate);
  assert.deepEqual([await stateOf(models[0]), engines.opened], ['absent', []]);
  assert.equal(await asked, 'CANCELLED');
});

test('who waits too long for its turn is told so, and what has begun may take longer', async () => {
  const { models, embed, runs, finish, pass } = setUp(['a'], { maxRunning: 1 });
  const [a] = models;
  const { signal } = new AbortController();
  const first = embed(a, 'first', 'me', signal, 5_000);
  await runs('first');
  const second = embed(a, 'second', 'me', signal, 5_000);
  const third = embed(a, 'third');
  pass(6_000);
  assert.equal(await second, 'MODEL_BUSY');
  finish('first');
  assert.equal(await first, 'ok');
  await runs('third');
  finish('third');
  assert.deepEqual([await third, (await a?.status())?.requests], ['ok', 0]);
});

test('the end of the process of a model that is closed is no crash', async () => {
  const { models, engines, embed, runs, finish } = setUp(['a']);
  const [a] = models;
  const one = embed(a, 'one');
  await runs('one');
  finish('one');
  assert.equal(await one, 'ok');
  await a?.close();
  assert.deepEqual([engines.alive.size, (await a?.status())?.figures.crashes], [0, 0]);
});

test('a crash fails what ran and the others go on; after too many the model is left alone for a while', async () => {
  const { models, engines, embed, runs, finish, pass } = setUp(['a'], { maxRunning: 1 });
  const [a] = models;
  const doomed = embed(a, 'doomed');
  const next = embed(a, 'next');
  await runs('doomed');
  engines.crash('a');
  assert.equal(await doomed, 'ACTOR_LOST');
  await runs('next');
  finish('next');
  assert.equal(await next, 'ok');
  for (const text of ['second', 'third']) {
    const asked = embed(a, text);
    await runs(text);
    engines.crash('a');
    assert.equal(await asked, 'ACTOR_LOST');
  }
  await eventually(async () => (await stateOf(a)) === 'failed', 'it is given up');
  assert.equal(await embed(a, 'fourth'), 'MODEL_FAILED');
  assert.equal((await a?.status())?.problem, 'the process of the model a has crashed too often');
  pass(COOLDOWN_MS + 1);
  const back = embed(a, 'fifth');
  await runs('fifth');
  finish('fifth');
  assert.equal(await back, 'ok');
  assert.equal((await a?.status())?.figures.crashes, 3);
});

test('a model that cannot be loaded says why until its cooldown ends; one whose files lack says which', async () => {
  const { models, engines, missing, embed, pass, runs, finish } = setUp(['a']);
  const [a] = models;
  missing.push('its folder lacks config.json');
  assert.equal(await embed(a, 'one'), 'MODEL_NOT_INSTALLED');
  assert.deepEqual([(await a?.status())?.missing, engines.opened], [missing, []]);
  missing.length = 0;
  engines.refusal = new Fault('MODEL_FAILED', { detail: 'the graph is broken' });
  assert.equal(await embed(a, 'two'), 'MODEL_FAILED');
  engines.refusal = undefined;
  assert.equal(await embed(a, 'three'), 'MODEL_FAILED');
  const { state, problem } = (await a?.status()) ?? {};
  assert.deepEqual([state, problem, engines.opened], ['failed', 'the graph is broken', ['a']]);
  pass(COOLDOWN_MS + 1);
  engines.refusal = new TypeError('a bug');
  assert.equal(await embed(a, 'five'), 'MODEL_FAILED');
  assert.equal((await a?.status())?.problem, 'it could not be loaded; the log says why');
  engines.refusal = undefined;
  pass(COOLDOWN_MS + 1);
  const asked = embed(a, 'four');
  await runs('four');
  finish('four');
  assert.equal(await asked, 'ok');
});

test.run();
