// Argon2id of a text, for the method hash.
import { hashRawSync } from '@node-rs/argon2';
import { refuse } from './refuse.ts';

/** Algorithm 2 is Argon2id in the binding, which uses version 1.3 by default. */
const COST = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const;
const MIN_SALT_BYTES = 8;

export function argon2(data: string, salt: Buffer | undefined): Buffer {
  if (!salt) return refuse('salt: is missing; Argon2 needs one');
  if (salt.length < MIN_SALT_BYTES) return refuse(`salt: Argon2 needs at least ${MIN_SALT_BYTES} bytes`);
  return hashRawSync(data, { ...COST, salt });
}
