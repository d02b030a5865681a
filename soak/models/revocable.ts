// Sessions and app tokens: valid from the answer that gave them, until they are ended once and for all.
import { answers, type Model } from '../model.ts';

type State = 'live' | 'ended';

const revocable = (kind: string): Model<State> => ({
  kind,
  initial: 'live',
  isCached: true,
  reads: new Set(['use']),
  next(state, deed) {
    if (deed.name === 'end') return answers(deed, 'ended', 'ended');
    // Renewals are uses that write.
    if (deed.name === 'use' || deed.name === 'renew') return answers(deed, state === 'live' ? 'accepted' : 'refused', state);
    // Whoever ends it with itself is refused once it has ended.
    if (deed.name === 'end-itself') return answers(deed, state === 'live' ? 'ended' : 'refused', 'ended');
    return [];
  },
});

export const SESSION: Model = revocable('session') as Model;
export const TOKEN: Model = revocable('token') as Model;
