// What the anonymization endpoints refuse with; their routes word it in a body of their own.
import type { FaultTable } from '../../kernel/fault.ts';

export const TOKENIZE_FAULTS = Object.freeze({
  TOKENIZE_REFUSED: { status: 422, message: 'the request cannot be served' },
  TOKENIZE_TIME_LIMIT: { status: 422, message: 'the work takes longer than the time limit' },
}) satisfies FaultTable;
