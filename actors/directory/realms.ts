// Realms: their rows, and creating, changing and deleting them with everything that belongs to them.
import { Fault } from '../../kernel/fault.ts';
import { encodePage } from '../../kernel/runtime/channel/encoded-page.ts';
import { realmScope, userName } from '../../kernel/store/account-name.ts';
import { endName, endUsers, holdName } from '../../kernel/store/accounts.ts';
import { byCodePoints, cursorOf, mapPage, type Page, type PageRequest, parseCursor, readPage } from '../../kernel/store/page.ts';
import { isUniqueViolation, type Reader, type Store, type Transaction } from '../../kernel/store/store.ts';
import { CHUNK } from '../../kernel/store/value-list.ts';
import { endSessionsOfAll, endSomeSessionsIn } from '../session/end.ts';
import { requireSuperAdmin } from './administered.ts';
import type { AuthParams, DirectoryApi, Principal, Realm } from './api.ts';
import { auditChange, type DirectoryServer } from './directory-server.ts';
import { forgetProviders, keepSuperAdmin } from './last-super-admin.ts';

interface Row extends Omit<Realm, 'auth_params'> {
  readonly auth_params: string;
}

const COLUMNS = 'id, auth_params, session_max_age_seconds, session_max_stale_age_seconds, certificate_max_age_seconds, password_max_age_seconds';

const LISTING = { columns: COLUMNS, from: 'realm', key: { id: 'string' }, size: 'OCTET_LENGTH(auth_params)' } as const;
/** Highest number of an admin's own realms in one page. */
const MAX_TOGETHER = 32;

export async function findRealm(store: Reader, id: string): Promise<Realm | null> {
  const row = await store.get<Row>(`SELECT ${COLUMNS} FROM realm WHERE id = $1`, [id]);
  return row ? realmOf(row) : null;
}

function realmOf(row: Row): Realm {
  return { ...row, auth_params: JSON.parse(row.auth_params) as AuthParams };
}

async function listAll(store: Store, page: PageRequest): Promise<Page<Realm>> {
  return mapPage(await readPage<Row>(store, { ...LISTING, collation: byCodePoints(store.dialect) }, page), realmOf);
}

/** A page of the realms that an admin administers. */
async function listOf(store: Reader, only: readonly string[], { after, limit, prefix = '' }: PageRequest): Promise<Page<Realm>> {
  const [from = ''] = after === undefined ? [] : (parseCursor(after, ['string']) as string[]);
  const ids = [...only].sort().filter((id) => id > from && id.startsWith(prefix));
  const found: Realm[] = [];
  for (const id of ids.slice(0, Math.min(limit, MAX_TOGETHER))) {
    const realm = await findRealm(store, id);
    if (realm) found.push(realm);
  }
  const last = ids[Math.min(limit, MAX_TOGETHER) - 1];
  return { items: found, bytes: JSON.stringify(found).length, next: last !== undefined && last !== ids.at(-1) ? cursorOf([last]) : null };
}

const valuesOf = (realm: Realm) => [
  realm.id,
  JSON.stringify(realm.auth_params),
  realm.session_max_age_seconds,
  realm.session_max_stale_age_seconds,
  realm.certificate_max_age_seconds,
  realm.password_max_age_seconds,
];

type RealmApi = Pick<DirectoryApi, 'listRealms' | 'getRealm' | 'createRealm' | 'updateRealm' | 'deleteRealm'>;

export function realmApi(part: DirectoryServer): RealmApi {
  const { store } = part;
  return {
    listRealms: async (only, page) => encodePage(only === null ? await listAll(store, page) : await listOf(store, only, page)),
    getRealm: (id) => findRealm(store, id),
    createRealm: (realm, by) => createRealm(part, realm, by),
    updateRealm: (realm, by) => updateRealm(part, realm, by),
    deleteRealm: (id, by) => deleteRealm(part, id, by),
  };
}

function createRealm({ store }: DirectoryServer, realm: Realm, by: Principal): Promise<Realm> {
  return store.transaction(async (tx) => {
    await requireSuperAdmin(tx, by);
    try {
      await tx.run(`INSERT INTO realm (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)`, valuesOf(realm));
    } catch (error) {
      throw isUniqueViolation(error) ? new Fault('AUTH_EXISTS', { detail: `the realm ${realm.id} already exists` }) : error;
    }
    await holdName(tx, realmScope(realm.id));
    await auditChange(tx, by, 'realm.create', realm.id, realm.id);
    return realm;
  });
}

function updateRealm({ store, args }: DirectoryServer, realm: Realm, by: Principal): Promise<Realm | null> {
  return store.transaction(async (tx) => {
    await requireSuperAdmin(tx, by);
    const sql = `UPDATE realm SET auth_params = $2, session_max_age_seconds = $3, session_max_stale_age_seconds = $4,
      certificate_max_age_seconds = $5, password_max_age_seconds = $6 WHERE id = $1`;
    if (realm.id === '_') await forgetProviders(tx, realm.auth_params);
    if ((await tx.run(sql, valuesOf(realm))) === 0) return null;
    if (realm.id === '_') await keepSuperAdmin(tx, args.clientCertificates);
    await auditChange(tx, by, 'realm.update', realm.id, realm.id);
    return realm;
  });
}

async function deleteRealm(part: DirectoryServer, id: string, by: Principal): Promise<boolean> {
  const { store, clock } = part;
  if (id === '_') throw new Fault('AUTH_LAST_SUPER_ADMIN', { detail: 'realm _ cannot be deleted' });
  return store.transaction(async (tx) => {
    await requireSuperAdmin(tx, by);
    if (await deleteSome(part, tx, id, by)) return false;
    // Deleting the row also deletes credentials, second factors, locks and memberships, but not sessions.
    const ended = await endSomeSessionsIn(tx, id);
    if (ended === CHUNK) {
      await auditChange(tx, by, 'session.end_realm', `${ended} sessions`, id);
      return false;
    }
    if ((await tx.run('DELETE FROM realm WHERE id = $1', [id])) === 0) return true;
    await auditChange(tx, by, 'realm.delete', id, id);
    // Ends every account in the realm, also those of other schemes. The last event of the realm is not after its end.
    await endName(tx, realmScope(id), clock.now());
    return true;
  });
}

/** Deletes the first credentials of a realm that has many, with all that is theirs. @returns whether it has: there may be more then */
async function deleteSome({ clock }: DirectoryServer, tx: Transaction, realm: string, by: Principal): Promise<boolean> {
  const first = await tx.all<{ username: string }>('SELECT username FROM userpass WHERE realm = $1 ORDER BY username LIMIT $2', [realm, CHUNK]);
  const last = first.at(CHUNK - 1);
  if (!last) return false;
  await tx.run('DELETE FROM userpass WHERE realm = $1 AND username <= $2', [realm, last.username]);
  const usernames = first.map(({ username }) => username);
  await endUsers(
    tx,
    usernames.map((username) => userName(realm, username)),
    clock.now(),
  );
  await endSessionsOfAll(tx, realm, usernames);
  await auditChange(tx, by, 'credential.delete', `${CHUNK} credentials of a realm that is being deleted`, realm);
  return true;
}
