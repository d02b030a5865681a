// The method hash: the check values of the reference, independent digests, and its salts.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { test } from 'uvu';
import { refusal, result } from './ask.ts';

const argon2 = createRequire(import.meta.url)('argon2') as typeof import('argon2');
const salt = Buffer.from('example salt').toString('base64');

test('the check values of the reference', () => {
  assert.equal(result('hash', { data: 'test sha2', method: 'SHA2' }), 'Px0txVYqBePXWF5K4xFn0Pa2mhnYA/jfsLtpIF70vJ8=');
  assert.equal(result('hash', { data: 'test sha2', method: 'SHA2', salt }), 'd32KiG7kpZoaU2/Rqa+gbtaxDIKRA32nIxwhOXCaH1o=');
  assert.equal(result('hash', { data: 'test sha3', method: 'SHA3' }), 'b8rRtRqnSFs8s12jsKSXHFcLf5MeHx8g6m4tvZq04/I=');
  assert.equal(result('hash', { data: 'test sha3', method: 'SHA3', salt }), 'UBtIW7mX+cfdh3T3aPl/l465dBUbgKKZvMjZNNjwQ50=');
  assert.equal(result('hash', { data: 'low entropy data', method: 'Argon2', salt }), 'JXiQyIYJAIMZoDKhA/BOKTo+142aTkDvtITEI7NXDEM=');
});

test('Argon2 agrees with another library, also of an empty text and a long salt', async () => {
  for (const [data, bytes] of [
    ['', Buffer.alloc(8)],
    ['pässwörd 😀', Buffer.alloc(200, 7)],
  ] as const) {
    const other = await argon2.hash(data, {
      type: argon2.argon2id,
      salt: bytes,
      memoryCost: 19_456,
      timeCost: 2,
      parallelism: 1,
      hashLength: 32,
      version: 0x13,
      raw: true,
    });
    assert.equal(result('hash', { data, method: 'Argon2', salt: bytes.toString('base64') }), other.toString('base64'));
  }
});

test('any text and salt: SHA of the salt followed by the text as UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.uint8Array(), (data, bytes) => {
      const expected = (name: string) =>
        createHash(name)
          .update(Buffer.concat([bytes, Buffer.from(data)]))
          .digest('base64');
      const body = { data, salt: Buffer.from(bytes).toString('base64') };
      assert.equal(result('hash', { ...body, method: 'SHA2' }), expected('sha256'));
      assert.equal(result('hash', { ...body, method: 'SHA3' }), expected('sha3-256'));
    }),
  );
});

test('a salt that is null is no salt, and none at all is another request', () => {
  for (const method of ['SHA2', 'SHA3', 'Argon2']) assert.equal(refusal('hash', { data: 'test sha2', method, salt: null }), 'salt: must be a string');
  assert.equal(result('hash', { data: 'test sha2', method: 'SHA2' }), 'Px0txVYqBePXWF5K4xFn0Pa2mhnYA/jfsLtpIF70vJ8=');
});

test('what is refused: other methods, salts that are no base64 or too short, no salt for Argon2', () => {
  const about = (members: object) => refusal('hash', { data: 'x', ...members });
  for (const method of ['sha2', 'SHA-256', 'MD5', '', 'toString', '__proto__']) assert.match(about({ method }), /^method: must be one of SHA2, SHA3, Argon2$/);
  for (const bad of ['a', 'ab', 'abc', 'YQ', 'YR==', 'YQ==\n', ' YQ==', 'a-_a', '====', 'YWJj!'])
    assert.match(about({ method: 'SHA2', salt: bad }), /^salt: must be base64/, bad);
  assert.match(about({ method: 'Argon2' }), /^salt: is missing; Argon2 needs one$/);
  assert.match(about({ method: 'Argon2', salt: 'YWJjZGVmZw==' }), /^salt: Argon2 needs at least 8 bytes$/);
  assert.match(about({ method: 'Argon2', salt: '' }), /at least 8/);
  assert.match(about({ method: 1 }), /^method: must be a string$/);
  assert.match(refusal('hash', { data: 1, method: 'SHA2' }), /^data: must be a string$/);
});

test.run();
