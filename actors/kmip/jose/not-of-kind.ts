// Explains why a key of one type cannot be created for an algorithm.
import { purposeOf } from './key-purpose.ts';
import { badRequest, type Problem } from './problem.ts';
import { refused } from './registered.ts';

/** Distinguishes an algorithm for another key type (a bad request) from one that is not supported. */
export function notOfKind(alg: string): Problem {
  return purposeOf(alg) ? badRequest('alg is no algorithm of keys of this kty') : refused('alg', alg, 'body');
}
