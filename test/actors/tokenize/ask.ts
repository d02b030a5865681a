// Asks a method of the tokenize actor without its thread: the result as JSON reads it, its text, or the words of the refusal.
import type { TokenizeMethod } from '../../../actors/tokenize/api.ts';
import { tokenize } from '../../../actors/tokenize/methods.ts';
import { cryptographicRandom, type Random } from '../../../actors/tokenize/random.ts';
import { Fault } from '../../../kernel/fault.ts';

const system = cryptographicRandom();

/** @param body an object, or JSON text where digits matter @returns JSON text of the answer */
export function answerText(method: TokenizeMethod, body: unknown, random: Random = system): string {
  return tokenize(method, new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)), random);
}

// biome-ignore lint/suspicious/noExplicitAny: results are of several types, and each test knows its own.
export function result(method: TokenizeMethod, body: unknown, random: Random = system): any {
  return JSON.parse(answerText(method, body, random)).result;
}

/** @returns the message; 'answered ...' where there was no refusal */
export function refusal(method: TokenizeMethod, body: unknown): string {
  try {
    return `answered ${answerText(method, body)}`;
  } catch (error) {
    if (error instanceof Fault && error.code === 'TOKENIZE_REFUSED') return error.message;
    throw error;
  }
}

/** Uniform numbers from a seed: xorshift with 64 bits. */
export function seeded(seed: bigint): Random {
  let state = seed;
  const step = () => {
    state ^= (state << 13n) & 0xffff_ffff_ffff_ffffn;
    state ^= state >> 7n;
    state ^= (state << 17n) & 0xffff_ffff_ffff_ffffn;
    return Number(state >> 11n) / 2 ** 53;
  };
  return () => {
    for (;;) {
      const part = step();
      if (part > 0) return part;
    }
  };
}
