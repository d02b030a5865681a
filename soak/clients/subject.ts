// Objects whose histories are kept: several workers use one at the same time until its life is over, or leave it as it is until the run ends.
import { setTimeout as after } from 'node:timers/promises';
import type { History } from '../history.ts';
import type { Client, Voice } from './client.ts';

export interface Subject {
  readonly history: History;
  /** One operation of a worker. @param isLast whether it may end the life of the object */
  act(worker: string, isLast: boolean): Promise<void>;
  /** Reads it through this node, at the end of the run. */
  look(voice: Voice): Promise<void>;
}

/** @returns undefined if it was not answered that there is one */
export type MakeSubject = (client: Client) => Promise<Subject | undefined>;

const WORKERS = 3;
/** Objects of one client that live at the same time: some of them have been used through every node when a fault comes. */
const LANES = 4;
const MOST_ACTS = 8;
const PAUSE_MS = 250;
/** Workers think, so that two cores have time for the server. */
const THINK_MS = 200;

/** Makes objects until the run is over, several at a time. @param kept takes each of them */
export async function liveOn(client: Client, make: MakeSubject, kept: (subject: Subject) => void, signal: AbortSignal): Promise<void> {
  await Promise.all(
    Array.from({ length: LANES }, async (_, lane) => {
      while (!signal.aborted) {
        const subject = await make(client);
        if (!subject) {
          await after(PAUSE_MS);
          continue;
        }
        kept(subject);
        await liveOnce(client, `${client.name}.${lane}`, subject, signal);
      }
    }),
  );
}

/** Some objects are never ended: that they live is a promise too. */
async function liveOnce({ random }: Client, name: string, subject: Subject, signal: AbortSignal): Promise<void> {
  const acts = 2 + random.below(MOST_ACTS);
  const lastActs = random.next() < 0.6 ? 1 + random.below(acts) : acts + 1;
  await Promise.all(
    Array.from({ length: WORKERS }, async (_, at) => {
      for (let act = 0; act < acts && !signal.aborted; act++) {
        await after(random.below(THINK_MS));
        await subject.act(`${name}.${at}`, act >= lastActs);
      }
    }),
  );
}
