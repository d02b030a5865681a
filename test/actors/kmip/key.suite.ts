// What every kind of key must do, whatever holds its material: known answers, round trips, parts, limits, refusals by name, many at once.
import assert from 'node:assert/strict';
import { type Key, keyOf } from '../../../actors/kmip/object/key.ts';
import type { CryptographicAlgorithm, CryptographicParameters } from '../../../crypto/parameters.ts';
import { hex, refused } from '../../fakes/keys.ts';
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
import { equal, type KeyPlace, PlaceUnderTest, spoiled } from './key-place.ts';
import { keyUses } from './key-uses.ts';
import { paddingUses } from './padding-uses.ts';
import { wrappedUses } from './wrapped-uses.ts';

/** Registers the tests of one place. */
export function keySuite(place: KeyPlace): void {
  const under = new PlaceUnderTest(place);
  for (const register of [ciphers, wraps, macs, pairs, keyUses, paddingUses, wrappedUses]) register(under);
}

function ciphers(under: PlaceUnderTest): void {
  for (const row of CIPHERS) {
    const { mechanism, key: material, parameters } = row;
    const [iv, data, tag] = [hex(row.iv), hex(row.data), 'tag' in row ? hex(row.tag) : undefined];
    const aad = 'aad' in row ? hex(row.aad) : undefined;
    const works = async () => {
      const key = await under.secret('AES', material);
      const choice = choiceOf(row);
      const facts = key.cipher(choice);
      assert.deepEqual([facts.authenticated, facts.tagBytes], [tag !== undefined, tag?.length ?? 0]);
      if (under.place.takesMaterial && under.place.takesIv) {
        const known = await key.encrypt({ ...choice, iv, aad, data });
        equal(known.data, row.encrypted);
        assert.equal(known.iv, undefined);
        if (tag) equal(known.tag as Uint8Array, tag);
        equal(await key.decrypt({ ...choice, iv, aad, data: hex(row.encrypted), tag }), data);
      }
      const own = await key.encrypt({ ...choice, aad, data });
      assert.equal(own.iv?.length, facts.ivBytes);
      equal(await key.decrypt({ ...choice, iv: own.iv, aad, data: own.data, tag: own.tag }), data);
      if (tag) await refused(async () => key.decrypt({ ...choice, iv: own.iv, aad, data: spoiled(own.data), tag: own.tag }), 'CryptographicFailure');
      await sameInParts(key, row);
    };
    under.mechanism(mechanism, works, async () => (await under.secret('AES', material)).cipher({ algorithm: 'AES', parameters }));
  }
}

