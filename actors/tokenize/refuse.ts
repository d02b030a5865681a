// Refuses a request that cannot be served.
import { Fault } from '../../kernel/fault.ts';

/** @param detail the message of the answer, which the client sees */
export function refuse(detail: string): never {
  throw new Fault('TOKENIZE_REFUSED', { detail });
}
