// The chunks of a body end up in one buffer that belongs to the body alone, and are copied only if they have to be.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { Gathered } from '../../../kernel/http/body/gathered.ts';

/** As Node's parser gives them: each in a buffer of its own. */
const chunk = (text: string) => {
  const bytes = Buffer.from(new ArrayBuffer(text.length));
  bytes.write(text, 'latin1');
  return bytes;
};
const gather = (announced: number | undefined, ...chunks: readonly Buffer[]) => {
  const gathered = new Gathered(announced);
  for (const each of chunks) gathered.add(each);
  return gathered;
};

test('a body of one chunk is that chunk: it is not copied', () => {
  const only = chunk('body');
  assert.equal(gather(4, only).take(), only);
  assert.equal(gather(undefined, only).take(), only);
});

test('a chunk that shares its buffer with others is copied out of it', () => {
  const shared = chunk('secret body');
  const body = gather(4, shared.subarray(7)).take();
  shared.fill(0);
  assert.equal(body.toString(), 'body');
});

test('several chunks are joined in order; a body without any is empty', () => {
  assert.equal(gather(undefined, chunk('a '), chunk('long'), chunk(' body')).take().toString(), 'a long body');
  assert.equal(gather(0).take().length, 0);
});

test('a large body gets its place early, and its chunks are given back', () => {
  const half = 'x'.repeat(600_000);
  const chunks = [chunk(half), chunk(half)] as const;
  const body = gather(1_200_000, ...chunks).take();
  assert.deepEqual([body.length, body.every((byte) => byte === 120)], [1_200_000, true]);
  assert.deepEqual(
    chunks.map(({ length }) => length),
    [0, 0],
  );
});

test.run();
