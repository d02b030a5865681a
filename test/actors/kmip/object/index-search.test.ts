// Searches by the index: whichever way they take, for terms that few or many objects have, they find what a look at every object finds.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { tagTerm } from '../../../../actors/kmip/object/index-terms.ts';
import type { Draft } from '../../../../actors/kmip/object/managed-object.ts';
import { ObjectRows } from '../../../../actors/kmip/object/rows/rows.ts';
import { findByIndex } from '../../../../actors/kmip/object/search/index-search.ts';
import { type Scope, Selection } from '../../../../actors/kmip/object/search/selection.ts';
import type { OperationContext } from '../../../../actors/kmip/operation-context.ts';
import { migrationSets } from '../../../../kernel/catalog/migrations.ts';
import { createClock } from '../../../../kernel/clock.ts';
import { DataKey } from '../../../../kernel/keys/data-key.ts';
import { migrate } from '../../../../kernel/store/migrate.ts';
import { openStore } from '../../../../kernel/store/open.ts';
import type { Store } from '../../../../kernel/store/store.ts';
import { AttributeSet } from '../../../../kmip/attribute/set.ts';
import type { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { structure, text } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { BUILT_IN } from '../../../../plugins/index.ts';
import { ALICE } from '../../../fakes/objects.ts';
import { testDatabases } from '../../../stores.ts';

const COUNT = 240;
const OTHER = 'acme/bob';
const { Active, Compromised } = ENUM.State;
const tags = (at: number) => ['all', `third ${at % 3}`, `half ${at < COUNT / 2 ? 'old' : 'new'}`, ...(at % 60 === 5 ? ['rare'] : [])];
const ownerOf = (at: number) => (at % 4 === 3 ? OTHER : ALICE.user);
const stateOf = (at: number) => (at % 20 === 0 ? Compromised : Active);
const BOUNDS = { few: 8, counted: 50, together: 16, walked: 64, walkedToCount: 96, walkedFar: 160, far: 100 };

const databases = await testDatabases();
test.after(async () => {
  for (const database of databases) await database.stop();
});

async function filled(url: string): Promise<Store> {
  const store = await openStore(url, { writer: 'w', clock: createClock() });
  await migrate(store, migrationSets(BUILT_IN), () => 0);
  const dataKey = new DataKey('keys', new Uint8Array(32), () => 0);
  const rows = new ObjectRows(dataKey, () => 0);
  await store.transaction(async (tx) => {
    for (let at = 0; at < COUNT; at++) {
      const attribute = structure(TAG.Attribute, [
        text(TAG.VendorIdentification, 'gatehouse'),
        text(TAG.AttributeName, 'tag'),
        text(TAG.AttributeValue, JSON.stringify(tags(at))),
      ]);
      const attributes = AttributeSet.of(structure(TAG.Attributes, [attribute]));
      const rest = { type: ENUM.ObjectType.SymmetricKey, archived: false, attributes, content: undefined };
      const draft: Draft = { id: `object ${at}`, owner: ownerOf(at), state: stateOf(at), ...rest };
      await rows.insert(tx, draft);
      // Every second one of the other owner is granted.
      if (at % 8 === 3) await rows.grants.write(tx, draft.id, rows.markOf(draft), ALICE.user, new Set(['encrypt']));
    }
  });
  return store;
}

function expected(scope: Scope, wanted: readonly string[], isRareState: boolean): string[] {
  const all = Array.from({ length: COUNT }, (_, at) => COUNT - 1 - at);
  const isThere = (at: number) => (scope === 'own' ? ownerOf(at) === ALICE.user : at % 8 === 3);
  const fits = (at: number) => isThere(at) && wanted.every((tag) => tags(at).includes(tag)) && (!isRareState || stateOf(at) === Compromised);
  return all.filter(fits).map((at) => `object ${at}`);
}

/** Behind so many, for what so many of the caller's own objects all have, a page would take too long. */
const isTooFar = (scope: Scope, wanted: readonly string[], { offset, limit }: { readonly offset: number; readonly limit: number }) =>
  scope === 'own' && wanted.length > 0 && offset + limit > BOUNDS.walkedFar && wanted.every((tag) => expected('own', [tag], false).length > BOUNDS.far);

const SEARCHES = [[], ['all'], ['all', 'third 1'], ['third 1', 'third 2'], ['half old'], ['half old', 'third 0'], ['rare'], ['all', 'rare'], ['nobody']];
const WINDOWS = [
  { offset: 0, limit: 5 },
  { offset: 0, limit: 300 },
  { offset: 7, limit: 10 },
  { offset: 55, limit: 20 },
  { offset: 170, limit: 50 },
  { offset: 0, limit: 0 },
];

for (const database of databases)
  test(`${database.dialect}: every way finds the same, and counts it or says that it has not; a page too far behind is refused`, async () => {
    const store = await filled(await database.url());
    try {
      const ctx = { caller: ALICE, reader: store, server: { store } } as unknown as OperationContext;
      let [uncounted, refused] = [0, 0];
      for (const scope of ['own', 'granted'] as const)
        for (const wanted of SEARCHES)
          for (const isRareState of [false, true])
            for (const window of WINDOWS) {
              const fresh = () => {
                const selection = new Selection(ALICE, scope);
                for (const tag of wanted) selection.term(tagTerm(tag));
                if (isRareState) selection.where(`o.state = ${selection.param(Compromised)}`);
                return selection;
              };
              const what = JSON.stringify({ scope, wanted, isRareState, window });
              const finding = findByIndex({ ctx, scope, fresh, terms: fresh().terms }, window, BOUNDS);
              if (isTooFar(scope, wanted, window)) {
                refused += 1;
                const { reason, message } = await finding.then(
                  () => assert.fail(what),
                  (error: Refusal) => error,
                );
                assert.equal(reason, 'ServerLimitExceeded', what);
                assert.match(message, new RegExp(`OffsetItems is ${window.offset}: of more than 100 objects .*at most 160 .*InitialDate`));
                continue;
              }
              const found = await finding;
              const all = expected(scope, wanted, isRareState);
              assert.deepEqual(found.ids, all.slice(window.offset, window.offset + window.limit), what);
              if (found.total === undefined) {
                uncounted += 1;
                assert.equal(found.ids.length, window.limit, what);
              } else assert.equal(found.total, all.length, what);
            }
      assert.ok(uncounted > 5, `${uncounted}`);
      assert.ok(refused > 1, `${refused}`);
    } finally {
      await store.close();
    }
  });

test.run();
