// Fills a store with people and machines: users with their accounts, sessions, administrators, roles with secret ids and app tokens. Nobody knows their secrets.
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { hash as argon2 } from '@node-rs/argon2';
import { approleName, realmScope, userName } from '../../kernel/store/account-name.ts';
import { holdName } from '../../kernel/store/accounts.ts';
import type { Store } from '../../kernel/store/store.ts';
import { Bulk } from './bulk.ts';

export const FILL_REALM = 'filled';
/** Has many sessions, and a role many secret ids: as many as the quotas allow by default. */
const SESSIONS_OF_ONE = 1_000;
const SECRET_IDS_OF_ONE = 100_000;
const AT_ONCE = 10_000;
const MONTH_SECONDS = 30 * 86_400;

const username = (at: number): string => `user-${String(at).padStart(8, '0')}`;
export const userAt = (at: number): string => userName(FILL_REALM, username(at));
export const FIRST_USER = username(0);
export const roleName = (at: number): string => `filled-${String(at).padStart(8, '0')}`;

/** Writes rows in batches until `to`. @param onDone is told how many are there, and says whether to go on */
type Fill = (store: Store, from: number, to: number, onDone: (there: number) => boolean) => Promise<void>;

async function inBatches(store: Store, [from, to]: readonly [number, number], onDone: (there: number) => boolean, add: (bulk: Bulk, at: number) => unknown) {
  const bulk = new Bulk();
  for (let begin = from; begin < to; begin += AT_ONCE) {
    const end = Math.min(to, begin + AT_ONCE);
    for (let at = begin; at < end; at++) await add(bulk, at);
    await bulk.write(store);
    if (!onDone(end)) return;
  }
}

/** The realm is as `_` is. */
export async function makeRealm(store: Store): Promise<void> {
  const settings = 'auth_params, session_max_age_seconds, session_max_stale_age_seconds, certificate_max_age_seconds, password_max_age_seconds';
  await store.transaction(async (tx) => {
    const sql = `INSERT INTO realm (id, ${settings}) SELECT $1, ${settings} FROM realm WHERE id = '_' ON CONFLICT (id) DO NOTHING`;
    if ((await tx.run(sql, [FILL_REALM])) === 1) await holdName(tx, realmScope(FILL_REALM));
  });
}

export const fillUsers: Fill = async (store, from, to, onDone) => {
  const password = await argon2(randomBytes(32));
  const columns = ['realm', 'username', 'password_hash', 'change_password', 'roles', 'extra_claims', 'password_set_at', 'revision'];
  await inBatches(store, [from, to], onDone, async (bulk, at) => {
    bulk.add('userpass', columns, [FILL_REALM, username(at), password, 0, '["staff"]', '{"department":"research"}', Date.now(), at + 2]);
    await holdName(bulk.tx, userAt(at));
  });
};

export const fillSessions: Fill = (store, from, to, onDone) => {
  const columns = ['id', 'cookie_hash', 'realm', 'username', 'scheme', 'created_at', 'seen_at', 'max_age_seconds', 'max_stale_age_seconds', 'claims'];
  return inBatches(store, [from, to], onDone, (bulk, at) => {
    const owner = at < SESSIONS_OF_ONE ? 0 : at % 100_000;
    const now = Date.now();
    const ages = [now - (at % MONTH_SECONDS), now, 2 * MONTH_SECONDS, 2 * MONTH_SECONDS];
    const claims = '{"jti":null,"roles":["staff"],"extraClaims":{}}';
    const values = [randomUUID(), new Uint8Array(randomBytes(32)), FILL_REALM, username(owner), 'up', ...ages, claims, userAt(owner), realmScope(FILL_REALM)];
    bulk.add('session', [...columns, 'account', 'realm_account'], values);
  });
};

/** Each has a password name and lists the realm. */
export const fillAdmins: Fill = (store, from, to, onDone) =>
  inBatches(store, [from, to], onDone, (bulk, at) => {
    bulk.add('admin', ['id', 'userpass'], [`filled-${at}`, username(at)]);
    bulk.add('admin_realm', ['admin', 'realm'], [`filled-${at}`, FILL_REALM]);
    bulk.add('admin_account', ['admin', 'account', 'realm'], [`filled-${at}`, userAt(at), FILL_REALM]);
  });

/** The first role has half of the secret ids, as far as the quota goes; the others have a hundred each. */
const roleOf = (at: number): number => (at % 2 === 0 && at < 2 * SECRET_IDS_OF_ONE ? 0 : 1 + Math.floor(at / 100));

const ROLE = ['name', 'role_id', 'token_ttl_seconds', 'token_max_ttl_seconds', 'token_policies', 'token_renewable', 'secret_id_ttl_seconds', 'bind_secret_id'];
const SECRET = ['accessor', 'digest', 'role', 'created_at', 'expires_at', 'num_uses', 'uses', 'exhausted_at'];
const TOKEN = ['digest', 'accessor', 'kind', 'role', 'entity', 'account', 'policies', 'created_at', 'expires_at', 'lease_seconds', 'max_expires_at'];

/** One secret id and one token each. */
export const fillMachines: Fill = (store, from, to, onDone) =>
  inBatches(store, [from, to], onDone, async (bulk, at) => {
    const makeRole = async (role: number) => {
      bulk.add('approle', ROLE, [roleName(role), randomUUID(), 3_600, 0, '["default"]', 1, 0, 1]);
      await holdName(bulk.tx, approleName(roleName(role)));
    };
    if (at === 0) await makeRole(0);
    if (at % 100 === 0) await makeRole(1 + at / 100);
    const role = roleName(roleOf(at));
    const ends = at % 3 === 0 ? Date.now() + MONTH_SECONDS * 1_000 : 0;
    bulk.add('secret_id', SECRET, [randomUUID(), digest(), role, Date.now(), ends, 0, 0, 0]);
    bulk.add('app_token', TOKEN, [digest(), randomUUID(), 'approle', role, role, approleName(role), '["default"]', Date.now(), ends, 3_600, 0]);
  });

const digest = (): string => hash('sha256', randomBytes(32), 'hex');
