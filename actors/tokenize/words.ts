// The methods word-mask and word-tokenize: replace listed words in a text.
import { randomBytes } from 'node:crypto';
import { findEntries } from './entries.ts';
import type { Members } from './members.ts';

const MASK = 'XXXX';
const TOKEN_BYTES = 16;

export function wordMask(members: Members): string {
  return replaceWords(members, () => MASK);
}

/** Tokens are valid for one request: the same word gets a different token in the next. */
export function wordTokenize(members: Members): string {
  const tokens = new Map<string, string>();
  return replaceWords(members, (entry) => {
    const token = tokens.get(entry) ?? randomBytes(TOKEN_BYTES).toString('hex').toUpperCase();
    tokens.set(entry, token);
    return token;
  });
}

/** Text outside of the listed words stays unchanged. */
function replaceWords(members: Members, by: (entry: string) => string): string {
  const data = members.text('data');
  const parts: string[] = [];
  let copied = 0;
  for (const { entry, start, end } of findEntries(data, members.texts('words'))) {
    parts.push(data.slice(copied, start), by(entry));
    copied = end;
  }
  parts.push(data.slice(copied));
  return JSON.stringify(parts.join(''));
}
