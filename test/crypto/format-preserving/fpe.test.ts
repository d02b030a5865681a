// FF1 against the samples of NIST SP 800-38G, and text over alphabets with a 256-bit key.
import { deepEqual, equal, notEqual, ok, throws } from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { FF1 } from '@noble/ciphers/ff1.js';
import fc from 'fast-check';
import { test } from 'uvu';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { ff1 } from '../../../crypto/format-preserving/ff1.ts';
import { type FpeParameters, ff1Decrypt, ff1Encrypt, fpeParametersFrom } from '../../../crypto/format-preserving/fpe.ts';

const KEY = Buffer.from('2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f7f036d6f04fc6a94', 'hex');
const LONG_TWEAK = '3737373770717273373737';
const SAMPLES: [sample: number, keyBytes: number, radix: number, tweak: string, plaintext: string, ciphertext: string][] = [
  [1, 16, 10, '', '0123456789', '2433477484'],
  [2, 16, 10, '39383736353433323130', '0123456789', '6124200773'],
  [3, 16, 36, LONG_TWEAK, '0123456789abcdefghi', 'a9tv40mll9kdu509eum'],
  [4, 24, 10, '', '0123456789', '2830668132'],
  [5, 24, 10, '39383736353433323130', '0123456789', '2496655549'],
  [6, 24, 36, LONG_TWEAK, '0123456789abcdefghi', 'xbj3kv35jrawxv32ysr'],
  [7, 32, 10, '', '0123456789', '6657667009'],
  [8, 32, 10, '39383736353433323130', '0123456789', '1001623463'],
  [9, 32, 36, LONG_TWEAK, '0123456789abcdefghi', 'xs8a0azh2avyalyzuwd'],
];
for (const [sample, keyBytes, radix, tweak, plaintext, ciphertext] of SAMPLES) {
  test(`FF1 sample ${sample}`, () => {
    const key = createSecretKey(KEY.subarray(0, keyBytes));
    const numerals = (text: string) => [...text].map((digit) => Number.parseInt(digit, 36));
    deepEqual(ff1(key, radix, Buffer.from(tweak, 'hex'), numerals(plaintext), true), numerals(ciphertext));
    deepEqual(ff1(key, radix, Buffer.from(tweak, 'hex'), numerals(ciphertext), false), numerals(plaintext));
    if (keyBytes === 32) equal(encrypt(plaintext, { radix, tweak: Buffer.from(tweak, 'hex') }), ciphertext);
  });
}

const encrypt = (text: string, parameters: FpeParameters) => Buffer.from(ff1Encrypt(KEY, parameters, Buffer.from(text))).toString();
const decrypt = (text: string, parameters: FpeParameters) => Buffer.from(ff1Decrypt(KEY, parameters, Buffer.from(text))).toString();
const invalid = (words: RegExp) => (error: unknown) => error instanceof CryptoError && error.code === 'invalid' && words.test(error.message);

test('another implementation gives the same for any radix, length and tweak', () => {
  const property = fc.property(
    fc.integer({ min: 2, max: 65_535 }).chain((radix) => fc.tuple(fc.constant(radix), fc.array(fc.nat(radix - 1), { minLength: 20, maxLength: 90 }))),
    fc.uint8Array({ maxLength: 40 }),
    ([radix, numerals], tweak) => {
      const ours = ff1(createSecretKey(KEY), radix, tweak, numerals, true);
      deepEqual(ours, FF1(radix, Uint8Array.from(KEY), tweak).encrypt(numerals));
      deepEqual(ff1(createSecretKey(KEY), radix, tweak, ours, false), numerals);
    },
  );
  fc.assert(property, { numRuns: 60 });
});

