// The dates of a replacement (KMIP 2.1 section 6.1.46).
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { dateAttribute } from '../../../../actors/kmip/object/lifecycle.ts';
import { replacementAttributes } from '../../../../actors/kmip/object/replacement.ts';
import { dateTime, type Node, structure } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { draft, ObjectsInMemory } from '../../../fakes/objects.ts';

const NOW = 1_700_000_000;
const DATES = [TAG.ActivationDate, TAG.ProcessStartDate, TAG.ProtectStopDate, TAG.DeactivationDate] as const;

/** @param dates of the old key, from now @param given to the replacement @returns its dates, from now */
function replaced(dates: readonly number[], offset?: number, ...given: readonly Node[]): (number | undefined)[] {
  const old = draft('k', { attributes: dates.map((seconds, at) => dateTime(DATES[at] as number, NOW + seconds)) });
  const ctx = new ObjectsInMemory([old], { now: NOW });
  const request = structure(TAG.RequestPayload, given.length > 0 ? [structure(TAG.Attributes, given)] : []);
  const attributes = replacementAttributes(old, request, offset, ctx, TAG.Attributes);
  return DATES.map((tag) => dateAttribute(attributes, tag)).map((date) => date && date - NOW);
}

test('without an Offset all dates are those of the old key, with one they move with its activation', () => {
  assert.deepEqual(replaced([-1000, -900, 500, 600]), [-1000, -900, 500, 600]);
  assert.deepEqual(replaced([-1000, -900, 500, 600], 50), [50, 150, 1550, 1650]);
});

test('a date that never comes does not move with an Offset, and none moves behind it', () => {
  const never = Number.MAX_SAFE_INTEGER - NOW;
  assert.deepEqual(replaced([-1000, -900, never - 5, never], 50), [50, 150, never, never]);
  assert.deepEqual(replaced([5000, 6000, never - 5, never], 50), [50, 1050, never - 4955, never]);
});

test('an end that has passed is not that of the replacement', () => {
  assert.deepEqual(replaced([-1000, -900, -500, -400]), [-1000, -900, undefined, undefined]);
});

test('a start that has passed gives way to an activation that the request gives, one to come does not', () => {
  const activation = dateTime(TAG.ActivationDate, NOW + 50);
  assert.deepEqual(replaced([-1000, -900, 500, 600], undefined, activation), [50, undefined, 500, 600]);
  assert.deepEqual(replaced([-1000, 100, 500, 600], undefined, activation), [50, 100, 500, 600]);
});

test.run();
