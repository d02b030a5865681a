// Keys whose signatures take up to some milliseconds, beside their callers: they sign on threads of the pool, and the short ones in the caller's thread where no core is left.
import { isSignedInPool, isSlowSigner, sign, signInPool } from '../../../../crypto/signature/sign.ts';
import { idleMs } from '../../../../kernel/runtime/measure/idle-time.ts';
import { Lane } from '../../lane.ts';
import { leave } from '../../leave.ts';
import { ownCoreTime, PoolShare } from '../../pool-share.ts';
import { SplitLane } from '../../split-lane.ts';
import type { KeyFacts, Signing } from '../key.ts';
import { LeftKey } from '../left-key.ts';
import type { ManagedObject } from '../managed-object.ts';
import { pairKeyOf } from './material.ts';

/** In bits: a signature with a longer modulus takes tens of milliseconds. */
const MAX_RSA = 4_096;
/** With keys of the longest kind the last of them waits for some 300 ms on two cores. Further ones have the actor's threads. */
const MAX_WAITING = 256;

/**
 * Signatures of each thread that are in the pool at a time. A thread of the pool that ends one takes the next at once, and need not be woken for it: with as
 * many as there are cores, the pool made a quarter fewer at 64 connections. Other work of the pool waits behind them, with RSA-2048 for some 10 ms.
 */
const AT_ONCE = 16;

/** Bits of a modulus, or of the field of a curve. With a longer key a signature takes more than 1.5 times one of RSA-2048, and would hold up other requests. */
const MAX_SHORT = { RSA: 2_048, DSA: 2_048, EC: 384 } as const;

/** One of each for all keys of a thread. */
const longLane = new Lane({ width: AT_ONCE, maxWaiting: MAX_WAITING, full: leave });
const share = new PoolShare({ most: AT_ONCE, monotonic: () => performance.now(), coreTime: ownCoreTime(), idleMs });
const shortLane = new SplitLane({ share, maxWaiting: MAX_WAITING, full: leave });

/** Whether the key can be one; its signatures are too slow for the caller's thread, and not for a place in its pool. */
export function isPooledSigner(object: ManagedObject, { kind, algorithm, length }: KeyFacts): boolean {
  return kind === 'private' && (algorithm === 'RSA' ? length <= MAX_RSA : !isSlowSigner(pairKeyOf(object)));
}

/** Signs data; all other uses of the key are left to the actor. */
export class PooledSigner extends LeftKey {
  readonly #object: ManagedObject;

  constructor(object: ManagedObject, facts: KeyFacts) {
    super(facts);
    this.#object = object;
  }

  override sign({ parameters, data, digest, encoding }: Signing): Promise<Uint8Array> {
    const key = pairKeyOf(this.#object);
    if (data === undefined || digest !== undefined || !isSignedInPool(key, parameters)) leave();
    const inPool = () => signInPool(key, parameters, data, encoding);
    return isShort(this) ? shortLane.run({ here: () => sign(key, parameters, { data }, encoding), inPool }) : longLane.run(inPool);
  }
}

function isShort({ algorithm, length }: KeyFacts): boolean {
  return length <= (MAX_SHORT[algorithm as keyof typeof MAX_SHORT] ?? Number.POSITIVE_INFINITY);
}
