// The first admin: created once for all nodes on the first start, and reset when an operator asks for it.
import { randomUUID } from 'node:crypto';
import { realmScope, userName } from '../../kernel/store/account-name.ts';
import { holdName } from '../../kernel/store/accounts.ts';
import type { Transaction } from '../../kernel/store/store.ts';
import { endSessionsOf } from '../session/end.ts';
import { bindAdmin } from './admin-accounts.ts';
import { findAdmin } from './admin-rows.ts';
import type { AdminRecord, AuthParams, DirectoryApi, FirstStart } from './api.ts';
import type { DirectoryServer } from './directory-server.ts';
import { endUnadmitted } from './unadmitted.ts';

const LOCK = 'gatehouse first start';
const YEAR_SECONDS = 31_536_000;
const HOUR_SECONDS = 3_600;

type FirstStartApi = Pick<DirectoryApi, 'isEmpty' | 'firstStart' | 'initialPasswordHash' | 'resetAdmin'>;

export function firstStartApi(part: DirectoryServer): FirstStartApi {
  const { store, clock } = part;
  return {
    isEmpty: async () => (await store.get('SELECT id FROM realm LIMIT 1')) === undefined,
    firstStart: (first) =>
      store.transaction(
        async (tx) => {
          if (await tx.get('SELECT id FROM realm LIMIT 1')) return false;
          await makeRealm(tx);
          await makeAdmin(tx, first, clock.now());
          await tx.audit({ event: 'first_start', outcome: 'success', realm: '_', target: first.username });
          return true;
        },
        { lock: LOCK },
      ),
    async initialPasswordHash(username) {
      const row = await store.get<{ password_hash: string; change_password: number; revision: number }>(
        "SELECT password_hash, change_password, revision FROM userpass WHERE realm = '_' AND username = $1",
        [username],
      );
      return row?.change_password === 1 && row.revision === 1 ? row.password_hash : null;
    },
    async resetAdmin(first) {
      const { username } = first;
      await store.transaction(
        async (tx) => {
          await allowPasswords(tx);
          // Deleting the row also deletes the second factor and the locks. The new row has the initial password. The account stays, because it is the same admin.
          await tx.run("DELETE FROM userpass WHERE realm = '_' AND username = $1", [username]);
          await endSessionsOf(tx, '_', username);
          await makeAdmin(tx, first, clock.now());
          await tx.audit({ event: 'admin.reset', outcome: 'success', realm: '_', target: username });
        },
        { lock: LOCK },
      );
    },
  };
}

async function makeRealm(tx: Transaction): Promise<void> {
  await holdName(tx, realmScope('_'));
  await tx.run(
    `INSERT INTO realm (id, auth_params, session_max_age_seconds, session_max_stale_age_seconds, certificate_max_age_seconds, password_max_age_seconds)
     VALUES ('_', '{}', $1, $1, $2, 0)`,
    [HOUR_SECONDS, YEAR_SECONDS],
  );
}

async function makeAdmin(tx: Transaction, { username, passwordHash }: FirstStart, now: number): Promise<void> {
  await tx.run(
    `INSERT INTO userpass (realm, username, password_hash, change_password, roles, extra_claims, password_set_at, revision) VALUES ('_', $1, $2, 1, '[]', NULL, $3, 1)`,
    [username, passwordHash, now],
  );
  await holdName(tx, userName('_', username));
  const id = await recordOf(tx, username);
  const before = await findAdmin(tx, id);
  await tx.run('INSERT INTO admin (id, userpass) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET userpass = $2', [id, username]);
  await tx.run(`INSERT INTO admin_realm (admin, realm) VALUES ($1, '_') ON CONFLICT (admin, realm) DO NOTHING`, [id]);
  await bindAdmin(tx, (await findAdmin(tx, id)) as AdminRecord);
  if (before) await endUnadmitted(tx, before);
}

/**
 * The id of the admin's record: of one that lists `_` already, or else a free id. Any other record with the admin's id belongs to somebody of another realm,
 * whose names must not get into `_` by a reset.
 */
async function recordOf(tx: Transaction, username: string): Promise<string> {
  const own = await tx.get<{ id: string }>(
    `SELECT admin.id AS id FROM admin JOIN admin_realm ON admin_realm.admin = admin.id AND admin_realm.realm = '_'
      WHERE admin.id = $1 OR admin.userpass = $1 ORDER BY CASE WHEN admin.id = $1 THEN 1 ELSE 0 END, admin.id LIMIT 1`,
    [username],
  );
  if (own) return own.id;
  return (await findAdmin(tx, username)) ? `${username}-${randomUUID()}` : username;
}

/** Allows passwords in realm `_` again: disabling them is one of the ways in which an admin is locked out. */
async function allowPasswords(tx: Transaction): Promise<void> {
  const row = await tx.get<{ auth_params: string }>("SELECT auth_params FROM realm WHERE id = '_'");
  const params = JSON.parse(row?.auth_params ?? '{}') as AuthParams;
  const { enabled: _enabled, ...passwords } = params.username_password_params ?? {};
  await tx.run("UPDATE realm SET auth_params = $1 WHERE id = '_'", [JSON.stringify({ ...params, username_password_params: passwords })]);
}
