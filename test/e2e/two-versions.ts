// Two nodes of different versions on one database, and what clients do on one of them and ask of the other.
import assert from 'node:assert/strict';
import { bytes, dateTime } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { aesKey, CESSATION, GCM, jsonKmip, type Kmip, named } from '../../soak/kmip.ts';
import type { Answer, Ask } from '../server.ts';

export const PASSWORD = 'a new password';
const TRIES = 20;
const DATA = bytes(TAG.Data, Buffer.from('told on one node, asked on the other'));

export async function ok(answer: Promise<Answer>): Promise<Answer> {
  const { status, text } = await answer;
  assert.ok(status < 300, `${status} ${text}`);
  return answer;
}

/**
 * As a client asks that heeds the word to try again: versions before the lock of contended writers do not wait for those who hold it, so a transaction of
 * either may lose to the other until its tries are used up.
 */
export async function okInTheEnd(ask: () => Promise<Answer>): Promise<void> {
  let answer = await ask();
  for (let tried = 1; answer.status === 503 && tried < TRIES; tried++) answer = await ask();
  await ok(Promise.resolve(answer));
}

async function done(answer: ReturnType<Kmip>) {
  const { ok: isDone, reason, members } = (await answer) ?? { ok: false, reason: 'no answer', members: {} };
  assert.ok(isDone, reason);
  return members;
}

/** The key server of a node, as JSON. */
const kmipOf = (ask: Ask, cookie: string): Kmip =>
  jsonKmip({ ask: (_what, method, path, options) => ask(method, path, { ...options, cookie, headers: { 'content-type': 'application/json' } }) });

/** Things that a client holds, and how to use them on a node. */
export interface Belongings {
  readonly session: { readonly id: string; readonly cookie: string };
  readonly token: string;
  /** Of an active key, with what it has sealed. */
  readonly key: string;
  readonly sealed: readonly (readonly [tag: 'Data' | 'IVCounterNonce' | 'AuthenticatedEncryptionTag', hex: string])[];
}

export async function signIn(ask: Ask): Promise<Belongings['session']> {
  const { body, cookie } = await ok(ask('POST', '/login?realm=_', { user: `admin:${PASSWORD}` }));
  return { id: body.session_id, cookie: cookie as string };
}

/** @param cookie of the admin who owns the keys @param roleId of a role that asks for no secret */
export async function take(ask: Ask, cookie: string, roleId: string): Promise<Belongings> {
  const session = await signIn(ask);
  const token = (await ok(ask('POST', '/auth/approle/login', { body: { role_id: roleId } }))).body.auth.client_token;
  const kmip = kmipOf(ask, cookie);
  const key = String((await done(kmip('Create', aesKey(dateTime(TAG.ActivationDate, 1)))))['UniqueIdentifier']);
  const sealed = await done(kmip('Encrypt', [named(key), GCM, DATA]));
  const members = ['Data', 'IVCounterNonce', 'AuthenticatedEncryptionTag'] as const;
  return { session, token, key, sealed: members.map((tag) => [tag, String(sealed[tag])]) };
}

const ofToken = (ask: Ask, action: 'lookup' | 'revoke', token: string) =>
  ask(action === 'revoke' ? 'POST' : 'GET', `/auth/token/${action}-self`, { headers: { 'x-app-token': token } });

/** @returns of each of the belongings whether the node accepts it, in one word, the same for all that it accepts */
export async function used(ask: Ask, cookie: string, { session, token, key, sealed }: Belongings): Promise<readonly string[]> {
  const kmip = kmipOf(ask, cookie);
  const asked = [ask('GET', '/whoami', { cookie: session.cookie }), ofToken(ask, 'lookup', token)];
  const opened = kmip('Decrypt', [named(key), GCM, ...sealed.map(([tag, hex]) => bytes(TAG[tag], Buffer.from(hex, 'hex')))]);
  const encrypted = kmip('Encrypt', [named(key), GCM, DATA]);
  const words = (await Promise.all(asked)).map(({ status }) => (status === 200 ? 'accepted' : String(status)));
  const plain = (await done(opened))['Data'];
  assert.equal(
    String(plain),
    Buffer.from(DATA.value as Uint8Array)
      .toString('hex')
      .toUpperCase(),
  );
  return [...words, (await encrypted)?.ok ? 'accepted' : 'refused'];
}

/** Ends the session, and revokes the token and the key. */
export async function revoke(ask: Ask, cookie: string, { session, token, key }: Belongings): Promise<void> {
  await Promise.all([
    ok(ask('DELETE', '/sessions', { cookie, body: { session_ids: [session.id] } })),
    ok(ofToken(ask, 'revoke', token)),
    done(kmipOf(ask, cookie)('Revoke', [named(key), CESSATION])),
  ]);
}

export const ALL_ACCEPTED = ['accepted', 'accepted', 'accepted'];
/** A revoked key still opens what it has sealed. */
export const ALL_REVOKED = ['401', '403', 'refused'];
