// Rows of admin records, and of the realms that they list.
import { Fault } from '../../kernel/fault.ts';
import { type EncodedPage, encodePage } from '../../kernel/runtime/channel/encoded-page.ts';
import { byCodePoints, type PageRequest, readPage } from '../../kernel/store/page.ts';
import { isUniqueViolation, type Reader, type Store, type Transaction } from '../../kernel/store/store.ts';
import type { Admin, AdminRecord } from './api.ts';
import { type DirectoryServer, requireRealmQuota } from './directory-server.ts';

/** A row of the table, without its realms. */
interface Row {
  readonly id: string;
  readonly userpass: string | null;
  readonly jwt: string | null;
  readonly fido2: string | null;
  readonly digital_credentials: string | null;
  readonly client_certificate: string | null;
}

const COLUMNS = 'id, userpass, jwt, fido2, digital_credentials, client_certificate';
/** `size` includes the realms, because a list shows them with the admin. */
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
  return (await adminsOf(store, [row]))[0] as Admin;
}

/** Admins that are completed together. */
const TOGETHER = 128;

/** Two queries for many admins. */
async function adminsOf(store: Reader, rows: readonly Row[]): Promise<Admin[]> {
  const found: Admin[] = [];
  for (let at = 0; at < rows.length; at += TOGETHER) found.push(...(await completed(store, rows.slice(at, at + TOGETHER))));
  return found;
}

async function completed(store: Reader, rows: readonly Row[]): Promise<Admin[]> {
  // Padded to one of two numbers, because each text of a statement is prepared and there must be few of them.
  const ids = Array.from({ length: rows.length === 1 ? 1 : TOGETHER }, (_, at) => (rows[at] ?? rows[0])?.id ?? '');
  const places = ids.map((_, at) => `$${at + 1}`).join(', ');
  const listed = await store.all<{ admin: string; realm: string }>(`SELECT admin, realm FROM admin_realm WHERE admin IN (${places}) ORDER BY realm`, ids);
  const realms = Map.groupBy(listed, ({ admin }) => admin);
  const proving = await store.all<{ admin: string }>(
    `SELECT DISTINCT admin_realm.admin AS admin FROM admin_realm JOIN admin ON admin.id = admin_realm.admin
      JOIN totp ON totp.realm = admin_realm.realm AND totp.username = admin.userpass WHERE admin_realm.admin IN (${places})`,
    ids,
  );
  const withFactor = new Set(proving.map(({ admin }) => admin));
  return rows.map(({ id, userpass, jwt, fido2, digital_credentials: digital, client_certificate }) => ({
    id,
    realms: (realms.get(id) ?? []).map(({ realm }) => realm),
    userpass,
    jwt,
    fido2,
    digital_credentials: digital === null ? null : (JSON.parse(digital) as Record<string, unknown>),
    client_certificate,
    totp_enabled: withFactor.has(id),
    totp_secret: null,
    totp_auth_url: null,
  }));
}

const valuesOf = ({ id, userpass, jwt, fido2, digital_credentials: digital, client_certificate }: AdminRecord) => [
  id,
  userpass,
  jwt,
  fido2,
  digital === null ? null : JSON.stringify(digital),
  client_certificate,
];

/** Replaces the realms of a record. @throws Fault BAD_REQUEST for an unknown realm, AUTH_QUOTA_EXCEEDED */
export async function writeRealms(part: DirectoryServer, tx: Transaction, { id, realms }: AdminRecord): Promise<void> {
  const before = await tx.all<{ realm: string }>('SELECT realm FROM admin_realm WHERE admin = $1', [id]);
  const known = new Set(before.map(({ realm }) => realm));
  await tx.run('DELETE FROM admin_realm WHERE admin = $1', [id]);
  for (const realm of new Set(realms)) {
    if (!(await tx.get('SELECT id FROM realm WHERE id = $1', [realm]))) throw new Fault('BAD_REQUEST', { detail: `body/realms: there is no realm ${realm}` });
    await tx.run('INSERT INTO admin_realm (admin, realm) VALUES ($1, $2)', [id, realm]);
  }
  for (const realm of new Set(realms)) if (!known.has(realm)) await requireRealmQuota(tx, part, 'admins_per_realm', realm);
}

/** One page of admins, each with its realms. */
export async function listAdmins(store: Store, page: PageRequest): Promise<EncodedPage<Admin>> {
  const { items, ...rest } = await readPage<Row>(store, { ...LISTING, collation: byCodePoints(store.dialect) }, page);
  return encodePage({ ...rest, items: await adminsOf(store, items) });
}

/** @throws Fault AUTH_EXISTS */
export async function insertAdmin(tx: Transaction, admin: AdminRecord): Promise<void> {
  try {
    await tx.run(`INSERT INTO admin (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)`, valuesOf(admin));
  } catch (error) {
    throw isUniqueViolation(error) ? new Fault('AUTH_EXISTS', { detail: `the admin ${admin.id} already exists` }) : error;
  }
}

export async function overwriteAdmin(tx: Transaction, admin: AdminRecord): Promise<void> {
  const sql = 'UPDATE admin SET userpass = $2, jwt = $3, fido2 = $4, digital_credentials = $5, client_certificate = $6 WHERE id = $1';
  await tx.run(sql, valuesOf(admin));
}
