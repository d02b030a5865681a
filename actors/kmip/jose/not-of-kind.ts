// Explains why a key of one type cannot be created for an algorithm.
import { purposeOf } from './algorithm.ts';
import { badRequest, type JoseProblem } from './problem.ts';
import { refuse } from './registered.ts';

/** If the algorithm is offered for keys of another type, the request is wrong; otherwise the algorithm is unsupported. */
export function notOfKind(alg: string): JoseProblem {
  return purposeOf(alg) ? badRequest('alg is no algorithm of keys of this kty') : refuse('alg', alg, 'body');
}
