// The methods whose time is bound by the size of their request, which any thread may serve.
import { aggregateDate } from './aggregate-date.ts';
import type { TokenizeMethod } from './api.ts';
import type { Method } from './method.ts';
import { noise } from './noise.ts';
import { aggregateNumber, scaleNumber } from './numbers.ts';
import { wordMask, wordTokenize } from './words.ts';

/** The method hash is one too, but for Argon2. */
export const HASH = { required: ['data', 'method'], optional: ['salt'] } as const;

export const QUICK_METHODS: Readonly<Record<Exclude<TokenizeMethod, 'hash' | 'word-pattern-mask'>, Method>> = {
  noise: { required: ['data', 'data_type', 'method'], optional: ['mean', 'std_dev', 'min_bound', 'max_bound'], run: noise },
  'word-mask': { required: ['data', 'words'], run: wordMask },
  'word-tokenize': { required: ['data', 'words'], run: wordTokenize },
  'aggregate-number': { required: ['data', 'data_type', 'power_of_ten'], run: aggregateNumber },
  'aggregate-date': { required: ['data', 'time_unit'], run: aggregateDate },
  'scale-number': { required: ['data', 'data_type', 'mean', 'std_deviation', 'scale', 'translate'], run: scaleNumber },
};
