// The supervisor of one place: it starts incarnations, counts crashes, replaces late ones, stops gracefully and then by force.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { Cell } from '../../../kernel/runtime/cell.ts';
import type { CellOptions } from '../../../kernel/runtime/cell-options.ts';
import type { Incarnation } from '../../../kernel/runtime/incarnation.ts';
import type { Control, Line } from '../../../kernel/runtime/line.ts';
import { Slot } from '../../../kernel/runtime/slot.ts';
import { memoryLog } from '../../runtime.ts';
import { lines, movedClock, settle } from './two-ends.ts';

interface Made extends Incarnation {
  readonly theirs: Line;
  readonly controls: Control[];
  isKilled: boolean;
  crash(cause: unknown): void;
}

function incarnation(): Made {
  const { ours, theirs } = lines();
  const lost = Promise.withResolvers<unknown>();
  const gone = Promise.withResolvers<void>();
  const controls: Control[] = [];
  theirs.onControl((control) => void controls.push(control));
  const end = (cause: unknown) => {
    lost.resolve(cause);
    gone.resolve();
  };
  return {
    ...{ line: ours, theirs, controls, lost: lost.promise, gone: gone.promise, isKilled: false, crash: end, give() {} },
    async kill() {
      this.isKilled = true;
      end('killed');
    },
  };
}

const POLICY: CellOptions['policy'] = { max: 3, withinMs: 60_000, firstDelayMs: 50, maxDelayMs: 5_000, retryMs: 60_000 };

const all: { readonly cell: Cell; readonly made: readonly Made[]; advance(ms: number): Promise<void> }[] = [];
/** Their timers would hold the process. */
test.after(async () => {
  for (const { cell, made, advance } of all) {
    const stopped = cell.stop();
    await settle();
    for (const each of made) each.crash(undefined);
    await advance(10_000);
    await stopped;
  }
});

/** @param starts what each launch does, the last one for ever: makes an incarnation, or fails with a reason */
function supervised(starts: readonly (() => Promise<Made> | Made)[], more: Partial<CellOptions> = {}) {
  const { clock, advance } = movedClock();
  const { log, lines: logged } = memoryLog();
  const made: Made[] = [];
  const told: string[] = [];
  let launches = 0;
  const tell = (what: string) => () => void told.push(what);
  const cell = new Cell({
    ...{ name: 'made-up', key: '0', slot: new Slot(), policy: POLICY, clock, log, killLate: false, stopMs: 5_000 },
    async launch() {
      const start = starts[Math.min(launches++, starts.length - 1)] as () => Made;
      const each = await start();
      made.push(each);
      return each;
    },
    ...{ onRunning: tell('running'), onLost: tell('lost'), onGone: tell('gone'), onFailed: tell('failed'), onSealed: tell('sealed') },
    ...more,
  });
  all.push({ cell, made, advance });
  return { cell, advance, made, told, logged, launches: () => launches };
}

const last = <T>(list: readonly T[]): T => list.at(-1) as T;

test('a start that succeeds attaches the slot; one that fails first gives its reason', async () => {
  const good = supervised([incarnation]);
  await good.cell.start();
  assert.deepEqual([good.cell.state, good.cell.slot.state, good.told], ['running', 'up', ['running']]);
  await assert.rejects(supervised([() => Promise.reject(new Error('no library'))]).cell.start(), /no library/);
});

test('a crash is counted, logged with its cause, and answered with another incarnation after a delay', async () => {
  const { cell, advance, made, logged, told } = supervised([incarnation]);
  await cell.start();
  last(made).crash(new Error('out of memory'));
  await settle();
  assert.deepEqual([cell.state, cell.slot.state, cell.restarts], ['waiting', 'down', 1]);
  assert.match(String(cell.lastCause), /out of memory/);
  const [line] = logged;
  assert.deepEqual([line?.level, line?.['actor'], line?.message], ['error', 'made-up', 'actor lost']);
  assert.match(String(line?.['cause']), /out of memory/);
  assert.equal(made.length, 1);
  await advance(10_000);
  assert.deepEqual([cell.state, cell.slot.state, made.length], ['running', 'up', 2]);
  assert.deepEqual(told, ['running', 'lost', 'gone', 'running']);
});

