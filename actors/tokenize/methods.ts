// The methods by name, each with the members of its body.
import { aggregateDate } from './aggregate-date.ts';
import type { TokenizeMethod } from './api.ts';
import { hash } from './hash.ts';
import { readObject } from './json.ts';
import { Members } from './members.ts';
import { noise } from './noise.ts';
import { aggregateNumber, scaleNumber } from './numbers.ts';
import { wordPatternMask } from './pattern.ts';
import type { Random } from './random.ts';
import { wordMask, wordTokenize } from './words.ts';

interface Method {
  readonly required: readonly string[];
  readonly optional?: readonly string[];
  /** @returns JSON text of the result */
  readonly run: (members: Members, random: Random) => string;
}

const METHODS: Readonly<Record<TokenizeMethod, Method>> = {
  hash: { required: ['data', 'method'], optional: ['salt'], run: hash },
  noise: { required: ['data', 'data_type', 'method'], optional: ['mean', 'std_dev', 'min_bound', 'max_bound'], run: noise },
  'word-mask': { required: ['data', 'words'], run: wordMask },
  'word-tokenize': { required: ['data', 'words'], run: wordTokenize },
  'word-pattern-mask': { required: ['data', 'pattern', 'replace'], run: wordPatternMask },
  'aggregate-number': { required: ['data', 'data_type', 'power_of_ten'], run: aggregateNumber },
  'aggregate-date': { required: ['data', 'time_unit'], run: aggregateDate },
  'scale-number': { required: ['data', 'data_type', 'mean', 'std_deviation', 'scale', 'translate'], run: scaleNumber },
};

/** @returns JSON text of the answer: one object with the one member `result` */
export function tokenize(name: TokenizeMethod, body: Uint8Array, random: Random): string {
  const { required, optional, run } = METHODS[name];
  return `{"result":${run(new Members(readObject(body), required, optional), random)}}`;
}
