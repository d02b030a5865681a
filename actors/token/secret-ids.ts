// Rows of secret ids. Digest and accessor share a row, so that neither exists without the other.
import { Fault } from '../../kernel/fault.ts';
import { type EncodedPage, encodePage } from '../../kernel/runtime/channel/encoded-page.ts';
import { approleName } from '../../kernel/store/account-name.ts';
import { HELD_ID } from '../../kernel/store/accounts.ts';
import { mapPage, type PageRequest, readPage } from '../../kernel/store/page.ts';
import { deleteInParts, PART } from '../../kernel/store/parts.ts';
import type { Reader, Store, Transaction } from '../../kernel/store/store.ts';
import { CHUNK, valueList } from '../../kernel/store/value-list.ts';
import { requireSuperAdmin } from '../directory/administered.ts';
import type { NewSecretId, Principal, Role } from './api.ts';
import { requireSecretIdQuota, type TokenQuotas } from './quota.ts';
import { byAdministrator, ROLE_COLUMNS, type RoleRow, readRole, roleOf } from './roles.ts';
import { isFreeToUse, type SecretIdLife, stepSecretId, TOMBSTONE_MS } from './secret-id.machine.ts';

interface SecretIdRow {
  readonly accessor: string;
  readonly role: string;
  readonly expires_at: number;
  readonly num_uses: number;
  readonly uses: number;
  readonly exhausted_at: number;
  readonly cidr_list: string;
  readonly token_cidr_list: string;
}

/** `reason` is for the audit log. */
export type Use =
  | { readonly admitted: true; readonly accessor: string; readonly counted: boolean; readonly exhausted: boolean }
  | { readonly admitted: false; readonly exhausted: boolean; readonly accessor?: string; readonly reason: string };

const COLUMNS = 'accessor, role, expires_at, num_uses, uses, exhausted_at, cidr_list, token_cidr_list';
/** Two statements, each with an index of its own. */
const purgeSql = (isOver: string) => `DELETE FROM secret_id WHERE accessor IN (SELECT accessor FROM secret_id WHERE ${isOver} LIMIT ${PART})`;
const PURGE_EXPIRED = purgeSql('expires_at > 0 AND expires_at <= $1 AND exhausted_at = 0');
const PURGE_EXHAUSTED = purgeSql('exhausted_at > 0 AND exhausted_at <= $1');

const INSERT =
  'INSERT INTO secret_id (accessor, digest, role, created_at, expires_at, num_uses, uses, exhausted_at, cidr_list, token_cidr_list) ' +
  'VALUES ($1, $2, $3, $4, $5, $6, 0, 0, $7, $8)';

export function createSecretId(store: Store, secretId: NewSecretId, by: Principal, quotas: TokenQuotas, now: number): Promise<boolean> {
  const { role: name, digest, accessor, ttlSeconds, boundCidrs, tokenBoundCidrs } = secretId;
  return store.transaction(async (tx) => {
    await requireSuperAdmin(tx, by);
    const role = await readRole(tx, name);
    if (!role) return false;
    const lifetime = ttlSeconds === 0 ? role.secretIdTtlSeconds : ttlSeconds;
    await tx.run(INSERT, [
      accessor,
      digest,
      name,
      now,
      lifetime === 0 ? 0 : now + lifetime * 1000,
      numUsesOf(role, secretId),
      JSON.stringify(boundCidrs),
      JSON.stringify(tokenBoundCidrs),
    ]);
    await requireSecretIdQuota(tx, quotas, name);
    await tx.audit({ ...byAdministrator(by), event: 'secret_id.create', target: `${name}/${accessor}` });
    return true;
  });
}

function numUsesOf({ secretIdNumUses: most }: Role, { numUses }: NewSecretId): number {
  if (most !== 0 && numUses > most)
    throw new Fault('BAD_REQUEST', { detail: `body/num_uses: must be <= ${most}, the secret_id_num_uses of the role, or 0 for as many` });
  return numUses === 0 ? most : numUses;
}

export async function listAccessors(store: Reader, role: string, page: PageRequest, now: number): Promise<EncodedPage<string> | null> {
  if (!(await readRole(store, role))) return null;
  const listing = {
    columns: 'created_at, accessor',
    from: 'secret_id',
    where: 'role = $1 AND exhausted_at = 0 AND (expires_at = 0 OR expires_at > $2)',
    params: [role, now],
    key: { created_at: 'number', accessor: 'string' },
    size: 'OCTET_LENGTH(accessor)',
  } as const;
  return encodePage(mapPage(await readPage<{ accessor: string }>(store, listing, page), ({ accessor }) => accessor));
}

