// The right of somebody else to use a key: granted and taken by its owner, as often as the owner likes.
import { answers, type Model } from '../model.ts';

/** Whether the right is there. */
const right: Model<boolean> = {
  kind: 'grant',
  initial: false,
  isCached: true,
  reads: new Set(['use']),
  next(isThere, deed) {
    if (deed.name === 'grant') return answers(deed, 'done', true);
    if (deed.name === 'revoke') return answers(deed, 'done', false);
    return deed.name === 'use' ? answers(deed, isThere ? 'accepted' : 'refused', isThere) : [];
  },
};

export const GRANT: Model = right as Model;
