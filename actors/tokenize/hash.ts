// The method hash: SHA-256, SHA3-256 or Argon2id of a text, with a salt.
import { createHash } from 'node:crypto';
import type { Members } from './members.ts';
import { refuse } from './refuse.ts';

const ALGORITHMS = { SHA2: 'sha256', SHA3: 'sha3-256' } as const;
/** Characters of base64. */
const MAX_SALT = 65_536;

/** @param argon2 it takes milliseconds and much memory, and so is not computed in every thread */
export function hash(members: Members, argon2: (data: string, salt: Buffer | undefined) => Buffer): string {
  const data = members.text('data');
  const method = members.oneOf('method', ['SHA2', 'SHA3', 'Argon2']);
  const salt = members.has('salt') ? base64(members.text('salt', MAX_SALT)) : undefined;
  if (method === 'Argon2') return JSON.stringify(argon2(data, salt).toString('base64'));
  return JSON.stringify(
    createHash(ALGORITHMS[method])
      .update(salt ?? '')
      .update(data)
      .digest('base64'),
  );
}

/** Accepts only canonical base64: standard alphabet, with padding, no unused bits set. */
function base64(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : refuse('salt: must be base64 with padding');
}
