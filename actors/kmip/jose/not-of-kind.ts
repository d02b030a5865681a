// Why a key of one type is not made for an algorithm.
import { purposeOf } from './algorithm.ts';
import { badRequest, type JoseProblem } from './problem.ts';
import { refuse } from './registered.ts';

/** An algorithm that is offered but for keys of another type is a mistake; what is not offered is said to be so. */
export function notOfKind(alg: string): JoseProblem {
  return purposeOf(alg) ? badRequest('alg is no algorithm of keys of this kty') : refuse('alg', alg, 'body');
}
