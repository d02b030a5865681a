// Accounts for everybody who was there before accounts were: the first who had a name has it as the id as well.
import type { Migration } from '../../kernel/store/migrate.ts';

/** Realms of each admin record, and `_`: a session there has the rights of all. */
const REALMS = `(SELECT admin, realm FROM admin_realm UNION SELECT id, '_' FROM admin) AS listed`;

/**
 * An admin record is bound to the credentials of its names that are there. One that is not was deleted, or is still to be made: nobody can tell,
 * so that the record has to be written again.
 */
export const ACCOUNT_MIGRATION: Migration = {
  id: 3,
  about: 'accounts of realms, credentials and roles; whose a session, a token and the rights of an admin record are',
  sql: `
    INSERT INTO account (id, name, scope, held) SELECT id || '/', id || '/', NULL, 1 FROM realm;
    INSERT INTO account (id, name, scope, held) SELECT realm || '/' || username, realm || '/' || username, realm || '/', 1 FROM userpass;
    INSERT INTO account (id, name, scope, held) SELECT 'approle:' || name, 'approle:' || name, NULL, 1 FROM approle;
    INSERT INTO account (id, name, scope, held) SELECT 'cluster:' || name || '/', 'cluster:' || name || '/', NULL, 1 FROM cluster_role;

    ALTER TABLE session ADD COLUMN account TEXT NOT NULL DEFAULT '';
    ALTER TABLE session ADD COLUMN realm_account TEXT NOT NULL DEFAULT '';
    UPDATE session SET realm_account = realm || '/', account = realm || '/' || CASE WHEN scheme = 'up' THEN '' ELSE scheme || ':' END || username;
    ALTER TABLE app_token ADD COLUMN account TEXT NOT NULL DEFAULT '';
    UPDATE app_token SET account = CASE WHEN kind = 'cluster' THEN 'cluster:' || role || '/' || entity ELSE 'approle:' || role END;

    CREATE TABLE admin_account (admin TEXT NOT NULL REFERENCES admin (id) ON DELETE CASCADE, account TEXT NOT NULL, realm TEXT NOT NULL,
      PRIMARY KEY (admin, account));
    CREATE INDEX admin_account_account ON admin_account (account);
    INSERT INTO admin_account (admin, account, realm) SELECT DISTINCT admin.id, listed.realm || '/' || admin.userpass, listed.realm
      FROM admin JOIN ${REALMS} ON listed.admin = admin.id JOIN userpass ON userpass.realm = listed.realm AND userpass.username = admin.userpass;
    INSERT INTO admin_account (admin, account, realm) SELECT DISTINCT admin.id, listed.realm || '/jwt:' || admin.jwt, listed.realm
      FROM admin JOIN ${REALMS} ON listed.admin = admin.id WHERE admin.jwt IS NOT NULL;
    INSERT INTO admin_account (admin, account, realm) SELECT DISTINCT admin.id, listed.realm || '/cc:' || admin.client_certificate, listed.realm
      FROM admin JOIN ${REALMS} ON listed.admin = admin.id WHERE admin.client_certificate IS NOT NULL;
  `,
};
