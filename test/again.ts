// A server that is started again over the same data in the middle of a test, with people, machines and a provider's users who hold keys.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { IdentityProvider } from './identity-provider.ts';
import { KeyHolder } from './key-holder.ts';
import { type People, people } from './people.ts';
import { type Answer, type AskOptions, signInAdmin, startServer, type TestServer, temporaryFolder } from './server.ts';
import type { TestDatabase } from './stores.ts';

const PASSWORD = 'a good password';

export class Again {
  server!: TestServer;
  /** Session cookie of the super admin. */
  root!: string;
  all!: People;
  readonly config: string;
  readonly idp: IdentityProvider;
  readonly #folder = temporaryFolder();

  constructor(config: string, idp: IdentityProvider) {
    this.config = config;
    this.idp = idp;
  }

  static async on(database: TestDatabase, idp: IdentityProvider): Promise<Again> {
    const again = new Again(database.dialect === 'sqlite' ? '' : `[store]\nurl = "${await database.url()}"\n`, idp);
    await again.#boot();
    again.root = await signInAdmin(again.server);
    again.all = people(again.server, again.root);
    return again;
  }

  async #boot(): Promise<void> {
    this.server = await startServer({ config: this.config, dataDir: join(this.#folder, 'data') });
  }

  /** A second node of the same database. */
  async another(): Promise<Again> {
    const again = new Again(this.config, this.idp);
    const dataDir = join(again.#folder, 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    copyFileSync(join(this.#folder, 'data', 'root.key'), join(dataDir, 'root.key'));
    await again.#boot();
    again.root = this.root;
    again.all = people(again.server, again.root);
    return again;
  }

  /** Rows count, and no memory: everybody who is signed in stays so. */
  async restart(): Promise<void> {
    await this.server.end();
    await this.#boot();
    this.all = people(this.server, this.root);
  }

  ask(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<Answer> {
    return this.server.ask(method, path, { cookie: this.root, ...(body === undefined ? {} : { body }) });
  }

  /** As the super admin. */
  async admin(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, status = method === 'DELETE' ? 204 : 200): Promise<Answer> {
    const answer = await this.ask(method, path, body);
    assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
    return answer;
  }

  async user(realm: string, username: string): Promise<KeyHolder> {
    await this.all.user(realm, username, PASSWORD);
    return this.session(realm, username);
  }

  async session(realm: string, username: string): Promise<KeyHolder> {
    return this.holder({ cookie: await this.all.session(realm, username, PASSWORD) });
  }

  holder(credential: AskOptions): KeyHolder {
    return new KeyHolder(() => this.server.ask, credential);
  }

  /** A session by the token of the realm's identity provider. */
  async byJwt(realm: string, sub: string): Promise<KeyHolder> {
    const answer = await this.server.ask('POST', `/login?realm=${realm}`, { headers: { authorization: `Bearer ${await this.idp.token({ sub })}` } });
    assert.equal(answer.body?.next_step, 'Authenticated', answer.text);
    return this.holder({ cookie: answer.cookie });
  }

  async byRole(role: string): Promise<KeyHolder> {
    await this.admin('POST', `/auth/approle/role/${role}`, { bind_secret_id: false }, 204);
    const { body } = await this.admin('GET', `/auth/approle/role/${role}/role-id`);
    const login = await this.server.ask('POST', '/auth/approle/login', { body: { role_id: body.data.role_id } });
    return this.holder({ headers: { 'x-app-token': login.body.auth.client_token } });
  }

  async byCluster(role: string, account = 'prod:app', settings: Record<string, unknown> = {}): Promise<KeyHolder> {
    const bound = { bound_service_account_names: ['*'], bound_service_account_namespaces: ['*'] };
    await this.admin('POST', `/auth/cluster/role/${role}`, { jwks_url: this.idp.jwksUri, token_ttl: 600, ...bound, ...settings }, 204);
    const jwt = await this.idp.token({ sub: `system:serviceaccount:${account}` });
    const login = await this.server.ask('POST', '/auth/cluster/login', { body: { role, jwt } });
    assert.equal(login.status, 200, login.text);
    return this.holder({ headers: { 'x-app-token': login.body.auth.client_token } });
  }

  async end(): Promise<void> {
    await this.server.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
