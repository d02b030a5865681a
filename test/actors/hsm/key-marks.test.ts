// What tells a key from another of its name: the key itself, and for a private key on a curve the public key beside it, if it is there.
import { deepEqual, equal } from 'node:assert/strict';
import type pkcs11js from 'pkcs11js';
import { test } from 'uvu';
import { KeyMarks, markOf } from '../../../actors/hsm/token/key-marks.ts';
import { CKA } from '../../../kmip/pkcs11.ts';

const KEY = { name: 'key', kind: 'private' } as const;
const [PRIVATE, PUBLIC] = [Buffer.of(1), Buffer.of(2)];

/** Of a private key on a curve whose type is `type`. @param point of the public key beside it; undefined: there is none */
function markWith(type: number, point: string | undefined): string | undefined {
  const read = (handle: pkcs11js.Handle, attribute: number) => {
    if (handle === PUBLIC) return attribute === CKA.EC_POINT && point !== undefined ? Buffer.from(point) : undefined;
    return attribute === CKA.KEY_TYPE ? Buffer.of(type) : undefined;
  };
  return markOf({ read, kin: (kind, attribute) => (kind === 'public' && attribute === CKA.ID && point !== undefined ? [PUBLIC] : []) }, PRIVATE, KEY);
}

test('a public key that comes or goes tells nothing; another one, or another private key, does', () => {
  const told: string[] = [];
  const marks = new KeyMarks(({ name }) => told.push(name));
  for (const point of [undefined, 'one', 'one', undefined, 'one']) marks.found(KEY, markWith(3, point));
  deepEqual(told, []);
  for (const point of [undefined, 'two']) marks.found(KEY, markWith(3, point));
  equal(told.length, 1);
  marks.found(KEY, markWith(0, 'two'));
  equal(told.length, 2);
  marks.forget('key');
  marks.found(KEY, markWith(3, 'one'));
  equal(told.length, 2);
});

test.run();
