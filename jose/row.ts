// What every algorithm of JOSE has in its row, and how a row is found by its name.
import type { KeyPurpose } from './key-purpose.ts';
import type { KeyType } from './key-type.ts';

export interface AlgorithmRow {
  /** `alg` or `enc` (IANA registry "JSON Web Signature and Encryption Algorithms"). */
  readonly name: string;
  /** The types of its keys; empty if the algorithm has no keys of its own. */
  readonly kty: readonly KeyType[];
  /** What its keys are for; absent if the algorithm has no keys of its own. */
  readonly purpose?: KeyPurpose;
}

export function byName<R extends AlgorithmRow>(rows: readonly R[]): (name: string) => R | undefined {
  const named = new Map(rows.map((row) => [row.name, row]));
  return (name) => named.get(name);
}
