// Sessions that other threads use: not closed under a call, and no number in two hands.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { Sessions } from '../../../actors/hsm/token/sessions.ts';

/** A library that gives the numbers in the order of the list. */
function library(numbers: readonly number[]) {
  const left = [...numbers];
  const closed: number[] = [];
  const handle = (number: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(number));
    return bytes;
  };
  const calls = { C_OpenSession: () => handle(left.shift() as number), C_CloseSession: (session: Buffer) => closed.push(Number(session.readBigUInt64LE())) };
  const sessions = new Sessions(() => ({ library: calls as never, slot: handle(0) }));
  return { sessions, closed };
}

const numberOf = (session: Buffer) => Number(session.readBigUInt64LE());

test('a session is closed after the last of the calls that run in it', () => {
  const { sessions, closed } = library([1, 2]);
  const [lent, idle] = [sessions.open(), sessions.open()];
  sessions.lend(lent);
  sessions.lend(lent);
  sessions.closeAll();
  assert.deepEqual([closed, sessions.has(lent), sessions.has(idle)], [[2], false, false]);
  sessions.takeBack(lent);
  assert.deepEqual(closed, [2]);
  sessions.takeBack(lent);
  assert.deepEqual(closed, [2, 1]);
});

test('a number that comes again while a call runs in its old session is used by nobody, and closed once', () => {
  const { sessions, closed } = library([7, 7, 8, 7]);
  const old = sessions.open();
  sessions.lend(old);
  sessions.closeAll();
  const next = sessions.open();
  assert.equal(numberOf(next), 8);
  assert.deepEqual(closed, []);
  sessions.takeBack(old);
  assert.deepEqual(closed, [7]);
  assert.equal(numberOf(sessions.open()), 7);
  sessions.closeAll();
  assert.deepEqual(closed.toSorted(), [7, 7, 8]);
});

test('a library that gives only the number of a session in use: a call is refused until that is free', () => {
  const { sessions, closed } = library([7, 7, 7, 7, 7]);
  const old = sessions.open();
  sessions.lend(old);
  sessions.closeAll();
  assert.throws(() => sessions.open(), { code: 0xb1 });
  sessions.takeBack(old);
  assert.deepEqual(closed, [7]);
  assert.equal(numberOf(sessions.open()), 7);
});

test('a session that is taken back stays open; after an end of the library nothing is closed', () => {
  const { sessions, closed } = library([1, 2]);
  const session = sessions.open();
  sessions.lend(session);
  sessions.takeBack(session);
  assert.ok(sessions.has(session));
  sessions.forget();
  sessions.closeAll();
  assert.deepEqual([closed, sessions.has(session)], [[], false]);
});

test.run();
