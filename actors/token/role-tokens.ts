// The tokens of a role for administrators, who list and revoke them by accessor: nobody can sign in with one.
import { type EncodedPage, encodePage } from '../../kernel/runtime/channel/encoded-page.ts';
import { mapPage, type PageRequest, readPage } from '../../kernel/store/page.ts';
import type { Reader, Store, Transaction } from '../../kernel/store/store.ts';
import { requireSuperAdmin } from '../directory/administered.ts';
import type { Principal, TokenItem, TokenKind } from './api.ts';
import { readClusterRole } from './cluster-roles.ts';
import { tokenCounter } from './counter.ts';
import { byAdministrator, readRole } from './roles.ts';

interface Row {
  readonly accessor: string;
  readonly entity: string;
  readonly created_at: number;
  readonly expires_at: number;
}

export async function hasRole(from: Reader, kind: TokenKind, role: string): Promise<boolean> {
  return (await (kind === 'approle' ? readRole(from, role) : readClusterRole(from, role))) !== null;
}

export async function listTokens(store: Reader, kind: TokenKind, role: string, page: PageRequest, now: number): Promise<EncodedPage<TokenItem> | null> {
  if (!(await hasRole(store, kind, role))) return null;
  const listing = {
    columns: 'accessor, entity, created_at, expires_at',
    from: 'app_token',
    where: 'kind = $1 AND role = $2 AND (expires_at = 0 OR expires_at > $3)',
    params: [kind, role, now],
    key: { created_at: 'number', accessor: 'string' },
    size: 'OCTET_LENGTH(accessor) + OCTET_LENGTH(entity)',
  } as const;
  const item = ({ accessor, entity, created_at: createdAt, expires_at: expiresAt }: Row): TokenItem => ({
    accessor,
    entity_id: entity,
    creation_time: Math.floor(createdAt / 1000),
    expire_time: expiresAt === 0 ? null : new Date(expiresAt).toISOString(),
  });
  return encodePage(mapPage(await readPage<Row>(store, listing, page), item));
}

/** Revokes the token only if it belongs to this role. */
export function revokeByAccessor(store: Store, kind: TokenKind, role: string, accessor: string, by: Principal): Promise<void> {
  return store.transaction(async (tx) => {
    await requireSuperAdmin(tx, by);
    // By its accessor alone: to look through those of the role would be to read what every login of it writes, and collide with all of them.
    const row = await tx.get<{ digest: string; kind: string; role: string }>('SELECT digest, kind, role FROM app_token WHERE accessor = $1', [accessor]);
    if (row?.kind !== kind || row.role !== role) return;
    await remove(tx, row.digest);
    await tx.audit({ ...byAdministrator(by), event: 'token.revoke', target: `${role}/${accessor}` });
  });
}

async function remove(tx: Transaction, digest: string): Promise<void> {
  tx.touch(tokenCounter(digest));
  await tx.run('DELETE FROM app_token WHERE digest = $1', [digest]);
}
