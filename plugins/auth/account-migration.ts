// Creates accounts for users and roles that are older than accounts; the id of such an account is its name.
import type { Migration } from '../../kernel/store/migrate.ts';

/** The realms of each admin record, and `_`, where a session has the rights of all realms. */
const REALMS = `(SELECT admin, realm FROM admin_realm UNION SELECT id, '_' FROM admin) AS listed`;

/**
 * Binds an admin record to those of its credentials that exist. Whether a missing one was deleted or is yet to be created is unknown, so it
 * is not bound: an administrator must write the record again.
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
