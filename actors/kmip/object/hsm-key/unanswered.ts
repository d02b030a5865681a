// Marks the faults of calls that an HSM instance has not answered: nobody knows what its token has done, so the audit log tells who asked for what.
import { Fault } from '../../../../kernel/fault.ts';

const unanswered = new WeakSet<Fault>();

/** @throws the error, marked */
export function failUnanswered(error: unknown): never {
  if (error instanceof Fault) unanswered.add(error);
  throw error;
}

export const isUnanswered = (error: unknown): error is Fault => error instanceof Fault && unanswered.has(error);
