// The dates of a replacement (KMIP 2.1 section 6.1.46).
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { link } from '../../../../actors/kmip/object/create.ts';
import { replacementAttributes } from '../../../../actors/kmip/object/keyset/replacement.ts';
import { dateAttribute } from '../../../../actors/kmip/object/life/lifecycle.ts';
import { dateTime, type Node, structure, text } from '../../../../kmip/ttlv/node.ts';
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

test('a vendor attribute that is given replaces that of its name, a link that of its type', () => {
  const vendor = (called: string, value: string): Node =>
    structure(TAG.Attribute, [text(TAG.VendorIdentification, 'x'), text(TAG.AttributeName, called), text(TAG.AttributeValue, value)]);
  const group = (value: string): Node => text(TAG.ObjectGroup, value);
  const inherited = [vendor('a', '1'), vendor('b', '1'), vendor('a', '2'), link('ParentLink', 'p'), link('ChildLink', 'c'), group('one'), group('other')];
  const old = draft('k', { attributes: inherited });
  const given = [vendor('a', '3'), link('ParentLink', 'new'), group('third')];
  const request = structure(TAG.RequestPayload, [structure(TAG.Attributes, given)]);
  const attributes = replacementAttributes(old, request, undefined, new ObjectsInMemory([old], { now: NOW }), TAG.Attributes);
  const held = (tag: number) => attributes.all(tag).map(({ node }) => node);
  assert.deepEqual(held(TAG.Attribute), [vendor('b', '1'), vendor('a', '3')]);
  assert.deepEqual(held(TAG.Link), [link('ChildLink', 'c'), link('ParentLink', 'new')]);
  assert.deepEqual(held(TAG.ObjectGroup), [group('third')]);
});

test.run();
