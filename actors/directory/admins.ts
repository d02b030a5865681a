// Admin records: who administers which realms, and by which sign-ins they are known.
import { Fault } from '../../kernel/fault.ts';
import { userName } from '../../kernel/store/account-name.ts';
import { endName } from '../../kernel/store/accounts.ts';
import { isUniqueViolation, type Reader, type Transaction } from '../../kernel/store/store.ts';
import { bindAdmin, bindRealm, isBound, releaseRealm } from './admin-accounts.ts';
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

export async function findAdmin(store: Reader, id: string): Promise<Admin | null> {
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

/** Realms come to a record and leave it; what the others were bound to stays as it is. */
async function moveRealms(tx: Transaction, admin: AdminRecord, before: readonly string[]): Promise<void> {
  for (const realm of before) if (!admin.realms.includes(realm)) await releaseRealm(tx, admin.id, realm);
  for (const realm of admin.realms) if (!before.includes(realm)) await bindRealm(tx, admin, realm);
}

type AdminApi = Pick<DirectoryApi, 'administered' | 'listAdmins' | 'getAdmin' | 'createAdmin' | 'updateAdmin' | 'deleteAdmin'>;

export function adminApi(part: Part): AdminApi {
  const { store, clock, args } = part;
  return {
    // Records are found by the account, which is of one scheme: never by a name, which may be another's by now. A session in realm `_` has
    // all rights of its records; one in another realm has the rights for that realm only, whatever else the records list.
    async administered({ realm, account }) {
      const sql = `SELECT DISTINCT admin_realm.realm AS realm FROM admin_account JOIN admin_realm ON admin_realm.admin = admin_account.admin
        WHERE admin_account.account = $1`;
      const realms = (await store.all<{ realm: string }>(sql, [account])).map((row) => row.realm);
      return realm === '_' ? realms : realms.filter((own) => own === realm);
    },
    listAdmins: async () => Promise.all((await store.all<Row>(`SELECT ${COLUMNS} FROM admin ORDER BY id`)).map((row) => adminOf(store, row))),
    getAdmin: (id) => findAdmin(store, id),
    createAdmin: (admin, by) =>
      store.transaction(async (tx) => {
        try {
          await tx.run(`INSERT INTO admin (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)`, valuesOf(admin));
        } catch (error) {
          throw isUniqueViolation(error) ? new Fault('AUTH_EXISTS', { detail: `the admin ${admin.id} exists already` }) : error;
        }
        await writeRealms(tx, admin);
        await bindAdmin(tx, admin);
        await auditChange(tx, by, 'admin.create', admin.id, undefined);
        return (await findAdmin(tx, admin.id)) as Admin;
      }),
    updateAdmin: (admin, names, by) =>
      store.transaction(async (tx) => {
        const sql = 'UPDATE admin SET userpass = $2, jwt = $3, fido2 = $4, digital_credentials = $5, client_certificate = $6 WHERE id = $1';
        const before = await findAdmin(tx, admin.id);
        if ((await tx.run(sql, valuesOf(admin))) === 0) return null;
        await writeRealms(tx, admin);
        if (names === 'written') await bindAdmin(tx, admin);
        else await moveRealms(tx, admin, before?.realms ?? []);
        await keepSuperAdmin(tx, args.clientCertificates);
        await auditChange(tx, by, 'admin.update', admin.id, undefined);
        return (await findAdmin(tx, admin.id)) as Admin;
      }),
    async deleteAdmin(id, by) {
      const ended = await store.transaction(async (tx) => {
        const admin = await findAdmin(tx, id);
        if (!admin) return [];
        const userpass = admin.userpass ?? '';
        const realms: string[] = [];
        // A credential of somebody else, who has the name by now, stays.
        for (const realm of admin.realms) if (await isBound(tx, id, realm, userpass)) realms.push(realm);
        await tx.run('DELETE FROM admin WHERE id = $1', [id]);
        for (const realm of realms) {
          await tx.run('DELETE FROM userpass WHERE realm = $1 AND username = $2', [realm, userpass]);
          await endName(tx, userName(realm, userpass), clock.now());
          await endSessions(tx, realm, userpass);
        }
        await keepSuperAdmin(tx, args.clientCertificates);
        await auditChange(tx, by, 'admin.delete', id, undefined);
        return realms.map((realm) => [realm, userpass] as const);
      });
      for (const [realm, username] of ended) part.bump(realm, username);
    },
  };
}
