// Group commit over a connection that the test holds: who waits behind a transaction that the database keeps out is refused with it.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { callContext, currentRequestId } from '../../../kernel/call-context.ts';
import { Fault } from '../../../kernel/fault.ts';
import { createAuditWriter } from '../../../kernel/store/audit.ts';
import { GroupCommit, type WriteConnection } from '../../../kernel/store/group-commit.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A connection whose transactions begin when the test says so. */
function heldConnection() {
  const begins: { readonly lock: string | undefined; readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  const connection: WriteConnection = {
    begin: (lock) => new Promise<void>((resolve, reject) => begins.push({ lock, resolve, reject })),
    commit: async () => {},
    rollback: async () => {},
    exec: async () => {},
    run: async () => 0,
    all: async () => [],
    mayRetry: () => false,
  };
  const group = new GroupCommit(connection, createAuditWriter('w', { now: () => 0, monotonic: () => 0 }), () => ({ text: '', committed: () => undefined }));
  return { begins, group };
}

const outcome = (work: Promise<unknown>) => work.then(String, (error: Fault) => error.code);

test('a locked database refuses those who came while the first waited, not those with a lock of their own', async () => {
  const { begins, group } = heldConnection();
  const first = outcome(group.submit(async () => 'first', undefined));
  await settle();
  await settle();
  const later = outcome(group.submit(async () => 'later', undefined));
  const own = outcome(group.submit(async () => 'own', 'a lock'));
  begins[0]?.reject(new Fault('OVERLOADED'));
  assert.deepEqual([await first, await later], ['OVERLOADED', 'OVERLOADED']);
  await settle();
  assert.deepEqual([begins.length, begins[1]?.lock], [2, 'a lock']);
  begins[1]?.resolve();
  assert.equal(await own, 'own');
});

test('any other failure to begin affects its own group only', async () => {
  const { begins, group } = heldConnection();
  const first = outcome(group.submit(async () => 'first', undefined));
  await settle();
  await settle();
  const later = outcome(group.submit(async () => 'later', undefined));
  begins[0]?.reject(new Fault('UNAVAILABLE'));
  assert.equal(await first, 'UNAVAILABLE');
  await settle();
  begins[1]?.resolve();
  assert.equal(await later, 'later');
});

test('each transaction of a group runs for the request that asked for it, also when the group runs again', async () => {
  const { begins, group } = heldConnection();
  const seen: (string | undefined)[] = [];
  const submit = (requestId: string | undefined, ...errors: Error[]) => {
    const work = async () => {
      seen.push(currentRequestId());
      const error = errors.shift();
      if (error) throw error;
      await settle();
      seen.push(currentRequestId());
    };
    return outcome(requestId === undefined ? group.submit(work, undefined) : callContext.run({ requestId }, () => group.submit(work, undefined)));
  };
  const ended = Promise.all([submit('a'), submit('b', new Error('the group is divided')), submit(undefined)]);
  for (let count = 0; begins.length < 2 && count < 20; count += 1) {
    await settle();
    begins.at(-1)?.resolve();
  }
  begins[1]?.resolve();
  await ended;
  assert.deepEqual(seen, ['a', 'a', 'b', 'a', 'a', 'b', 'b', undefined, undefined]);
});

test.run();
