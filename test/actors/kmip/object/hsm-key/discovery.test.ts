// A search for the keys of slots: all of them are asked at once, and what they have told is not believed for ever.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { discoverKeys } from '../../../../../actors/kmip/object/hsm-key/discovery.ts';
import { Refusal } from '../../../../../kmip/refusal.ts';
import { ENUM } from '../../../../../kmip/ttlv/enumeration.ts';

test('a slot that lists its keys late keeps a search from asking no other slot', async () => {
  const [store, asked, found] = [{}, [] as string[], [] as string[]];
  const last = Promise.withResolvers<void>();
  const tokens = {
    slotsOf: (prefix: string) => (prefix === 'hsm::one' ? [1, 2] : [3]),
    async call({ prefix, slot }: { prefix: string; slot: number }) {
      asked.push(`${prefix}::${slot}`);
      if (asked.length === 3) last.resolve();
      await last.promise;
      return [{ name: 'key' }];
    },
  };
  const own = { has: () => true, isFound: (_: unknown, { prefix, slot }: { prefix: string; slot: number }) => found.push(`${prefix}::${slot}`) > 0 };
  const ctx = { caller: { administers: ['hsm::one', 'hsm::two'] }, reader: store, server: { store } };
  await discoverKeys(tokens as never, { store } as never, ctx as never, undefined, own as never);
  assert.deepEqual(asked, ['hsm::one::1', 'hsm::one::2', 'hsm::two::3']);
  assert.deepEqual(found, asked);
});

test('a list that is older than the destruction of a key does not bring it back', async () => {
  const changes: unknown[] = [];
  const tokens = {
    slotsOf: () => [1],
    call: async () => [{ name: 'key', names: ['key'], kind: 'secret', type: 'AES', bits: 256, uses: [] }],
    ask: async () => ({ ok: false, failure: { why: 'absent', text: 'the token has no secret key' } }),
  };
  const rows = { describe: async () => ({ object: { state: ENUM.State.Destroyed } }) };
  const store = {};
  const ctx = { caller: { administers: ['hsm::one'] }, reader: store, server: { store }, change: async () => changes.push('taken in') };
  await discoverKeys(tokens as never, { store, rows } as never, ctx as never, undefined, { isFound: () => false } as never);
  assert.deepEqual(changes, []);
});

test('keys for which a quota leaves no room are told in the log, once for a search', async () => {
  const warned: unknown[] = [];
  const names = Array.from({ length: 40 }, (_, at) => `key ${at}`);
  const tokens = { slotsOf: () => [1], call: async () => names.map((name) => ({ name, names: [name], kind: 'secret', type: 'AES', bits: 256, uses: [] })) };
  const store = {};
  const source = { requirePlace() {}, keeper: { ownerOf: () => 'hsm::one' } };
  const server = { store, objects: { sourceOf: () => source }, log: { warn: ({ error }: { error: string }) => void warned.push(error) } };
  const change = () => Promise.reject(new Refusal('ServerLimitExceeded', 'objects_per_identity'));
  const ctx = { caller: { administers: ['hsm::one'] }, reader: store, server, change, now: 1_700_000_000, version: { major: 2, minor: 1 } };
  const parts = { store, rows: { describe: async () => undefined } };
  await discoverKeys(tokens as never, parts as never, ctx as never, undefined, { isFound: () => false } as never);
  assert.deepEqual(warned, ['objects_per_identity']);
});

test.run();
