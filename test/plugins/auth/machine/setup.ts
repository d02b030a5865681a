// What the tests of machine authentication have in common: a server with its admin signed in, roles, logins, and a look at the audit log.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openStore } from '../../../../kernel/store/open.ts';
import type { Row, SqlValue, Store, Transaction } from '../../../../kernel/store/store.ts';
import { type Answer, type AskOptions, signInAdmin, startServer, type TestServer, type TestServerOptions } from '../../../server.ts';
import type { TestDatabase } from '../../../stores.ts';

export interface Machine {
  readonly server: TestServer;
  readonly cookie: string;
  /** As the admin, below /auth. */
  readonly admin: (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) => Promise<Answer>;
  /** Without a credential in the headers, below /auth. */
  readonly post: (path: string, body: unknown, options?: AskOptions) => Promise<Answer>;
  /** With an app token, below /auth/token. */
  readonly own: (method: 'GET' | 'POST', action: string, token?: string) => Promise<Answer>;
  /** Makes a role. @returns its role id */
  readonly makeRole: (name: string, body?: unknown) => Promise<string>;
  readonly makeSecretId: (name: string, body?: unknown) => Promise<{ secret_id: string; secret_id_accessor: string }>;
  /** @returns the client token */
  readonly logIn: (roleId: string, secretId?: string) => Promise<string>;
  /** Signs in a user with the admin's password who administers these realms. @returns the session cookie */
  readonly signIn: (realm: string, username: string, administered: readonly string[]) => Promise<string>;
  readonly rows: (sql: string, params?: readonly SqlValue[]) => Promise<Row[]>;
  /** Rows of these events, in words. */
  readonly audit: (...events: string[]) => Promise<string[]>;
}

export async function startMachine(database: TestDatabase, options: TestServerOptions = {}): Promise<Machine & { readonly url: string }> {
  const postgres = database.dialect === 'sqlite' ? undefined : await database.url();
  const store = postgres === undefined ? '' : `[store]\nurl = "${postgres}"\n`;
  const server = await startServer({ ...options, config: `${store}${options.config ?? ''}` });
  const url = postgres ?? `sqlite:${join(server.dataDir, 'gatehouse.db')}`;
  return { ...machineOn(server, await signInAdmin(server), url), url };
}

export function machineOn(server: TestServer, cookie: string, url: string): Machine {
  const admin: Machine['admin'] = (method, path, body) => server.ask(method, `/auth${path}`, { cookie, ...(body === undefined ? {} : { body }) });
  const post: Machine['post'] = (path, body, options = {}) => server.ask('POST', `/auth${path}`, { body, ...options });
  return {
    server,
    cookie,
    admin,
    post,
    own: (method, action, token) => server.ask(method, `/auth/token/${action}-self`, token === undefined ? {} : { headers: { 'x-app-token': token } }),
    async makeRole(name, body = {}) {
      assert.equal((await admin('POST', `/approle/role/${name}`, body)).status, 204);
      return (await admin('GET', `/approle/role/${name}/role-id`)).body.data.role_id;
    },
    async makeSecretId(name, body = {}) {
      const answer = await admin('POST', `/approle/role/${name}/secret-id`, body);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.data;
    },
    async logIn(roleId, secretId) {
      const answer = await post('/approle/login', { role_id: roleId, ...(secretId === undefined ? {} : { secret_id: secretId }) });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.auth.client_token;
    },
    async signIn(realm, username, administered) {
      await withStore(server, url, (store) => store.transaction((tx) => insertUser(tx, realm, username, administered)));
      const answer = await server.ask('POST', `/login?realm=${realm}`, { user: `${username}:a new password` });
      assert.ok(answer.cookie, answer.text);
      return answer.cookie;
    },
    rows: (sql, params) => withStore(server, url, async (store) => (await store.all(sql, params)).map((row) => ({ ...row }) as Row)),
    async audit(...events) {
      const sql = 'SELECT event, outcome, actor, target, reason FROM audit ORDER BY time, seq';
      const rows = await withStore(server, url, (store) => store.all<Record<string, string | null>>(sql));
      return rows.filter(({ event }) => events.includes(event as string)).map((row) => Object.values(row).filter(Boolean).join(' | '));
    },
  };
}

async function withStore<T>(server: TestServer, url: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(url, { writer: 'test', clock: server.clock });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function insertUser(tx: Transaction, realm: string, username: string, administered: readonly string[]): Promise<void> {
  for (const id of new Set([realm, ...administered]))
    await tx.run(
      `INSERT INTO realm (id, auth_params, session_max_age_seconds, session_max_stale_age_seconds, certificate_max_age_seconds, password_max_age_seconds)
       VALUES ($1, '{}', 3600, 3600, 3600, 0) ON CONFLICT DO NOTHING`,
      [id],
    );
  await tx.run(
    `INSERT INTO userpass (realm, username, password_hash, change_password, roles, extra_claims, password_set_at, revision)
     SELECT $1, $2, password_hash, 0, '[]', NULL, 0, 1 FROM userpass WHERE realm = '_' AND username = 'admin'`,
    [realm, username],
  );
  if (administered.length > 0) await tx.run('INSERT INTO admin (id, userpass) VALUES ($1, $1)', [username]);
  for (const id of administered) await tx.run('INSERT INTO admin_realm (admin, realm) VALUES ($1, $2)', [username, id]);
  if (administered.length > 0) await tx.run('INSERT INTO admin_account (admin, account, realm) VALUES ($1, $2, $3)', [username, `${realm}/${username}`, realm]);
}

/** Status and code of a refusal. */
export function refusal({ status, body }: Answer): [number, string] {
  return [status, body?.code];
}
