// All methods by name.
import type { TokenizeMethod } from './api.ts';
import { argon2 } from './argon2.ts';
import { hash } from './hash.ts';
import { answer, type Method } from './method.ts';
import { wordPatternMask } from './pattern.ts';
import { HASH, QUICK_METHODS } from './quick-methods.ts';
import type { Random } from './random.ts';

const METHODS: Readonly<Record<TokenizeMethod, Method>> = {
  ...QUICK_METHODS,
  hash: { ...HASH, run: (members) => hash(members, argon2) },
  'word-pattern-mask': { required: ['data', 'pattern', 'replace'], run: wordPatternMask },
};

/** @returns JSON text of the answer: one object with the one member `result` */
export function tokenize(name: TokenizeMethod, body: Uint8Array, random: Random): string {
  return answer(METHODS[name], body, random);
}
