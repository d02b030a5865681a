// A source of objects that makes and keeps the keys itself, such as the tokens of an HSM: the store has their attributes only.
import type { KeyObject } from 'node:crypto';
import type { KeyPair, PairOptions } from '../../../crypto/key/key-pair.ts';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import type { AttributeSet } from '../../../kmip/attribute/set.ts';
import type { ObjectType } from '../../../kmip/object-type.ts';
import type { Structure } from '../../../kmip/ttlv/node.ts';
import type { ObjectTransaction, OperationContext } from '../operation-context.ts';
import type { Draft, ObjectDescription } from './managed-object.ts';

/** A pair whose private key may be kept where it was made. */
export type MadePair = Omit<KeyPair, 'privateKey'> & { readonly privateKey: KeyObject | undefined };

export interface PairToMake {
  readonly algorithm: CryptographicAlgorithm;
  readonly options: PairOptions;
  readonly privateAttributes: AttributeSet;
  readonly publicAttributes: AttributeSet;
}

/** What exists outside the database is made before the transaction that records it, and destroyed before the one that forgets it. */
export interface KeyKeeper {
  /** The account that owns the object of this identifier. */
  ownerOf(id: string): string;
  /** @param attributes get what the keeper decides @returns the content of the object: a key block without KeyValue @throws Refusal */
  makeSecret(ctx: OperationContext, id: string, type: ObjectType, attributes: AttributeSet): Promise<Structure>;
  /** @param id of the private key @returns the pair, without its private key */
  makePair(ctx: OperationContext, id: string, pair: PairToMake): Promise<MadePair>;
  /** Takes a key that a client brings. @returns what remains of the content */
  take(ctx: OperationContext, id: string, type: ObjectType, content: Structure, attributes: AttributeSet): Promise<Structure>;
  /** Called for a key that was taken, in the transaction that inserts its object and before that: links it with the other half of its pair, if that is there. */
  linkTaken(tx: ObjectTransaction, taken: Draft, now: number): Promise<void>;
  /** Destroys keys that were made for a change that failed. */
  discard(ids: readonly string[]): Promise<void>;
  /** @throws Refusal if that is not possible now */
  destroy(ctx: OperationContext, object: ObjectDescription): Promise<void>;
}
