// Limits the thread time and the response size of one batch, so that no message blocks other requests.
import { setImmediate } from 'node:timers/promises';
import type { BatchItem } from '../../../kmip/message/request.ts';
import { binarySize } from '../../../kmip/ttlv/binary.ts';
import { LIMITS } from '../../../kmip/ttlv/limits.ts';
import { structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Operations } from '../operation.ts';
import type { KeyServer } from '../server.ts';
import type { Outcome } from './batch.ts';
import { isChange } from './response-size.ts';

/** No further item starts after this time, which is well within the deadline of a call, so that the client learns what was done. */
const MAX_TIME_MS = 20_000;
/** The limit for a batch that may be undone, because it blocks all other writers. */
const MAX_UNDOABLE_TIME_MS = 5_000;
/** Limit for the payloads in the binary encoding: the same as for a request. */
const MAX_ANSWER_BYTES = LIMITS.bytes;
/** Milliseconds after which the batch yields the thread to waiting requests. */
const TURN = 20;

export class Budget {
  readonly #monotonic: () => number;
  readonly #operations: Operations;
  readonly #end: number;
  #turn: number;
  #left = MAX_ANSWER_BYTES;

  constructor({ monotonic, operations }: Pick<KeyServer, 'monotonic' | 'operations'>, isUndoable: boolean) {
    this.#monotonic = monotonic;
    this.#operations = operations;
    this.#turn = monotonic();
    this.#end = this.#turn + (isUndoable ? MAX_UNDOABLE_TIME_MS : MAX_TIME_MS);
  }

  /** Total size of the payloads so far. */
  get answerBytes(): number {
    return Math.min(MAX_ANSWER_BYTES, MAX_ANSWER_BYTES - this.#left);
  }

  /** The outcome of an item that is not started because no time, or no room in the response, is left. */
  checkSpent(item: BatchItem): Outcome | undefined {
    if (this.#left < 0) return tooLarge(item);
    if (this.#monotonic() < this.#end) return undefined;
    return { item, status: 'OperationFailed', reason: 'ServerLimitExceeded', message: 'the batch took too long; send the remaining items in a new request' };
  }

  /** The outcome, unless its payload makes the response to the batch too large. What was changed is told all the same: such answers are short. */
  checkSize(outcome: Outcome): Outcome {
    if (!outcome.payload) return outcome;
    const size = binarySize(structure(TAG.ResponsePayload, outcome.payload));
    this.#left -= size;
    return this.#left < 0 && !isChange(outcome.item, this.#operations) ? tooLarge(outcome.item) : outcome;
  }

  /** Whether the batch has held the thread for too long. */
  get isTurnOver(): boolean {
    return this.#monotonic() - this.#turn >= TURN;
  }

  /** Called between two items: lets other requests run if it is time. */
  async turn(): Promise<void> {
    if (!this.isTurnOver) return;
    await setImmediate();
    this.#turn = this.#monotonic();
  }
}

function tooLarge(item: BatchItem): Outcome {
  return {
    item,
    status: 'OperationFailed',
    reason: 'ResponseTooLarge',
    message: `TOO_LARGE: the response to a batch can have at most ${MAX_ANSWER_BYTES} bytes`,
  };
}
