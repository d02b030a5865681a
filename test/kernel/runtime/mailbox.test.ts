// The queue of callers before the dispatchers of an actor: room, order, bounds, deadlines, cancellation, and draining.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { Call } from '../../../kernel/call.ts';
import { callContext } from '../../../kernel/call-context.ts';
import { Dispatcher } from '../../../kernel/runtime/channel/dispatcher.ts';
import { exposeApi } from '../../../kernel/runtime/channel/facade.ts';
import { SharedQueue } from '../../../kernel/runtime/channel/shared-queue.ts';
import { WorkLimit } from '../../../kernel/runtime/channel/work-limit.ts';
import { Mailbox } from '../../../kernel/runtime/mailbox/mailbox.ts';
import { callWith, remoteOver } from '../../../kernel/runtime/mailbox/remote.ts';
import { newSharedMemory, openSharedMemory, type SharedMemory } from '../../../kernel/shared/memory.ts';
import { outcome } from '../../runtime.ts';
import { channels, movedClock, settle } from './two-ends.ts';

type WorkApi = { work(name: string): Promise<string>; workAside(name: string): Promise<string>; add(one: number, two: number): number };

/** A dispatcher with an actor behind it whose work ends when the test says so. */
function place(run?: WorkLimit) {
  const dispatcher = new Dispatcher(run);
  const begun: string[] = [];
  const ends = new Map<string, (value: string) => void>();
  const api = {
    work(name: string) {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, resolve));
    },
    workAside(name: string) {
      (callContext.getStore() as Call).aside();
      return api.work(name);
    },
    add: (one: number, two: number) => one + two,
  };
  const attach = () => {
    const { ours, theirs } = channels();
    exposeApi(api, theirs);
    dispatcher.attach(ours);
  };
  return { dispatcher, begun, attach, end: (name: string) => ends.get(name)?.(`${name} done`) };
}

interface Bounds {
  readonly maxQueue?: number;
  readonly perSlot?: number;
  readonly deadlineMs?: number;
  /** Of the thread that calls. */
  readonly memory?: SharedMemory;
}

function mailboxOver(places: readonly ReturnType<typeof place>[], { maxQueue = 10, perSlot = 1, deadlineMs = 1_000, memory }: Bounds = {}) {
  const { clock, advance } = movedClock();
  const observed: string[] = [];
  const mailbox = new Mailbox(
    places.map(({ dispatcher }) => dispatcher),
    {
      deadlineMs,
      maxQueue,
      perDispatcher: perSlot,
      clock,
      observe: (how) => void observed.push(how),
      shared: memory && new SharedQueue(memory, 'work', places.length),
    },
  );
  return { mailbox, remote: remoteOver<WorkApi>(mailbox), advance, observed };
}

test('calls wait in order until there is room, and each dispatcher has as many as it may', async () => {
  const one = place();
  const { mailbox, remote, observed } = mailboxOver([one], { perSlot: 2 });
  const calls = ['a', 'b', 'c', 'd'].map((name) => remote.work(name));
  assert.deepEqual([mailbox.waiting, mailbox.busy], [4, 0]);
  one.attach();
  await settle();
  assert.deepEqual([mailbox.waiting, mailbox.busy, one.begun], [2, 2, ['a', 'b']]);
  one.end('b');
  assert.equal(await calls[1], 'b done');
  await settle();
  assert.deepEqual(one.begun, ['a', 'b', 'c']);
  for (const name of ['a', 'c']) one.end(name);
  await settle();
  one.end('d');
  assert.deepEqual(await Promise.all(calls), ['a done', 'b done', 'c done', 'd done']);
  assert.deepEqual([mailbox.waiting, mailbox.busy, observed], [0, 0, ['ok', 'ok', 'ok', 'ok']]);
});

test('work goes to the dispatcher that has least of it', async () => {
  const [one, two] = [place(), place()];
  const { remote } = mailboxOver([one, two], { perSlot: 3 });
  for (const each of [one, two]) each.attach();
  const calls = ['a', 'b', 'c', 'd'].map((name) => remote.work(name));
  await settle();
  assert.deepEqual([one.begun.length, two.begun.length], [2, 2]);
  for (const name of ['a', 'b', 'c', 'd']) for (const each of [one, two]) each.end(name);
  await Promise.all(calls);
});