export function destroySecretId(store: Store, role: string, accessor: string, by: Principal, now: number): Promise<void> {
  return store.transaction(async (tx) => {
    await requireSuperAdmin(tx, by);
    const row = await tx.get<SecretIdRow>(`SELECT ${COLUMNS} FROM secret_id WHERE accessor = $1 AND role = $2`, [accessor, role]);
    if (!row || stepSecretId(lifeOf(row), { type: 'destroy', now }).state !== 'destroyed') return;
    await tx.run('DELETE FROM secret_id WHERE accessor = $1', [accessor]);
    await tx.audit({ ...byAdministrator(by), event: 'secret_id.destroy', target: `${role}/${accessor}` });
  });
}

/** Destroys the oldest secret ids of a role. @returns how many; fewer than CHUNK if there are no more */
export async function destroySomeOf(tx: Transaction, role: string): Promise<number> {
  const sql = 'SELECT accessor FROM secret_id WHERE role = $1 ORDER BY created_at, accessor LIMIT $2';
  const accessors = (await tx.all<{ accessor: string }>(sql, [role, CHUNK])).map(({ accessor }) => accessor);
  if (accessors.length === 0) return 0;
  const list = valueList(accessors, 1);
  return tx.run(`DELETE FROM secret_id WHERE accessor IN (${list.sql})`, list.params);
}

/** What a login presents. */
interface Presented {
  readonly role: Role | null;
  /** Of the role; null if nobody holds its name. */
  readonly account: string | null;
  /** Of any role; undefined for none, and for one that is not known. */
  readonly secretId: SecretIdRow | undefined;
}

const ACCOUNT = HELD_ID.replace('$1', `'${approleName('')}' || approle.name`);
const PRESENTED = `SELECT ${ROLE_COLUMNS}, ${COLUMNS}, (${ACCOUNT}) AS account FROM approle LEFT JOIN secret_id ON digest = $2 WHERE role_id = $1`;

/** All in one statement, because each is a round trip on PostgreSQL. */
export async function readPresented(tx: Transaction, roleId: string, digest: string | null): Promise<Presented> {
  const row = await tx.get<RoleRow & Pick<Presented, 'account'> & (SecretIdRow | { readonly accessor: null })>(PRESENTED, [roleId, digest]);
  return { role: roleOf(row), account: row?.account ?? null, secretId: row === undefined || row.accessor === null ? undefined : row };
}

const USE = 'UPDATE secret_id SET uses = $1, exhausted_at = $2 WHERE accessor = $3 AND uses = $4';

/** The networks that a secret id allows, beside those of its role, for logins with it and for uses of its tokens. */
export function boundsOfSecretId(row: Presented['secretId']): { readonly login: readonly string[]; readonly token: readonly string[] } {
  return row ? { login: JSON.parse(row.cidr_list) as string[], token: JSON.parse(row.token_cidr_list) as string[] } : { login: [], token: [] };
}

/**
 * Decides and writes in the serializable transaction that has read the row, and writes only if the row is still as it was read, so that neither concurrent
 * logins nor those of one group can exceed the allowed number of uses.
 */
export async function useSecretId(tx: Transaction, role: string, row: Presented['secretId'], now: number): Promise<Use> {
  if (!row) return { admitted: false, exhausted: false, reason: 'unknown secret id' };
  const { accessor } = row;
  // Offering a secret id to the wrong role does not use it up.
  if (row.role !== role) return { admitted: false, exhausted: false, accessor, reason: 'secret id of another role' };
  const before = lifeOf(row);
  if (isFreeToUse(before, now)) return { admitted: true, accessor, counted: false, exhausted: false };
  const { state, life } = stepSecretId(before, { type: 'use', now });
  if (state === 'expired') return { admitted: false, exhausted: false, accessor, reason: 'expired secret id' };
  if (before.exhaustedAt !== 0) return { admitted: false, exhausted: true, accessor, reason: 'exhausted secret id' };
  if (life.uses !== before.uses && (await tx.run(USE, [life.uses, life.exhaustedAt, accessor, before.uses])) === 0)
    throw new Error('another login of this group has used the secret id: each runs again by itself');
  return { admitted: true, accessor, counted: true, exhausted: state === 'exhausted' };
}

export async function purgeSecretIds(store: Store, now: number): Promise<number> {
  return (await deleteInParts(store, PURGE_EXPIRED, [now])) + (await deleteInParts(store, PURGE_EXHAUSTED, [now - TOMBSTONE_MS]));
}

function lifeOf(row: SecretIdRow): SecretIdLife {
  return { expiresAt: row.expires_at, numUses: row.num_uses, uses: row.uses, exhaustedAt: row.exhausted_at };
}
