// Refuses a form or a file: the message tells the client what is wrong with it.
import { Fault } from '../../kernel/fault.ts';

export function refuse(detail: string, cause?: unknown): Fault {
  return new Fault('BAD_REQUEST', { detail, cause });
}
