// Generates key pairs for a transaction, but outside of it, because a transaction blocks all other writers and may run several times.
import { generatePair, generatePairInPool, isSlowPair, type PairOptions } from '../../../crypto/key/key-pair.ts';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import type { ReadonlyAttributes } from '../../../kmip/attribute/set.ts';
import type { MadePair } from '../object/key-keeper.ts';
import type { OperationContext } from '../operation-context.ts';
import { requirePossible } from '../policy/constraint.ts';

/** A pair that is made where it will be kept. */
export interface KeptPair {
  /** The identifier of the private key. */
  readonly id: string;
  make(algorithm: CryptographicAlgorithm, options: PairOptions): Promise<MadePair>;
  /** Destroys what was made. */
  undo(): Promise<void>;
}

/** What the attributes of the keys will be, as far as the request says it. */
export type PairSketch = readonly { readonly type: number; readonly attributes: ReadonlyAttributes }[];

/** Like `generatePair`. @param kept undefined for a pair in software @param sketch is held against the constraints of the caller before a pair that takes long */
export type PairSource = (algorithm: CryptographicAlgorithm, options: PairOptions, kept?: KeptPair, sketch?: PairSketch) => MadePair;

interface Wish {
  readonly algorithm: CryptographicAlgorithm;
  readonly options: PairOptions;
  readonly kept: KeptPair | undefined;
  readonly sketch: PairSketch;
}

type Surroundings = Pick<OperationContext, 'aside' | 'policy'>;

/** Ends a transaction that has not written anything yet. */
class PairWanted extends Error {
  readonly wish: Wish;

  constructor(wish: Wish) {
    super('a key pair must be generated first');
    this.wish = wish;
  }
}

/** Runs a change that asks for a key pair before it writes. The change is rolled back and runs again once the pair is generated. */
export async function withPair<T>(ctx: Surroundings, change: (source: PairSource) => Promise<T>): Promise<T> {
  let ready: (Wish & { readonly pair: MadePair }) | undefined;
  const source: PairSource = (algorithm, options, kept, sketch = []) => {
    const isReady = ready?.algorithm === algorithm && ready.options.length === options.length && ready.options.curve === options.curve;
    if (ready && isReady && ready.kept?.id === kept?.id) return ready.pair;
    throw new PairWanted({ algorithm, options, kept, sketch });
  };
  for (;;) {
    try {
      return await change(source);
    } catch (error) {
      // What was made for the last run is of no use: the change failed, or wants another pair.
      await ready?.kept?.undo();
      ready = undefined;
      if (!(error instanceof PairWanted)) throw error;
      ready = { ...error.wish, pair: await generate(error.wish, ctx) };
    }
  }
}

/** @throws Refusal ConstraintViolation, before a thread is kept busy for nothing */
async function generate({ algorithm, options, kept, sketch }: Wish, ctx: Surroundings): Promise<MadePair> {
  if (isSlowPair(algorithm)) for (const key of sketch) requirePossible((await ctx.policy()).constraints, key);
  if (kept) return kept.make(algorithm, options);
  return isSlowPair(algorithm) ? ctx.aside(() => generatePairInPool(algorithm, options)) : generatePair(algorithm, options);
}
