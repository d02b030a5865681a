// The machine of second factors, walked completely.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { mayTotp, totpMachine } from '../../actors/directory/totp.machine.ts';
import { walk } from '../machines.ts';

const EVENTS = {
  generate: { type: 'generate' },
  'verify, valid and proven': { type: 'verify', valid: true, proven: true },
  'verify, valid and unproven': { type: 'verify', valid: true, proven: false },
  'verify, invalid and proven': { type: 'verify', valid: false, proven: true },
  'verify, invalid and unproven': { type: 'verify', valid: false, proven: false },
  'remove, proven': { type: 'remove', proven: true },
  'remove, unproven': { type: 'remove', proven: false },
} as const;

test('every state and every event', () => {
  const { steps, states } = walk(totpMachine, EVENTS);
  assert.deepEqual(states, ['disabled', 'enabled']);
  const moves = steps.filter(({ from, to }) => from !== to).map(({ from, event, to }) => `${from} --${event}--> ${to}`);
  assert.deepEqual(moves, [
    'disabled --verify, valid and proven--> enabled',
    'disabled --verify, valid and unproven--> enabled',
    'enabled --remove, proven--> disabled',
  ]);
});

test('a first factor needs a valid code, a replacement also proof of the current one, a removal the proof', () => {
  const taken = (state: 'disabled' | 'enabled') => Object.entries(EVENTS).flatMap(([name, event]) => (mayTotp(state, event) ? [name] : []));
  assert.deepEqual(taken('disabled'), ['generate', 'verify, valid and proven', 'verify, valid and unproven']);
  assert.deepEqual(taken('enabled'), ['generate', 'verify, valid and proven', 'remove, proven']);
});

test.run();
