// Waits until the threads of a started server have computed their known answers and served their warm-up.
import assert from 'node:assert/strict';
import { selfTestsOf } from '../kernel/metrics/self-tests.ts';
import type { TestServer } from './server.ts';

/** Later than the first known answer is computed. */
const LATER_MS = 3_000;
/** The idle moments in which threads work are real ones, so this takes seconds, and more on a busy machine. */
const WAIT_MS = 90_000;
const LOOK_MS = 200;

/** Starts those that rest. @param threads as `actor/key` */
export async function untilWarm({ runtime }: Pick<TestServer, 'runtime'>, threads: readonly string[]): Promise<void> {
  for (const { name, supervisors } of runtime.groups.values())
    for (const { key, dispatcher } of supervisors) if (threads.includes(`${name}/${key}`)) dispatcher.wake();
  await runtime.advance(LATER_MS);
  const until = performance.now() + WAIT_MS;
  for (;;) {
    const found = new Map([...selfTestsOf(runtime, [])].map(([actor, key, { isWarm }]) => [`${actor}/${key}`, isWarm]));
    const cold = threads.filter((thread) => !found.get(thread));
    if (cold.length === 0) return;
    assert.ok(performance.now() < until, `still cold: ${cold.join(', ')}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
