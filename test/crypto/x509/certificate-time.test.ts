// The times of certificates and revocation lists: two forms, the century of the shorter one, and days that no month has.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { DER, element, readElement } from '../../../crypto/der.ts';
import { readTime, writeTime } from '../../../crypto/x509/certificate-time.ts';

const read = (tag: number, text: string): number => readTime(readElement(element(tag, Buffer.from(text)), 'it'), 'it');
const [short, long] = [DER.utcTime, DER.generalizedTime];

test('two digits of a year are those of 1950 to 2049, and each time is read as it was written', () => {
  for (const [tag, text, expected] of [
    [short, '491231235959Z', '2049-12-31T23:59:59Z'],
    [short, '500101000000Z', '1950-01-01T00:00:00Z'],
    [short, '240229120000Z', '2024-02-29T12:00:00Z'],
    [long, '20500101000000Z', '2050-01-01T00:00:00Z'],
    [long, '99991231235959Z', '9999-12-31T23:59:59Z'],
  ] as const) {
    const seconds = Date.parse(expected) / 1_000;
    assert.equal(read(tag, text), seconds);
    assert.equal(readTime(readElement(writeTime(seconds), 'it'), 'it'), seconds);
  }
});

test('a time that is none is refused, also one that would be of the next day or month', () => {
  const wrong: readonly (readonly [tag: number, text: string])[] = [
    ...['260230000000Z', '260431000000Z', '250229000000Z', '260228240000Z', '261301000000Z', '260100000000Z', '260228235960Z'].map(
      (text) => [short, text] as const,
    ),
    ...['2602280000Z', '260228000000+0100', '260228000000', '26022800000aZ', ''].map((text) => [short, text] as const),
    ...['21000229000000Z', '20260230000000Z', '20260228000000.5Z', '260228000000Z'].map((text) => [long, text] as const),
    [DER.integer, '260228000000Z'],
  ];
  for (const [tag, text] of wrong) assert.throws(() => read(tag, text), { message: 'it has a malformed time' }, text);
});

test.run();
