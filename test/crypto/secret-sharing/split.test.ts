// Split keys: any threshold of the parts gives the key, fewer give nothing of it, and the fields are those of the specification.
import { deepEqual, equal, notDeepEqual, throws } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'uvu';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { type Field, GF_2_8, GF_2_16, primeField } from '../../../crypto/secret-sharing/field.ts';
import { join, type SplitKeyMethod, split } from '../../../crypto/secret-sharing/split.ts';

const SECRET = Buffer.from('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eff', 'hex');
const refused = (code: string, words: RegExp) => (error: unknown) => error instanceof CryptoError && error.code === code && words.test(error.message);
const POLYNOMIALS: SplitKeyMethod[] = ['PolynomialSharingGF28', 'PolynomialSharingGF216', 'PolynomialSharingPrimeField'];

for (const method of POLYNOMIALS) {
  test(`${method}: any three of five parts, in any order, and all five`, () => {
    const { parts, primeField: prime } = split(method, SECRET, 5, 3);
    deepEqual(
      parts.map((part) => part.identifier),
      [1, 2, 3, 4, 5],
    );
    const property = fc.property(fc.shuffledSubarray([...parts], { minLength: 3 }), (some) => {
      deepEqual(Buffer.from(join(method, some, 3, prime)), SECRET);
    });
    fc.assert(property, { numRuns: 30 });
    notDeepEqual(Buffer.from(join(method, parts.slice(0, 2), 2, prime, 33)).subarray(-32), SECRET);
  });

  test(`${method}: a part too many that does not fit is found`, () => {
    const { parts, primeField: prime } = split(method, SECRET, 4, 3);
    const material = Uint8Array.from(parts[3]?.material ?? []);
    material[31] = (material[31] ?? 0) ^ 1;
    throws(() => join(method, [...parts.slice(0, 3), { identifier: 4, material }], 3, prime), refused('failed', /do not belong together/));
  });
}

test('XOR: all parts are needed, and their XOR is the key', () => {
  const { parts } = split('XOR', SECRET, 3, 3);
  const [a, b, c] = parts.map((part) => part.material);
  deepEqual(Buffer.from(SECRET.map((_, i) => (a?.[i] ?? 0) ^ (b?.[i] ?? 0) ^ (c?.[i] ?? 0))), SECRET);
  deepEqual(Buffer.from(join('XOR', parts, 3)), SECRET);
  throws(() => split('XOR', SECRET, 3, 2), refused('invalid', /threshold/));
  throws(() => join('XOR', parts.slice(1), 3), refused('failed', /3 parts are needed, but 2 were given/));
});

test('shares of two parts lie on a line through the secret: GF(2^8) reckoned by hand', () => {
  const { parts } = split('PolynomialSharingGF28', Buffer.of(0x53), 2, 2);
  const slope = (parts[0]?.material[0] ?? 0) ^ 0x53;
  equal(parts[1]?.material[0], GF_2_8.multiply(slope, 2) ^ 0x53);
});

test('GF(2^8) is modulo x^8 + x^4 + x^3 + x^2 + 1, GF(2^16) modulo y^2 + y + m over it', () => {
  equal(GF_2_8.multiply(0x80, 2), 0x1d);
  equal(
    Array.from({ length: 8 }).reduce<number>((power) => GF_2_8.multiply(power, 2), 1),
    29,
  );
  equal(GF_2_16.multiply(0x0100, 0x0100), 0x013a);
  equal(GF_2_16.multiply(0x0080, 0x0002), 0x001d);
});

function isField<T>(name: string, field: Field<T>): void {
  test(`${name}: inverses, and products distribute over sums`, () => {
    const element = fc.constant(0).map(() => field.random());
    const property = fc.property(element, element, element, (a, b, c) => {
      deepEqual(field.multiply(a, field.add(b, c)), field.add(field.multiply(a, b), field.multiply(a, c)));
      deepEqual(field.multiply(field.multiply(a, b), c), field.multiply(a, field.multiply(b, c)));
      deepEqual(field.add(field.subtract(a, b), b), a);
      if (a !== field.zero) deepEqual(field.multiply(a, field.inverse(a)), field.one);
    });
    fc.assert(property, { numRuns: 200 });
  });
}
isField('GF(2^8)', GF_2_8);
isField('GF(2^16)', GF_2_16);
isField('GF(2^127 - 1)', primeField(2n ** 127n - 1n));

test('a prime field: the prime is greater than any key as long, and leading zeros come back', () => {
  const prime = 2n ** 521n - 1n;
  const made = split('PolynomialSharingPrimeField', SECRET, 3, 2);
  equal((made.primeField ?? 0n) > 2n ** 256n, true);
  const given = split('PolynomialSharingPrimeField', SECRET, 3, 2, prime);
  equal(given.primeField, prime);
  equal(given.parts[0]?.material.length, 66);
  deepEqual(Buffer.from(join('PolynomialSharingPrimeField', given.parts, 2, prime, 32)), SECRET);
  throws(() => split('PolynomialSharingPrimeField', SECRET, 3, 2, 2n ** 127n - 1n), refused('invalid', /greater than 2\^256/));
  throws(() => split('PolynomialSharingPrimeField', SECRET, 3, 2, 2n ** 300n), refused('invalid', /must be a prime/));
  throws(() => split('PolynomialSharingPrimeField', Buffer.alloc(129), 3, 2), refused('invalid', /must be given/));
  throws(() => split('PolynomialSharingPrimeField', SECRET, 3, 2, 2n ** 9689n - 1n), refused('invalid', /at most 264 bytes/));
  throws(() => join('PolynomialSharingPrimeField', given.parts, 2), refused('invalid', /missing/));
  throws(() => join('PolynomialSharingPrimeField', given.parts, 2, 2n ** 127n - 1n), refused('failed', /belong/));
});

test('numbers of parts, parts twice and keys that do not fit are refused', () => {
  const { parts } = split('PolynomialSharingGF28', SECRET, 3, 2);
  throws(() => split('PolynomialSharingGF28', SECRET, 256, 2), refused('invalid', /2 to 255/));
  throws(() => split('PolynomialSharingGF28', SECRET, 3, 4), refused('invalid', /threshold/));
  throws(() => split('PolynomialSharingGF28', Buffer.alloc(0), 3, 2), refused('invalid', /must not be empty/));
  throws(() => split('PolynomialSharingGF28', Buffer.alloc(65_536), 255, 255), refused('invalid', /too long/));
  throws(() => split('PolynomialSharingGF216', Buffer.alloc(3), 3, 2), refused('invalid', /multiple of 16 bits/));
  throws(() => join('PolynomialSharingGF28', parts.slice(0, 1), 2), refused('failed', /2 parts are needed/));
  throws(() => join('PolynomialSharingGF28', [...parts, ...parts], 2), refused('invalid', /only once/));
  throws(
    () =>
      join(
        'PolynomialSharingGF28',
        parts.map((part) => ({ ...part, identifier: part.identifier - 1 })),
        2,
      ),
    refused('invalid', /KeyPartIdentifier/),
  );
  throws(() => join('PolynomialSharingGF28', [...parts, { identifier: 9, material: Buffer.alloc(1) }], 2), refused('failed', /belong/));
});

test.run();