test('presets keep their characters and their length', () => {
  const texts: [string, string, RegExp][] = [
    ['numeric', '4111111111111111', /^[0-9]{16}$/],
    ['alphabetic', 'Wonderland', /^[A-Za-z]{10}$/],
    ['alphanumeric', 'Agent007', /^[0-9A-Za-z]{8}$/],
    ['hexadecimal', 'deadbeef', /^[0-9a-f]{8}$/],
  ];
  for (const [alphabet, text, shape] of texts) {
    const out = encrypt(text, { alphabet });
    ok(shape.test(out), alphabet);
    notEqual(out, text);
    equal(decrypt(out, { alphabet }), text);
  }
  equal(encrypt('0123456789', {}), '6657667009');
});

test('an alphabet of its own characters, beyond the basic plane too', () => {
  const alphabet = 'αβγδεζηθ😀😁😂🤣';
  const out = encrypt('αβγ😀😀🤣δε', { alphabet, tweak: Buffer.from('one') });
  equal([...out].length, 8);
  equal(decrypt(out, { alphabet, tweak: Buffer.from('one') }), 'αβγ😀😀🤣δε');
  notEqual(decrypt(out, { alphabet, tweak: Buffer.from('two') }), 'αβγ😀😀🤣δε');
});

test('an alphabet of 65536 characters', () => {
  const alphabet = Array.from({ length: 65_536 }, (_, i) => String.fromCodePoint(0x1_0000 + i)).join('');
  const text = String.fromCodePoint(0x1_0000, 0x1_ffff, 0x1_1234);
  equal(decrypt(encrypt(text, { alphabet }), { alphabet }), text);
});

test('fewer than a million strings to choose from are refused', () => {
  throws(() => encrypt('12345', {}), invalid(/at least 6/));
  equal(decrypt(encrypt('123456', {}), {}), '123456');
  throws(() => encrypt('abc', { radix: 36 }), invalid(/at least 4/));
  throws(() => encrypt('0101010101010101010', { radix: 2 }), invalid(/at least 20/));
});

test('a refusal names nothing of the text', () => {
  throws(
    () => encrypt('4111-1111-1111', {}),
    (error: unknown) => invalid(/^the text has a character outside the alphabet$/)(error),
  );
  throws(() => ff1Encrypt(KEY, {}, Buffer.from('31ff32', 'hex')), invalid(/UTF-8/));
  throws(() => encrypt('1'.repeat(4097), {}), invalid(/longer than 4096/));
});

test('keys, alphabets and radixes that do not fit are refused', () => {
  throws(() => ff1Encrypt(KEY.subarray(0, 16), {}, Buffer.from('0123456789')), invalid(/256 bits/));
  throws(() => encrypt('aaaaaaaa', { alphabet: 'abca' }), invalid(/only once/));
  throws(() => encrypt('aaaaaaaa', { alphabet: 'a' }), invalid(/2 to 65536/));
  throws(() => encrypt('aaaaaaaa', { alphabet: 'a\ud83d' }), invalid(/unpaired surrogate/));
  throws(() => encrypt('aaaaaaaa', { radix: 37 }), invalid(/2 to 36/));
  throws(() => encrypt('aaaaaaaa', { radix: 16, alphabet: 'numeric' }), invalid(/not both/));
});

test('parameters out of the fields of an extension; the additional data is the tweak when they have none', () => {
  deepEqual(fpeParametersFrom({ alphabet: 'numeric', tweak: '0aFF' }, Buffer.from('aad')), { alphabet: 'numeric', tweak: Buffer.from('0aff', 'hex') });
  deepEqual(fpeParametersFrom({ radix: 10 }, Buffer.from('aad')), { radix: 10, tweak: Buffer.from('aad') });
  deepEqual(fpeParametersFrom({}), {});
  throws(() => fpeParametersFrom({ tweak: 'xyz' }), invalid(/hexadecimal/));
  throws(() => fpeParametersFrom({ radix: '10' }), invalid(/radix must be a number/));
  throws(() => fpeParametersFrom({ alphabet: 7 }), invalid(/alphabet must be a string/));
  throws(() => fpeParametersFrom({ rounds: 3 }), invalid(/rounds/));
});

test.run();
