// Generates key pairs for a transaction, but outside of it, because a transaction blocks all other writers and may run several times.
import { generatePair, generatePairInPool, isSlowPair, type PairOptions } from '../../../crypto/key/key-pair.ts';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import type { MadePair } from '../object/key-keeper.ts';
import type { OperationContext } from '../operation-context.ts';

/** A pair that is made where it will be kept. */
export interface KeptPair {
  /** The identifier of the private key. */
  readonly id: string;
  make(algorithm: CryptographicAlgorithm, options: PairOptions): Promise<MadePair>;
  /** Destroys what was made. */
  undo(): Promise<void>;
}

/** Like `generatePair`. @param kept undefined for a pair in software */
export type PairSource = (algorithm: CryptographicAlgorithm, options: PairOptions, kept?: KeptPair) => MadePair;

interface Wish {
  readonly algorithm: CryptographicAlgorithm;
  readonly options: PairOptions;
  readonly kept: KeptPair | undefined;
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
  let ready: (Wish & { readonly pair: MadePair }) | undefined;
  const source: PairSource = (algorithm, options, kept) => {
    const isReady = ready?.algorithm === algorithm && ready.options.length === options.length && ready.options.curve === options.curve;
    if (ready && isReady && ready.kept?.id === kept?.id) return ready.pair;
    throw new PairWanted({ algorithm, options, kept });
  };
  for (;;) {
    try {
      return await change(source);
    } catch (error) {
      // What was made for the last run is of no use: the change failed, or wants another pair.
      await ready?.kept?.undo();
      ready = undefined;
      if (!(error instanceof PairWanted)) throw error;
      ready = { ...error.wish, pair: await generate(error.wish, aside) };
    }
  }
}

async function generate({ algorithm, options, kept }: Wish, aside: OperationContext['aside']): Promise<MadePair> {
  if (kept) return kept.make(algorithm, options);
  return isSlowPair(algorithm) ? aside(() => generatePairInPool(algorithm, options)) : generatePair(algorithm, options);
}
