// Steps that are there at once make no promise, and errors take the way that `await` would give them.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { andThen, atEnd, orElse } from '../../kernel/at-once.ts';

const failure = new Error('made for the test');
const fail = (): never => {
  throw failure;
};
const later = async <T>(value: T): Promise<T> => value;
const failLater = async (): Promise<number> => fail();

test('a value at once goes through all steps without a promise, a later one through the same', async () => {
  assert.equal(
    andThen(1, (one) => one + 1),
    2,
  );
  assert.equal(await andThen(later(1), (one) => one + 1), 2);
});

test('orElse recovers from what is thrown and from what is rejected; what recover throws is thrown on', async () => {
  const recover = (error: unknown) => (error === failure ? -1 : -2);
  assert.equal(
    orElse(() => 1, recover),
    1,
  );
  assert.equal(orElse(fail, recover), -1);
  assert.equal(await orElse(failLater, recover), -1);
  assert.throws(() => orElse(fail, fail), failure);
  await assert.rejects(async () => orElse(failLater, fail), failure);
});

test('atEnd runs its end once, before the value or the error is seen, which stay as they are', async () => {
  const ends: string[] = [];
  const seen = async (promise: Promise<unknown>, name: string) =>
    atEnd(promise, () => void ends.push(name)).then(
      (value) => [value, ends.at(-1)],
      (error: unknown) => [error, ends.at(-1)],
    );
  assert.deepEqual(await seen(later(1), 'after a value'), [1, 'after a value']);
  assert.deepEqual(await seen(failLater(), 'after an error'), [failure, 'after an error']);
  assert.equal(ends.length, 2);
});

test.run();
