// The supervisor of one place: it starts incarnations, counts crashes, replaces late ones, stops gracefully and then by force.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { Channel } from '../../../kernel/runtime/channel/channel.ts';
import { Dispatcher } from '../../../kernel/runtime/channel/dispatcher.ts';
import type { Incarnation } from '../../../kernel/runtime/channel/incarnation.ts';
import type { Control } from '../../../kernel/runtime/channel/messages.ts';
import { Supervisor } from '../../../kernel/runtime/supervise/supervisor.ts';
import type { SupervisorOptions } from '../../../kernel/runtime/supervise/supervisor-options.ts';
import { memoryLog } from '../../runtime.ts';
import { channels, movedClock, settle } from './two-ends.ts';

interface Made extends Incarnation {
  readonly theirs: Channel;
  readonly controls: Control[];
  isKilled: boolean;
  crash(cause: unknown): void;
}

function incarnation(): Made {
  const { ours, theirs } = channels();
  const lost = Promise.withResolvers<unknown>();
  const gone = Promise.withResolvers<void>();
  const controls: Control[] = [];
  theirs.onControl((control) => void controls.push(control));
  const end = (cause: unknown) => {
    lost.resolve(cause);
    gone.resolve();
  };
  return {
    ...{ channel: ours, theirs, controls, lost: lost.promise, gone: gone.promise, isKilled: false, crash: end, give() {} },
    async kill() {
      this.isKilled = true;
      end('killed');
    },
  };
}

const POLICY: SupervisorOptions['policy'] = { max: 3, withinMs: 60_000, firstDelayMs: 50, maxDelayMs: 5_000, retryMs: 60_000 };

const all: { readonly supervisor: Supervisor; readonly made: readonly Made[]; advance(ms: number): Promise<void> }[] = [];
/** Their timers would hold the process. */
test.after(async () => {
  for (const { supervisor, made, advance } of all) {
    const stopped = supervisor.stop();
    await settle();
    for (const each of made) each.crash(undefined);
    await advance(10_000);
    await stopped;
  }
});

/** @param starts what each launch does, the last one for ever: makes an incarnation, or fails with a reason */
function supervised(starts: readonly (() => Promise<Made> | Made)[], more: Partial<SupervisorOptions> = {}) {
  const { clock, advance, setWall } = movedClock();
  const { log, lines: logged } = memoryLog();
  const made: Made[] = [];
  const told: string[] = [];
  let launches = 0;
  const tell = (what: string) => () => void told.push(what);
  const supervisor = new Supervisor({
    ...{ name: 'made-up', key: '0', dispatcher: new Dispatcher(), policy: POLICY, clock, log, killLate: false, stopMs: 5_000 },
    async launch() {
      const start = starts[Math.min(launches++, starts.length - 1)] as () => Made;
      const each = await start();
      made.push(each);
      return each;
    },
    ...{ onRunning: tell('running'), onLost: tell('lost'), onGone: tell('gone'), onFailed: tell('failed'), onSealed: tell('sealed') },
    ...more,
  });
  all.push({ supervisor: supervisor, made, advance });
  return { supervisor, advance, setWall, made, told, logged, launches: () => launches };
}

const last = <T>(list: readonly T[]): T => list.at(-1) as T;

test('a start that succeeds attaches the dispatcher; one that fails first gives its reason', async () => {
  const good = supervised([incarnation]);
  await good.supervisor.start();
  assert.deepEqual([good.supervisor.state, good.supervisor.dispatcher.state, good.told], ['running', 'up', ['running']]);
  await assert.rejects(supervised([() => Promise.reject(new Error('no library'))]).supervisor.start(), /no library/);
});

test('it is coming at its first start, or in place of a late one; not after ten seconds, nor after a crash', async () => {
  const hung = supervised([() => new Promise<Made>(() => {})]);
  void hung.supervisor.start().catch(() => {});
  assert.deepEqual([hung.supervisor.state, hung.supervisor.isComing], ['starting', true]);
  await hung.advance(10_000);
  assert.deepEqual([hung.supervisor.state, hung.supervisor.isComing], ['starting', false]);

  const never = () => new Promise<Made>(() => {});
  const late = supervised([incarnation, never], { killLate: true });
  await late.supervisor.start();
  assert.equal(late.supervisor.isComing, false);
  late.supervisor.dispatcher.onLate?.();
  assert.deepEqual([late.supervisor.state, late.supervisor.isComing], ['starting', true]);

  const crashed = supervised([incarnation, never]);
  await crashed.supervisor.start();
  last(crashed.made).crash(new Error('out of memory'));
  await settle();
  await crashed.advance(50);
  assert.deepEqual([crashed.supervisor.state, crashed.supervisor.isComing], ['starting', false]);
});

