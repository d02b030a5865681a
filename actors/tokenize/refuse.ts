// The one way to say that a request cannot be served.
import { Fault } from '../../kernel/fault.ts';

/** @param detail public, and the message of the answer */
export function refuse(detail: string): never {
  throw new Fault('TOKENIZE_REFUSED', { detail });
}
