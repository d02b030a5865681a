// A store with a bit of everything, and the check that a copy of it serves just the same.
import assert from 'node:assert/strict';
import type { TOTP } from 'otpauth';
import { createClock } from '../../kernel/clock.ts';
import { type AuditRow, auditHash } from '../../kernel/store/audit.ts';
import { openStore } from '../../kernel/store/open.ts';
import { people } from '../people.ts';
import { signInAdmin, type TestServer } from '../server.ts';

export interface Filled {
  readonly totp: TOTP;
  readonly kid: string;
  readonly sealed: Record<string, unknown>;
  readonly objects: number;
}

export async function fill(server: TestServer): Promise<Filled> {
  const they = people(server, await signInAdmin(server));
  await they.realm('team');
  await they.user('team', 'ada', 'adas password');
  const totp = await they.enrol('team', 'ada', await they.session('team', 'ada', 'adas password'));
  const keys = await Promise.all(
    Array.from({ length: 70 }, () => server.ask('POST', '/v1/crypto/keys', { cookie: they.root, body: { kty: 'oct', alg: 'A256GCM' } })),
  );
  const kid = keys[3]?.body.kid as string;
  const sealed = await server.ask('POST', '/v1/crypto/encrypt', { cookie: they.root, body: { kid, alg: 'dir', enc: 'A256GCM', data: 'aGVsbG8' } });
  assert.equal(sealed.status, 200, sealed.text);
  return { totp, kid, sealed: sealed.body, objects: keys.length };
}

/** Once for each filled store: the one-time code cannot be used again. */
export async function check(server: TestServer, filled: Filled): Promise<void> {
  const { totp } = filled;
  const admin = await checkKeys(server, filled);
  const they = people(server, admin);
  const ada = await they.signIn('team', 'ada', 'adas password', { totp_code: they.code(totp, 1) });
  assert.equal(ada.body.next_step, 'Authenticated', ada.text);
}

/** @returns the cookie of the admin */
export async function checkKeys(server: TestServer, { sealed, kid }: Filled): Promise<string> {
  const admin = await server.ask('POST', '/login?realm=_', { user: 'admin:a new password' });
  assert.equal(admin.body.next_step, 'Authenticated');
  const cookie = admin.cookie as string;
  const opened = await server.ask('POST', '/v1/crypto/decrypt', { cookie, body: { kid, ...sealed } });
  assert.deepEqual([opened.status, opened.body.data], [200, 'aGVsbG8'], opened.text);
  // A new object takes a number that no earlier one has.
  const made = await server.ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } });
  assert.equal(made.status, 200, made.text);
  return cookie;
}

/** The chain of hashes has no gap, and each of these events is there once. */
export async function checkAudit(url: string, dataDir: string, events: readonly string[]): Promise<void> {
  const store = await openStore(url.replace(/^sqlite:/, `sqlite:${dataDir}/`), { writer: 'test', clock: createClock() });
  const rows = await store.all<AuditRow>(
    'SELECT stream, seq, time, request_id, realm, actor, scheme, source, event, target, outcome, reason, prev FROM audit ORDER BY stream, seq',
  );
  await store.close();
  const last = new Map<string, AuditRow>();
  for (const row of rows) {
    const before = last.get(row.stream);
    assert.deepEqual([row.seq, row.prev], [(before?.seq ?? 0) + 1, before ? auditHash(before) : '']);
    last.set(row.stream, row);
  }
  for (const event of events) assert.equal(rows.filter((row) => row.event === event).length, 1, event);
}
