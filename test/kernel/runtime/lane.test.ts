// The queue of callers before the slots of an actor: room, order, bounds, deadlines, cancellation, and draining.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { exposeApi } from '../../../kernel/runtime/facade.ts';
import { callWith, Lane, remoteOver } from '../../../kernel/runtime/lane.ts';
import { Slot } from '../../../kernel/runtime/slot.ts';
import { outcome } from '../../runtime.ts';
import { lines, movedClock, settle } from './two-ends.ts';

type WorkApi = { work(name: string): Promise<string>; add(one: number, two: number): number };

/** A slot with an actor behind it whose work ends when the test says so. */
function place() {
  const slot = new Slot();
  const begun: string[] = [];
  const ends = new Map<string, (value: string) => void>();
  const api = {
    work(name: string) {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, resolve));
    },
    add: (one: number, two: number) => one + two,
  };
  const attach = () => {
    const { ours, theirs } = lines();
    exposeApi(api, theirs);
    slot.attach(ours);
  };
  return { slot, begun, attach, end: (name: string) => ends.get(name)?.(`${name} done`) };
}

function laneOver(places: readonly ReturnType<typeof place>[], { maxQueue = 10, perSlot = 1, deadlineMs = 1_000 } = {}) {
  const { clock, advance } = movedClock();
  const observed: string[] = [];
  const lane = new Lane(
    places.map(({ slot }) => slot),
    { deadlineMs, maxQueue, perSlot, clock, observe: (how) => void observed.push(how) },
  );
  return { lane, remote: remoteOver<WorkApi>(lane), advance, observed };
}

test('calls wait in order until there is room, and each slot has as many as it may', async () => {
  const one = place();
  const { lane, remote, observed } = laneOver([one], { perSlot: 2 });
  const calls = ['a', 'b', 'c', 'd'].map((name) => remote.work(name));
  assert.deepEqual([lane.waiting, lane.busy], [4, 0]);
  one.attach();
  await settle();
  assert.deepEqual([lane.waiting, lane.busy, one.begun], [2, 2, ['a', 'b']]);
  one.end('b');
  assert.equal(await calls[1], 'b done');
  await settle();
  assert.deepEqual(one.begun, ['a', 'b', 'c']);
  for (const name of ['a', 'c']) one.end(name);
  await settle();
  one.end('d');
  assert.deepEqual(await Promise.all(calls), ['a done', 'b done', 'c done', 'd done']);
  assert.deepEqual([lane.waiting, lane.busy, observed], [0, 0, ['ok', 'ok', 'ok', 'ok']]);
});

test('work goes to the slot that has least of it', async () => {
  const [one, two] = [place(), place()];
  const { remote } = laneOver([one, two], { perSlot: 3 });
  for (const each of [one, two]) each.attach();
  const calls = ['a', 'b', 'c', 'd'].map((name) => remote.work(name));
  await settle();
  assert.deepEqual([one.begun.length, two.begun.length], [2, 2]);
  for (const name of ['a', 'b', 'c', 'd']) for (const each of [one, two]) each.end(name);
  await Promise.all(calls);
});

test('beyond its bound the queue refuses at once; waiting and running calls both count', async () => {
  const one = place();
  const { remote, observed } = laneOver([one], { maxQueue: 2 });
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
  const { lane, remote } = laneOver([one]);
  one.attach();
  const controller = new AbortController();
  const running = callWith(remote, { signal: controller.signal }).work('a');
  const waiting = callWith(remote, { signal: controller.signal }).work('b');
  const after = remote.work('c');
  await settle();
  controller.abort();
  assert.deepEqual([await outcome(running), await outcome(waiting)], ['CANCELLED', 'CANCELLED']);
  assert.deepEqual([lane.waiting, lane.busy, one.slot.overdue], [1, 1, 1]);
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

test('deadlines count from the call, its own before that of the lane, and an answer in time is an answer', async () => {
  const one = place();
  const { lane, remote, advance, observed } = laneOver([one]);
  one.attach();
  const [slow, hasty, quick] = [remote.work('a'), callWith(remote, { deadlineMs: 100 }).work('b'), callWith(remote, { deadlineMs: 5_000 }).work('c')];
  const ends = [outcome(slow), outcome(hasty), outcome(quick)];
  await settle();
  await advance(101);
  assert.equal(await ends[1], 'DEADLINE');
  assert.deepEqual([lane.waiting, lane.busy], [1, 1]);
  await advance(900);
  assert.equal(await ends[0], 'DEADLINE');
  one.end('a');
  await settle();
  one.end('c');
  assert.equal(await ends[2], 'c done');
  assert.deepEqual(one.begun, ['a', 'c']);
  assert.deepEqual(observed, ['DEADLINE', 'DEADLINE', 'ok']);
});

test('a lost slot loses what it served, and what waits stays; if all slots failed, calls are refused', async () => {
  const [one, two] = [place(), place()];
  const { lane, remote } = laneOver([one]);
  one.attach();
  const [lost, kept] = [remote.work('a'), remote.work('b')];
  await settle();
  one.slot.detach('a crash');
  assert.equal(await outcome(lost), 'ACTOR_LOST');
  assert.deepEqual([lane.waiting, lane.busy], [1, 0]);
  one.attach();
  await settle();
  one.end('b');
  assert.equal(await kept, 'b done');
  one.slot.detach('another');
  const waiting = remote.work('c');
  one.slot.detach('too many', 'failed');
  lane.refuseWaiting();
  assert.deepEqual([await outcome(waiting), await outcome(remote.work('d'))], ['UNAVAILABLE', 'UNAVAILABLE']);
  const both = laneOver([one, two]);
  two.attach();
  both.lane.refuseWaiting();
  assert.equal(await both.remote.add(2, 3), 5);
});

test('draining takes no more calls, lets those under way end, and refuses what is left after its time', async () => {
  const one = place();
  const { lane, remote, advance } = laneOver([one], { deadlineMs: 60_000 });
  one.attach();
  const [running, waiting] = [remote.work('a'), remote.work('b')];
  await settle();
  let isDrained = false;
  const drained = lane.drain(5_000).then(() => {
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
  const late = laneOver([two], { deadlineMs: 60_000 });
  two.attach();
  const [stuck, never] = [outcome(late.remote.work('x')), outcome(late.remote.work('y'))];
  await settle();
  const end = late.lane.drain(5_000);
  await late.advance(5_001);
  await end;
  assert.equal(await never, 'STOPPING');
  two.slot.detach('stopped');
  assert.equal(await stuck, 'ACTOR_LOST');
  await laneOver([]).lane.drain(1_000);
  void advance;
});

test('an argument that may not cross fails its own call, before it takes a place', async () => {
  const one = place();
  const { lane, remote } = laneOver([one]);
  one.attach();
  await assert.rejects(remote.work((() => 1) as never));
  await settle();
  assert.deepEqual([lane.waiting, lane.busy], [0, 0]);
  assert.equal(await remote.add(1, 1), 2);
});

test.run();
