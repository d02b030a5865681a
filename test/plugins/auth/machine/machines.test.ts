// The lives of app tokens and secret ids, walked completely.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { isFreeToUse, secretIdMachine, stepSecretId } from '../../../../actors/token/secret-id.machine.ts';
import { hasElapsed, stepToken, tokenMachine } from '../../../../actors/token/token.machine.ts';
import { walk } from '../../../machines.ts';

const THIRTY_DAYS_MS = 2_592_000_000;

const moves = (steps: readonly { from: string; event: string; to: string }[]) =>
  steps.filter(({ from, to }) => from !== to).map(({ from, event, to }) => `${from} --${event}--> ${to}`);

test('token: every state and every event', () => {
  const events = {
    use: { type: 'use', now: 0 },
    renew: { type: 'renew', now: 0 },
    revoke: { type: 'revoke', now: 0 },
    'late use': { type: 'use', now: 60_000 },
    'late renew': { type: 'renew', now: 60_000 },
    'late revoke': { type: 'revoke', now: 60_000 },
  };
  const { steps, states } = walk(tokenMachine, events, { expiresAt: 60_000, leaseSeconds: 60, maxExpiresAt: 0, renewable: true, usesLeft: 1 });
  assert.deepEqual(states, Object.keys(tokenMachine.states).sort());
  assert.deepEqual(moves(steps), [
    'issued --use--> exhausted',
    'issued --revoke--> revoked',
    'issued --late use--> expired',
    'issued --late renew--> expired',
    'issued --late revoke--> expired',
  ]);
});

test('token: a lookup asks whether it has ended, and the machine says the same of its use', () => {
  for (const expiresAt of [0, 1, 59_999, 60_000, 60_001])
    for (const now of [0, 1, 60_000]) {
      const life = { expiresAt, leaseSeconds: 60, maxExpiresAt: 0, renewable: true, usesLeft: 0 };
      assert.deepEqual(stepToken(life, { type: 'use', now }), { state: hasElapsed(life, now) ? 'expired' : 'issued', life });
    }
});

test('token: a renewal restarts the lease, within the maximum; without a lease it changes nothing', () => {
  const renew = (life: { expiresAt: number; leaseSeconds: number; maxExpiresAt: number }, now: number) =>
    stepToken({ renewable: true, usesLeft: 0, ...life }, { type: 'renew', now }).life.expiresAt;
  assert.equal(renew({ expiresAt: 60_000, leaseSeconds: 60, maxExpiresAt: 0 }, 50_000), 110_000);
  assert.equal(renew({ expiresAt: 60_000, leaseSeconds: 60, maxExpiresAt: 90_000 }, 50_000), 90_000);
  assert.equal(renew({ expiresAt: 0, leaseSeconds: 0, maxExpiresAt: 0 }, 50_000), 0);
  assert.equal(renew({ expiresAt: 90_000, leaseSeconds: 0, maxExpiresAt: 90_000 }, 50_000), 90_000);
  const fixed = { expiresAt: 60_000, leaseSeconds: 60, maxExpiresAt: 0, renewable: false, usesLeft: 0 };
  assert.deepEqual(stepToken(fixed, { type: 'renew', now: 50_000 }), { state: 'issued', life: fixed });
  assert.equal(stepToken({ expiresAt: 0, leaseSeconds: 0, maxExpiresAt: 0, renewable: true, usesLeft: 0 }, { type: 'use', now: 2 ** 52 }).state, 'issued');
});

test('secret id: a login asks whether a use is free, and the machine then admits it and changes nothing', () => {
  let free = 0;
  for (const expiresAt of [0, 1, 59_999, 60_000, 60_001])
    for (const numUses of [0, 1, 2])
      for (const uses of [0, 1])
        for (const exhaustedAt of [0, 1])
          for (const now of [0, 1, 60_000, 1 + THIRTY_DAYS_MS]) {
            const life = { expiresAt, numUses, uses, exhaustedAt };
            const { state, life: after } = stepSecretId(life, { type: 'use', now });
            const isUnchanged = state === 'valid' && after.uses === uses && after.exhaustedAt === 0;
            assert.equal(isFreeToUse(life, now), isUnchanged, JSON.stringify({ ...life, now, state }));
            free += isUnchanged ? 1 : 0;
          }
  assert.ok(free > 0);
});

test('secret id: every state and every event', () => {
  const events = {
    'last use': { type: 'use', now: 1 },
    'late use': { type: 'use', now: 60_000 },
    'use when remembered': { type: 'use', now: THIRTY_DAYS_MS },
    'use when forgotten': { type: 'use', now: 1 + THIRTY_DAYS_MS },
    destroy: { type: 'destroy', now: 1 },
  };
  const { steps, states } = walk(secretIdMachine, events, { expiresAt: 60_000, numUses: 1, uses: 0, exhaustedAt: 0 });
  assert.deepEqual(states, Object.keys(secretIdMachine.states).sort());
  assert.deepEqual(moves(steps), [
    'valid --last use--> exhausted',
    'valid --late use--> expired',
    'valid --use when remembered--> expired',
    'valid --use when forgotten--> expired',
    'valid --destroy--> destroyed',
    'exhausted --use when forgotten--> expired',
    'exhausted --destroy--> destroyed',
  ]);
});

test('secret id: uses are counted to their number, and not at all without one', () => {
  const first = stepSecretId({ expiresAt: 0, numUses: 2, uses: 0, exhaustedAt: 0 }, { type: 'use', now: 5 });
  assert.deepEqual([first.state, first.life.uses, first.life.exhaustedAt], ['valid', 1, 0]);
  const second = stepSecretId(first.life, { type: 'use', now: 6 });
  assert.deepEqual([second.state, second.life.uses, second.life.exhaustedAt], ['exhausted', 2, 6]);
  assert.equal(stepSecretId(second.life, { type: 'use', now: 7 }).state, 'exhausted');
  const unlimited = stepSecretId({ expiresAt: 0, numUses: 0, uses: 0, exhaustedAt: 0 }, { type: 'use', now: 5 });
  assert.deepEqual([unlimited.state, unlimited.life.uses], ['valid', 0]);
});

test.run();
