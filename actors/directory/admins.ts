// Admin records: which realms an admin administers, and which sign-ins belong to the admin.
import { Fault } from '../../kernel/fault.ts';
import { userName } from '../../kernel/store/account-name.ts';
import { endName } from '../../kernel/store/accounts.ts';
import type { Transaction } from '../../kernel/store/store.ts';
import { endSessionsOf } from '../session/end.ts';
import { bindAdmin, bindRealm, isBound, releaseRealm } from './admin-accounts.ts';
import { findAdmin, insertAdmin, listAdmins, overwriteAdmin, writeRealms } from './admin-rows.ts';
import { administeredRealms, administers, requireAdministration } from './administered.ts';
import type { Admin, AdminRecord, DirectoryApi, Principal } from './api.ts';
import { auditChange, type DirectoryServer, requireRealmQuota } from './directory-server.ts';
import { keepSuperAdmin } from './last-super-admin.ts';
import { endUnadmitted } from './unadmitted.ts';

/** Highest number of realms in one record. */
const MAX_REALMS = 1_000;

type AdminApi = Pick<
  DirectoryApi,
  'administered' | 'administers' | 'listAdmins' | 'getAdmin' | 'createAdmin' | 'updateAdmin' | 'deleteAdmin' | 'addAdminRealm' | 'removeAdminRealm'
>;

export function adminApi(part: DirectoryServer): AdminApi {
  const { store } = part;
  return {
    administered: (owner) => administeredRealms(store, owner),
    administers: (owner, realm) => administers(store, owner, realm),
    listAdmins: (page) => listAdmins(store, page),
    getAdmin: (id) => findAdmin(store, id),
    createAdmin: (admin, by) => createAdmin(part, admin, by),
    updateAdmin: (admin, by) => updateAdmin(part, admin, by),
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
    deleteAdmin: (id, by) => deleteAdmin(part, id, by),
  };
}

function createAdmin(part: DirectoryServer, admin: AdminRecord, by: Principal): Promise<Admin> {
  return part.store.transaction(async (tx) => {
    await requireAdministration(tx, by, admin.realms);
    await insertAdmin(tx, admin);
    await writeRealms(part, tx, admin);
    await bindAdmin(tx, admin);
    await auditChange(tx, by, 'admin.create', admin.id, undefined);
    return (await findAdmin(tx, admin.id)) as Admin;
  });
}

function updateAdmin(part: DirectoryServer, admin: AdminRecord, by: Principal): Promise<Admin | null> {
  return part.store.transaction(async (tx) => {
    const before = await requireOwner(tx, admin.id, by);
    if (!before) return null;
    await requireAdministration(tx, by, admin.realms);
    await overwriteAdmin(tx, admin);
    await writeRealms(part, tx, admin);
    await bindAdmin(tx, admin);
    return readChanged(part, tx, before, by);
  });
}

/** Deletes the record together with the credentials that it names and their sessions. */
async function deleteAdmin({ store, clock, args }: DirectoryServer, id: string, by: Principal): Promise<void> {
  await store.transaction(async (tx) => {
    const admin = await requireOwner(tx, id, by);
    if (!admin) return;
    const userpass = admin.userpass ?? '';
    const realms: string[] = [];
    // If the name belongs to somebody else by now, their credential stays.
    for (const realm of admin.realms) if (await isBound(tx, id, realm, userpass)) realms.push(realm);
    await tx.run('DELETE FROM admin WHERE id = $1', [id]);
    for (const realm of realms) {
      await tx.run('DELETE FROM userpass WHERE realm = $1 AND username = $2', [realm, userpass]);
      await endName(tx, userName(realm, userpass), clock.now());
      await endSessionsOf(tx, realm, userpass);
    }
    await endUnadmitted(tx, admin);
    await keepSuperAdmin(tx, args.clientCertificates);
    await auditChange(tx, by, 'admin.delete', id, undefined);
  });
}

/** @returns null for an unknown admin, which only super admins may learn @throws Fault FORBIDDEN for an admin whom the caller does not administer */
async function requireOwner(tx: Transaction, id: string, by: Principal): Promise<Admin | null> {
  const admin = await findAdmin(tx, id);
  await requireAdministration(tx, by, admin?.realms ?? []);
  return admin;
}

/** Adds or removes one realm of a record; the record's bindings in other realms stay as they are. */
function changeRealms(
  part: DirectoryServer,
  id: string,
  realm: string,
  by: Principal,
  change: (tx: Transaction, admin: Admin) => Promise<void>,
): Promise<Admin | null> {
  return part.store.transaction(async (tx) => {
    const admin = await requireOwner(tx, id, by);
    if (!admin) return null;
    await requireAdministration(tx, by, [realm]);
    if (!(await tx.get('SELECT id FROM realm WHERE id = $1', [realm]))) return null;
    await change(tx, admin);
    return readChanged(part, tx, admin, by);
  });
}

/** Checks the number of realms of an admin, and the quota of admins of the realm. */
async function requireRoom(part: DirectoryServer, tx: Transaction, id: string, realm: string): Promise<void> {
  const listed = await tx.get<{ n: number }>('SELECT COUNT(*) AS n FROM admin_realm WHERE admin = $1', [id]);
  if ((listed?.n ?? 0) > MAX_REALMS) throw new Fault('BAD_REQUEST', { detail: `the admin would have more than ${MAX_REALMS} realms: remove one first` });
  await requireRealmQuota(tx, part, 'admins_per_realm', realm);
}

/** The common last steps of every change of a record. @param before the record as it was */
async function readChanged({ args }: DirectoryServer, tx: Transaction, before: Admin, by: Principal): Promise<Admin> {
  await endUnadmitted(tx, before);
  await keepSuperAdmin(tx, args.clientCertificates);
  await auditChange(tx, by, 'admin.update', before.id, undefined);
  return (await findAdmin(tx, before.id)) as Admin;
}
