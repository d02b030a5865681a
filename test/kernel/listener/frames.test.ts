// Cutting a stream into messages: any chunking gives the same messages, and memory grows with what has arrived only.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'uvu';
import { Frames } from '../../../kernel/listener/frames.ts';

/** Messages of two bytes of length and a text; a length of 0xffff is none. */
const RULES = {
  headerBytes: 2,
  maxMessageBytes: 20_000,
  lengthOf: ([high = 0, low = 0]: Uint8Array) => (high === 0xff && low === 0xff ? undefined : 2 + high * 256 + low),
};

function message(length: number): Uint8Array {
  const bytes = new Uint8Array(2 + length).map((_, index) => index % 251);
  bytes.set([length >> 8, length & 255]);
  return bytes;
}

/** Cuts `bytes` at the places given, in buffers of their own. */
function chunks(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return cuts.slice(1).map((cut, index) => bytes.slice(cuts[index], cut));
}

test('however the bytes are split, the messages are the same, each in its own buffer', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9_000 }), { maxLength: 6 }), fc.array(fc.nat(60_000), { maxLength: 12 }), (lengths, places) => {
      const sent = lengths.map(message);
      const frames = new Frames(RULES);
      const got: Uint8Array[] = [];
      for (const chunk of chunks(Buffer.concat(sent), places)) {
        frames.push(chunk);
        for (let frame = frames.next(); frame; frame = frames.next()) {
          assert.ok(frame.isMessage);
          got.push(frame.bytes);
        }
      }
      assert.equal(frames.held, 0);
      assert.deepEqual(
        got.map((bytes) => Buffer.from(bytes).toString('hex')),
        sent.map((bytes) => Buffer.from(bytes).toString('hex')),
      );
      for (const bytes of got) assert.equal(bytes.byteLength, bytes.buffer.byteLength);
    }),
  );
});

test('bytes that come one by one', () => {
  const frames = new Frames(RULES);
  const sent = message(15_000);
  for (const byte of sent.subarray(0, -1)) {
    frames.push(Uint8Array.of(byte));
    assert.equal(frames.next(), undefined);
  }
  frames.push(sent.slice(-1));
  assert.deepEqual(frames.next(), { bytes: sent, isMessage: true });
});

test('a message that is a chunk of its own is not copied', () => {
  const frames = new Frames(RULES);
  const sent = message(100);
  frames.push(sent);
  assert.equal(frames.next()?.bytes.buffer, sent.buffer);
});

test('for an invalid or too long message only the header is returned', () => {
  for (const header of [Uint8Array.of(0xff, 0xff), Uint8Array.of(20_000 >> 8, 20_000 & 255)]) {
    const frames = new Frames(RULES);
    frames.push(Buffer.concat([message(5), header, new Uint8Array(50)]));
    assert.equal(frames.next()?.isMessage, true);
    assert.deepEqual(frames.next(), { bytes: header, isMessage: false });
  }
});

test('an announced length takes no memory until the bytes have arrived', () => {
  const frames = new Frames({ ...RULES, maxMessageBytes: 2 ** 40, lengthOf: () => 2 ** 39 });
  for (let n = 0; n < 100; n += 1) frames.push(new Uint8Array(1_000));
  assert.equal(frames.next(), undefined);
  assert.equal(frames.held, 100_000);
});

test.run();