test('work that is set aside goes to where least of it is, and keeps no other call away', async () => {
  const [one, two] = [place(), place()];
  const { remote } = mailboxOver([one, two], { perSlot: 3 });
  for (const each of [one, two]) each.attach();
  const calls: Promise<string>[] = [];
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const name of names) {
    calls.push(remote.workAside(name));
    await settle();
  }
  assert.deepEqual(
    [one.begun, two.begun],
    [
      ['a', 'c', 'e'],
      ['b', 'd', 'f'],
    ],
  );
  for (const name of ['d', 'f']) two.end(name);
  await settle();
  calls.push(remote.workAside('g'), remote.work('h'));
  await settle();
  assert.deepEqual([one.begun.at(-1), two.begun.at(-1)], ['h', 'g']);
  for (const name of [...names, 'g', 'h']) for (const each of [one, two]) each.end(name);
  await Promise.all(calls);
});

test('what one thread has set aside counts for another thread that calls the same actor', async () => {
  const first = newSharedMemory(2);
  const [one, two] = [place(), place()];
  const { remote } = mailboxOver([one, two], { memory: first });
  const [ones, twos] = [place(), place()];
  const memory = openSharedMemory(first.regions.memory, 1);
  const { remote: other } = mailboxOver([ones, twos], { memory });
  for (const each of [one, two, ones, twos]) each.attach();
  const calls = [remote.workAside('a')];
  await settle();
  calls.push(other.workAside('b'));
  await settle();
  assert.deepEqual([one.begun, two.begun, ones.begun, twos.begun], [['a'], [], [], ['b']]);
  one.end('a');
  await calls[0];
  calls.push(other.workAside('c'));
  await settle();
  assert.deepEqual(ones.begun, ['c']);
  ones.end('c');
  twos.end('b');
  await Promise.all(calls);
  for (const { bell } of [first, memory]) bell.close();
});

test('beyond its bound the queue refuses at once; waiting and running calls both count', async () => {
  const one = place();
  const { remote, observed } = mailboxOver([one], { maxQueue: 2 });
  one.attach();
  const calls = [remote.work('a'), remote.work('b')];
  assert.equal(await outcome(remote.work('c')), 'OVERLOADED');
  assert.deepEqual(observed, ['OVERLOADED']);
  await settle();
  one.end('a');
  await calls[0];
  const next = remote.work('d');
  await settle();
  one.end('b');
  await settle();
  one.end('d');
  assert.equal(await next, 'd done');
});

test('a waiting call that is given up is never sent; a running one is told, and busy until it ends', async () => {
  const one = place();
  const { mailbox, remote } = mailboxOver([one]);
  one.attach();
  const controller = new AbortController();
  const running = callWith(remote, { signal: controller.signal }).work('a');
  const waiting = callWith(remote, { signal: controller.signal }).work('b');
  const after = remote.work('c');
  await settle();
  controller.abort();
  assert.deepEqual([await outcome(running), await outcome(waiting)], ['CANCELLED', 'CANCELLED']);
  assert.deepEqual([mailbox.waiting, mailbox.busy, one.dispatcher.overdue], [1, 1, 1]);
  one.end('a');
  await settle();
  assert.deepEqual(one.begun, ['a', 'c']);
  one.end('c');
  assert.equal(await after, 'c done');
  const gone = callWith(remote, { signal: AbortSignal.abort() }).work('d');
  assert.equal(await outcome(gone), 'CANCELLED');
  await settle();
  assert.ok(!one.begun.includes('d'));
});

test('deadlines count from the call; its own comes before that of the mailbox; an answer in time counts', async () => {
  const one = place();
  const { mailbox, remote, advance, observed } = mailboxOver([one]);
  one.attach();
  const [slow, hasty, quick] = [remote.work('a'), callWith(remote, { deadlineMs: 100 }).work('b'), callWith(remote, { deadlineMs: 5_000 }).work('c')];
  const ends = [outcome(slow), outcome(hasty), outcome(quick)];
  await settle();
  await advance(101);
  assert.equal(await ends[1], 'DEADLINE');
  assert.deepEqual([mailbox.waiting, mailbox.busy], [1, 1]);
  await advance(900);
  assert.equal(await ends[0], 'DEADLINE');
  one.end('a');
  await settle();
  one.end('c');
  assert.equal(await ends[2], 'c done');
  assert.deepEqual(one.begun, ['a', 'c']);
  assert.deepEqual(observed, ['DEADLINE', 'DEADLINE', 'ok']);
});

