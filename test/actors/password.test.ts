// The password actor against a second opinion: the package argon2, which shares no code with ours.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'uvu';
import type { PasswordApi } from '../../actors/password/api.ts';
import { replicated } from '../../kernel/actor.ts';
import { move } from '../../kernel/runtime/channel/bytes.ts';
import { createRuntime, outcome } from '../runtime.ts';

// The cost is what is tested.
process.env['GATEHOUSE_TEST_PASSWORD_COST'] = 'full';
const argon2 = createRequire(import.meta.url)('argon2') as typeof import('argon2');
const spec = replicated<PasswordApi, null>({
  module: new URL('../../actors/password/password.actor.ts', import.meta.url),
  size: 1,
  args: null,
  deadlineMs: 30_000,
});
const { runtime, ref } = createRuntime({ password: spec });
const bytes = (text: string) => new Uint8Array(new TextEncoder().encode(text));

test.before(() => runtime.start());
test.after(() => runtime.stop());

test('what we hash is an Argon2id PHC string of the documented cost, and the other library verifies it', async () => {
  const phc = await ref('password').hash(bytes('pässwörd'));
  assert.match(phc, /^\$argon2id\$v=19\$m=65536,t=3,p=4\$[A-Za-z0-9+/]{22,}\$[A-Za-z0-9+/]{43}$/);
  assert.equal(await argon2.verify(phc, 'pässwörd'), true);
  assert.equal(await argon2.verify(phc, 'passwörd'), false);
  assert.notEqual(await ref('password').hash(bytes('pässwörd')), phc);
});

test('what the other library hashes we verify', async () => {
  const phc = await argon2.hash('a password', { type: argon2.argon2id, memoryCost: 65_536, timeCost: 3, parallelism: 4 });
  assert.equal(await ref('password').verify(phc, bytes('a password')), true);
  assert.equal(await ref('password').verify(phc, bytes('another password')), false);
});

test('nobody has no password, and a broken hash is a fault, not a yes', async () => {
  assert.equal(await ref('password').verify(null, bytes('')), false);
  assert.equal(await ref('password').verify(null, bytes('anything')), false);
  assert.equal(await outcome(ref('password').verify('$argon2id$nonsense', bytes('x'))), 'INTERNAL');
});

test('the password leaves this thread with the call', async () => {
  const secret = bytes('moved away');
  await ref('password').hash(move(secret));
  assert.equal(secret.byteLength, 0);
});

test.run();
