// Faults of the AI runner.
import { Fault, type FaultTable } from '../../kernel/fault.ts';

export const AI_FAULTS = Object.freeze({
  // The detail names the quota and the limit. What is there is not affected.
  AI_QUOTA_EXCEEDED: { status: 429, message: 'the quota is used up' },
  AI_BASE_TOO_LARGE: { status: 503, message: 'the base has more words than fit into memory: delete references' },
  AI_BASE_BUSY: {
    status: 503,
    message: 'the base could not be searched within the time limit: it is being read into memory, or much is asked; try again later',
    retry: true,
  },
  MODEL_NOT_INSTALLED: { status: 503, message: 'no model that can do this is installed' },
  MODEL_FAILED: { status: 503, message: 'the model could not be loaded, or has crashed too often; try again later', retry: true },
  MODEL_BUSY: { status: 503, message: 'too many requests wait for the model; try again later', retry: true },
  MODEL_SHARE: { status: 429, message: 'too many requests of yours wait for the model; try again later', retry: true },
  MODEL_TIME_LIMIT: { status: 422, message: 'the work takes longer than the time limit: send less text, or a smaller file' },
}) satisfies FaultTable;

/** For work of a thread that was ended, and changed nothing: DEADLINE's "the outcome is unknown" does not apply. */
export function refuseLate(error: unknown): never {
  throw late(error, 'MODEL_TIME_LIMIT');
}

/** For a search: that it takes long is not due to the question, and a base that is being read goes on to be read. */
export function refuseLateSearch(error: unknown): never {
  throw late(error, 'AI_BASE_BUSY');
}

function late(error: unknown, code: keyof typeof AI_FAULTS): unknown {
  return error instanceof Fault && error.code === 'DEADLINE' ? new Fault(code, { cause: error }) : error;
}
