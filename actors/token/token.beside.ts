// Looks up an app token in the caller's thread: reads its row once, so that a token revoked anywhere is refused at once.
import { defineBeside } from '../../kernel/actor.ts';
import type { TokenApi } from './api.ts';
import type { TokenArgs } from './token.actor.ts';
import { readToken } from './tokens.ts';

export default defineBeside<TokenApi, TokenArgs>(async (_args, { clock, openReader }) => {
  const store = await openReader();
  return {
    api: { look: (digest) => readToken(store, digest, clock.now()) },
    stop: () => store.close(),
  };
});
