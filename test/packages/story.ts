// What each installed package must be able to do: a first sign-in, a key, and what the key sealed before an upgrade opens after it.
import assert from 'node:assert/strict';
import type { Ask } from '../server.ts';

export const PASSWORD = 'a new password';
const DATA = Buffer.from('kept over the upgrade').toString('base64url');

export interface Sealed {
  readonly body: unknown;
}

/** @returns what a key of the admin has sealed */
export async function firstSteps(ask: Ask, initialPassword: string): Promise<Sealed> {
  const first = await ask('POST', '/login?realm=_', { user: `admin:${initialPassword}`, body: { new_password: PASSWORD } });
  assert.equal(first.body.next_step, 'Authenticated', first.text);
  const { cookie } = first;
  const key = await ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } });
  assert.equal(key.status, 200, key.text);
  const sealed = await ask('POST', '/v1/crypto/encrypt', { cookie, body: { kid: key.body.kid, alg: 'dir', enc: 'A256GCM', data: DATA } });
  assert.equal(sealed.status, 200, sealed.text);
  return { body: sealed.body };
}

export async function opensAgain(ask: Ask, { body }: Sealed): Promise<void> {
  const signedIn = await ask('POST', '/login?realm=_', { user: `admin:${PASSWORD}` });
  assert.equal(signedIn.body?.next_step, 'Authenticated', signedIn.text);
  const { cookie } = signedIn;
  const opened = await ask('POST', '/v1/crypto/decrypt', { cookie, body });
  assert.equal(opened.body?.data, DATA, opened.text);
}

/** Facts of the build, for the admin. */
export async function build(ask: Ask): Promise<Readonly<Record<string, unknown>>> {
  const { cookie } = await ask('POST', '/login?realm=_', { user: `admin:${PASSWORD}` });
  return (await ask('GET', '/version/build', { cookie })).body;
}
