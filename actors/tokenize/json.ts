// Parses the body of a request: strict UTF-8, and a JSON object whose numbers keep all digits.
import { type LosslessNumber, parse } from 'lossless-json';
import { refuse } from './refuse.ts';

/** The parser recurses for each level; no request needs more than two. */
const MAX_DEPTH = 16;

const utf8 = new TextDecoder('utf-8', { fatal: true });

export type Json = null | boolean | string | LosslessNumber | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

export function readObject(bytes: Uint8Array): JsonObject {
  const text = decode(bytes);
  if (text.trim() === '') refuse('the body is empty: send a JSON object');
  if (depth(text) > MAX_DEPTH) refuse(`the body has more than ${MAX_DEPTH} levels of nesting`);
  const value = read(text);
  if (!isObject(value)) refuse('the body must be a JSON object');
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return refuse('the body is not valid UTF-8');
  }
}

function read(text: string): Json {
  try {
    return parse(text) as Json;
  } catch {
    return refuse('the body is not valid JSON');
  }
}

/** Counts brackets outside of strings; the parser checks their order. A loop, because a regex would take quadratic time for an unclosed string. */
function depth(text: string): number {
  let level = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') inString = !inString;
    else if (inString) at += char === '\\' ? 1 : 0;
    else if (char === '[' || char === '{') deepest = Math.max(deepest, ++level);
    else if (char === ']' || char === '}') level--;
  }
  return deepest;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('isLosslessNumber' in value && value.isLosslessNumber === true);
}
