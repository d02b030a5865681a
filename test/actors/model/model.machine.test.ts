// The life of a model, walked completely: every state and every event.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { modelMachine } from '../../../actors/model/model.machine.ts';
import { walk } from '../../machines.ts';

const done = (state: string) => ({ type: `xstate.done.actor.0.model.${state}` });
const failed = (state: string) => ({ type: `xstate.error.actor.0.model.${state}`, error: new Error('no') });
const EVENTS = {
  use: { type: 'use' },
  evict: { type: 'evict' },
  lost: { type: 'lost', cause: 'killed' },
  loaded: done('loading'),
  'not loaded': failed('loading'),
  warm: done('warming'),
  'not warm': failed('warming'),
  unloaded: done('draining'),
  'not unloaded': failed('draining'),
  idle: { type: 'xstate.after.keepAlive.model.ready' },
  cooled: { type: 'xstate.after.cooldown.model.failed' },
};
const limits = { keepAliveMs: 1_000, maxCrashes: 2, withinMs: 60_000, cooldownMs: 500 };

test('a model is loaded when it is used, unloaded when it is not, and comes back after a failure', () => {
  const { steps, states } = walk(modelMachine, EVENTS, { limits, now: () => 0 });
  assert.deepEqual(states, ['absent', 'draining', 'failed', 'loading', 'ready', 'warming']);
  const moves = steps.filter(({ from, to }) => from !== to).map(({ from, event, to }) => `${from} ${event} ${to}`);
  assert.deepEqual(moves.sort(), [
    'absent use loading',
    'draining not unloaded absent',
    'draining unloaded absent',
    'failed cooled absent',
    'loading loaded warming',
    'loading not loaded failed',
    'ready evict draining',
    'ready idle draining',
    'ready lost absent',
    'warming not warm failed',
    'warming warm ready',
  ]);
});

test.run();
