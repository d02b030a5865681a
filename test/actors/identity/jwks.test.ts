// Key sets whose provider is away: when it is asked again, and that its users are let in soon after it is back.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'uvu';
import { KeySets } from '../../../actors/identity/jwks.ts';
import { movedClock } from '../../kernel/runtime/two-ends.ts';

const URI = 'https://provider.example/keys';
/** Real time passes beside the moved one: minutes, not seconds, are told apart where it may matter. */
const MIN_REFRESH_S = 6_000;
const KEY = { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }), kid: 'k', kty: 'EC' };

function provider() {
  const { clock, advance } = movedClock();
  const state = { isAway: false, fetches: 0 };
  const fetcher = {
    async fetch() {
      state.fetches += 1;
      if (state.isAway) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
      return [KEY];
    },
    close: async () => {},
  };
  return { state, advance, sets: new KeySets(clock, fetcher) };
}

test('a provider that is away is asked again after a second, then each time after twice the pause', async () => {
  const { state, advance, sets } = provider();
  state.isAway = true;
  const ask = async () => (await sets.current(URI, MIN_REFRESH_S)).failure;
  assert.equal(await ask(), 'ECONNREFUSED: refused');
  await advance(1_000);
  assert.equal(await ask(), 'ECONNREFUSED: refused');
  assert.equal(state.fetches, 2);
  while (state.fetches < 9) {
    await advance(MIN_REFRESH_S * 1_000);
    await ask();
  }
  await advance(128_000);
  await ask();
  assert.equal(state.fetches, 9, 'half of the pause');
  await advance(128_000);
  await ask();
  assert.equal(state.fetches, 10);
});

test('never more seldom than in the usual interval, and in that again once it has answered', async () => {
  const { state, advance, sets } = provider();
  const half = () => advance((MIN_REFRESH_S / 2) * 1_000);
  state.isAway = true;
  for (let failures = 0; failures < 40; failures += 1) {
    await sets.current(URI, MIN_REFRESH_S);
    await half();
    await half();
  }
  assert.equal(state.fetches, 40);
  state.isAway = false;
  const known = await sets.current(URI, MIN_REFRESH_S);
  assert.ok(known.resolve);
  await half();
  assert.equal(await sets.newer(URI, MIN_REFRESH_S, known), known);
  assert.equal(state.fetches, 41, 'an unknown key id waits for the interval');
  await half();
  assert.notEqual(await sets.newer(URI, MIN_REFRESH_S, known), known);
});

test('a provider that fails keeps the keys that it had', async () => {
  const { state, advance, sets } = provider();
  const known = await sets.current(URI, MIN_REFRESH_S);
  state.isAway = true;
  await advance(MIN_REFRESH_S * 1_000);
  assert.equal(await sets.newer(URI, MIN_REFRESH_S, known), known);
  state.isAway = false;
  await advance(1_000);
  assert.notEqual(await sets.newer(URI, MIN_REFRESH_S, known), known, 'the next try may come soon');
});

test.run();
