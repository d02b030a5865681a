// Looks up an app token in the caller's thread.
import { defineBeside } from '../../kernel/actor.ts';
import type { TokenApi } from './api.ts';
import type { TokenArgs } from './token.actor.ts';
import { TokenCache } from './token-cache.ts';

export default defineBeside<TokenApi, TokenArgs>(async (_args, { clock, openReader, versions }) => {
  const store = await openReader();
  const tokens = new TokenCache(store, versions);
  return {
    api: { look: (digest, source) => tokens.look(digest, source, clock.now()) },
    stop: () => store.close(),
  };
});
