// Keeps the current request or call of this thread, so that its ID reaches the log lines and the calls to other threads.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Call } from './actor.ts';

export const callContext = new AsyncLocalStorage<Pick<Call, 'requestId'> & Partial<Call>>();

export function currentRequestId(): string | undefined {
  return callContext.getStore()?.requestId;
}
