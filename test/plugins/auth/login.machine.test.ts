// The login machine, walked completely.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { loginMachine } from '../../../plugins/auth/login.machine.ts';
import { walk } from '../../machines.ts';

const EVENTS = {
  accepted: { type: 'primary.accepted', mustChange: false, offersNew: false },
  'accepted, must change': { type: 'primary.accepted', mustChange: true, offersNew: false },
  'accepted, offers new': { type: 'primary.accepted', mustChange: false, offersNew: true },
  'accepted, must change and offers new': { type: 'primary.accepted', mustChange: true, offersNew: true },
  refused: { type: 'primary.refused' },
  changed: { type: 'password.changed' },
  unfit: { type: 'password.unfit' },
  'change refused': { type: 'password.refused' },
};

test('every state and every event', () => {
  const { steps, states } = walk(loginMachine, EVENTS);
  assert.deepEqual(states, Object.keys(loginMachine.states).sort());
  const moves = steps.filter(({ from, to }) => from !== to).map(({ from, event, to }) => `${from} --${event}--> ${to}`);
  assert.deepEqual(moves, [
    'primary --accepted--> Authenticated',
    'primary --accepted, must change--> ChangePassword',
    'primary --accepted, offers new--> password',
    'primary --accepted, must change and offers new--> password',
    'primary --refused--> Refused',
    'password --changed--> Authenticated',
    'password --unfit--> Unfit',
    'password --change refused--> Refused',
  ]);
});

test.run();
