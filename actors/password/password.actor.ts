// Argon2id on dedicated threads. Calls are synchronous, so that libuv's thread pool stays free for others.
import { randomBytes } from 'node:crypto';
import { hashSync, verifySync } from '@node-rs/argon2';
import { defineActor } from '../../kernel/actor.ts';
import type { PasswordApi } from './api.ts';
import { COST } from './cost.ts';

/** What the binding chooses for a new hash. */
const SALT_BYTES = 16;

export default defineActor<PasswordApi, null>(() => {
  // Passwords of unknown users are compared with this hash: it never matches, and costs as much as a real one.
  const nobody = hashOfNobody();
  return {
    api: {
      hash(password) {
        try {
          return hashSync(password, COST);
        } finally {
          password.fill(0);
        }
      },
      verify(phc, password) {
        try {
          return verifySync(phc ?? nobody, password) && phc !== null;
        } finally {
          password.fill(0);
        }
      },
    },
  };
});

/** @returns a PHC string (https://github.com/P-H-C/phc-string-format) of no known password. To find one for it is to find a preimage; a hash of a random password would cost each start of the thread as much as a sign-in */
function hashOfNobody(): string {
  const { memoryCost, timeCost, parallelism, outputLen } = COST;
  const [salt, digest] = [SALT_BYTES, outputLen].map((bytes) => randomBytes(bytes).toString('base64').replaceAll('=', ''));
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${salt}$${digest}`;
}
