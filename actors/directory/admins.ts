// Admin records: who administers which realms, and by which sign-ins they are known.
import { Fault } from '../../kernel/fault.ts';
import { userName } from '../../kernel/store/account-name.ts';
import { endName } from '../../kernel/store/accounts.ts';
import { encodePage, readPage } from '../../kernel/store/page.ts';
import { isUniqueViolation, type Reader, type Transaction } from '../../kernel/store/store.ts';
import { endSessionsOf } from '../session/end.ts';
import { bindAdmin, bindRealm, isBound, releaseRealm } from './admin-accounts.ts';
import { administeredRealms, administers, requireAdministration } from './administered.ts';
import type { Actor, Admin, AdminRecord, DirectoryApi } from './api.ts';
import { keepSuperAdmin } from './last-super-admin.ts';
import { auditChange, type Part, requireRealmQuota } from './part.ts';

interface Row {
  readonly id: string;
  readonly userpass: string | null;
  readonly jwt: string | null;
  readonly fido2: string | null;
  readonly digital_credentials: string | null;
  readonly client_certificate: string | null;
}

const COLUMNS = 'id, userpass, jwt, fido2, digital_credentials, client_certificate';
/** That one record lists. */
const MAX_REALMS = 1_000;
/** The realms of an admin are listed with it. */
const LISTING = {
  columns: COLUMNS,
  from: 'admin',
  key: { id: 'string' },
  size: `OCTET_LENGTH(id) + COALESCE(OCTET_LENGTH(digital_credentials), 0) + COALESCE(OCTET_LENGTH(fido2), 0)
    + COALESCE((SELECT SUM(OCTET_LENGTH(realm) + 8) FROM admin_realm WHERE admin_realm.admin = admin.id), 0)`,
} as const;

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

async function writeRealms(part: Part, tx: Transaction, { id, realms }: AdminRecord): Promise<void> {
  const before = await tx.all<{ realm: string }>('SELECT realm FROM admin_realm WHERE admin = $1', [id]);
  const known = new Set(before.map(({ realm }) => realm));
  await tx.run('DELETE FROM admin_realm WHERE admin = $1', [id]);
  for (const realm of new Set(realms)) {
    if (!(await tx.get('SELECT id FROM realm WHERE id = $1', [realm]))) throw new Fault('BAD_REQUEST', { detail: `body/realms: there is no realm ${realm}` });
    await tx.run('INSERT INTO admin_realm (admin, realm) VALUES ($1, $2)', [id, realm]);
  }
  for (const realm of new Set(realms)) if (!known.has(realm)) await requireRealmQuota(tx, part, 'admins_per_realm', realm);
}

type AdminApi = Pick<
  DirectoryApi,
  'administered' | 'administers' | 'listAdmins' | 'getAdmin' | 'createAdmin' | 'updateAdmin' | 'deleteAdmin' | 'addAdminRealm' | 'removeAdminRealm'
>;

