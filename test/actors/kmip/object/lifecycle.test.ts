// The state of an object at a moment: what is computed from its dates is what the state machine makes of them.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { transition } from 'xstate';
import { settle, stateAt } from '../../../../actors/kmip/object/life/lifecycle.ts';
import { type LifeState, objectMachine } from '../../../../actors/kmip/object/life/object.machine.ts';
import type { Draft } from '../../../../actors/kmip/object/managed-object.ts';
import { AttributeSet } from '../../../../kmip/attribute/set.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { dateTime, structure } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';

const NOW = 1_000;
const DATES = [undefined, NOW - 1, NOW, NOW + 1];

/** The machine, asked until nothing changes any more. */
function byMachine(value: LifeState, context: { activation: number | undefined; deactivation: number | undefined }): LifeState {
  const [next] = transition(objectMachine, objectMachine.resolveState({ value, context }), { type: 'elapse', now: NOW });
  return next.value === value ? value : byMachine(next.value, context);
}

test('the dates of an object lead to the state that the machine says', () => {
  let compared = 0;
  for (const value of Object.keys(ENUM.State) as LifeState[])
    for (const activation of DATES)
      for (const deactivation of DATES) {
        const nodes = [
          ...(activation === undefined ? [] : [dateTime(TAG.ActivationDate, activation)]),
          ...(deactivation === undefined ? [] : [dateTime(TAG.DeactivationDate, deactivation)]),
        ];
        const attributes = AttributeSet.of(structure(TAG.Attributes, nodes));
        const draft: Draft = {
          id: 'a',
          type: ENUM.ObjectType.SymmetricKey,
          owner: 'ann',
          state: ENUM.State[value],
          archived: false,
          attributes,
          content: undefined,
        };
        const expected = ENUM.State[byMachine(value, { activation, deactivation })];
        const what = `${value}, ${activation}, ${deactivation}`;
        assert.equal(stateAt(draft, NOW), expected, what);
        settle(draft, NOW);
        assert.equal(draft.state, expected, what);
        compared += 1;
      }
  assert.equal(compared, 6 * DATES.length ** 2);
});

test.run();
