// The request or call under way in this thread, so that its id reaches every log line and every thread it touches.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Call } from './actor.ts';

export const callContext = new AsyncLocalStorage<Pick<Call, 'requestId'> & Partial<Call>>();

export function currentRequestId(): string | undefined {
  return callContext.getStore()?.requestId;
}
