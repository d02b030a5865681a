// Secret ids and keys with usage limits: each use takes one of a fixed number, whoever asks, and none comes back.
import { answers, type Model } from '../model.ts';

/** -1: destroyed. */
type Left = number;

/** The input of `make` is the number of uses. A secret id that is used up says so, until it is destroyed. */
export function secretId(uses: number): Model {
  const model: Model<Left> = {
    kind: 'secret id',
    initial: uses,
    reads: new Set(),
    next(left, deed) {
      if (deed.name === 'destroy') return answers(deed, 'destroyed', -1);
      if (deed.name !== 'use') return [];
      if (left === -1) return answers(deed, 'unknown', left);
      return left === 0 ? answers(deed, 'exhausted', left) : answers(deed, 'accepted', left - 1);
    },
  };
  return model as Model;
}

/** A use without an answer may have taken its unit. `read` tells how many are left. */
export function usageLimit(uses: number): Model {
  const model: Model<Left> = {
    kind: 'usage limit',
    initial: uses,
    reads: new Set(['read']),
    next(left, deed) {
      if (deed.name === 'read') return answers(deed, left, left);
      if (deed.name !== 'use') return [];
      return left === 0 ? answers(deed, 'refused', left) : answers(deed, 'accepted', left - 1);
    },
  };
  return model as Model;
}
