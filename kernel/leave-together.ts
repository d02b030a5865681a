// Sends the answers that turns of the event loop have made one after the other together, once a turn makes no more: then their clients wake up once, instead of once for each answer.
// An answer leaves at once while each turn makes only one.

import { performance } from 'node:perf_hooks';

/** An answer that is ready to be written. */
export interface Leaving {
  leave(): void;
  /** Whether nothing of it is left to be written. */
  readonly hasLeft: boolean;
}

/** No answer waits longer than this for those of other requests, and for the request that runs when the time is over. */
const MAX_WAIT_MS = 1;

/** So many answers one after the other have left by themselves before the next one does not wait. What waits costs one or two turns more. */
const ALONE_TURNS = 4;

let waiting: Leaving[] = [];
let waitingSince = 0;
/** Those that waited at the end of the last turn. */
let gathered = 0;
let isTurning = false;
let turnsAlone = 0;
/** What has left at once last. It is finished when the turn is over. */
let alone: Leaving | undefined;

/** To wake a client that sleeps costs as much as a whole short request; one that has just been woken finds the further answers by itself. */
export function leaveTogether(answer: Leaving): void {
  if (turnsAlone >= ALONE_TURNS && waiting.length === 0 && (alone === undefined || alone.hasLeft)) {
    alone = answer;
    return answer.leave();
  }
  if (waiting.push(answer) === 1) waitingSince = performance.now();
  else if (performance.now() - waitingSince > MAX_WAIT_MS) leave();
  if (isTurning) return;
  isTurning = true;
  setImmediate(endTurn);
}

/** After a turn that has made answers there is one more, for the requests that have come meanwhile. */
function endTurn(): void {
  if (waiting.length > gathered && performance.now() - waitingSince < MAX_WAIT_MS) {
    gathered = waiting.length;
    setImmediate(endTurn);
    return;
  }
  isTurning = false;
  leave();
}

/** What has left early is not there any more at the end of the turn. */
function leave(): void {
  const leaving = waiting;
  waiting = [];
  gathered = 0;
  turnsAlone = leaving.length === 1 && alone === undefined ? turnsAlone + 1 : 0;
  alone = undefined;
  for (const each of leaving) each.leave();
}
