// Rows of the roles that sign in with a role id.
import { randomUUID } from 'node:crypto';
import { type EncodedPage, encodePage } from '../../kernel/runtime/channel/encoded-page.ts';
import { approleName } from '../../kernel/store/account-name.ts';
import { holdName } from '../../kernel/store/accounts.ts';
import type { AuditEvent } from '../../kernel/store/audit.ts';
import { mapPage, type PageRequest, readPage } from '../../kernel/store/page.ts';
import type { Reader, SqlValue, Store } from '../../kernel/store/store.ts';
import { requireSuperAdmin } from '../directory/administered.ts';
import type { Principal, Role, RoleSettings } from './api.ts';

export interface RoleRow {
  readonly name: string;
  readonly role_id: string;
  readonly token_ttl_seconds: number;
  readonly token_max_ttl_seconds: number;
  readonly token_policies: string;
  readonly token_renewable: number;
  readonly secret_id_ttl_seconds: number;
  readonly bind_secret_id: number;
  readonly secret_id_bound_cidrs: string;
  readonly token_bound_cidrs: string;
  readonly token_num_uses: number;
  readonly secret_id_num_uses: number;
}

const SETTINGS =
  'token_ttl_seconds, token_max_ttl_seconds, token_policies, token_renewable, secret_id_ttl_seconds, bind_secret_id, ' +
  'secret_id_bound_cidrs, token_bound_cidrs, token_num_uses, secret_id_num_uses';
export const ROLE_COLUMNS = `name, role_id, ${SETTINGS}`;
const REPLACED = SETTINGS.split(', ')
  .map((column) => `${column} = excluded.${column}`)
  .join(', ');

const VALUES = SETTINGS.split(', ')
  .map((_, at) => `$${at + 3}`)
  .join(', ');
const PUT = `INSERT INTO approle (name, role_id, ${SETTINGS}) VALUES ($1, $2, ${VALUES}) ON CONFLICT (name) DO UPDATE SET ${REPLACED}`;

/** The common members of audit rows for changes by an administrator. */
export function byAdministrator({ realm, username, scheme, source }: Principal): Omit<AuditEvent, 'event'> {
  return { outcome: 'success', realm, actor: username, scheme, source };
}

export async function readRole(reader: Reader, name: string): Promise<Role | null> {
  return roleOf(await reader.get<RoleRow>(`SELECT ${ROLE_COLUMNS} FROM approle WHERE name = $1`, [name]));
}

export function roleOf(row: RoleRow | undefined): Role | null {
  if (!row) return null;
  return {
    name: row.name,
    roleId: row.role_id,
    tokenTtlSeconds: row.token_ttl_seconds,
    tokenMaxTtlSeconds: row.token_max_ttl_seconds,
    tokenPolicies: JSON.parse(row.token_policies) as string[],
    tokenRenewable: row.token_renewable === 1,
    tokenBoundCidrs: JSON.parse(row.token_bound_cidrs) as string[],
    tokenNumUses: row.token_num_uses,
    secretIdTtlSeconds: row.secret_id_ttl_seconds,
    secretIdNumUses: row.secret_id_num_uses,
    secretIdBoundCidrs: JSON.parse(row.secret_id_bound_cidrs) as string[],
    bindSecretId: row.bind_secret_id === 1,
  };
}

export async function listRoles(store: Reader, page: PageRequest): Promise<EncodedPage<string>> {
  const listing = { columns: 'name', from: 'approle', key: { name: 'string' }, size: 'OCTET_LENGTH(name)' } as const;
  return encodePage(mapPage(await readPage<{ name: string }>(store, listing, page), ({ name }) => name));
}

/** In the order of SETTINGS. */
function valuesOf(settings: RoleSettings): SqlValue[] {
  return [
    settings.tokenTtlSeconds,
    settings.tokenMaxTtlSeconds,
    JSON.stringify(settings.tokenPolicies),
    settings.tokenRenewable ? 1 : 0,
    settings.secretIdTtlSeconds,
    settings.bindSecretId ? 1 : 0,
    JSON.stringify(settings.secretIdBoundCidrs),
    JSON.stringify(settings.tokenBoundCidrs),
    settings.tokenNumUses,
    settings.secretIdNumUses,
  ];
}

/** Updates an existing row in place: replacing the row would delete its secret ids. */
export function putRole(store: Store, name: string, settings: RoleSettings, by: Principal): Promise<void> {
  return store.transaction(async (tx) => {
    await requireSuperAdmin(tx, by);
    await tx.run(PUT, [name, randomUUID(), ...valuesOf(settings)]);
    await holdName(tx, approleName(name));
    await tx.audit({ ...byAdministrator(by), event: 'approle.put', target: name });
  });
}
