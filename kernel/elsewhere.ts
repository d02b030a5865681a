// What a part of an actor beside its callers throws: where it leaves a call to the actor itself, and where the failure of another actor is its answer.
import { Fault } from './fault.ts';

/** Thrown by a part beside the callers where the actor itself has to serve the call. One object for all: it costs next to nothing, and its stack says nothing. */
export const ELSEWHERE: Error = new Error('the actor itself serves this call');
/** The same for a short call that writes: replicas serve those together where one of them has room, so that they share transactions. */
export const WRITTEN_ELSEWHERE: Error = new Error('the actor itself serves this call, which writes');

/** Whether a part beside the callers has left the call to the actor. */
export const isLeft = (error: unknown): boolean => error === ELSEWHERE || error === WRITTEN_ELSEWHERE;

const answers = new WeakSet<Fault>();

/** Marks the fault of a call that the part has made to another actor: the actor itself would ask the same, and take its time again. @throws the error */
export function failFinally(error: unknown): never {
  if (error instanceof Fault) answers.add(error);
  throw error;
}

/** Whether a fault is the answer of a part beside the callers. */
export const isFinal = (error: unknown): error is Fault => error instanceof Fault && answers.has(error);
