// The methods word-mask and word-tokenize: listed words of a text, found in one pass.
import { randomBytes } from 'node:crypto';
import type { Members } from './members.ts';

/** A word: letters, marks, numbers, connecting punctuation, and between them what joins letters invisibly. A hyphen or an apostrophe ends it. */
const WORD = /[\p{Alphabetic}\p{L}\p{M}\p{N}\p{Pc}]+(?:\p{Join_Control}+[\p{Alphabetic}\p{L}\p{M}\p{N}\p{Pc}]+)*/gu;
const MASK = 'XXXX';
const TOKEN_BYTES = 16;

export function wordMask(members: Members): string {
  return replaced(members, () => MASK);
}

/** Tokens live as long as the request: the same word has another one in the next. */
export function wordTokenize(members: Members): string {
  const tokens = new Map<string, string>();
  return replaced(members, (key) => {
    const token = tokens.get(key) ?? randomBytes(TOKEN_BYTES).toString('hex').toUpperCase();
    tokens.set(key, token);
    return token;
  });
}

function replaced(members: Members, by: (key: string) => string): string {
  const data = members.text('data');
  const listed = new Set(members.texts('words').map(keyOf));
  const hit = (word: string) => {
    const key = keyOf(word);
    return listed.has(key) ? by(key) : word;
  };
  return JSON.stringify(data.replace(WORD, hit));
}

/** Words are compared without case, and composed: an accent may be written in two ways. What is no hit stays as it was written. */
function keyOf(word: string): string {
  return word.toLowerCase().normalize('NFC');
}
