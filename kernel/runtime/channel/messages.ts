// The messages of a channel: numbered calls, their answers, and control messages. Each is a short array, which costs less to clone than an object.
import type { FaultWire } from '../../fault.ts';
import { isRecord } from '../../record.ts';

/** The first element of a message says what it is. */
export const CALL = 0;
export const VALUE = 1;
export const FAULT = 2;
export const CONTROL = 3;

/** The caller chooses `n`, a number that no other call of this channel has. `trace` names the span of the call, if it is traced. */
export type CallMessage = readonly [kind: typeof CALL, n: number, method: string, requestId: string | undefined, args: readonly unknown[], trace?: string];
/** `ms` is how long the actor worked on the call. */
export type ValueMessage = readonly [kind: typeof VALUE, n: number, ms: number, value: unknown];
export type FaultMessage = readonly [kind: typeof FAULT, n: number, ms: number, fault: FaultWire];
/** The answer to a call. Errors are not thrown across a channel, because their code and cause would be lost. */
export type Answer = ValueMessage | FaultMessage;
export type ControlMessage = readonly [kind: typeof CONTROL, control: Control];
export type Message = CallMessage | Answer | ControlMessage;

/** A control message between host and supervisor. Its other members depend on `kind`. */
export interface Control {
  readonly kind: string;
  readonly [member: string]: unknown;
}

/** @returns the answer to a call that could not be served for a reason of the kernel's own; `trace` is for the log only */
export function internalFault(n: number, trace: string): FaultMessage {
  return [FAULT, n, 0, { code: 'INTERNAL', trace }];
}

/**
 * Checks what arrived on a channel: the other end may be a process whose native library went astray.
 * @returns undefined for anything that is not a message; a malformed answer to a call becomes a fault, so that its caller does not wait
 */
export function readMessage(value: unknown): Message | undefined {
  if (!Array.isArray(value)) return undefined;
  const [kind, second, third, fourth, fifth, sixth] = value as readonly unknown[];
  if (kind === CONTROL) return isRecord(second) && typeof second['kind'] === 'string' ? (value as unknown as ControlMessage) : undefined;
  if (!Number.isSafeInteger(second)) return undefined;
  const n = second as number;
  if (kind === VALUE) return isDuration(third) ? (value as unknown as ValueMessage) : internalFault(n, 'a malformed answer');
  if (kind === FAULT) return isDuration(third) && isFault(fourth) ? (value as unknown as FaultMessage) : internalFault(n, 'a malformed fault');
  if (kind !== CALL || typeof third !== 'string' || !Array.isArray(fifth)) return undefined;
  return isTextOrNone(fourth) && isTextOrNone(sixth) ? (value as unknown as CallMessage) : undefined;
}

function isTextOrNone(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY;
}

/** Metrics and logs have the code as a label, so it must look like one. */
const CODE = /^[A-Z][A-Z0-9_]{0,63}$/;

export function isFault(value: unknown): value is FaultWire {
  if (!isRecord(value) || typeof value['code'] !== 'string' || !CODE.test(value['code'])) return false;
  const { detail, errors } = value;
  return (
    (detail === undefined || typeof detail === 'string') &&
    (errors === undefined || (Array.isArray(errors) && errors.every((error) => typeof error === 'string')))
  );
}
