// The error of a KMIP operation: a result reason and a message for the client.
import type { ENUM } from './ttlv/enumeration.ts';

export type ResultReason = keyof typeof ENUM.ResultReason;

/** A message may repeat what the client sent, such as an identifier of megabytes. */
const MAX_CHARACTERS = 2_000;

/** A failed operation. The response contains the code of `reason`, and `message` as ResultMessage. It must never contain a secret. */
export class Refusal extends Error {
  readonly reason: ResultReason;

  /** @param cause for the log only */
  constructor(reason: ResultReason, message: string, cause?: unknown) {
    super(message.length > MAX_CHARACTERS ? `${message.slice(0, MAX_CHARACTERS).toWellFormed()}…` : message, cause === undefined ? undefined : { cause });
    this.name = 'Refusal';
    this.reason = reason;
  }

  /** Reason and message in one line, for output that has no separate fields for them. */
  get detail(): string {
    return `${spellReason(this.reason)}: ${this.message}`;
  }
}

/** Whether an object is not there, or its caller must not know of it. */
export const isAbsence = (error: unknown): error is Refusal =>
  error instanceof Refusal && (error.reason === 'ObjectNotFound' || error.reason === 'ItemNotFound');

/** A refusal that no other request would have escaped: what the operation needs, such as a token, cannot do it now. */
export class Unavailable extends Refusal {}

/** Turns `ItemNotFound` into `Item_Not_Found`, similar to the specification's text. */
export function spellReason(reason: ResultReason): string {
  return reason.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_');
}