test('after too many crashes it has failed, is told once, and is tried again later', async () => {
  const { cell, advance, made, told, launches } = supervised([incarnation]);
  await cell.start();
  for (let crash = 0; crash <= POLICY.max; crash++) {
    last(made).crash('again');
    await settle();
    if (crash < POLICY.max) await advance(1_000);
  }
  assert.equal(made.length, 1 + POLICY.max);
  assert.deepEqual([cell.state, cell.slot.state], ['failed', 'failed']);
  assert.equal(told.filter((each) => each === 'failed').length, 1);
  const before = launches();
  await advance(59_000);
  assert.equal(launches(), before);
  await advance(2_000);
  assert.deepEqual([launches(), cell.state, cell.slot.state], [before + 1, 'running', 'up']);
});

test('what an incarnation that is gone still says changes nothing', async () => {
  const { cell, advance, made } = supervised([incarnation], { killLate: true });
  await cell.start();
  const [first] = made as [Made];
  cell.slot.onLate();
  await settle();
  await advance(1);
  assert.equal(first.isKilled, true);
  assert.deepEqual([cell.state, cell.restarts, made.length], ['running', 0, 2]);
  first.crash('an echo');
  await settle();
  assert.deepEqual([cell.state, cell.restarts, made.length], ['running', 0, 2]);
});

test('reports and log lines of the incarnation arrive, with the name of the actor', async () => {
  const { cell, made, logged } = supervised([incarnation]);
  await cell.start();
  const { theirs } = last(made);
  theirs.control({ kind: 'report', status: { ready: false, note: 'no token' } });
  theirs.control({ kind: 'log', level: 'warn', message: 'a warning', fields: { slot: 7 } });
  await settle();
  assert.deepEqual(cell.status, { ready: false, note: 'no token' });
  assert.deepEqual(logged, [{ actor: 'made-up', key: '0', slot: 7, level: 'warn', message: 'a warning' }]);
  last(made).crash('gone');
  await settle();
  assert.equal(cell.status, undefined);
});

test('a stop asks first: an incarnation that says it has stopped is not killed', async () => {
  const { cell, made } = supervised([incarnation]);
  await cell.start();
  const running = last(made);
  const stopped = cell.stop();
  await settle();
  assert.deepEqual(running.controls, [{ kind: 'stop' }]);
  running.theirs.control({ kind: 'stopped' });
  await settle();
  running.crash(undefined);
  await stopped;
  assert.deepEqual([cell.state, running.isKilled], ['stopped', false]);
  await cell.stop();
});

test('an incarnation that does not stop in time is killed, and the log says so', async () => {
  const { cell, made, advance, logged } = supervised([incarnation], { stopMs: 3_000 });
  await cell.start();
  const stopped = cell.stop();
  await settle();
  await advance(2_900);
  assert.equal(last(made).isKilled, false);
  await advance(200);
  await stopped;
  assert.deepEqual([cell.state, last(made).isKilled], ['stopped', true]);
  assert.ok(logged.some(({ message }) => message === 'the actor did not stop in time; it is killed'));
});

test('a stop while it starts ends what comes of the start, and nothing is started after it', async () => {
  const starting = Promise.withResolvers<Made>();
  const { cell, made, launches, advance } = supervised([() => starting.promise]);
  const begun = cell.start();
  await settle();
  const stopped = cell.stop();
  const late = incarnation();
  starting.resolve(late);
  await assert.rejects(begun, /was stopped while it started/);
  await stopped;
  assert.equal(late.isKilled, true);
  await advance(120_000);
  assert.deepEqual([cell.state, launches(), made.length], ['stopped', 1, 1]);
  const never = supervised([incarnation]);
  await never.cell.stop();
  assert.equal(never.launches(), 0);
});

test.run();
