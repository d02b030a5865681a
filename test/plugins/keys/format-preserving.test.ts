// FF1 for clients of two conventions: vendor attributes with the tweak in either field, and an alphabet as additional data with the tweak in the IV.
import assert from 'node:assert/strict';
import { FF1 } from '@noble/ciphers/ff1.js';
import { test } from 'uvu';
import { bytes, integer, type Node, structure } from '../../../kmip/ttlv/node.ts';
import { bytesOf, required, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { ANY_USE, active, attributes, code, id, mask, symmetricKey, vendor } from '../../fuzz/members.ts';
import { caller } from './caller.ts';
import { textIn } from './kmip-client.ts';

const client = caller('alice').client({ major: 2, minor: 1, encoding: 'json' });
let key: string;
/** One that says its alphabet itself. */
let ofHexadecimal: string;

test.before(async () => {
  [key, ofHexadecimal] = await Promise.all([registered(), registered(vendor('alphabet', 'hexadecimal'))]);
});

/** Of the samples of NIST SP 800-38G. */
const KEY = Uint8Array.from(Buffer.from('2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f7f036d6f04fc6a94', 'hex'));

async function registered(...more: readonly Node[]): Promise<string> {
  const given = attributes(active, mask(ANY_USE), ...more);
  return textIn(await client.do('Register', code('ObjectType', 'SymmetricKey'), given, symmetricKey(KEY, 'FPE_FF1')), TAG.UniqueIdentifier);
}

const utf8 = (value: string): Uint8Array => new Uint8Array(Buffer.from(value));
const alphabet = (value: string | Uint8Array): Node => bytes(TAG.AuthenticatedEncryptionAdditionalData, typeof value === 'string' ? utf8(value) : value);
const tweak = (value: string): Node => bytes(TAG.IVCounterNonce, utf8(value));
const asked = (...fields: readonly Node[]): Node => structure(TAG.CryptographicParameters, [code('CryptographicAlgorithm', 'FPE_FF1'), ...fields]);

async function turned(operation: 'Encrypt' | 'Decrypt', value: string, ...members: readonly Node[]): Promise<string> {
  return turnedBy(key, operation, value, ...members);
}

async function turnedBy(by: string, operation: 'Encrypt' | 'Decrypt', value: string, ...members: readonly Node[]): Promise<string> {
  const payload = await client.do(operation, id(by), bytes(TAG.Data, utf8(value)), ...members);
  return Buffer.from(required(bytesOf(payload, TAG.Data), TAG.Data)).toString();
}

async function refusal(by: string, operation: 'Encrypt' | 'Decrypt', value: string, ...members: readonly Node[]): Promise<string> {
  const { status, reason, item } = await client.ask(operation, id(by), bytes(TAG.Data, utf8(value)), ...members);
  assert.equal(status, 'OperationFailed', `${operation} of ${value}`);
  assert.equal(reason, 'InvalidField');
  return textOf(item, TAG.ResultMessage) ?? '';
}

const INTEGER = '{"type":"integer","alphabet":"numeric"}';
const HEXADECIMAL = '{"type":"integer","alphabet":"hexadecimal"}';
const DIGITS = '0123456789';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();

test('sample 8 of NIST SP 800-38G, the alphabet as additional data and the tweak in the IV', async () => {
  for (const name of ['numeric', DIGITS, INTEGER]) assert.equal(await turned('Encrypt', '0123456789', alphabet(name), tweak('9876543210')), '1001623463');
  assert.equal(await turned('Decrypt', '1001623463', alphabet('numeric'), tweak('9876543210')), '0123456789');
});

test('a tag is not taken, because FF1 authenticates nothing', async () => {
  assert.match(await refusal(key, 'Decrypt', '1001623463', bytes(TAG.AuthenticatedEncryptionTag, new Uint8Array(16))), /leave out AuthenticatedEncryptionTag/);
  assert.equal(await turned('Decrypt', '6657667009', bytes(TAG.AuthenticatedEncryptionTag, new Uint8Array())), '0123456789');
});

/** What another implementation makes of a text. */
function byAnother(characters: string, value: string): string {
  const order = [...characters];
  const own = [...value].filter((character) => order.includes(character)).map((character) => order.indexOf(character));
  const out = FF1(order.length, KEY, utf8('unique tweak')).encrypt(own).values();
  return [...value].map((character) => (order.includes(character) ? order[out.next().value as number] : character)).join('');
}

/** The characters are in the order of Unicode, whatever order they are given in. */
const READ: readonly [given: string, characters: string, plain: string][] = [
  ['alpha_lower', LOWER, 'plaintext'],
  [LOWER, LOWER, 'plaintext'],
  [[...LOWER].reverse().join(''), LOWER, 'plaintext'],
  ['  banana nabob\n', ' abno', 'banana nabob, on nan'],
  ['alpha_numeric', DIGITS + UPPER + LOWER, 'Alpha 4 numeric'],
  ['{"type":"text"}', DIGITS + UPPER + LOWER, 'alphanumeric'],
  ['numeric', DIGITS, '1234-1234-1234-1234'],
  ['{"alphabet":"numeric"}', DIGITS, '1234-1234-1234-1234'],
  [INTEGER, DIGITS, '00100000000000000000'],
  [HEXADECIMAL, `${DIGITS}abcdef`, '01e240'],
];

for (const [given, characters, plain] of READ)
  test(`${plain} over ${given} is what another implementation makes of it, and back`, async () => {
    const encrypted = byAnother(characters, plain);
    assert.equal(await turned('Encrypt', plain, alphabet(given), tweak('unique tweak')), encrypted);
    assert.equal(await turned('Decrypt', encrypted, alphabet(given), tweak('unique tweak')), plain);
  });

test('a number with a fraction is turned as the bits of its double, and back', async () => {
  const float = [alphabet('{"type":"float"}'), tweak('unique tweak')];
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(123_456.789);
  assert.equal(await turned('Encrypt', '123456.789', ...float), byAnother(`${DIGITS}abcdef`, bits.toString('hex')));
  for (const [given, back] of [
    ['123456.789', '123456.789'],
    ['-0', '-0'],
    ['1e21', '1000000000000000000000'],
    ['.5e-8', '0.000000005'],
    ['0e-400', '0'],
    ['5e-324', `0.${'0'.repeat(323)}5`],
    ['3.14159265358979323846', '3.141592653589793'],
    // The exact digits of a double, and its shortest.
    ['-12345678901234567168', '-12345678901234567000'],
    ['+0012345678901234567000', '12345678901234567000'],
    ['inf', 'inf'],
    ['NaN', 'NaN'],
  ] as const)
    assert.equal(await turned('Decrypt', await turned('Encrypt', given, ...float), ...float), back);
  assert.match(await refusal(key, 'Encrypt', '12,5', ...float), /number/);
  // What a double does not hold would come back as another number.
  for (const [lost, reason] of [
    ['1e400', /too large for a double$/],
    ['-1e309', /too large for a double$/],
    ['0.2e-400', /too small for a double$/],
    ['12345678901234567890', /more digits than a double holds; encrypt it as an integer$/],
    ['-9007199254740993', /more digits than a double holds; encrypt it as an integer$/],
  ] as const)
    assert.match(await refusal(key, 'Encrypt', lost, ...float), reason);
  assert.match(await refusal(key, 'Decrypt', '12.5', ...float), /16 hexadecimal digits/);
});

test('all alphabets of the other convention keep their characters and what is none of them', async () => {
  for (const [name, plain, shape] of [
    ['hexadecimal', 'dead:beef:0123', /^[\da-f]{4}:[\da-f]{4}:[\da-f]{4}$/],
    ['alpha_upper', 'WONDER LAND', /^[A-Z]{6} [A-Z]{4}$/],
    ['alpha', 'Wonder-land', /^[A-Za-z]{6}-[A-Za-z]{4}$/],
    ['chinese', '天地玄黄 宇宙洪荒', /^[\u4e00-\u9fff]{4} [\u4e00-\u9fff]{4}$/],
    ['latin1sup', 'Ça va bien', /^[!-~À-ÿ]{2} [!-~À-ÿ]{2} [!-~À-ÿ]{4}$/],
    ['latin1sup_alphanum', 'Bérangère (Aigüe)', /^[\dA-Za-zÀ-ÿ]{9} \([\dA-Za-zÀ-ÿ]{5}\)$/],
    ['utf', 'ПРС-ТУФ', /^[\s\S]{7}$/u],
    ['ascii_printable', 'any of: this~', /^[ -~]{13}$/],
    ['base64', 'aGVsbG8gd29ybGQ=', /^[\dA-Za-z+/]{15}=$/],
  ] as const) {
    const encrypted = await turned('Encrypt', plain, alphabet(name), tweak(''));
    assert.match(encrypted, shape, name);
    assert.notEqual(encrypted, plain);
    assert.equal(await turned('Decrypt', encrypted, alphabet(name), tweak('')), plain, name);
  }
});

test('additional data that could be alphabet or tweak is refused, and the message says how to state which', async () => {
  for (const operation of ['Encrypt', 'Decrypt'] as const) {
    for (const two of ['numeric', 'alpha_numeric', 'alphabetic', '0123456789', 'customer 42', INTEGER]) {
      const said = await refusal(key, operation, '4000123456789010', alphabet(two));
      assert.match(said, /ambiguous/, two);
      assert.match(said, /IVCounterNonce/);
    }
    // The key says its alphabet, and that it is used by the vendor attributes; a name is still no tweak that anybody means.
    assert.match(await refusal(ofHexadecimal, operation, 'deadbeef', alphabet('alpha_lower')), /ambiguous/);
    assert.match(await refusal(key, operation, '4000123456789010', alphabet('alphabetic'), tweak('t')), /alpha\b.*alpha_numeric/);
    const request = asked(vendor('alphabet', 'numeric'));
    assert.match(await refusal(key, operation, '4000123456789010', request, alphabet('numeric'), tweak('t')), /tweak/);
  }
});

test('what can be read one way only is read so', async () => {
  const plain = '4000123456789010';
  const byTweak = await turned('Encrypt', plain, tweak('customer 42'));
  assert.match(byTweak, /^\d{16}$/);
  // As the specification of an alphabet in the request says, additional data is then the tweak.
  assert.equal(await turned('Encrypt', plain, asked(vendor('alphabet', 'numeric')), alphabet('customer 42')), byTweak);
  assert.equal(await turned('Encrypt', plain, alphabet('numeric'), tweak('customer 42')), byTweak);
  assert.equal(await turned('Encrypt', plain, alphabet('0123456789'), tweak('customer 42')), byTweak);
  // No character of it is one that the text could have.
  assert.equal(await turned('Encrypt', plain, alphabet('eve')), await turned('Encrypt', plain, tweak('eve')));
  assert.equal(
    await turned('Encrypt', plain, alphabet(Uint8Array.of(0x31, 0xff, 0))),
    await turned('Encrypt', plain, bytes(TAG.IVCounterNonce, Uint8Array.of(0x31, 0xff, 0))),
  );
  const hexadecimal = await turnedBy(ofHexadecimal, 'Encrypt', 'deadbeef', alphabet('customer 42'));
  assert.equal(hexadecimal, await turnedBy(ofHexadecimal, 'Encrypt', 'deadbeef', tweak('customer 42')));
});

test('alphabets that cannot be are refused before any work', async () => {
  const said = (given: string | Uint8Array, value = '123456') => refusal(key, 'Encrypt', value, alphabet(given), tweak('t'));
  assert.match(await said('aaaa'), /2 to 65536/);
  assert.match(await said('x'.repeat(5000)), /4096 bytes/);
  assert.match(await said(Uint8Array.of(0xff, 0xfe)), /UTF-8/);
  assert.match(await said('{"type":"integer"}'), /alphabet/);
  assert.match(await said('{"type":"integer","alphabet":"base64"}'), /2 to 16/);
  assert.match(await said('{"type":"date"}'), /text, integer or float/);
  assert.match(await said('{"type":'), /JSON/);
  assert.match(await said('{"alphabet":"0123456789\\ud800"}'), /unpaired surrogate/);
  assert.match(await said(INTEGER, '12-34-56'), /outside the alphabet/);
  assert.match(await said('numeric', '12-345'), /at least 6/);
});

test('a radix of the request goes with additional data as the tweak', async () => {
  const radix = structure(TAG.Attribute, [...(vendor('radix', '') as { value: readonly Node[] }).value.slice(0, 2), integer(TAG.AttributeValue, 10)]);
  assert.equal(await turned('Encrypt', '123456', asked(radix), alphabet('numeric')), await turned('Encrypt', '123456', tweak('numeric')));
});

test.run();
