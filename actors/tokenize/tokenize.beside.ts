// Anonymization in the thread of its callers: small requests that take microseconds. Whatever may reach the time limit is left to the threads that it can end.
import { defineBeside, ELSEWHERE } from '../../kernel/actor.ts';
import type { TokenizeApi } from './api.ts';

/** Limit for a body. The slowest one of this size takes less than a millisecond. */
const MAX_BYTES = 2_048;

export default defineBeside<TokenizeApi, null>(() => {
  // Loaded with the first request: most servers are never asked.
  let loading: Promise<typeof import('./small-requests.ts')> | undefined;
  let loaded: typeof import('./small-requests.ts') | undefined;
  return {
    api: {
      run(method, body) {
        if (method === 'word-pattern-mask' || body.byteLength > MAX_BYTES) throw ELSEWHERE;
        if (loaded) return loaded.answerSmall(method, body);
        loading ??= import('./small-requests.ts');
        return loading.then((module) => {
          loaded = module;
          return module.answerSmall(method, body);
        });
      },
    },
  };
});
