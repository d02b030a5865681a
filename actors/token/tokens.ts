// Rows of app tokens.
import { deleteInParts, PART } from '../../kernel/store/parts.ts';
import { insertSql } from '../../kernel/store/row-insert.ts';
import type { Reader, Store, Transaction } from '../../kernel/store/store.ts';
import { together } from '../../kernel/store/together.ts';
import type { NewToken, TokenKind, TokenView } from './api.ts';
import { tokenCounter } from './counter.ts';
import { requireTokenQuotas, type TokenQuotas } from './quota.ts';
import { hasElapsed, leaseEnd, stepToken, type TokenEvent, type TokenLife, type TokenState } from './token.machine.ts';

export interface TokenRow {
  readonly accessor: string;
  readonly kind: TokenKind;
  readonly role: string;
  readonly entity: string;
  readonly account: string;
  readonly policies: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly lease_seconds: number;
  readonly max_expires_at: number;
  readonly renewable: number;
}

/** The identity and settings that a token is issued with. */
interface Grant {
  readonly kind: TokenKind;
  readonly role: string;
  readonly entity: string;
  readonly account: string;
  readonly policies: readonly string[];
  readonly ttlSeconds: number;
  readonly maxTtlSeconds: number;
  readonly renewable: boolean;
}

const COLUMNS = 'accessor, kind, role, entity, account, policies, created_at, expires_at, lease_seconds, max_expires_at, renewable';
const INSERT = insertSql({
  table: 'app_token',
  columns: {
    ...{ digest: 'TEXT', accessor: 'TEXT', kind: 'TEXT', role: 'TEXT', entity: 'TEXT', account: 'TEXT', policies: 'TEXT', created_at: 'BIGINT' },
    ...{ expires_at: 'BIGINT', lease_seconds: 'BIGINT', max_expires_at: 'BIGINT', renewable: 'BIGINT' },
  },
});
const SELECT = `SELECT ${COLUMNS} FROM app_token WHERE digest = $1`;

interface Issue {
  readonly now: number;
  /** What was sent before it in the same transaction. */
  readonly along: readonly Promise<unknown>[];
}

/** Writes the token's row and its audit row in the transaction that accepted the login. */
export async function issueToken(
  tx: Transaction,
  { digest, accessor, source }: NewToken,
  grant: Grant,
  quotas: TokenQuotas,
  { now, along }: Issue,
): Promise<TokenView> {
  const { kind, role, entity, account, policies, ttlSeconds, maxTtlSeconds, renewable } = grant;
  const maxExpiresAt = maxTtlSeconds === 0 ? 0 : now + maxTtlSeconds * 1000;
  const life = { expiresAt: leaseEnd(now, ttlSeconds, maxExpiresAt), leaseSeconds: ttlSeconds, maxExpiresAt, renewable };
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
  ]);
  const audited = tx.audit({ event: `${kind}.login`, outcome: 'success', actor: entity, scheme: 'token', source, target: accessor });
  await together([...along, inserted, audited, ...requireTokenQuotas(tx, quotas, kind, role, entity)]);
  return { kind, accessor, role, entity, account, policies, createdAt: now, ...leaseOf(life, now, now) };
}

export function readTokenRow(store: Reader, digest: string): Promise<TokenRow | undefined> {
  return store.get<TokenRow>(SELECT, [digest]);
}

/** @returns null for a token that has expired */
export function viewToken(row: TokenRow, now: number): TokenView | null {
  const life = lifeOf(row);
  return hasElapsed(life, now) ? null : viewOf(row, life, now);
}

export function renewToken(store: Store, digest: string, source: string, now: number): Promise<TokenView | null | 'fixed'> {
  return store.transaction(async (tx) => {
    const found = await step(tx, digest, { type: 'renew', now });
    if (found?.state !== 'issued') return null;
    const { row, life } = found;
    if (!life.renewable) return 'fixed';
    tx.touch(tokenCounter(digest));
    await tx.run('UPDATE app_token SET expires_at = $1 WHERE digest = $2', [life.expiresAt, digest]);
    await tx.audit({ event: 'token.renew', outcome: 'success', actor: row.entity, scheme: 'token', source, target: row.accessor });
    return viewOf(row, life, now);
  });
}

export function revokeToken(store: Store, digest: string, source: string, now: number): Promise<boolean> {
  return store.transaction(async (tx) => {
    const found = await step(tx, digest, { type: 'revoke', now });
    if (found?.state !== 'revoked') return false;
    tx.touch(tokenCounter(digest));
    await tx.run('DELETE FROM app_token WHERE digest = $1', [digest]);
    await tx.audit({ event: 'token.revoke', outcome: 'success', actor: found.row.entity, scheme: 'token', source, target: found.row.accessor });
    return true;
  });
}

/** @returns the number of tokens */
export async function revokeTokensOf(tx: Transaction, kind: TokenKind, role: string): Promise<number> {
  const revoked = await tx.run('DELETE FROM app_token WHERE kind = $1 AND role = $2', [kind, role]);
  if (revoked > 0) tx.touchAll();
  return revoked;
}

const PURGE = `DELETE FROM app_token WHERE digest IN (SELECT digest FROM app_token WHERE expires_at > 0 AND expires_at <= $1 LIMIT ${PART})`;

export function purgeTokens(store: Store, now: number): Promise<number> {
  return deleteInParts(store, PURGE, [now]);
}

async function step(reader: Reader, digest: string, event: TokenEvent): Promise<{ row: TokenRow; state: TokenState; life: TokenLife } | undefined> {
  const row = await reader.get<TokenRow>(SELECT, [digest]);
  return row && { row, ...stepToken(lifeOf(row), event) };
}

function lifeOf(row: TokenRow): TokenLife {
  return { expiresAt: row.expires_at, leaseSeconds: row.lease_seconds, maxExpiresAt: row.max_expires_at, renewable: row.renewable === 1 };
}

function viewOf({ accessor, kind, role, entity, account, policies, created_at: createdAt }: TokenRow, life: TokenLife, now: number): TokenView {
  return { kind, accessor, role, entity, account, policies: JSON.parse(policies) as string[], createdAt, ...leaseOf(life, createdAt, now) };
}

function leaseOf(
  life: TokenLife,
  createdAt: number,
  now: number,
): Pick<TokenView, 'ttlSeconds' | 'expiresAt' | 'leaseSeconds' | 'maxTtlSeconds' | 'renewable'> {
  const { expiresAt, leaseSeconds, maxExpiresAt, renewable } = life;
  const maxTtlSeconds = maxExpiresAt === 0 ? 0 : (maxExpiresAt - createdAt) / 1000;
  return { ttlSeconds: secondsLeft(life, now), expiresAt, leaseSeconds, maxTtlSeconds, renewable };
}

/** Rounds up, because 0 means that the token does not expire. */
function secondsLeft({ expiresAt }: TokenLife, now: number): number {
  return expiresAt === 0 ? 0 : Math.ceil((expiresAt - now) / 1000);
}
