// What the key server refuses with: a KMIP result reason and a sentence for the client.
import { Fault } from '../kernel/fault.ts';
import type { ENUM } from './ttlv/enumeration.ts';

export type ResultReason = keyof typeof ENUM.ResultReason;

/** A failed operation: the reason goes into the answer by its code, `message` as its ResultMessage. Never holds a secret. */
export class Refusal extends Fault {
  readonly reason: ResultReason;
  override readonly message: string;

  constructor(reason: ResultReason, message: string, cause?: unknown) {
    super('KEYS_REFUSED', { detail: `${spelled(reason)}: ${message}`, cause });
    this.reason = reason;
    this.message = message;
  }
}

/** `ItemNotFound` as the specification's prose has it in one word: `Item_Not_Found`. */
export function spelled(reason: ResultReason): string {
  return reason.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_');
}