test('a lost dispatcher loses what it served, not what waits; if all have failed, calls are refused', async () => {
  const [one, two] = [place(), place()];
  const { mailbox, remote } = mailboxOver([one]);
  one.attach();
  const [lost, kept] = [remote.work('a'), remote.work('b')];
  await settle();
  one.dispatcher.detach('a crash');
  assert.equal(await outcome(lost), 'ACTOR_LOST');
  assert.deepEqual([mailbox.waiting, mailbox.busy], [1, 0]);
  one.attach();
  await settle();
  one.end('b');
  assert.equal(await kept, 'b done');
  one.dispatcher.detach('another');
  const waiting = remote.work('c');
  one.dispatcher.detach('too many', 'failed');
  mailbox.refuseWaiting();
  assert.deepEqual([await outcome(waiting), await outcome(remote.work('d'))], ['UNAVAILABLE', 'UNAVAILABLE']);
  const both = mailboxOver([one, two]);
  two.attach();
  both.mailbox.refuseWaiting();
  assert.equal(await both.remote.add(2, 3), 5);
});

test('draining takes no more calls, lets those under way end, and refuses what is left after its time', async () => {
  const one = place();
  const { mailbox, remote, advance } = mailboxOver([one], { deadlineMs: 60_000 });
  one.attach();
  const [running, waiting] = [remote.work('a'), remote.work('b')];
  await settle();
  let isDrained = false;
  const drained = mailbox.drain(5_000).then(() => {
    isDrained = true;
  });
  assert.equal(await outcome(remote.work('c')), 'STOPPING');
  one.end('a');
  assert.equal(await running, 'a done');
  await settle();
  assert.deepEqual([isDrained, one.begun], [false, ['a', 'b']]);
  one.end('b');
  await drained;
  assert.equal(await waiting, 'b done');

  const two = place();
  const late = mailboxOver([two], { deadlineMs: 60_000 });
  two.attach();
  const [stuck, never] = [outcome(late.remote.work('x')), outcome(late.remote.work('y'))];
  await settle();
  const end = late.mailbox.drain(5_000);
  await late.advance(5_001);
  await end;
  assert.equal(await never, 'STOPPING');
  two.dispatcher.detach('stopped');
  assert.equal(await stuck, 'ACTOR_LOST');
  await mailboxOver([]).mailbox.drain(1_000);
  void advance;
});

/** @param how ends the last call */
async function drainsAtOnce(mailbox: Mailbox, how: () => void): Promise<void> {
  let isDrained = false;
  void mailbox.drain(5_000).then(() => {
    isDrained = true;
  });
  await settle();
  assert.equal(isDrained, false);
  how();
  await settle();
  assert.equal(isDrained, true);
}

test('draining does not wait for calls that are lost with their actor, given up or refused', async () => {
  const lost = place();
  const one = mailboxOver([lost]);
  lost.attach();
  const running = outcome(one.remote.work('a'));
  await drainsAtOnce(one.mailbox, () => lost.dispatcher.detach('its process has ended'));
  assert.equal(await running, 'ACTOR_LOST');

  const two = mailboxOver([place()]);
  const gone = new AbortController();
  const left = outcome(callWith(two.remote, { signal: gone.signal }).work('b'));
  await drainsAtOnce(two.mailbox, () => gone.abort());
  assert.equal(await left, 'CANCELLED');

  const failing = place();
  const three = mailboxOver([failing]);
  const refused = outcome(three.remote.work('c'));
  await drainsAtOnce(three.mailbox, () => {
    failing.dispatcher.detach('it does not start', 'failed');
    three.mailbox.refuseWaiting();
  });
  assert.equal(await refused, 'UNAVAILABLE');
});

test('draining ends every timer, that of work under a time limit too: none keeps the process running', async () => {
  const { clock } = movedClock();
  const timers = new Set<unknown>();
  const counted = Object.assign(Object.create(clock) as typeof clock, {
    setTimeout(run: () => void, ms: number) {
      const timer = clock.setTimeout(run, ms);
      timers.add(timer);
      return timer;
    },
    clearTimeout(timer: Parameters<typeof clock.clearTimeout>[0]) {
      timers.delete(timer);
      clock.clearTimeout(timer);
    },
  });
  const one = place(new WorkLimit(60_000, counted));
  const mailbox = new Mailbox([one.dispatcher], { deadlineMs: 60_000, maxQueue: 10, perDispatcher: 1, clock: counted, observe: () => {} });
  one.attach();
  assert.equal(await remoteOver<WorkApi>(mailbox).add(1, 2), 3);
  assert.ok(timers.size > 0);
  await mailbox.drain(1_000);
  assert.equal(timers.size, 0);
});

test('an argument that may not cross fails its own call, before it takes a place', async () => {
  const one = place();
  const { mailbox, remote } = mailboxOver([one]);
  one.attach();
  await assert.rejects(remote.work((() => 1) as never));
  await settle();
  assert.deepEqual([mailbox.waiting, mailbox.busy], [0, 0]);
  assert.equal(await remote.add(1, 1), 2);
});

test.run();
