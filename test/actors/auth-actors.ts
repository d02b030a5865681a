// The directory, session and token actors on a store of their own, as the server runs them: threads, calls by remotes, a clock to move.
import { createHash, randomUUID } from 'node:crypto';
import type { CredentialInput, DirectoryApi, Principal, Realm } from '../../actors/directory/api.ts';
import type { DirectoryArgs } from '../../actors/directory/directory-server.ts';
import type { NewSession, SessionApi } from '../../actors/session/api.ts';
import type { SessionArgs } from '../../actors/session/session.actor.ts';
import type { TokenApi } from '../../actors/token/api.ts';
import type { TokenArgs } from '../../actors/token/token.actor.ts';
import { pinned, sharded } from '../../kernel/actor.ts';
import { createClock } from '../../kernel/clock.ts';
import { userName } from '../../kernel/store/account-name.ts';
import { liveAccount } from '../../kernel/store/accounts.ts';
import { migrate } from '../../kernel/store/migrate.ts';
import { openStore } from '../../kernel/store/open.ts';
import { AUTH_MIGRATIONS } from '../../plugins/auth/migrations.ts';
import { createRuntime } from '../runtime.ts';
import type { TestDatabase } from '../stores.ts';

export const SOURCE = '192.0.2.1';
export const LOCKOUT = { failures: 3, failuresAllSources: 6, windowMs: 600_000, lockMs: 300_000 };
export const QUOTAS = {
  ...{ credentials_per_realm: 6, admins_per_realm: 3, sessions_per_identity: 3, sessions_per_realm: 20 },
  ...{ tokens_per_identity: 4, tokens_per_role: 5, secret_ids_per_role: 8 },
};
/** In place of a hash that nobody verifies here. */
export const PHC = '$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA';

const module = (path: string) => new URL(`../../actors/${path}`, import.meta.url);

const specs = () => ({
  directory: pinned<DirectoryApi, DirectoryArgs>({
    module: module('directory/directory.actor.ts'),
    instances: { main: { auditRetentionDays: 365, lockout: LOCKOUT, quotas: QUOTAS, clientCertificates: false } },
    deadlineMs: 30_000,
    store: true,
    dataKeys: ['auth'],
  }),
  // Two owners: what one changes the other must not believe to be as it was.
  session: sharded<SessionApi, SessionArgs>({
    module: module('session/session.actor.ts'),
    shards: 2,
    args: { cacheBytes: 1_048_576, quotas: QUOTAS },
    deadlineMs: 30_000,
    store: true,
  }),
  token: sharded<TokenApi, TokenArgs>({ module: module('token/token.actor.ts'), shards: 1, args: { quotas: QUOTAS }, deadlineMs: 30_000, store: true }),
});

export type AuthActors = Awaited<ReturnType<typeof startAuthActors>>;

/** @param url of a database that has been used before; a fresh one without it */
export async function startAuthActors(database: TestDatabase, url?: string) {
  const address = url ?? (await database.url());
  const store = await openStore(address, { writer: `test ${randomUUID()}`, clock: createClock() });
  if (url === undefined) await migrate(store, [{ owner: 'auth', migrations: AUTH_MIGRATIONS }], () => 0);
  const { runtime, clock, ref } = createRuntime(specs(), address, `node ${randomUUID()}`);
  await runtime.start();
  const accountOf = async (realm: string, username: string) => (await liveAccount(store, userName(realm, username))) ?? userName(realm, username);
  return {
    url: address,
    store,
    clock,
    runtime,
    directory: ref('directory').at('main'),
    /** The owner of what has this key: an id of a session, or a realm. */
    session: (key: string) => ref('session').of(key),
    token: ref('token').of(''),
    /** Somebody by password, as the front would say who it is. */
    by: async (realm: string, username: string): Promise<Principal> => ({
      ...{ realm, username, scheme: 'up', source: SOURCE },
      account: await accountOf(realm, username),
    }),
    async stop() {
      await runtime.stop();
      await store.close();
    },
  };
}

export const realm = (id: string): Realm => ({
  id,
  auth_params: {},
  ...{ session_max_age_seconds: 3_600, session_max_stale_age_seconds: 600, certificate_max_age_seconds: 3_600, password_max_age_seconds: 0 },
});

export const credential = (realmId: string, username: string): CredentialInput => ({
  ...{ realm: realmId, username, change_password: false, roles: ['reader'], extra_claims: null, passwordHash: PHC },
});

export const hashOf = (text: string): Uint8Array => new Uint8Array(createHash('sha256').update(text).digest());

/** A session about to be made for a user with a password; its cookie is its id. */
export async function newSession(actors: AuthActors, realmId: string, username: string, more: Partial<NewSession> = {}): Promise<NewSession> {
  const id = randomUUID();
  const view = await actors.directory.findSignIn(realmId, username, SOURCE);
  return {
    ...{ id, realm: realmId, username, scheme: 'up', maxAgeSeconds: 3_600, maxStaleAgeSeconds: 600, jti: randomUUID(), roles: [], extraClaims: {} },
    ...{
      provenRealm: view.realmAccount,
      authParams: JSON.stringify(view.realm?.auth_params),
      cookieHash: hashOf(id),
      revision: view.credential?.revision ?? 0,
      source: SOURCE,
      ...more,
    },
  };
}

/** Realm `_` with its admin, and who that is. */
export async function firstAdmin(actors: AuthActors): Promise<Principal> {
  await actors.directory.firstStart({ username: 'admin', passwordHash: PHC });
  return actors.by('_', 'admin');
}

/** Bytes of a page as what they say. */
export const itemsOf = (page: { readonly json: Uint8Array }): unknown[] => JSON.parse(`[${Buffer.from(page.json).toString('utf8')}]`) as unknown[];
