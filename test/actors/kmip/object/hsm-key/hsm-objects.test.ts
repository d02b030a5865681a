// The rows of keys on tokens: what the maker of a key writes stands, also if a search has found the key before.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { hsmObjects } from '../../../../../actors/kmip/object/hsm-key/hsm-objects.ts';
import { keptContent } from '../../../../../actors/kmip/object/hsm-key/shape.ts';
import type { Draft } from '../../../../../actors/kmip/object/managed-object.ts';
import { AttributeSet } from '../../../../../kmip/attribute/set.ts';
import { ENUM } from '../../../../../kmip/ttlv/enumeration.ts';
import { TAG } from '../../../../../kmip/ttlv/tag.ts';

test('the row that a search made of a key gives way to that of its maker, and to no other search', async () => {
  const steps: string[] = [];
  const rows = {
    describe: async () => ({ object: { state: ENUM.State.Active } }),
    remove: async () => steps.push('removed'),
    insert: async () => steps.push('inserted'),
  };
  const writer = hsmObjects({ prefixes: ['hsm::soft_hsm'] } as never, { rows, store: {} } as never, []).within({} as never);
  const owner = 'hsm::soft_hsm';
  const made: Draft = {
    ...{ id: `${owner}::0::key`, type: ENUM.ObjectType.SymmetricKey, owner, state: ENUM.State.Active, archived: false },
    ...{ attributes: new AttributeSet(), content: keptContent(TAG.SymmetricKey, 'AES', 256) },
  };
  await writer.insert(made);
  assert.deepEqual(steps.splice(0), ['removed', 'inserted']);
  await writer.insert({ ...made, found: 'there' });
  assert.deepEqual(steps, ['inserted']);
});

test.run();
