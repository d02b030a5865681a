// What requests that are answered later need of the thread that runs them.
import type { Clock } from '../../../kernel/clock.ts';
import type { BatchItem, RequestHeader } from '../../../kmip/message/request.ts';
import type { ResponseHead } from '../../../kmip/message/response.ts';
import type { AsynchronousLimits, Principal } from '../api.ts';
import type { BatchContext } from '../context.ts';
import type { Outcome } from '../message/batch.ts';

export interface Asynchronous {
  readonly clock: Clock;
  readonly limits: AsynchronousLimits;
  /** Runs the items of a message whose client accepts asynchronous responses. @throws Refusal InvalidMessage; what `requireHere` throws */
  runLater(ctx: BatchContext, items: readonly BatchItem[], header: RequestHeader, head: ResponseHead): Outcome[] | Promise<Outcome[]>;
  /** Throws in a thread that runs nothing later: the actor then takes the request. */
  requireHere(): void;
  /** Runs work that no caller ends, under the ID of the request that asked for it. */
  apart<T>(requestId: string | undefined, work: () => T): T;
  /** The caller with what it administers now. */
  acting(caller: Principal): Principal;
}

export const ASYNCHRONOUS_LIMITS: AsynchronousLimits = Object.freeze({ requestsPerIdentity: 1_000, requests: 20_000, resultSeconds: 3_600 });
