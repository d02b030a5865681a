// Why a call on a token failed, in the form in which it crosses from the thread that ran it.
import { AnswerMalformed } from '../token/answer-length.ts';
import { KeyExists } from '../token/free-name.ts';
import { MechanismMissing } from '../token/mechanism.ts';
import { PinWanted } from '../token/pin-wanted.ts';
import { nameOf, returnValue } from '../token/return-value.ts';
import { KeyAmbiguous, KeyMissing } from '../token/token.ts';
import { InputWrong } from './part-work.ts';

/** What this server says itself of a call: most of it before it called the token. */
const KINDS = { KeyMissing, KeyAmbiguous, KeyExists, InputWrong, AnswerMalformed, MechanismMissing, PinWanted } as const;

export interface WorkError {
  /** `token`: the token said `code`; `other`: neither it nor this server did on purpose. */
  readonly kind: keyof typeof KINDS | 'token' | 'other';
  readonly text: string;
  readonly code?: number;
}

export function encodeError(error: unknown): WorkError {
  if (error instanceof MechanismMissing) return { kind: 'MechanismMissing', text: error.mechanism };
  const code = returnValue(error);
  if (code !== undefined) return { kind: 'token', text: nameOf(error), code };
  const known = (Object.keys(KINDS) as (keyof typeof KINDS)[]).find((kind) => error instanceof KINDS[kind]);
  return { kind: known ?? 'other', text: nameOf(error) };
}

export function decodeError({ kind, text, code }: WorkError): Error {
  if (kind === 'token') return Object.assign(new Error(text), { code });
  return kind === 'other' ? new Error(text) : new KINDS[kind](text);
}