test('a crash is counted, logged with its cause, and answered with another incarnation after a delay', async () => {
  const { supervisor, advance, made, logged, told } = supervised([incarnation]);
  await supervisor.start();
  last(made).crash(new Error('out of memory'));
  await settle();
  assert.deepEqual([supervisor.state, supervisor.dispatcher.state, supervisor.restarts], ['waiting', 'down', 1]);
  assert.match(String(supervisor.lastCause), /out of memory/);
  const [channel] = logged;
  assert.deepEqual([channel?.level, channel?.['actor'], channel?.message], ['error', 'made-up', 'actor lost']);
  assert.match(String(channel?.['cause']), /out of memory/);
  assert.equal(made.length, 1);
  await advance(10_000);
  assert.deepEqual([supervisor.state, supervisor.dispatcher.state, made.length], ['running', 'up', 2]);
  assert.deepEqual(told, ['running', 'lost', 'gone', 'running']);
});

test('crashes of long ago do not count, also if the wall clock is set back or forward in between', async () => {
  const { supervisor, advance, setWall, made } = supervised([incarnation]);
  await supervisor.start();
  for (let crash = 0; crash <= 2 * POLICY.max; crash++) {
    setWall(crash < POLICY.max ? -POLICY.withinMs : POLICY.withinMs);
    last(made).crash('now and then');
    await settle();
    assert.equal(supervisor.state, 'waiting');
    await advance((POLICY.withinMs * 2) / 3);
  }
  for (let crash = 0; crash < POLICY.max; crash++) {
    setWall(2 * POLICY.withinMs);
    last(made).crash('one after the other');
    await settle();
    await advance(1_000);
  }
  assert.equal(supervisor.state, 'failed');
});

test('after too many crashes it has failed, is told once, and is tried again later', async () => {
  const { supervisor, advance, made, told, launches } = supervised([incarnation]);
  await supervisor.start();
  for (let crash = 0; crash <= POLICY.max; crash++) {
    last(made).crash('again');
    await settle();
    if (crash < POLICY.max) await advance(1_000);
  }
  assert.equal(made.length, 1 + POLICY.max);
  assert.deepEqual([supervisor.state, supervisor.dispatcher.state], ['failed', 'failed']);
  assert.equal(told.filter((each) => each === 'failed').length, 1);
  const before = launches();
  await advance(59_000);
  assert.equal(launches(), before);
  await advance(2_000);
  assert.deepEqual([launches(), supervisor.state, supervisor.dispatcher.state], [before + 1, 'running', 'up']);
});

test('what an incarnation that is gone still says changes nothing', async () => {
  const { supervisor, advance, made } = supervised([incarnation], { killLate: true });
  await supervisor.start();
  const [first] = made as [Made];
  supervisor.dispatcher.onLate();
  await settle();
  await advance(1);
  assert.equal(first.isKilled, true);
  assert.deepEqual([supervisor.state, supervisor.restarts, made.length], ['running', 0, 2]);
  first.crash('an echo');
  await settle();
  assert.deepEqual([supervisor.state, supervisor.restarts, made.length], ['running', 0, 2]);
});

test('reports and log lines of the incarnation arrive, with the name of the actor', async () => {
  const { supervisor, made, logged } = supervised([incarnation]);
  await supervisor.start();
  const { theirs } = last(made);
  theirs.control({ kind: 'report', status: { ready: false, note: 'no token' } });
  theirs.control({ kind: 'log', level: 'warn', message: 'a warning', fields: { slot: 7 } });
  await settle();
  assert.deepEqual(supervisor.status, { ready: false, note: 'no token' });
  assert.deepEqual(logged, [{ actor: 'made-up', key: '0', slot: 7, level: 'warn', message: 'a warning' }]);
  last(made).crash('gone');
  await settle();
  assert.equal(supervisor.status, undefined);
});

test('a stop asks first: an incarnation that says it has stopped is not killed', async () => {
  const { supervisor, made } = supervised([incarnation]);
  await supervisor.start();
  const running = last(made);
  const stopped = supervisor.stop();
  await settle();
  assert.deepEqual(running.controls, [{ kind: 'stop' }]);
  running.theirs.control({ kind: 'stopped' });
  await settle();
  running.crash(undefined);
  await stopped;
  assert.deepEqual([supervisor.state, running.isKilled], ['stopped', false]);
  await supervisor.stop();
});

test('an incarnation that does not stop in time is killed, and the log says so', async () => {
  const { supervisor, made, advance, logged } = supervised([incarnation], { stopMs: 3_000 });
  await supervisor.start();
  const stopped = supervisor.stop();
  await settle();
  await advance(2_900);
  assert.equal(last(made).isKilled, false);
  await advance(200);
  await stopped;
  assert.deepEqual([supervisor.state, last(made).isKilled], ['stopped', true]);
  assert.ok(logged.some(({ message }) => message === 'the actor did not stop in time; it is killed'));
});

test('a stop while it starts ends what comes of the start, and nothing is started after it', async () => {
  const starting = Promise.withResolvers<Made>();
  const { supervisor, made, launches, advance } = supervised([() => starting.promise]);
  const begun = supervisor.start();
  await settle();
  const stopped = supervisor.stop();
  const late = incarnation();
  starting.resolve(late);
  await assert.rejects(begun, /was stopped while it started/);
  await stopped;
  assert.equal(late.isKilled, true);
  await advance(120_000);
  assert.deepEqual([supervisor.state, launches(), made.length], ['stopped', 1, 1]);
  const never = supervised([incarnation]);
  await never.supervisor.stop();
  assert.equal(never.launches(), 0);
});

test.run();