export function adminApi(part: Part): AdminApi {
  const { store, clock, args } = part;
  return {
    administered: (owner) => administeredRealms(store, owner),
    administers: (owner, realm) => administers(store, owner, realm),
    async listAdmins(page) {
      const { items, ...rest } = await readPage<Row>(store, LISTING, page);
      return encodePage({ ...rest, items: await Promise.all(items.map((row) => adminOf(store, row))) });
    },
    getAdmin: (id) => findAdmin(store, id),
    createAdmin: (admin, by) =>
      store.transaction(async (tx) => {
        await requireAdministration(tx, by, admin.realms);
        try {
          await tx.run(`INSERT INTO admin (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)`, valuesOf(admin));
        } catch (error) {
          throw isUniqueViolation(error) ? new Fault('AUTH_EXISTS', { detail: `the admin ${admin.id} exists already` }) : error;
        }
        await writeRealms(part, tx, admin);
        await bindAdmin(tx, admin);
        await auditChange(tx, by, 'admin.create', admin.id, undefined);
        return (await findAdmin(tx, admin.id)) as Admin;
      }),
    updateAdmin: (admin, by) =>
      store.transaction(async (tx) => {
        if (!(await requireOwner(tx, admin.id, by))) return null;
        await requireAdministration(tx, by, admin.realms);
        const sql = 'UPDATE admin SET userpass = $2, jwt = $3, fido2 = $4, digital_credentials = $5, client_certificate = $6 WHERE id = $1';
        await tx.run(sql, valuesOf(admin));
        await writeRealms(part, tx, admin);
        await bindAdmin(tx, admin);
        return changed(part, tx, admin.id, by);
      }),
    addAdminRealm: (id, realm, by) =>
      changeRealms(part, id, realm, by, async (tx, admin) => {
        const added = await tx.run('INSERT INTO admin_realm (admin, realm) VALUES ($1, $2) ON CONFLICT (admin, realm) DO NOTHING', [id, realm]);
        if (added === 0) return;
        await requireRoom(part, tx, id, realm);
        await bindRealm(tx, admin, realm);
      }),
    removeAdminRealm: (id, realm, by) =>
      changeRealms(part, id, realm, by, async (tx) => {
        await tx.run('DELETE FROM admin_realm WHERE admin = $1 AND realm = $2', [id, realm]);
        await releaseRealm(tx, id, realm);
      }),
    async deleteAdmin(id, by) {
      const ended = await store.transaction(async (tx) => {
        const admin = await requireOwner(tx, id, by);
        if (!admin) return [];
        const userpass = admin.userpass ?? '';
        const realms: string[] = [];
        // A credential of somebody else, who has the name by now, stays.
        for (const realm of admin.realms) if (await isBound(tx, id, realm, userpass)) realms.push(realm);
        await tx.run('DELETE FROM admin WHERE id = $1', [id]);
        for (const realm of realms) {
          await tx.run('DELETE FROM userpass WHERE realm = $1 AND username = $2', [realm, userpass]);
          await endName(tx, userName(realm, userpass), clock.now());
          await endSessionsOf(tx, realm, userpass);
        }
        await keepSuperAdmin(tx, args.clientCertificates);
        await auditChange(tx, by, 'admin.delete', id, undefined);
        return realms.map((realm) => [realm, userpass] as const);
      });
      for (const [realm, username] of ended) part.bump(realm, username);
    },
  };
}

/** @returns null for what is not there, which only super admins are told @throws Fault FORBIDDEN for an admin whom the caller does not own */
async function requireOwner(tx: Transaction, id: string, by: Actor): Promise<Admin | null> {
  const admin = await findAdmin(tx, id);
  await requireAdministration(tx, by, admin?.realms ?? []);
  return admin;
}

/** One row comes or goes, and no other with it; whoever the record stands for in other realms is not asked again. */
function changeRealms(part: Part, id: string, realm: string, by: Actor, change: (tx: Transaction, admin: Admin) => Promise<void>): Promise<Admin | null> {
  return part.store.transaction(async (tx) => {
    const admin = await requireOwner(tx, id, by);
    if (!admin) return null;
    await requireAdministration(tx, by, [realm]);
    if (!(await tx.get('SELECT id FROM realm WHERE id = $1', [realm]))) return null;
    await change(tx, admin);
    return changed(part, tx, id, by);
  });
}

/** As many realms as the body of an admin may list, and as many admins as a realm may have. */
async function requireRoom(part: Part, tx: Transaction, id: string, realm: string): Promise<void> {
  const listed = await tx.get<{ n: number }>('SELECT COUNT(*) AS n FROM admin_realm WHERE admin = $1', [id]);
  if ((listed?.n ?? 0) > MAX_REALMS) throw new Fault('BAD_REQUEST', { detail: `an admin has at most ${MAX_REALMS} realms` });
  await requireRealmQuota(tx, part, 'admins_per_realm', realm);
}

/** The end of every change of a record. */
async function changed({ args }: Part, tx: Transaction, id: string, by: Actor): Promise<Admin> {
  await keepSuperAdmin(tx, args.clientCertificates);
  await auditChange(tx, by, 'admin.update', id, undefined);
  return (await findAdmin(tx, id)) as Admin;
}
