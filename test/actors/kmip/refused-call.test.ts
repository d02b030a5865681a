// What leaves a call of the key server: a refusal of the protocol or of an algorithm is a fault with its reason, never an internal error.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { throwFaults } from '../../../actors/kmip/refused-call.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { encodeFault, Fault } from '../../../kernel/fault.ts';
import { Refusal } from '../../../kmip/refusal.ts';

const failing = (error: unknown) =>
  throwFaults({
    now(): unknown {
      throw error;
    },
    later: async (): Promise<unknown> => Promise.reject(error),
  });

async function wires(error: unknown): Promise<unknown[]> {
  const { now, later } = failing(error);
  const thrown: unknown[] = [];
  for (const call of [now, later]) await Promise.resolve(call()).catch((fault: unknown) => thrown.push(fault));
  return thrown.map(encodeFault).map(({ code, detail }) => ({ code, detail }));
}

test('a refusal tells its reason and its text', async () => {
  const wire = { code: 'KEYS_REFUSED', detail: 'Item_Not_Found: there is no such key' };
  assert.deepEqual(await wires(new Refusal('ItemNotFound', 'there is no such key')), [wire, wire]);
});

test('what an algorithm refuses is told in the words of KMIP', async () => {
  const wire = { code: 'KEYS_REFUSED', detail: 'Invalid_Field: 7 bytes are too few' };
  assert.deepEqual(await wires(new CryptoError('invalid', '7 bytes are too few')), [wire, wire]);
});

test('faults and bugs leave as they are', async () => {
  const gone = { code: 'OVERLOADED', detail: undefined };
  assert.deepEqual(await wires(new Fault('OVERLOADED')), [gone, gone]);
  const bug = { code: 'INTERNAL', detail: undefined };
  assert.deepEqual(await wires(new TypeError('x is undefined')), [bug, bug]);
});

test('an answer comes through', async () => {
  assert.equal(await throwFaults({ twice: async (number: number) => number * 2 }).twice(4), 8);
});

test.run();
