// Sends the answers that one turn of the event loop has made together, at its end: then their clients wake up once, instead of once for each answer.
// An answer leaves at once while each turn makes only one.

import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';

/** What is sent of a response, whose head is known. */
interface Leaving {
  readonly response: Pick<ServerResponse, 'end' | 'writableFinished'>;
  readonly body: string;
  readonly encoding: BufferEncoding;
}

/** No answer waits longer than this for those of other requests, and for the request that runs when the time is over. */
const MAX_WAIT_MS = 1;

/** So many turns one after the other have made one answer each before the next one does not wait. What leaves at the end of a turn costs one more turn. */
const ALONE_TURNS = 4;

let waiting: Leaving[] = [];
let waitingSince = 0;
let turnsAlone = 0;
/** What has left at once last. It is finished when the turn is over. */
let alone: Leaving['response'] | undefined;

/** To wake a client that sleeps costs as much as a whole short request; one that has just been woken finds the further answers by itself. */
export function leaveTogether(response: Leaving['response'], body: string, encoding: BufferEncoding): void {
  if (turnsAlone >= ALONE_TURNS && waiting.length === 0 && (alone === undefined || alone.writableFinished)) {
    alone = response;
    response.end(body, encoding);
    return;
  }
  if (waiting.push({ response, body, encoding }) === 1) {
    waitingSince = performance.now();
    setImmediate(leave);
  } else if (performance.now() - waitingSince > MAX_WAIT_MS) leave();
}

/** What has left early is not there any more at the end of the turn. */
function leave(): void {
  const leaving = waiting;
  waiting = [];
  turnsAlone = leaving.length === 1 && alone === undefined ? turnsAlone + 1 : 0;
  alone = undefined;
  for (const { response, body, encoding } of leaving) response.end(body, encoding);
}
