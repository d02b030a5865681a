// The mixed load: clients of every kind that go on until they are told to stop, and what they remember.
import { setTimeout as after } from 'node:timers/promises';
import type { Client, Kept } from './clients/client.ts';
import { makeGrant } from './clients/grants.ts';
import { makeKeyLife, makeLimitedKey } from './clients/keys.ts';
import { anonymization, listenerRoundTrip, restRoundTrip, summary, type Turn } from './clients/round-trips.ts';
import { makeSession } from './clients/sessions.ts';
import { hsmRoundTrip, password, reference } from './clients/stored.ts';
import { liveOn, type MakeSubject, type Subject } from './clients/subject.ts';
import { makeSecretId, makeToken } from './clients/tokens.ts';
import type { Prepared } from './preparation.ts';
import type { World } from './world.ts';

export interface Remembered {
  readonly client: Client;
  readonly subjects: Subject[];
  readonly kept: Kept[];
}

export interface Load {
  readonly remembered: readonly Remembered[];
  /** Settles when every client has ended what it was doing. */
  stop(): Promise<void>;
}

/** Pauses between two turns of a client, milliseconds: what costs the server more comes less often. */
const SELDOM = 2_500;
const OFTEN = 60;

export async function startLoad(world: World, { root, openRoleId, countedRoleId }: Prepared, clients: number): Promise<Load> {
  const friend = await world.client('friend', root);
  const subjects: Readonly<Record<string, MakeSubject>> = {
    session: makeSession,
    token: (client) => makeToken(client, openRoleId),
    secret: (client) => makeSecretId(client, countedRoleId),
    limit: makeLimitedKey,
    life: makeKeyLife,
    grant: (client) => makeGrant(client, friend),
  };
  const turns: Readonly<Record<string, readonly [Turn, number]>> = {
    rest: [restRoundTrip, OFTEN],
    listener: [listenerRoundTrip, OFTEN],
    tokenize: [anonymization, OFTEN],
    text: [summary, 5 * OFTEN],
    document: [reference, SELDOM],
    password: [password, SELDOM],
    ...(world.hsm.library && { hsm: [hsmRoundTrip(world.hsm.prefix), 2 * OFTEN] as const }),
  };
  const over = new AbortController();
  const remembered: Remembered[] = [];
  const running: Promise<void>[] = [];
  const begin = async (name: string, run: (memory: Remembered) => Promise<void>) => {
    for (let at = 0; at < clients; at++) {
      const memory: Remembered = { client: await world.client(`${name}${at}`, root), subjects: [], kept: [] };
      remembered.push(memory);
      running.push(run(memory));
    }
  };
  for (const [name, make] of Object.entries(subjects))
    await begin(name, ({ client, subjects }) => liveOn(client, make, (subject) => subjects.push(subject), over.signal));
  for (const [name, [turn, pauseMs]] of Object.entries(turns))
    await begin(name, async ({ client, kept }) => {
      for (; !over.signal.aborted; await after(client.random.below(2 * pauseMs))) await turn(client, (each) => kept.push(each));
    });
  return {
    remembered,
    async stop() {
      over.abort();
      await Promise.all(running);
    },
  };
}
