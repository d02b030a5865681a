// Argon2id on threads of its own: synchronous calls, so that libuv's pool stays free for everybody else.
import { randomBytes } from 'node:crypto';
import { hashSync, verifySync } from '@node-rs/argon2';
import { defineActor } from '../../kernel/actor.ts';
import type { PasswordApi } from './api.ts';

/** The server's cost, RFC 9106: 64 MiB, 3 passes, 4 lanes. The algorithm is Argon2id (2) by the binding's numbers. */
const COST = { algorithm: 2, memoryCost: 65_536, timeCost: 3, parallelism: 4, outputLen: 32 } as const;

export default defineActor<PasswordApi, null>(() => {
  // What an unknown user's password is compared with: never equal, and as costly as a real one.
  const nobody = hashSync(new Uint8Array(randomBytes(32)), COST);
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
