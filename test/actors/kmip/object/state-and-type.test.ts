// Searches for a state or a type: the condition in SQL finds the same objects as stateAt, whatever is stored and whichever dates have passed.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { stateAt } from '../../../../actors/kmip/object/life/lifecycle.ts';
import type { Draft } from '../../../../actors/kmip/object/managed-object.ts';
import { ObjectRows } from '../../../../actors/kmip/object/rows/rows.ts';
import { Selection } from '../../../../actors/kmip/object/search/selection.ts';
import { stateCondition, typeConditions } from '../../../../actors/kmip/object/search/state-and-type.ts';
import { migrationSets } from '../../../../kernel/catalog/migrations.ts';
import { createClock } from '../../../../kernel/clock.ts';
import { DataKey } from '../../../../kernel/keys/data-key.ts';
import { migrate } from '../../../../kernel/store/migrate.ts';
import { openStore } from '../../../../kernel/store/open.ts';
import type { Store } from '../../../../kernel/store/store.ts';
import { AttributeSet } from '../../../../kmip/attribute/set.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { dateTime, enumeration, structure } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { BUILT_IN } from '../../../../plugins/index.ts';
import { ALICE } from '../../../fakes/objects.ts';
import { testDatabases } from '../../../stores.ts';

const NOW = 1_800_000_000;
const DATES = [undefined, NOW - 5, NOW, NOW + 5];
const { State, ObjectType } = ENUM;

const databases = await testDatabases();
test.after(async () => {
  for (const database of databases) await database.stop();
});

/** An object for each stored state and each pair of dates that can be together with it. */
function drafts(): Draft[] {
  const all: Draft[] = [];
  for (const state of Object.values(State))
    for (const activation of DATES)
      for (const deactivation of state === State.Deactivated ? DATES.slice(1) : DATES) {
        const dates = [
          ...(activation === undefined ? [] : [dateTime(TAG.ActivationDate, activation)]),
          ...(deactivation === undefined ? [] : [dateTime(TAG.DeactivationDate, deactivation)]),
        ];
        const attributes = AttributeSet.of(structure(TAG.Attributes, dates));
        const type = all.length % 2 === 0 ? ObjectType.SymmetricKey : ObjectType.SecretData;
        all.push({ id: `object ${all.length}`, owner: ALICE.user, type, state, archived: false, attributes, content: undefined });
      }
  return all;
}

async function found(store: Store, conditionsOf: (selection: Selection) => readonly string[]): Promise<string[]> {
  const selection = new Selection(ALICE, 'own');
  for (const condition of conditionsOf(selection)) selection.where(condition);
  return (await store.all<{ id: string }>(`${selection.sqlOfPlaces('o.id')} ORDER BY o.seq`, selection.params)).map(({ id }) => id);
}

for (const database of databases)
  test(`${database.dialect}: a search for a state or a type`, async () => {
    const store = await openStore(await database.url(), { writer: 'w', clock: createClock() });
    await migrate(store, migrationSets(BUILT_IN), () => 0);
    const rows = new ObjectRows(new DataKey('keys', new Uint8Array(32), () => 0), () => 0);
    const all = drafts();
    await store.transaction(async (tx) => {
      for (const draft of all) await rows.insert(tx, draft);
    });
    try {
      for (const [name, state] of Object.entries(State)) {
        const expected = all.filter((draft) => stateAt(draft, NOW) === state).map(({ id }) => id);
        assert.ok(expected.length > 5, name);
        assert.deepEqual(await found(store, (selection) => [stateCondition(selection, state, NOW)]), expected, name);
      }
      assert.deepEqual(await found(store, (selection) => [stateCondition(selection, 99, NOW)]), []);
      const ofType = (type: number, version: { major: number; minor: number }) =>
        found(store, (selection) => typeConditions(selection, [enumeration(TAG.ObjectType, type)], version as never));
      const secrets = all.filter(({ type }) => type === ObjectType.SecretData).map(({ id }) => id);
      assert.deepEqual(await ofType(ObjectType.SecretData, { major: 2, minor: 1 }), secrets);
      assert.deepEqual(await ofType(ObjectType.Template, { major: 2, minor: 1 }), []);
    } finally {
      await store.close();
    }
  });

test.run();
