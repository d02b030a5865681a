// Removing the padding of RSAES-PKCS1-v1_5 without telling whether it was right: the same bytes as OpenSSL's, whatever the block.
import assert from 'node:assert/strict';
import { constants, createHash, generateKeyPairSync, type KeyObject, privateDecrypt, publicEncrypt, randomBytes } from 'node:crypto';
import { test } from 'uvu';
import { rejectionChallenge, withoutPadding } from '../../../crypto/cipher/implicit-rejection.ts';

const BITS = [1024, 1032, 2048, 3072] as const;
const pairs = BITS.map((modulusLength) => ({ bytes: modulusLength / 8, ...generateKeyPairSync('rsa', { modulusLength }) }));
const [, , pair] = pairs as [Pair, Pair, Pair];
type Pair = (typeof pairs)[number];

const raw = (privateKey: KeyObject, ciphertext: Uint8Array): Buffer => privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, ciphertext);

/** As OpenSSL makes it. */
function secretOf(privateKey: KeyObject, bytes: number): Buffer {
  const exponent = Buffer.from(privateKey.export({ format: 'jwk' }).d as string, 'base64url');
  return createHash('sha256')
    .update(Buffer.concat([Buffer.alloc(bytes - exponent.length), exponent]))
    .digest();
}

/** @returns what the block decrypts to here, which is what OpenSSL says too */
function unpadded({ privateKey, publicKey, bytes }: Pair, block: Uint8Array): Uint8Array {
  const ciphertext = publicEncrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, block);
  const message = withoutPadding(raw(privateKey, ciphertext), ciphertext, secretOf(privateKey, bytes));
  assert.deepEqual(Buffer.from(message), privateDecrypt({ key: privateKey, padding: constants.RSA_PKCS1_PADDING }, ciphertext));
  return message;
}

/** 00 02, padding of so many bytes, 00, and the message. */
function blockOf(bytes: number, paddingBytes: number): Buffer {
  const rest = randomBytes(bytes - 3 - paddingBytes);
  return Buffer.concat([Buffer.of(0, 2), Buffer.alloc(paddingBytes, 0xa5), Buffer.of(0), rest]);
}

test('right blocks give their message, from the longest to none', () => {
  for (const each of pairs)
    for (const padding of [8, 9, 50, each.bytes - 4, each.bytes - 3]) {
      const block = blockOf(each.bytes, padding);
      assert.deepEqual(Buffer.from(unpadded(each, block)), block.subarray(3 + padding));
    }
});

test('a message with zeros in it ends the padding at the first one', () => {
  const block = Buffer.concat([blockOf(pair.bytes, 100).subarray(0, 103), Buffer.alloc(pair.bytes - 103)]);
  assert.deepEqual(unpadded(pair, block), new Uint8Array(pair.bytes - 103));
});

test('blocks that are wrong in one place each give the bytes that OpenSSL gives, and no error', () => {
  for (const each of pairs) {
    const right = blockOf(each.bytes, 40);
    const wrong = (at: number, value: number): Buffer => Object.assign(Buffer.from(right), { [at]: value });
    const blocks = [wrong(1, 1), wrong(1, 0), wrong(1, 3), wrong(1, 0x82), ...[2, 3, 8, 9].map((at) => wrong(at, 0))];
    const noEnd = Buffer.concat([Buffer.of(0, 2), Buffer.alloc(each.bytes - 2, 7)]);
    const first = wrong(0, 1);
    for (const block of [...blocks, noEnd, first, Buffer.alloc(each.bytes), Buffer.concat([Buffer.of(0), Buffer.alloc(each.bytes - 1, 0xff)])])
      assert.notDeepEqual(Buffer.from(unpadded(each, block)), right.subarray(43));
  }
});

test('the answers to wrong blocks have all lengths, and each ciphertext its own', () => {
  const lengths = new Set<number>();
  for (let at = 0; at < 200; at++) {
    const block = Buffer.concat([Buffer.of(0, 1), randomBytes(pair.bytes - 2)]);
    const message = unpadded(pair, block);
    assert.deepEqual(unpadded(pair, block), message);
    assert.ok(message.length <= pair.bytes - 11);
    lengths.add(message.length);
  }
  assert.ok(lengths.size > 80, `${lengths.size} lengths of 200 answers`);
});

test('the block is not left in memory, and another secret gives other bytes', () => {
  const ciphertext = randomBytes(pair.bytes);
  const block = Buffer.alloc(pair.bytes, 1);
  const one = withoutPadding(block, ciphertext, Buffer.alloc(32, 1));
  assert.deepEqual(block, Buffer.alloc(pair.bytes));
  assert.notDeepEqual(withoutPadding(Buffer.alloc(pair.bytes, 1), ciphertext, Buffer.alloc(32, 2)), one);
});

test('a challenge is less than any modulus of its length, and no block of a padding', () => {
  for (const { bytes, privateKey } of pairs) {
    const challenge = rejectionChallenge(bytes);
    assert.equal(challenge.length, bytes);
    assert.equal(challenge[0], 0);
    assert.ok((challenge[1] as number) > 2);
    assert.equal(raw(privateKey, challenge).length, bytes);
  }
});
test.run();
