// The methods word-mask and word-tokenize: listed words of a text replaced.
import { randomBytes } from 'node:crypto';
import { findEntries } from './entries.ts';
import type { Members } from './members.ts';

const MASK = 'XXXX';
const TOKEN_BYTES = 16;

export function wordMask(members: Members): string {
  return replaced(members, () => MASK);
}

/** Tokens live as long as the request: the same word has another one in the next. */
export function wordTokenize(members: Members): string {
  const tokens = new Map<string, string>();
  return replaced(members, (entry) => {
    const token = tokens.get(entry) ?? randomBytes(TOKEN_BYTES).toString('hex').toUpperCase();
    tokens.set(entry, token);
    return token;
  });
}

/** What is no hit stays as it was written. */
function replaced(members: Members, by: (entry: string) => string): string {
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
