// What the tests of machine authentication have in common: a server with its admin signed in, roles, logins, and a look at the audit log.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openStore } from '../../../../kernel/store/open.ts';
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
    async audit(...events) {
      const store = await openStore(url, { writer: 'test', clock: server.clock });
      const rows = await store.all<Record<string, string | null>>('SELECT event, outcome, actor, target, reason FROM audit ORDER BY time, seq');
      await store.close();
      return rows.filter(({ event }) => events.includes(event as string)).map((row) => Object.values(row).filter(Boolean).join(' | '));
    },
  };
}

/** Status and code of a refusal. */
export function refusal({ status, body }: Answer): [number, string] {
  return [status, body?.code];
}
