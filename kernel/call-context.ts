// Keeps the current request or call of this thread, so that its ID reaches the log lines and the calls to other threads.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Call } from './actor.ts';

export type Current = Pick<Call, 'requestId'> &
  Partial<Call> & {
    /** Whether this thread traces requests, this one or others. */
    readonly isTraced?: boolean;
  };

export const callContext = new AsyncLocalStorage<Current>();

export function currentRequestId(): string | undefined {
  return callContext.getStore()?.requestId;
}
