// Sends the answers that one turn of the event loop has made together, at its end: then their clients wake up once, instead of once for each answer.

import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';

/** What is sent of a response, whose head is known. */
interface Leaving {
  readonly response: Pick<ServerResponse, 'end'>;
  readonly body: string;
  readonly encoding: BufferEncoding;
}

/** No answer waits longer than this for those of other requests, and for the request that runs when the time is over. */
const MAX_WAIT_MS = 1;

let waiting: Leaving[] = [];
let waitingSince = 0;

/** To wake a client that sleeps costs as much as a whole short request; one that has just been woken finds the further answers by itself. */
export function leaveTogether(response: Leaving['response'], body: string, encoding: BufferEncoding): void {
  if (waiting.push({ response, body, encoding }) === 1) {
    waitingSince = performance.now();
    setImmediate(leave);
  } else if (performance.now() - waitingSince > MAX_WAIT_MS) leave();
}

/** What has left early is not there any more at the end of the turn. */
function leave(): void {
  const leaving = waiting;
  waiting = [];
  for (const { response, body, encoding } of leaving) response.end(body, encoding);
}
