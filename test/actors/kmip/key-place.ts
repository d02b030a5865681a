// A place of keys as the key suite sees it: what it says of itself, and how its keys come into a test.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type Key, type KeyKind, keyOf } from '../../../actors/kmip/object/key.ts';
import type { Draft } from '../../../actors/kmip/object/managed-object.ts';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import { hex, type KeyOptions, refused } from '../../fakes/keys.ts';
import { ObjectsInMemory } from '../../fakes/objects.ts';
import { streamsHere } from '../../fakes/streams.ts';
import type { KeyPair, Mechanism } from './key-mechanisms.ts';

export interface KeyPlace {
  readonly name: string;
  readonly kind: KeyKind;
  /** Everything else is refused with UnsupportedCryptographicParameters. */
  readonly can: ReadonlySet<Mechanism>;
  /** Part of the refusal: the mechanism as the place calls it. */
  missing(mechanism: Mechanism): string;
  /** Whether keys can be what the test says; otherwise they are new ones, and published answers are skipped. */
  readonly takesMaterial: boolean;
  /** Whether the server chooses what material() answers, or nothing ever leaves. */
  readonly givesMaterial: boolean;
  /** Whether its keys sign and make MACs in parts; default true. */
  readonly provesInParts?: boolean;
  /** What unwraps other keys for uses in the place. */
  readonly holds?: readonly ('AES-KW' | 'RSA')[] | undefined;
  /** Whether encryption takes an IV of the caller. */
  readonly takesIv: boolean;
  secret(id: string, algorithm: CryptographicAlgorithm, material: Uint8Array, options?: KeyOptions): Promise<Draft>;
  /** Undefined where the place has no keys of this algorithm. */
  pair(id: string, algorithm: CryptographicAlgorithm, pair: KeyPair): Promise<{ readonly privateKey: Draft; readonly publicKey: Draft } | undefined>;
}

export const spoiled = (bytes: Uint8Array): Uint8Array => bytes.map((byte, i) => (i === 0 ? byte ^ 1 : byte));
export const equal = (found: Uint8Array, expected: Uint8Array | string): void =>
  assert.equal(Buffer.from(found).toString('hex'), typeof expected === 'string' ? expected : Buffer.from(expected).toString('hex'));

/** A place, and the tests that are registered for it. */
export class PlaceUnderTest {
  readonly place: KeyPlace;

  constructor(place: KeyPlace) {
    this.place = place;
  }

  test(title: string, body: () => Promise<void>): void {
    test(`${this.place.name}: ${title}`, body);
  }

  async context(objects: readonly Draft[] = []): Promise<ObjectsInMemory> {
    return new ObjectsInMemory(objects, { keyKinds: [this.place.kind], streams: await streamsHere() });
  }

  async secret(algorithm: CryptographicAlgorithm, material: string): Promise<Key> {
    const object = await this.place.secret('key', algorithm, hex(material));
    return keyOf(object, await this.context());
  }

  /** One test for what the place can, another for its refusal of what it cannot. */
  mechanism(mechanism: Mechanism, works: () => Promise<void>, attempt: () => Promise<unknown>): void {
    if (this.place.can.has(mechanism)) this.test(`${mechanism} works`, works);
    else this.test(`${mechanism} is refused by its name`, () => refused(attempt, 'UnsupportedCryptographicParameters', this.place.missing(mechanism)));
  }
}
