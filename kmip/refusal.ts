// What an operation of KMIP is refused with: a result reason and a sentence for the client.
import type { ENUM } from './ttlv/enumeration.ts';

export type ResultReason = keyof typeof ENUM.ResultReason;

/** A failed operation: the reason goes into the answer by its code, `message` as its ResultMessage. Never holds a secret. */
export class Refusal extends Error {
  readonly reason: ResultReason;

  /** @param cause for the log only */
  constructor(reason: ResultReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'Refusal';
    this.reason = reason;
  }

  /** Reason and message in one line, where there are no fields for them. */
  get detail(): string {
    return `${spellReason(this.reason)}: ${this.message}`;
  }
}

/** `ItemNotFound` as the specification's prose has it in one word: `Item_Not_Found`. */
export function spellReason(reason: ResultReason): string {
  return reason.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_');
}
