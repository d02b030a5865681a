// The first start: realm `_` with its first admin, made once for all nodes.
import type { Store } from '../../kernel/store/store.ts';
import type { FirstStart } from './api.ts';

const LOCK = 'gatehouse first start';
const YEAR_SECONDS = 31_536_000;
const HOUR_SECONDS = 3_600;

/** @returns false when a realm was there already */
export function createFirst(store: Store, { username, passwordHash }: FirstStart, now: number): Promise<boolean> {
  return store.transaction(
    async (tx) => {
      if (await tx.get('SELECT id FROM realm LIMIT 1')) return false;
      await tx.run(
        `INSERT INTO realm (id, auth_params, session_max_age_seconds, session_max_stale_age_seconds, certificate_max_age_seconds, password_max_age_seconds)
         VALUES ('_', '{}', $1, $1, $2, 0)`,
        [HOUR_SECONDS, YEAR_SECONDS],
      );
      await tx.run(
        `INSERT INTO userpass (realm, username, password_hash, change_password, roles, extra_claims, password_set_at, revision) VALUES ('_', $1, $2, 1, '[]', NULL, $3, 1)`,
        [username, passwordHash, now],
      );
      await tx.run('INSERT INTO admin (id, userpass) VALUES ($1, $1)', [username]);
      await tx.run(`INSERT INTO admin_realm (admin, realm) VALUES ($1, '_')`, [username]);
      await tx.audit({ event: 'first_start', outcome: 'success', realm: '_', target: username });
      return true;
    },
    { lock: LOCK },
  );
}
