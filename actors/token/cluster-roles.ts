// Rows of the roles that sign in as service accounts of a cluster.
import { randomUUID } from 'node:crypto';
import { type EncodedPage, encodePage } from '../../kernel/runtime/channel/encoded-page.ts';
import { clusterScope } from '../../kernel/store/account-name.ts';
import { endName, holdName } from '../../kernel/store/accounts.ts';
import { mapPage, type PageRequest, readPage } from '../../kernel/store/page.ts';
import type { Reader, Store } from '../../kernel/store/store.ts';
import { requireSuperAdmin } from '../directory/administered.ts';
import type { ClusterRole, ClusterRoleSettings, Principal } from './api.ts';
import { byAdministrator } from './roles.ts';

interface Row {
  readonly name: string;
  readonly revision: string;
  readonly settings: string;
}

/** The values for roles that were stored before the settings existed. */
const WITHOUT = { tokenRenewable: true, tokenBoundCidrs: [], tokenNumUses: 0 };

export async function readClusterRole(reader: Reader, name: string): Promise<ClusterRole | null> {
  const row = await reader.get<Row>('SELECT name, revision, settings FROM cluster_role WHERE name = $1', [name]);
  return row ? { name, revision: row.revision, ...WITHOUT, ...(JSON.parse(row.settings) as ClusterRoleSettings) } : null;
}

export async function listClusterRoles(store: Reader, page: PageRequest): Promise<EncodedPage<string>> {
  const listing = { columns: 'name', from: 'cluster_role', key: { name: 'string' }, size: 'OCTET_LENGTH(name)' } as const;
  return encodePage(mapPage(await readPage<{ name: string }>(store, listing, page), ({ name }) => name));
}

/**
 * With the keys of another cluster, the role stands for that cluster, whose service accounts must not get the accounts of the previous one.
 * Tokens that were issued before keep their account until they expire or the role is deleted.
 */
export function putClusterRole(store: Store, name: string, settings: ClusterRoleSettings, by: Principal, now: number): Promise<void> {
  const sql =
    'INSERT INTO cluster_role (name, revision, settings) VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE SET revision = excluded.revision, settings = excluded.settings';
  return store.transaction(async (tx) => {
    await requireSuperAdmin(tx, by);
    const before = await readClusterRole(tx, name);
    const isAnother = before !== null && (before.jwksUrl !== settings.jwksUrl || before.expectedIssuer !== settings.expectedIssuer);
    if (isAnother) await endName(tx, clusterScope(name), now);
    await tx.run(sql, [name, randomUUID(), JSON.stringify(settings)]);
    await holdName(tx, clusterScope(name));
    const reason = isAnother ? 'the cluster changed: accounts of the previous one have ended' : undefined;
    await tx.audit({ ...byAdministrator(by), event: 'cluster_role.put', target: name, reason });
  });
}
