// Generates key pairs for a transaction, but outside of it, because a transaction blocks all other writers and may run several times.
import { generatePair, generatePairInPool, isSlowPair, type PairOptions } from '../../../crypto/key/key-pair.ts';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import type { ReadonlyAttributes } from '../../../kmip/attribute/set.ts';
import { Refusal } from '../../../kmip/refusal.ts';
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

type Surroundings = Pick<OperationContext, 'aside' | 'policy' | 'pairs'>;

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
    const wish = { algorithm, options, kept, sketch };
    if (ready && isFor(ready, wish)) return ready.pair;
    const pair = ctx.pairs?.take(wish);
    if (!pair) throw new PairWanted(wish);
    ready = { ...wish, pair };
    return pair;
  };
  for (;;) {
    try {
      return await change(source);
    } catch (error) {
      // What was made for the last run is of no use: the change failed, or wants another pair.
      await ready?.kept?.undo();
      ready = undefined;
      if (!(error instanceof PairWanted) || (ctx.pairs && isSlow(error.wish))) throw error;
      ready = { ...error.wish, pair: await generate(error.wish, ctx) };
    }
  }
}

const isFor = (made: Wish, { algorithm, options, kept }: Wish): boolean =>
  made.algorithm === algorithm && made.options.length === options.length && made.options.curve === options.curve && made.kept?.id === kept?.id;

const isSlow = ({ algorithm, kept }: Wish): boolean => kept === undefined && isSlowPair(algorithm);

/** Time for all pairs of such a batch, well within the deadline of a call. */
const MAX_TIME_MS = 20_000;

/** The pairs that take long of a batch that is one transaction, in the order of its items. The batch is rolled back for each and runs again once it is there. */
export class BatchPairs {
  readonly #ctx: Surroundings & Pick<OperationContext, 'server'>;
  readonly #until: number;
  readonly #made: (Wish & { readonly pair: MadePair })[] = [];
  #next = 0;

  constructor(ctx: Surroundings & Pick<OperationContext, 'server'>) {
    this.#ctx = ctx;
    this.#until = ctx.server.monotonic() + MAX_TIME_MS;
  }

  /** The batch runs from its first item. */
  begin(): void {
    this.#next = 0;
  }

  take(wish: Wish): MadePair | undefined {
    const made = this.#made[this.#next];
    if (made && isFor(made, wish)) {
      this.#next += 1;
      return made.pair;
    }
    // The items want others than before: what was made for them is of no use.
    if (isSlow(wish)) this.#made.splice(this.#next);
    return undefined;
  }

  /** @param error that ended the batch @returns whether a pair was wanted, which is there now @throws Refusal ServerLimitExceeded if the time is up */
  async make(error: unknown): Promise<boolean> {
    if (!(error instanceof PairWanted)) return false;
    if (this.#ctx.server.monotonic() > this.#until)
      throw new Refusal('ServerLimitExceeded', 'the batch took too long to generate its key pairs; send fewer of them in a batch that may be undone');
    this.#made.push({ ...error.wish, pair: await generate(error.wish, this.#ctx) });
    return true;
  }
}

/** @throws Refusal ConstraintViolation, before a thread is kept busy for nothing */
async function generate({ algorithm, options, kept, sketch }: Wish, ctx: Surroundings): Promise<MadePair> {
  if (isSlowPair(algorithm)) for (const key of sketch) requirePossible((await ctx.policy()).constraints, key);
  if (kept) return kept.make(algorithm, options);
  return isSlowPair(algorithm) ? ctx.aside(() => generatePairInPool(algorithm, options)) : generatePair(algorithm, options);
}