/** However the data are cut, the parts decrypt to what one piece does. */
async function sameInParts(key: Key, row: (typeof CIPHERS)[number]): Promise<void> {
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

/** @returns the MAC or signature of data that come in three parts */
async function provenInParts(
  key: Key,
  kind: 'MAC' | 'Sign',
  algorithm: CryptographicAlgorithm | undefined,
  { parameters, data }: { readonly parameters: CryptographicParameters; readonly data: Uint8Array },
): Promise<Uint8Array> {
  const start = () => ({ algorithm, parameters });
  const first = await key.parts({ kind, is: 'first', data: undefined, start });
  const next = await key.parts({ kind, is: 'next', value: first.value, data: data.subarray(0, 3), start });
  return (await key.parts({ kind, is: 'last', value: next.value, data: data.subarray(3), start })).data;
}

function wraps(under: PlaceUnderTest): void {
  for (const { mechanism, parameters, key: material, material: inside, wrapped } of WRAPS) {
    const works = async () => {
      const key = await under.secret('AES', material);
      const found = await key.wrap(parameters, hex(inside));
      if (under.place.takesMaterial) equal(found.data, wrapped);
      equal(await key.unwrap(parameters, found), inside);
      await refused(key.unwrap(parameters, { data: spoiled(found.data) }), 'CryptographicFailure');
    };
    under.mechanism(mechanism, works, async () => (await under.secret('AES', material)).wrap(parameters, hex(inside)));
  }
}

function macs(under: PlaceUnderTest): void {
  for (const { mechanism, algorithm, parameters, key: material, data, mac } of MACS) {
    const works = async () => {
      const key = await under.secret(algorithm, material);
      const input = { parameters, data: hex(data) };
      const made = await key.mac(input);
      if (under.place.takesMaterial) equal(made, mac);
      assert.ok(await key.verifyMac(input, made));
      if (under.place.provesInParts !== false) equal(await provenInParts(key, 'MAC', algorithm, input), made);
      for (const wrong of [spoiled(made), made.subarray(1), new Uint8Array()]) assert.equal(await key.verifyMac(input, wrong), false);
    };
    under.mechanism(mechanism, works, async () => (await under.secret(algorithm, material)).mac({ parameters, data: hex(data) }));
  }
  const derivedBy = async (derivation: (typeof HKDF)[number]['derivation']) => (await under.secret('HMAC_SHA256', HKDF[0].key)).derive(derivation);
  const works = async () => {
    for (const { derivation, derived } of HKDF) {
      const found = await derivedBy(derivation);
      assert.equal(found.length, derivation.length);
      if (under.place.takesMaterial) equal(found, derived);
    }
  };
  under.mechanism('HKDF', works, () => derivedBy(HKDF[0].derivation));
}

function pairs(under: PlaceUnderTest): void {
  for (const [mechanism, row] of entries(SIGNATURES)) {
    const { parameters } = row;
    ofPair(
      under,
      mechanism,
      row,
      async ({ privateKey, publicKey }) => {
        const signature = await privateKey.sign({ parameters, data: MESSAGE });
        await verifiesElsewhere(row, publicKey, signature);
        if (under.place.provesInParts !== false)
          await verifiesElsewhere(row, publicKey, await provenInParts(privateKey, 'Sign', undefined, { parameters, data: MESSAGE }));
        assert.equal(await publicKey.verify({ parameters, data: MESSAGE, signature }), true);
        for (const wrong of [spoiled(signature), new Uint8Array()])
          assert.equal(await publicKey.verify({ parameters, data: MESSAGE, signature: wrong }), false);
        await refused(async () => publicKey.sign({ parameters, data: MESSAGE }), 'InvalidObjectType');
      },
      async ({ privateKey }) => privateKey.sign({ parameters, data: MESSAGE }),
    );
  }
  for (const [mechanism, row] of entries(ENCRYPTIONS)) {
    const choice = { algorithm: undefined, parameters: row.parameters };
    ofPair(
      under,
      mechanism,
      row,
      async ({ privateKey, publicKey }) => {
        const { data } = await publicKey.encrypt({ ...choice, data: MESSAGE });
        equal(await privateKey.decrypt({ ...choice, data }), MESSAGE);
        equal(await privateKey.unwrap(row.parameters, await publicKey.wrap(row.parameters, MESSAGE)), MESSAGE);
      },
      // A token may encrypt what it does not decrypt.
      async ({ privateKey, publicKey }) => privateKey.decrypt({ ...choice, data: (await publicKey.encrypt({ ...choice, data: MESSAGE })).data }),
    );
  }
  for (const [mechanism, row] of entries(AGREEMENTS))
    ofPair(
      under,
      mechanism,
      row,
      async ({ privateKey, publicKey }) => {
        equal(await privateKey.agree(row.peer.publicKey), await agreedElsewhere(row.peer, publicKey));
      },
      ({ privateKey }) => privateKey.agree(row.peer.publicKey),
    );
}

function ofPair(
  under: PlaceUnderTest,
  mechanism: Mechanism,
  { algorithm, pair }: { readonly algorithm: CryptographicAlgorithm; readonly pair: KeyPair },
  works: (keys: { privateKey: Key; publicKey: Key }) => Promise<void>,
  attempt: (keys: { privateKey: Key; publicKey: Key }) => Promise<unknown>,
): void {
  const keys = async () => {
    const objects = await under.place.pair('pair', algorithm, pair);
    const ctx = await under.context();
    return objects && { privateKey: keyOf(objects.privateKey, ctx), publicKey: keyOf(objects.publicKey, ctx) };
  };
  const withKeys = (work: typeof attempt) => async () => {
    const found = await keys();
    if (found) await work(found);
    else console.log(`skipped: ${under.place.name} have no keys of ${algorithm} for ${mechanism}`);
  };
  // Either the key itself is refused, or its use.
  const refusal = async () => {
    const asked = keys();
    const isThere = await asked.then(
      (found) => found !== undefined,
      () => true,
    );
    const attempted = async () => attempt((await asked) as { privateKey: Key; publicKey: Key });
    if (isThere) await refused(attempted, 'UnsupportedCryptographicParameters', under.place.missing(mechanism));
    else console.log(`skipped: ${under.place.name} have no keys of ${algorithm} for ${mechanism}`);
  };
  if (under.place.can.has(mechanism)) under.test(`${mechanism} works`, withKeys(works) as () => Promise<void>);
  else under.test(`${mechanism} is refused by its name`, refusal);
}

function entries<K extends string, V>(rows: Readonly<Record<K, V>>): [K, V][] {
  return Object.entries(rows) as [K, V][];
}
