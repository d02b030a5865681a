// What every kind of key must do, whatever holds its material: known answers, round trips, parts, limits, refusals by name, many at once.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type Key, type KeyKind, keyOf } from '../../../actors/kmip/object/key.ts';
import type { Draft } from '../../../actors/kmip/object/managed-object.ts';
import { decrypt } from '../../../actors/kmip/operations/decrypt.ts';
import { encrypt } from '../../../actors/kmip/operations/encrypt.ts';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, longInteger, structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { hex, type KeyOptions, refused, run } from '../../fakes/keys.ts';
import { ObjectsInMemory } from '../../fakes/objects.ts';
import { streamsHere } from '../../fakes/streams.ts';
import {
  AGREEMENTS,
  agreedElsewhere,
  CIPHERS,
  choiceOf,
  ENCRYPTIONS,
  HKDF,
  type KeyPair,
  MACS,
  MESSAGE,
  type Mechanism,
  SIGNATURES,
  verifiesElsewhere,
  WRAPS,
} from './key-mechanisms.ts';

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
  /** Whether encryption takes an IV of the caller. */
  readonly takesIv: boolean;
  secret(id: string, algorithm: CryptographicAlgorithm, material: Uint8Array, options?: KeyOptions): Promise<Draft>;
  /** Undefined where the place has no keys of this algorithm. */
  pair(id: string, algorithm: CryptographicAlgorithm, pair: KeyPair): Promise<{ readonly privateKey: Draft; readonly publicKey: Draft } | undefined>;
}

const spoiled = (bytes: Uint8Array): Uint8Array => bytes.map((byte, i) => (i === 0 ? byte ^ 1 : byte));
const equal = (found: Uint8Array, expected: Uint8Array | string): void =>
  assert.equal(Buffer.from(found).toString('hex'), typeof expected === 'string' ? expected : Buffer.from(expected).toString('hex'));

/** Registers the tests of one place. */
export function keySuite(place: KeyPlace): void {
  const suite = new KeySuite(place);
  suite.ciphers();
  suite.wraps();
  suite.macs();
  suite.pairs();
  suite.operations();
}

class KeySuite {
  readonly #place: KeyPlace;

  constructor(place: KeyPlace) {
    this.#place = place;
  }

