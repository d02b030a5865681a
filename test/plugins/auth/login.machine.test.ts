// The login machine, walked completely.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { beginLogin, type LoginEvent, type LoginNeeds, loginMachine, stepLogin } from '../../../plugins/auth/login.machine.ts';

const FLAGS = ['totp', 'code', 'mustChange', 'offersNew'] as const;
/** Every combination of what a credential asks for and a client sends. */
const NEEDS = Array.from(
  { length: 16 },
  (_, bits) => Object.fromEntries(FLAGS.map((flag, index) => [flag, (bits & (1 << index)) !== 0])) as unknown as LoginNeeds,
);
const OUTCOMES: readonly LoginEvent[] = [
  { type: 'primary.refused' },
  { type: 'totp.accepted' },
  { type: 'totp.refused' },
  { type: 'password.fit' },
  { type: 'password.unfit' },
];

/** What the specification says comes after the password, written without the machine. */
function expected({ totp, code, mustChange, offersNew }: LoginNeeds): string {
  if (totp && !code) return 'TotpRequired';
  if (totp) return 'totp';
  if (offersNew) return 'password';
  return mustChange ? 'ChangePassword' : 'Authenticated';
}

test('after the password: every combination of needs', () => {
  for (const needs of NEEDS) assert.equal(stepLogin(beginLogin(), { type: 'primary.accepted', needs }).value, expected(needs), JSON.stringify(needs));
});

test('every event in every state that waits; those that mean nothing there change nothing', () => {
  const reached = new Set<string>();
  const moves = new Set<string>();
  for (const needs of NEEDS) {
    const open = [beginLogin()];
    for (let state = open.shift(); state; state = open.shift()) {
      reached.add(String(state.value));
      if (state.status === 'done') continue;
      for (const event of [{ type: 'primary.accepted', needs } as const, ...OUTCOMES]) {
        const next = stepLogin(state, event);
        if (next.value === state.value) continue;
        moves.add(`${state.value} --${event.type}--> ${next.value}`);
        open.push(next);
      }
    }
  }
  // `proven` and `identified` are passed through, never rested in.
  assert.deepEqual(
    [...reached].sort(),
    Object.keys(loginMachine.states)
      .filter((state) => state !== 'proven' && state !== 'identified')
      .sort(),
  );
  assert.deepEqual([...moves].sort(), [
    'password --password.fit--> Authenticated',
    'password --password.unfit--> Unfit',
    'primary --primary.accepted--> Authenticated',
    'primary --primary.accepted--> ChangePassword',
    'primary --primary.accepted--> TotpRequired',
    'primary --primary.accepted--> password',
    'primary --primary.accepted--> totp',
    'primary --primary.refused--> Refused',
    'totp --totp.accepted--> Authenticated',
    'totp --totp.accepted--> ChangePassword',
    'totp --totp.accepted--> password',
    'totp --totp.refused--> Refused',
  ]);
});

test('a login that has ended does not move', () => {
  for (const needs of NEEDS) {
    const state = stepLogin(beginLogin(), { type: 'primary.accepted', needs });
    if (state.status !== 'done') continue;
    for (const event of OUTCOMES) assert.equal(stepLogin(state, event).value, state.value);
  }
});

test.run();
