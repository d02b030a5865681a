// Explains why a key of one type cannot be created for an algorithm.
import { findAlgorithm } from '../../../jose/algorithm.ts';
import { refuse } from './named-algorithm.ts';
import { badRequest, type JoseProblem } from './problem.ts';

/** If the algorithm is offered for keys of another type, the request is wrong; otherwise the algorithm is unsupported. */
export function notOfKind(alg: string): JoseProblem {
  return findAlgorithm(alg)?.purpose ? badRequest('alg does not go with this kty') : refuse('alg', alg, 'body');
}
