// The self-tests of all threads, as /ready and the metrics tell them.
import type { Registry } from 'prom-client';
import type { Runtime } from '../runtime/runtime.ts';
import type { Supervisor } from '../runtime/supervise/supervisor.ts';
import type { SelfTest } from '../status.ts';
import { gauge } from './read-anew.ts';

type OfThread = readonly [actor: string, key: string, selfTest: SelfTest];

/** Of the threads of actors, of the parts beside the front in this thread, and of the fronts in threads of their own, as far as they have reported. */
export function* selfTestsOf({ groups }: Pick<Runtime, 'groups'>, fronts: readonly Supervisor[]): Generator<OfThread> {
  for (const { name, supervisors, mailboxes } of groups.values()) {
    for (const { key, status } of supervisors) if (status?.selfTest) yield [name, key, status.selfTest];
    const selfTest = mailboxes[0]?.beside?.status?.selfTest;
    if (selfTest) yield [name, 'beside', selfTest];
  }
  for (const { key, status } of fronts) if (status?.selfTest) yield ['front', key, status.selfTest];
}

/** @returns the algorithms that are switched off, with the threads in which they are */
export function switchedOff(selfTests: Iterable<OfThread>): string[] {
  const threads = new Map<string, string[]>();
  for (const [actor, key, { off }] of selfTests) for (const algorithm of off) threads.set(algorithm, [...(threads.get(algorithm) ?? []), `${actor}/${key}`]);
  return [...threads].map(([algorithm, names]) => `${algorithm} is switched off in ${names.join(', ')}: its self-test has failed`);
}

export function exposeSelfTests(registry: Registry, selfTests: () => Iterable<OfThread>): void {
  gauge(
    registry,
    'gatehouse_self_test_answers',
    'Known answers of the algorithms in each thread: right, wrong, or left to be computed',
    ['actor', 'key', 'outcome'],
    (answers) => {
      for (const [actor, key, selfTest] of selfTests())
        for (const outcome of ['right', 'wrong', 'left'] as const) answers.set({ actor, key, outcome }, selfTest[outcome]);
    },
  );
  gauge(
    registry,
    'gatehouse_self_test_warm',
    '1 for each thread that has computed its known answers and compiled its code with typical messages',
    ['actor', 'key'],
    (warm) => {
      for (const [actor, key, { isWarm }] of selfTests()) warm.set({ actor, key }, isWarm ? 1 : 0);
    },
  );
  gauge(
    registry,
    'gatehouse_self_test_off',
    '1 for each algorithm that is switched off in a thread, because its self-test has failed',
    ['actor', 'key', 'algorithm'],
    (off) => {
      for (const [actor, key, selfTest] of selfTests()) for (const algorithm of selfTest.off) off.set({ actor, key, algorithm }, 1);
    },
  );
}