  #test(title: string, body: () => Promise<void>): void {
    test(`${this.#place.name}: ${title}`, body);
  }

  async #context(objects: readonly Draft[] = []): Promise<ObjectsInMemory> {
    return new ObjectsInMemory(objects, { keyKinds: [this.#place.kind], streams: await streamsHere() });
  }

  async #secret(algorithm: CryptographicAlgorithm, material: string): Promise<Key> {
    const object = await this.#place.secret('key', algorithm, hex(material));
    return keyOf(object, await this.#context());
  }

  /** One test for what the place can, another for its refusal of what it cannot. */
  #mechanism(mechanism: Mechanism, works: () => Promise<void>, attempt: () => Promise<unknown>): void {
    if (this.#place.can.has(mechanism)) this.#test(`${mechanism} works`, works);
    else this.#test(`${mechanism} is refused by its name`, () => refused(attempt, 'UnsupportedCryptographicParameters', this.#place.missing(mechanism)));
  }

  ciphers(): void {
    for (const row of CIPHERS) {
      const { mechanism, key: material, parameters } = row;
      const [iv, data, tag] = [hex(row.iv), hex(row.data), 'tag' in row ? hex(row.tag) : undefined];
      const aad = 'aad' in row ? hex(row.aad) : undefined;
      const works = async () => {
        const key = await this.#secret('AES', material);
        const choice = choiceOf(row);
        const facts = key.cipher(choice);
        assert.deepEqual([facts.authenticated, facts.tagBytes], [tag !== undefined, tag?.length ?? 0]);
        if (this.#place.takesMaterial && this.#place.takesIv) {
          const known = await key.encrypt({ ...choice, iv, aad, data });
          equal(known.data, row.encrypted);
          assert.equal(known.iv, undefined);
          if (tag) equal(known.tag as Uint8Array, tag);
          equal(await key.decrypt({ ...choice, iv, aad, data: hex(row.encrypted), tag }), data);
        }
        const own = await key.encrypt({ ...choice, aad, data });
        assert.equal(own.iv?.length, facts.ivBytes);
        equal(await key.decrypt({ ...choice, iv: own.iv, aad, data: own.data, tag: own.tag }), data);
        if (tag) await refused(key.decrypt({ ...choice, iv: own.iv, aad, data: spoiled(own.data), tag: own.tag }), 'CryptographicFailure');
        await this.#sameInParts(key, row);
      };
      this.#mechanism(mechanism, works, async () => (await this.#secret('AES', material)).cipher({ algorithm: 'AES', parameters }));
    }
  }

  /** However the data are cut, the parts decrypt to what one piece does. */
  async #sameInParts(key: Key, row: (typeof CIPHERS)[number]): Promise<void> {
    const choice = choiceOf(row);
    const data = hex(row.data);
    if (!key.takesParts('Encrypt', choice)) return;
    for (const cut of [0, 1, 15, data.length]) {
      const start = () => ({ algorithm: 'AES' as const, parameters: row.parameters });
      const first = await key.parts({ kind: 'Encrypt', is: 'first', data: data.subarray(0, cut), start });
      const next = await key.parts({ kind: 'Encrypt', is: 'next', value: first.value, data: data.subarray(cut), start });
      const last = await key.parts({ kind: 'Encrypt', is: 'last', value: next.value, data: undefined, start });
      const encrypted = new Uint8Array(Buffer.concat([first.data, next.data, last.data]));
      equal(await key.decrypt({ ...choice, iv: first.iv, data: encrypted, tag: last.tag }), data);
      await refused(key.parts({ kind: 'Encrypt', is: 'last', value: next.value, data: undefined, start }), 'InvalidCorrelationValue');
    }
  }

  wraps(): void {
    for (const { mechanism, parameters, key: material, material: inside, wrapped } of WRAPS) {
      const works = async () => {
        const key = await this.#secret('AES', material);
        const found = await key.wrap(parameters, hex(inside));
        if (this.#place.takesMaterial) equal(found.data, wrapped);
        equal(await key.unwrap(parameters, found), inside);
        await refused(key.unwrap(parameters, { data: spoiled(found.data) }), 'CryptographicFailure');
      };
      this.#mechanism(mechanism, works, async () => (await this.#secret('AES', material)).wrap(parameters, hex(inside)));
    }
  }

  macs(): void {
    for (const { mechanism, algorithm, parameters, key: material, data, mac } of MACS) {
      const works = async () => {
        const key = await this.#secret(algorithm, material);
        const input = { parameters, data: hex(data) };
        const made = await key.mac(input);
        if (this.#place.takesMaterial) equal(made, mac);
        assert.ok(await key.verifyMac(input, made));
        for (const wrong of [spoiled(made), made.subarray(1), new Uint8Array()]) assert.equal(await key.verifyMac(input, wrong), false);
      };
      this.#mechanism(mechanism, works, async () => (await this.#secret(algorithm, material)).mac({ parameters, data: hex(data) }));
    }
    const { derivation, derived, key: material } = HKDF;
    const works = async () => {
      const found = await (await this.#secret('HMAC_SHA256', material)).derive(derivation);
      assert.equal(found.length, derivation.length);
      if (this.#place.takesMaterial) equal(found, derived);
    };
    this.#mechanism('HKDF', works, async () => (await this.#secret('HMAC_SHA256', material)).derive(derivation));
  }

  pairs(): void {
    for (const [mechanism, row] of entries(SIGNATURES)) {
      const { parameters } = row;
      this.#ofPair(
        mechanism,
        row,
        async ({ privateKey, publicKey }) => {
          const signature = await privateKey.sign({ parameters, data: MESSAGE });
          await verifiesElsewhere(row, publicKey, signature);
          assert.equal(await publicKey.verify({ parameters, data: MESSAGE, signature }), true);
          for (const wrong of [spoiled(signature), new Uint8Array()])
            assert.equal(await publicKey.verify({ parameters, data: MESSAGE, signature: wrong }), false);
          await refused(() => publicKey.sign({ parameters, data: MESSAGE }), 'InvalidObjectType');
        },
        ({ privateKey }) => privateKey.sign({ parameters, data: MESSAGE }),
      );
    }
    for (const [mechanism, row] of entries(ENCRYPTIONS)) {
      const choice = { algorithm: undefined, parameters: row.parameters };
      this.#ofPair(
        mechanism,
        row,
        async ({ privateKey, publicKey }) => {
          const { data } = await publicKey.encrypt({ ...choice, data: MESSAGE });
          equal(await privateKey.decrypt({ ...choice, data }), MESSAGE);
          equal(await privateKey.unwrap(row.parameters, await publicKey.wrap(row.parameters, MESSAGE)), MESSAGE);
        },
        ({ publicKey }) => publicKey.encrypt({ ...choice, data: MESSAGE }),
      );
    }
    for (const [mechanism, row] of entries(AGREEMENTS))
      this.#ofPair(
        mechanism,
        row,
        async ({ privateKey, publicKey }) => {
          equal(await privateKey.agree(row.peer.publicKey), await agreedElsewhere(row.peer, publicKey));
        },
        ({ privateKey }) => privateKey.agree(row.peer.publicKey),
      );
  }

  #ofPair(
    mechanism: Mechanism,
    { algorithm, pair }: { readonly algorithm: CryptographicAlgorithm; readonly pair: KeyPair },
    works: (keys: { privateKey: Key; publicKey: Key }) => Promise<void>,
    attempt: (keys: { privateKey: Key; publicKey: Key }) => Promise<unknown>,
  ): void {
    const keys = async () => {
      const objects = await this.#place.pair('pair', algorithm, pair);
      const ctx = await this.#context();
      return objects && { privateKey: keyOf(objects.privateKey, ctx), publicKey: keyOf(objects.publicKey, ctx) };
    };
    const withKeys = (work: typeof attempt) => async () => {
      const found = await keys();
      if (found) await work(found);
      else console.log(`skipped: ${this.#place.name} have no keys of ${algorithm} for ${mechanism}`);
    };
    if (this.#place.can.has(mechanism)) this.#test(`${mechanism} works`, withKeys(works) as () => Promise<void>);
    else {
      const refusal = withKeys((found) => refused(() => attempt(found), 'UnsupportedCryptographicParameters', this.#place.missing(mechanism)));
      this.#test(`${mechanism} is refused by its name`, refusal);
    }
  }

  operations(): void {
    this.#test('facts are told without the material, which leaves only where it may', async () => {
      const key = await this.#secret('AES', WRAPS[0].key);
      assert.deepEqual([key.kind, key.algorithm, key.length, key.curve, key.isForPssOnly], ['secret', 'AES', 128, undefined, false]);
      const pair = await this.#place.pair('pair', 'EC', SIGNATURES.ECDSA.pair);
      const ctx = await this.#context();
      for (const [kind, object] of [
        ['private', pair?.privateKey],
        ['public', pair?.publicKey],
      ] as const) {
        if (!object) continue;
        const half = keyOf(object, ctx);
        assert.deepEqual([half.kind, half.algorithm, half.length, half.curve], [kind, 'EC', 256, 'P_256']);
      }
      if (this.#place.givesMaterial) equal((await key.material()).export(), this.#place.takesMaterial ? WRAPS[0].key : (await key.material()).export());
      else await refused(() => key.material(), 'NotExtractable');
    });

    this.#test('a key of another kind is refused', async () => {
      const key = await this.#secret('AES', WRAPS[0].key);
      await refused(() => key.sign({ parameters: {}, data: MESSAGE }), 'InvalidObjectType');
      await refused(() => key.agree(AGREEMENTS.ECDH.peer.publicKey), 'InvalidObjectType');
      await refused(() => key.publicKey(), 'InvalidObjectType');
    });

    this.#test('many uses at once, of operations, each with its own answer', async () => {
      const ctx = await this.#context([await this.#place.secret('k', 'AES', hex(WRAPS[0].key))]);
      const parameters = { blockCipherMode: 'GCM' } as const;
      await Promise.all(
        Array.from({ length: 64 }, async (_, i) => {
          const data = new Uint8Array(i).fill(i);
          const { id, ...sealed } = await run(encrypt, ctx, { id: 'k', parameters, data });
          assert.equal(id, 'k');
          equal((await run(decrypt, ctx, { ...sealed, id: 'k', parameters })).data as Uint8Array, data);
        }),
      );
    });

    this.#test('usage limits, masks and states hold for it, and a refusal spends nothing', async () => {
      const limits = structure(TAG.UsageLimits, [
        longInteger(TAG.UsageLimitsTotal, 100n),
        longInteger(TAG.UsageLimitsCount, 100n),
        enumeration(TAG.UsageLimitsUnit, ENUM.UsageLimitsUnit.Byte),
      ]);
      const objects = [
        await this.#place.secret('limited', 'AES', hex(WRAPS[0].key), { attributes: [limits] }),
        await this.#place.secret('maskless', 'AES', hex(WRAPS[0].key), { mask: undefined }),
        await this.#place.secret('revoked', 'AES', hex(WRAPS[0].key), { state: ENUM.State.Deactivated }),
      ];
      const ctx = await this.#context(objects);
      const use = (id: string, bytes: number, more = {}) =>
        run(encrypt, ctx, { id, parameters: { blockCipherMode: 'GCM' }, data: new Uint8Array(bytes), ...more });
      await refused(use('limited', 60, { parameters: { cryptographicAlgorithm: 'RC4' } }), 'UnsupportedCryptographicParameters');
      await use('limited', 60);
      await refused(use('limited', 41), 'PermissionDenied');
      await use('limited', 40);
      await refused(use('maskless', 1), 'IncompatibleCryptographicUsageMask');
      await refused(use('revoked', 1), 'WrongKeyLifecycleState');
    });
  }
}

function entries<K extends string, V>(rows: Readonly<Record<K, V>>): [K, V][] {
  return Object.entries(rows) as [K, V][];
}
