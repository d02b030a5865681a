// An answer that work took longer than its limit is an answer: it is counted, and breaks no promise; any other refusal does.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { Client } from '../../soak/clients/client.ts';
import { bodyOf } from '../../soak/clients/round-trips.ts';
import { Tally } from '../../soak/tally.ts';
import type { Answer } from '../server.ts';

const answer = (status: number, body: object): Answer => ({ status, body, text: JSON.stringify(body), headers: {}, cookie: undefined });

test('what took longer than its limit is counted and right, another refusal is wrong, a success is told', () => {
  const tally = new Tally();
  const client = { tally } as Client;
  assert.equal(bodyOf(client, 'a summary', answer(422, { code: 'MODEL_TIME_LIMIT' })), undefined);
  assert.deepEqual([tally.late, tally.broken('no answer is wrong').count], [1, 0]);
  assert.equal(bodyOf(client, 'an answer', answer(503, { code: 'AI_BASE_BUSY' })), undefined);
  assert.deepEqual([tally.late, tally.broken('no answer is wrong').count], [2, 0]);
  assert.equal(bodyOf(client, 'a summary', answer(422, { code: 'SCHEMA' })), undefined);
  assert.deepEqual([tally.late, tally.broken('no answer is wrong').count], [2, 1]);
  assert.deepEqual(bodyOf(client, 'a summary', answer(200, { summary: 'short' })), { summary: 'short' });
});

test.run();
