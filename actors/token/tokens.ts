// What is done with app tokens: they are issued, used, renewed, revoked and, when they are over, removed.
import { deleteInParts, PART } from '../../kernel/store/parts.ts';
import { insertSql } from '../../kernel/store/row-insert.ts';
import type { Store, Transaction } from '../../kernel/store/store.ts';
import { together } from '../../kernel/store/together.ts';
import { CHUNK, valueList } from '../../kernel/store/value-list.ts';
import type { NewToken, TokenKind, TokenView } from './api.ts';
import type { Bounds } from './bounds.ts';
import { tokenCounter } from './counter.ts';
import { requireTokenQuotas, type TokenQuotas } from './quota.ts';
import { leaseEnd, stepToken, type TokenLife } from './token.machine.ts';
import { leaseOf, lifeOf, readUsableRow, type TokenRow, viewOf } from './token-row.ts';

/** The identity and settings that a token is issued with. */
export interface Grant {
  readonly kind: TokenKind;
  readonly role: string;
  readonly entity: string;
  readonly account: string;
  readonly policies: readonly string[];
  readonly ttlSeconds: number;
  readonly maxTtlSeconds: number;
  readonly renewable: boolean;
  readonly bounds: Bounds;
  /** 0: unlimited. */
  readonly numUses: number;
}

const INSERT = insertSql({
  table: 'app_token',
  columns: {
    ...{ digest: 'TEXT', accessor: 'TEXT', kind: 'TEXT', role: 'TEXT', entity: 'TEXT', account: 'TEXT', policies: 'TEXT', created_at: 'BIGINT' },
    ...{ expires_at: 'BIGINT', lease_seconds: 'BIGINT', max_expires_at: 'BIGINT', renewable: 'BIGINT', bounds: 'TEXT', uses_left: 'BIGINT' },
  },
});

interface Issue {
  readonly now: number;
  /** What was sent before it in the same transaction. */
  readonly along: readonly Promise<unknown>[];
  /** What proved the login, for the audit log. */
  readonly by: string | undefined;
}

/** Writes the token's row and its audit row in the transaction that accepted the login. */
export async function issueToken(
  tx: Transaction,
  { digest, accessor, source }: NewToken,
  grant: Grant,
  quotas: TokenQuotas,
  { now, along, by }: Issue,
): Promise<TokenView> {
  const { kind, role, entity, account, policies, ttlSeconds, maxTtlSeconds, renewable, bounds, numUses } = grant;
  const maxExpiresAt = maxTtlSeconds === 0 ? 0 : now + maxTtlSeconds * 1000;
  const life = { expiresAt: leaseEnd(now, ttlSeconds, maxExpiresAt), leaseSeconds: ttlSeconds, maxExpiresAt, renewable, usesLeft: numUses };
  const inserted = tx.run(INSERT, [
    digest,
    accessor,
    kind,
    role,
    entity,
    account,
    JSON.stringify(policies),
    now,
    life.expiresAt,
    life.leaseSeconds,
    life.maxExpiresAt,
    renewable ? 1 : 0,
    JSON.stringify(bounds),
    numUses,
  ]);
  const audited = tx.audit({ event: `${kind}.login`, outcome: 'success', actor: entity, scheme: 'token', source, target: accessor, reason: by });
  await together([...along, inserted, audited, ...requireTokenQuotas(tx, quotas, kind, role, entity)]);
  return { kind, accessor, role, entity, account, policies, createdAt: now, ...leaseOf(life, now, now), bounds, usesLeft: numUses };
}

export function renewToken(store: Store, digest: string, source: string, counts: boolean, now: number): Promise<TokenView | null | 'fixed'> {
  return store.transaction(async (tx) => {
    const row = await readUsableRow(tx, digest, source);
    const used = row && counts ? await countUse(tx, digest, row, source, now) : row && lifeOf(row);
    if (!row || !used || used.usesLeft < 0) return null;
    const { state, life } = stepToken(used, { type: 'renew', now });
    if (state !== 'issued') return null;
    if (!life.renewable) return 'fixed';
    tx.touch(tokenCounter(digest));
    await tx.run('UPDATE app_token SET expires_at = $1 WHERE digest = $2', [life.expiresAt, digest]);
    await tx.audit({ event: 'token.renew', outcome: 'success', actor: row.entity, scheme: 'token', source, target: row.accessor });
    return viewOf(row, life, now);
  });
}

export function revokeToken(store: Store, digest: string, source: string, now: number): Promise<boolean> {
  return store.transaction(async (tx) => {
    const row = await readUsableRow(tx, digest, source);
    if (!row || stepToken(lifeOf(row), { type: 'revoke', now }).state !== 'revoked') return false;
    await endToken(tx, digest, row, source);
    return true;
  });
}

/** Counts a use and returns the token as it was for it. A token of unlimited uses is only read. */
export function useToken(store: Store, digest: string, source: string, now: number): Promise<TokenView | null> {
  return store.transaction(async (tx) => {
    const row = await readUsableRow(tx, digest, source);
    const life = row && (await countUse(tx, digest, row, source, now));
    return life ? viewOf(row, life, now) : null;
  });
}

/** @returns the life after the use; undefined for a token that has expired */
async function countUse(tx: Transaction, digest: string, row: TokenRow, source: string, now: number): Promise<TokenLife | undefined> {
  const { state, life } = stepToken(lifeOf(row), { type: 'use', now });
  if (state === 'expired') return undefined;
  if (state === 'exhausted') await endToken(tx, digest, row, source, 'this was its last use');
  else if (life.usesLeft !== row.uses_left) {
    tx.touch(tokenCounter(digest));
    await tx.run('UPDATE app_token SET uses_left = $1 WHERE digest = $2', [life.usesLeft, digest]);
  }
  return life;
}

async function endToken(tx: Transaction, digest: string, { entity, accessor }: TokenRow, source: string, reason?: string): Promise<void> {
  tx.touch(tokenCounter(digest));
  await tx.run('DELETE FROM app_token WHERE digest = $1', [digest]);
  await tx.audit({ event: 'token.revoke', outcome: 'success', actor: entity, scheme: 'token', source, target: accessor, reason });
}

/** Revokes the oldest tokens of a role, which may have a million: others write between the parts. @returns how many; fewer than CHUNK if there are no more */
export async function revokeSomeOf(tx: Transaction, kind: TokenKind, role: string): Promise<number> {
  const sql = 'SELECT digest FROM app_token WHERE kind = $1 AND role = $2 ORDER BY created_at, accessor LIMIT $3';
  const digests = (await tx.all<{ digest: string }>(sql, [kind, role, CHUNK])).map(({ digest }) => digest);
  if (digests.length === 0) return 0;
  for (const digest of digests) tx.touch(tokenCounter(digest));
  const list = valueList(digests, 1);
  return tx.run(`DELETE FROM app_token WHERE digest IN (${list.sql})`, list.params);
}

const PURGE = `DELETE FROM app_token WHERE digest IN (SELECT digest FROM app_token WHERE expires_at > 0 AND expires_at <= $1 LIMIT ${PART})`;

export function purgeTokens(store: Store, now: number): Promise<number> {
  return deleteInParts(store, PURGE, [now]);
}
