// Parses the body of a request: strict UTF-8, and a JSON object whose numbers keep all digits.
import { type LosslessNumber, parse } from 'lossless-json';
import { isTooDeep, MAX_DEPTH } from '../../kernel/http/body/nesting.ts';
import { findRepeatedMember } from '../../text/repeated-member.ts';
import { refuse } from './refuse.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export type Json = null | boolean | string | LosslessNumber | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

export function readObject(bytes: Uint8Array): JsonObject {
  const text = decode(bytes);
  if (text.trim() === '') refuse('the body is empty: send a JSON object');
  // The parser recurses for each level.
  if (isTooDeep(bytes)) refuse(`the body has more than ${MAX_DEPTH} levels of nesting`);
  const value = read(text);
  if (!isObject(value)) refuse('the body must be a JSON object');
  const repeated = findRepeatedMember(bytes);
  if (repeated !== undefined) refuse(`${repeated}: stands twice in its object`);
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return refuse('the body is not valid UTF-8');
  }
}

/** The parser itself would pass over a member that stands twice with one value, and not name one with two: `readObject` looks for both. */
function read(text: string): Json {
  try {
    return parse(text, undefined, { onDuplicateKey: () => undefined }) as Json;
  } catch {
    return refuse('the body is not valid JSON');
  }
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('isLosslessNumber' in value && value.isLosslessNumber === true);
}
