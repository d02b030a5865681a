// A password actor whose hash costs a millisecond or two, the same with and without a hash to compare with, like the real one.
import { scryptSync, timingSafeEqual } from 'node:crypto';
import type { PasswordApi } from '../../actors/password/api.ts';
import { defineActor } from '../../kernel/actor.ts';

const SALT = Buffer.alloc(16, 1);
const COST = { N: 512, r: 8, p: 1 };

const derive = (password: Uint8Array) => scryptSync(password, SALT, 32, COST);
const phcOf = (password: Uint8Array) => `quick:${derive(password).toString('base64')}`;

export default defineActor<PasswordApi, null>(() => {
  const nobody = phcOf(SALT);
  return {
    api: {
      hash: phcOf,
      verify(phc, password) {
        // The first admin and all others are made with this fake: every hash is one of its own.
        const expected = Buffer.from((phc ?? nobody).slice('quick:'.length), 'base64');
        return timingSafeEqual(derive(password), expected) && phc !== null;
      },
    },
  };
});
