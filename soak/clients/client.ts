// A client of a run: somebody with a certificate of their own, who reaches every node over HTTPS and on the listener.
import type { Caller } from '../caller.ts';
import { jsonKmip, type Kmip } from '../kmip.ts';
import type { ListenerConnection } from '../listener-connection.ts';
import type { Random } from '../seeded.ts';
import type { Tally } from '../tally.ts';

/** One node, as a client reaches it. */
export interface Voice {
  readonly caller: Caller;
  readonly listener: ListenerConnection;
}

export interface Client {
  readonly name: string;
  readonly voices: readonly Voice[];
  readonly random: Random;
  readonly tally: Tally;
  /** Session cookie of the super admin. */
  readonly root: string;
}

/** Something that was answered, and how to see at the end that it is still so. */
export interface Kept {
  readonly what: string;
  /** @returns what is wrong, such as no answer; undefined: nothing */
  look(voice: Voice): Promise<string | undefined>;
}

export const anyVoice = ({ voices, random }: Client): Voice => random.pick(voices);

/** Either way to the key server of any node. */
export function anyKmip(client: Client): Kmip {
  const { caller, listener } = anyVoice(client);
  return client.random.next() < 0.5 ? jsonKmip(caller) : listener.kmip;
}
