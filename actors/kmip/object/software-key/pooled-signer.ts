// Keys whose signatures take up to some milliseconds, beside their callers: they sign on threads of the pool, which costs the caller's thread next to nothing.
import { availableParallelism } from 'node:os';
import { isSignedInPool, isSlowSigner, signInPool } from '../../../../crypto/signature/sign.ts';
import { Lane } from '../../lane.ts';
import { leave } from '../../leave.ts';
import type { Key, KeyFacts, Signing } from '../key.ts';
import type { ManagedObject } from '../managed-object.ts';
import { pairKeyOf } from './material.ts';

/** In bits: a signature with a longer modulus takes tens of milliseconds. */
const MAX_RSA = 4_096;
/** With keys of the longest kind the last of them waits for some 300 ms on two cores. Further ones have the actor's threads. */
const MAX_WAITING = 256;

/** As many as there are cores: more would only take turns, with each other and with the callers' thread. One for all keys of a thread. */
const lane = new Lane({ width: availableParallelism(), maxWaiting: MAX_WAITING, full: leave });

/** Whether the key can be one; its signatures are too slow for the caller's thread, and not for a place in its pool. */
export function isPooledSigner(object: ManagedObject, { kind, algorithm, length }: KeyFacts): boolean {
  return kind === 'private' && (algorithm === 'RSA' ? length <= MAX_RSA : !isSlowSigner(pairKeyOf(object)));
}

/** Signs data; all other uses of the key are left to the actor. */
export class PooledSigner implements Key {
  readonly id: string;
  readonly kind: KeyFacts['kind'];
  readonly algorithm: KeyFacts['algorithm'];
  readonly length: number;
  readonly curve: KeyFacts['curve'];
  readonly isForPssOnly: boolean;
  readonly cipher = leave;
  readonly takesParts = leave;
  readonly encrypt = leave;
  readonly decrypt = leave;
  readonly verify = leave;
  readonly mac = leave;
  readonly verifyMac = leave;
  readonly wrap = leave;
  readonly unwrap = leave;
  readonly derive = leave;
  readonly agree = leave;
  readonly parts = leave;
  readonly publicKey = leave;
  readonly material = leave;
  readonly #object: ManagedObject;

  constructor(object: ManagedObject, { id, kind, algorithm, length, curve, isForPssOnly }: KeyFacts) {
    this.id = id;
    this.kind = kind;
    this.algorithm = algorithm;
    this.length = length;
    this.curve = curve;
    this.isForPssOnly = isForPssOnly;
    this.#object = object;
  }

  sign({ parameters, data, digest, encoding }: Signing): Promise<Uint8Array> {
    const key = pairKeyOf(this.#object);
    if (data === undefined || digest !== undefined || !isSignedInPool(key, parameters)) leave();
    return lane.run(() => signInPool(key, parameters, data, encoding));
  }
}
