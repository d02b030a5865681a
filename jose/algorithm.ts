// All algorithms of JOSE that are offered: each has one row, which says everything about it.
import { CONTENT_ENCRYPTIONS } from './content-encryption.ts';
import { KEY_MANAGEMENTS } from './key-management.ts';
import type { KeyType } from './key-type.ts';
import { MAC_ALGORITHMS } from './mac-algorithm.ts';
import { type AlgorithmRow, byName } from './row.ts';
import { SIGNATURE_ALGORITHMS } from './signature-algorithm.ts';

const ALGORITHMS: readonly AlgorithmRow[] = [...SIGNATURE_ALGORITHMS, ...MAC_ALGORITHMS, ...KEY_MANAGEMENTS, ...CONTENT_ENCRYPTIONS];

export const findAlgorithm = byName(ALGORITHMS);

/** @returns the names of the algorithms that keys of this type can be made for */
export function algorithmsFor(kty: KeyType): string[] {
  return ALGORITHMS.flatMap((row) => (row.kty.includes(kty) ? [row.name] : []));
}
