// How the key server beside a caller leaves a call to the actor.
import { ELSEWHERE, WRITTEN_ELSEWHERE } from '../../kernel/actor.ts';

/** Leaves the call to the actor. */
export function leave(): never {
  throw ELSEWHERE;
}

/** As leave, for a call that writes and is short. */
export function leaveWrite(): never {
  throw WRITTEN_ELSEWHERE;
}
