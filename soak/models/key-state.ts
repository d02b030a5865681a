// The life of a key (KMIP specification 2.1 section 3.22): made, activated, deactivated, destroyed; only an active one protects data.
import { answers, type Model } from '../model.ts';

type State = 'PreActive' | 'Active' | 'Deactivated' | 'Destroyed';

const machine: Model<State> = {
  kind: 'key state',
  initial: 'PreActive',
  isCached: true,
  reads: new Set(['read', 'use']),
  next(state, deed) {
    if (deed.name === 'read') return answers(deed, state, state);
    if (deed.name === 'use') return answers(deed, state === 'Active' ? 'accepted' : 'refused', state);
    if (deed.name === 'activate') return state === 'PreActive' ? answers(deed, 'done', 'Active') : answers(deed, 'refused', state);
    // To revoke what is revoked already is no mistake.
    if (deed.name === 'revoke') return answers(deed, 'done', state === 'Destroyed' ? state : 'Deactivated');
    if (deed.name === 'destroy') return state === 'Active' || state === 'Destroyed' ? answers(deed, 'refused', state) : answers(deed, 'done', 'Destroyed');
    return [];
  },
};

export const KEY_STATE: Model = machine as Model;
