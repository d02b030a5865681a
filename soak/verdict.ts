// After the load: looks at everything that clients remember, and checks the histories of every object.
import { setTimeout as after } from 'node:timers/promises';
import type { Client, Voice } from './clients/client.ts';
import { withoutDoubt } from './doubt.ts';
import type { History } from './history.ts';
import { check } from './linearizability.ts';
import type { Remembered } from './load.ts';
import type { World } from './world.ts';

export interface Verdict {
  /** Histories and operations, by the kind of the object. */
  readonly histories: Readonly<Record<string, { count: number; operations: number; unanswered: number }>>;
  /** Writes that were looked at again. */
  readonly kept: number;
}

const AT_ONCE = 8;
/** Looks at one thing, if there is no answer. */
const TRIES = 3;
const PAUSE_MS = 500;

export async function judge(world: World, remembered: readonly Remembered[]): Promise<Verdict> {
  await lookAgain(remembered);
  const kept = await lookAtKept(world, remembered);
  const histories: Record<string, { count: number; operations: number; unanswered: number }> = {};
  for (const { subjects } of remembered) {
    for (const { history } of subjects) {
      const sum = histories[history.model.kind] ?? { count: 0, operations: 0, unanswered: 0 };
      histories[history.model.kind] = sum;
      sum.count += 1;
      sum.operations += history.operations.length;
      sum.unanswered += history.operations.filter(({ output }) => output === undefined).length;
      const wrong = judgeOne(history, world.nodes.length);
      if (wrong !== undefined) world.tally.wrong('histories are linearizable', wrong);
    }
  }
  return { histories, kept };
}

/** @returns what is wrong with a history */
export function judgeOne({ model, object, operations: all }: History, nodes = 1): string | undefined {
  const operations = nodes > 1 && model.isCached ? withoutDoubt(model, all) : all;
  try {
    const { isLinearizable, longest } = check(model, operations);
    if (isLinearizable) return undefined;
    const lines = [...operations]
      .sort((a, b) => a.called - b.called)
      .map((each) => `${each.called}-${each.answered} ${each.client} ${each.name}: ${each.output ?? '?'}${longest.includes(each) ? '' : ' (fits nowhere)'}`);
    return `${model.kind} ${object}:\n    ${lines.join('\n    ')}`;
  } catch (error) {
    return `${model.kind} ${object}: ${(error as Error).message}`;
  }
}

/** Through each node: what one has revoked, each must refuse. */
async function lookAgain(remembered: readonly Remembered[]): Promise<void> {
  const looks = remembered.flatMap(({ client, subjects }) => subjects.flatMap((subject) => client.voices.map((voice) => () => subject.look(voice))));
  await inTurn(looks);
}

async function lookAtKept({ tally }: World, remembered: readonly Remembered[]): Promise<number> {
  const all = remembered.flatMap(({ client, kept }) => kept.map((each) => ({ client, ...each })));
  await inTurn(
    all.map(({ client, what, look }) => async () => {
      const wrong = await patiently(client, look);
      if (wrong !== undefined) tally.wrong('nothing that was answered is lost', `${what}: ${wrong}`);
    }),
  );
  return all.length;
}

async function patiently({ voices, random }: Client, look: (voice: Voice) => Promise<string | undefined>): Promise<string | undefined> {
  for (let tries = 1; ; tries++) {
    const wrong = await look(random.pick(voices));
    if (wrong === undefined || tries === TRIES) return wrong;
    await after(PAUSE_MS);
  }
}

async function inTurn(work: readonly (() => Promise<void>)[]): Promise<void> {
  const waiting = work.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const each of waiting) await each();
    }),
  );
}
