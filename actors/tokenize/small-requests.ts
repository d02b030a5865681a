// Serves what is quick of the anonymization methods, and leaves Argon2 to the actor.
import { ELSEWHERE } from '../../kernel/actor.ts';
import type { TokenizeMethod } from './api.ts';
import { hash } from './hash.ts';
import { answer, type Method } from './method.ts';
import { HASH, QUICK_METHODS } from './quick-methods.ts';
import { cryptographicRandom } from './random.ts';

const METHODS: Readonly<Record<Exclude<TokenizeMethod, 'word-pattern-mask'>, Method>> = {
  ...QUICK_METHODS,
  hash: { ...HASH, run: (members) => hash(members, leave) },
};

const random = cryptographicRandom();

/** @returns as TokenizeApi.run */
export function answerSmall(method: keyof typeof METHODS, body: Uint8Array): string {
  return answer(METHODS[method], body, random);
}

function leave(): never {
  throw ELSEWHERE;
}
