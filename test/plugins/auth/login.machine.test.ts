// The login machine, walked completely.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { beginLogin, type LoginAttempt, type LoginEvent, type LoginState, loginMachine, stepLogin } from '../../../plugins/auth/login.machine.ts';

interface LoginNeeds {
  /** The credential has a second factor. */
  readonly totp: boolean;
  /** The client sent a code. */
  readonly code: boolean;
  /** The credential is marked, or its password too old. */
  readonly mustChange: boolean;
  /** The client sent a new password. */
  readonly offersNew: boolean;
}

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
  { type: 'password.fit', passwordHash: '$new' },
  { type: 'password.unfit', unfit: 'it is short' },
];

function begin({ totp, code, offersNew }: LoginNeeds): LoginState {
  const credential = { passwordHash: '$old', changePassword: false, passwordSetAt: 0, revision: 7, totp };
  const found: LoginAttempt['found'] = { realm: null, credential, nobody: null, locked: [], realmAccount: null, opens: true };
  return beginLogin({ realm: 'r', username: 'ann', source: '::1', found, code: code ? '123456' : undefined, newPassword: offersNew ? 'new' : undefined });
}

const accept = ({ mustChange }: LoginNeeds): LoginEvent => ({ type: 'primary.accepted', revision: 7, mustChange, unfit: undefined });

/** What the specification says comes after the password, written without the machine. */
function expected({ totp, code, mustChange, offersNew }: LoginNeeds): string {
  if (totp && !code) return 'TotpRequired';
  if (totp) return 'totp';
  if (offersNew) return 'password';
  return mustChange ? 'ChangePassword' : 'Authenticated';
}

test('after the password: every combination of needs', () => {
  for (const needs of NEEDS) assert.equal(stepLogin(begin(needs), accept(needs)).value, expected(needs), JSON.stringify(needs));
});

test('every event in every state that waits; those that mean nothing there change nothing', () => {
  const reached = new Set<string>();
  const moves = new Set<string>();
  for (const needs of NEEDS) {
    const open = [begin(needs)];
    for (let state = open.shift(); state; state = open.shift()) {
      reached.add(String(state.value));
      if (state.status === 'done') continue;
      for (const event of [accept(needs), ...OUTCOMES]) {
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
    const state = stepLogin(begin(needs), accept(needs));
    if (state.status !== 'done') continue;
    for (const event of OUTCOMES) assert.equal(stepLogin(state, event).value, state.value);
  }
});

test('the context holds what the steps have found out, and the attempt as it was', () => {
  const needs = { totp: true, code: true, mustChange: true, offersNew: true };
  const begun = begin(needs);
  const { realm, username, source, found, code, newPassword } = begun.context;
  const attempt = { realm, username, source, found, code, newPassword };
  const nothing = { revision: 0, mustChange: false, unfit: undefined, passwordHash: null, failed: null };
  assert.deepEqual(begun.context, { ...attempt, ...nothing });
  assert.deepEqual(stepLogin(begun, { type: 'primary.refused' }).context, { ...attempt, ...nothing, failed: 'password' });
  const proven = stepLogin(begun, { type: 'primary.accepted', revision: 7, mustChange: true, unfit: 'it must differ from the old password' });
  const known = { ...attempt, ...nothing, revision: 7, mustChange: true, unfit: 'it must differ from the old password' };
  assert.deepEqual(proven.context, known);
  assert.deepEqual(stepLogin(proven, { type: 'totp.refused' }).context, { ...known, failed: 'totp' });
  const identified = stepLogin(proven, { type: 'totp.accepted' });
  assert.deepEqual(stepLogin(identified, { type: 'password.fit', passwordHash: '$new' }).context, { ...known, passwordHash: '$new' });
  assert.deepEqual(stepLogin(identified, { type: 'password.unfit', unfit: 'it is short' }).context, { ...known, unfit: 'it is short' });
  // A step leaves the snapshot that it was taken from alone.
  assert.deepEqual(begun.context, { ...attempt, ...nothing });
});

test.run();
