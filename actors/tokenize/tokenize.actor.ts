// Anonymization on dedicated threads: stateless, and ended from outside when a request takes too long.
import { defineActor } from '../../kernel/actor.ts';
import type { TokenizeApi, TokenizeMethod } from './api.ts';
import { tokenize } from './methods.ts';
import { cryptographicRandom } from './random.ts';

/** Runs once at the start to warm up the code: the time limit is too short for a first run. */
const FIRST: readonly (readonly [TokenizeMethod, object])[] = [
  ['hash', { data: 'a', method: 'Argon2', salt: 'YWJjZGVmZ2g=' }],
  ['hash', { data: 'a', method: 'SHA3' }],
  ['noise', { data: '2024-01-01T00:00:00Z', data_type: 'date', method: 'Gaussian', mean: 0, std_dev: 1 }],
  ['word-tokenize', { data: 'a b', words: ['a'] }],
  ['word-pattern-mask', { data: 'a b', pattern: '\\pL+', replace: 'c' }],
  ['aggregate-number', { data: 1.5, data_type: 'float', power_of_ten: 0 }],
  ['aggregate-date', { data: '2024-01-01T00:00:00Z', time_unit: 'Day' }],
  ['scale-number', { data: 1, data_type: 'integer', mean: 0, std_deviation: 3, scale: 1, translate: 0 }],
];

export default defineActor<TokenizeApi, null>(() => {
  const random = cryptographicRandom();
  const utf8 = new TextEncoder();
  for (const [method, body] of FIRST) tokenize(method, utf8.encode(JSON.stringify(body)), random);
  return { api: { run: (method, body) => tokenize(method, body, random) } };
});
