// Faults of the anonymization endpoints; their routes answer with an error body of their own.
import type { FaultTable } from '../../kernel/fault.ts';

export const TOKENIZE_FAULTS = Object.freeze({
  TOKENIZE_REFUSED: { status: 422, message: 'the request cannot be served' },
  TOKENIZE_TIME_LIMIT: { status: 422, message: 'the request takes longer than the time limit: send less data' },
}) satisfies FaultTable;
