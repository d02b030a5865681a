// The errors that this server raises itself before it calls a token, and what the caller learns of any error.
import type { HsmFailure } from '../api.ts';
import { AnswerMalformed } from '../token/answer-length.ts';
import { KeyExists } from '../token/free-name.ts';
import { MechanismMissing } from '../token/mechanism.ts';
import { PinUnread, PinWanted } from '../token/pin-wanted.ts';
import { isStaleSession, nameOf, returnValue } from '../token/return-value.ts';
import { KeyAmbiguous, KeyMissing } from '../token/token.ts';
import { UnwrapRefused } from '../token/unwrapped-keys.ts';
import { InputWrong } from './part-work.ts';
import { PartsEnded, PartsFull } from './parts.ts';

const EXPECTED = [
  [KeyMissing, 'absent'],
  [KeyAmbiguous, 'ambiguous'],
  [KeyExists, 'exists'],
  [PartsEnded, 'ended'],
  [PartsFull, 'full'],
  [InputWrong, 'input'],
  [UnwrapRefused, 'refused'],
  [AnswerMalformed, 'malformed'],
] as const;

/** After such an error no operation of the token is under way. */
export const isExpected = (error: unknown): boolean => error instanceof MechanismMissing || EXPECTED.some(([kind]) => error instanceof kind);

/** @throws the error itself, if it is neither of the token nor expected */
export function failureOf(error: unknown): HsmFailure {
  const expected = EXPECTED.find(([kind]) => error instanceof kind);
  if (expected) return { why: expected[1], text: (error as Error).message };
  if (error instanceof MechanismMissing) return { why: 'mechanism', text: error.mechanism };
  if (error instanceof PinWanted) return { why: 'pin', text: error.message };
  if (error instanceof PinUnread) return { why: 'unavailable', text: error.message };
  if (returnValue(error) === undefined) throw error;
  return isStaleSession(error) ? { why: 'unavailable', text: nameOf(error) } : { why: 'refused', text: nameOf(error) };
}
