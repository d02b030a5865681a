// Admin records: who administers which realms, and by which sign-ins they are known.
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/store/page.ts';
import { isUniqueViolation, type Reader, type Transaction } from '../../kernel/store/store.ts';
import type { Admin, AdminRecord, DirectoryApi } from './api.ts';
import { keepSuperAdmin } from './last-super-admin.ts';
import { auditChange, endSessions, type Part } from './part.ts';

interface Row {
  readonly id: string;
  readonly userpass: string | null;
  readonly jwt: string | null;
  readonly fido2: string | null;
  readonly digital_credentials: string | null;
  readonly client_certificate: string | null;
}

const COLUMNS = 'id, userpass, jwt, fido2, digital_credentials, client_certificate';
/** The realms of an admin are listed with it. */
const LISTING = {
  columns: COLUMNS,
  from: 'admin',
  key: { id: 'string' },
  size: `OCTET_LENGTH(id) + COALESCE(OCTET_LENGTH(digital_credentials), 0) + COALESCE(OCTET_LENGTH(fido2), 0)
    + COALESCE((SELECT SUM(OCTET_LENGTH(realm) + 8) FROM admin_realm WHERE admin_realm.admin = admin.id), 0)`,
} as const;
/** Columns that a session's scheme is matched with; a constant, never a caller's text. */
const COLUMN_OF_SCHEME: Readonly<Record<string, string>> = { up: 'userpass', jwt: 'jwt', cc: 'client_certificate' };

async function findAdmin(store: Reader, id: string): Promise<Admin | null> {
  const row = await store.get<Row>(`SELECT ${COLUMNS} FROM admin WHERE id = $1`, [id]);
  return row ? adminOf(store, row) : null;
}

async function adminOf(store: Reader, row: Row): Promise<Admin> {
  const realms = (await store.all<{ realm: string }>('SELECT realm FROM admin_realm WHERE admin = $1 ORDER BY realm', [row.id])).map(({ realm }) => realm);
  const totp = await store.get(
    'SELECT totp.realm AS realm FROM totp JOIN admin_realm ON admin_realm.realm = totp.realm WHERE admin_realm.admin = $1 AND totp.username = $2',
    [row.id, row.userpass ?? ''],
  );
  const digital_credentials = row.digital_credentials === null ? null : (JSON.parse(row.digital_credentials) as Record<string, unknown>);
  const { id, userpass, jwt, fido2, client_certificate } = row;
  return {
    id,
    realms,
    userpass,
    jwt,
    fido2,
    digital_credentials,
    client_certificate,
    totp_enabled: totp !== undefined,
    totp_secret: null,
    totp_auth_url: null,
  };
}

const valuesOf = ({ id, userpass, jwt, fido2, digital_credentials: digital, client_certificate }: AdminRecord) => [
  id,
  userpass,
  jwt,
  fido2,
  digital === null ? null : JSON.stringify(digital),
  client_certificate,
];

async function writeRealms(tx: Transaction, { id, realms }: AdminRecord): Promise<void> {
  await tx.run('DELETE FROM admin_realm WHERE admin = $1', [id]);
  for (const realm of new Set(realms)) {
    if (!(await tx.get('SELECT id FROM realm WHERE id = $1', [realm]))) throw new Fault('BAD_REQUEST', { detail: `body/realms: there is no realm ${realm}` });
    await tx.run('INSERT INTO admin_realm (admin, realm) VALUES ($1, $2)', [id, realm]);
  }
}

type AdminApi = Pick<DirectoryApi, 'administered' | 'listAdmins' | 'getAdmin' | 'createAdmin' | 'updateAdmin' | 'deleteAdmin'>;

export function adminApi(part: Part): AdminApi {
  const { store, args } = part;
  return {
    // Records are found by the session's scheme only. A session in realm `_` has all rights of its records; one in another realm has the
    // rights for that realm only, whatever else the records list.
    async administered({ realm, username, scheme }) {
      const column = COLUMN_OF_SCHEME[scheme];
      if (column === undefined) return [];
      const sql = `SELECT DISTINCT admin_realm.realm AS realm FROM admin JOIN admin_realm ON admin_realm.admin = admin.id WHERE admin.${column} = $1`;
      const realms = (await store.all<{ realm: string }>(sql, [username])).map((row) => row.realm);
      return realm === '_' ? realms : realms.filter((own) => own === realm);
    },
    async listAdmins(page) {
      const { items, ...rest } = await readPage<Row>(store, LISTING, page);
      return { ...rest, items: await Promise.all(items.map((row) => adminOf(store, row))) };
    },
    getAdmin: (id) => findAdmin(store, id),
    createAdmin: (admin, by) =>
      store.transaction(async (tx) => {
        try {
          await tx.run(`INSERT INTO admin (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)`, valuesOf(admin));
        } catch (error) {
          throw isUniqueViolation(error) ? new Fault('AUTH_EXISTS', { detail: `the admin ${admin.id} exists already` }) : error;
        }
        await writeRealms(tx, admin);
        await auditChange(tx, by, 'admin.create', admin.id, undefined);
        return (await findAdmin(tx, admin.id)) as Admin;
      }),
    updateAdmin: (admin, by) =>
      store.transaction(async (tx) => {
        const sql = 'UPDATE admin SET userpass = $2, jwt = $3, fido2 = $4, digital_credentials = $5, client_certificate = $6 WHERE id = $1';
        if ((await tx.run(sql, valuesOf(admin))) === 0) return null;
        await writeRealms(tx, admin);
        await keepSuperAdmin(tx, args.clientCertificates);
        await auditChange(tx, by, 'admin.update', admin.id, undefined);
        return (await findAdmin(tx, admin.id)) as Admin;
      }),
    async deleteAdmin(id, by) {
      const ended = await store.transaction(async (tx) => {
        const admin = await findAdmin(tx, id);
        if (!admin) return [];
        await tx.run('DELETE FROM admin WHERE id = $1', [id]);
        const { userpass } = admin;
        for (const realm of userpass === null ? [] : admin.realms) {
          await tx.run('DELETE FROM userpass WHERE realm = $1 AND username = $2', [realm, userpass]);
          await endSessions(tx, realm, userpass as string);
        }
        await keepSuperAdmin(tx, args.clientCertificates);
        await auditChange(tx, by, 'admin.delete', id, undefined);
        return userpass === null ? [] : admin.realms.map((realm) => [realm, userpass] as const);
      });
      for (const [realm, username] of ended) part.bump(realm, username);
    },
  };
}
