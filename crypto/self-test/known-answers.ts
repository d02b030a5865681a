// The table of known answers, with at least one for every algorithm that this server offers, and the test whether an answer is right.
import { readFile } from 'node:fs/promises';
import { CryptoError } from '../crypto-error.ts';
import { isAsymmetricRight } from './asymmetric.ts';
import type { KnownAnswer } from './known-answer.ts';
import { isSymmetricRight } from './symmetric.ts';

const TABLE = new URL('./known-answers.json', import.meta.url);

/** Read when it is needed, and not kept: a thread needs it once. */
export async function readKnownAnswers(): Promise<readonly KnownAnswer[]> {
  return JSON.parse(await readFile(TABLE, 'utf8')) as KnownAnswer[];
}

/** @returns false also for an algorithm that throws */
export async function isRight(answer: KnownAnswer): Promise<boolean> {
  try {
    switch (answer.kind) {
      case 'signature':
      case 'decryption':
      case 'agreement':
      case 'encapsulation':
        return await isAsymmetricRight(answer);
      default:
        return isSymmetricRight(answer);
    }
  } catch (error) {
    // Something that it is built from is switched off, which says nothing about the algorithm itself.
    return error instanceof CryptoError && error.code === 'switched_off';
  }
}
