// Steps that are there at once make no promise, and errors take the way that `await` would give them.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { andThen, orElse } from '../../kernel/at-once.ts';

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

test.run();
