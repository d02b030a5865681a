// The method hash: SHA-256, SHA3-256 or Argon2id of a text, with a salt.
import { createHash } from 'node:crypto';
import { hashRawSync } from '@node-rs/argon2';
import type { Members } from './members.ts';
import { refuse } from './refuse.ts';

const ALGORITHMS = { SHA2: 'sha256', SHA3: 'sha3-256' } as const;
/** Algorithm 2 is Argon2id in the binding, which uses version 1.3 by default. */
const COST = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const;
const MIN_SALT_BYTES = 8;
/** Characters of base64. */
const MAX_SALT = 65_536;

export function hash(members: Members): string {
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

function argon2(data: string, salt: Buffer | undefined): Buffer {
  if (!salt) return refuse('salt: is missing; Argon2 needs one');
  if (salt.length < MIN_SALT_BYTES) return refuse(`salt: Argon2 needs at least ${MIN_SALT_BYTES} bytes`);
  return hashRawSync(data, { ...COST, salt });
}

/** Accepts only canonical base64: standard alphabet, with padding, no unused bits set. */
function base64(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : refuse('salt: must be base64 with padding');
}
