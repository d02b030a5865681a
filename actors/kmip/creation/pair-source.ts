// Generates key pairs for a transaction, but outside of it, because a transaction blocks all other writers and may run several times.
import { generatePair, generatePairInPool, isSlowPair, type KeyPair, type PairOptions } from '../../../crypto/key/key-pair.ts';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import type { OperationContext } from '../operation-context.ts';

/** Like `generatePair`. */
export type PairSource = (algorithm: CryptographicAlgorithm, options: PairOptions) => KeyPair;

interface Wish {
  readonly algorithm: CryptographicAlgorithm;
  readonly options: PairOptions;
}

/** Ends a transaction that has not written anything yet. */
class PairWanted extends Error {
  readonly wish: Wish;

  constructor(wish: Wish) {
    super('a key pair must be generated first');
    this.wish = wish;
  }
}

/** Runs a change that asks for a key pair before it writes. The change is rolled back and runs again once the pair is generated. */
export async function withPair<T>({ aside }: Pick<OperationContext, 'aside'>, change: (source: PairSource) => Promise<T>): Promise<T> {
  let ready: (Wish & { readonly pair: KeyPair }) | undefined;
  const source: PairSource = (algorithm, options) => {
    if (ready?.algorithm === algorithm && ready.options.length === options.length && ready.options.curve === options.curve) return ready.pair;
    throw new PairWanted({ algorithm, options });
  };
  for (;;) {
    try {
      return await change(source);
    } catch (error) {
      if (!(error instanceof PairWanted)) throw error;
      const { algorithm, options } = error.wish;
      const pair = isSlowPair(algorithm) ? await aside(() => generatePairInPool(algorithm, options)) : generatePair(algorithm, options);
      ready = { algorithm, options, pair };
    }
  }
}
