// The quotas of secret ids and app tokens.
import { Fault } from '../../kernel/fault.ts';
import type { Store, Transaction } from '../../kernel/store/store.ts';
import { requireQuota } from '../../kernel/store/usage.ts';
import type { NewToken, TokenKind } from './api.ts';

/** Highest numbers, with the names of the configuration; 0: unlimited. */
export interface TokenQuotas {
  /** For a role, or for one service account of a cluster. */
  readonly tokens_per_identity: number;
  readonly tokens_per_role: number;
  readonly secret_ids_per_role: number;
}

const KINDS: Readonly<Record<keyof TokenQuotas, string>> = { tokens_per_identity: 'token', tokens_per_role: 'token_role', secret_ids_per_role: 'secret_id' };
const CODE = 'AUTH_QUOTA_EXCEEDED';

function hold(tx: Transaction, quotas: TokenQuotas, name: keyof TokenQuotas, scope: string): Promise<void> {
  return requireQuota(tx, { usage: 'auth_usage', kind: KINDS[name], name: `[auth.quotas] ${name}`, most: quotas[name] }, scope, CODE);
}

/** @throws Fault AUTH_QUOTA_EXCEEDED where there is one more than there may be */
export function requireSecretIdQuota(tx: Transaction, quotas: TokenQuotas, role: string): Promise<void> {
  return hold(tx, quotas, 'secret_ids_per_role', role);
}

/** Each rejects with Fault AUTH_QUOTA_EXCEEDED where there is one more than there may be. */
export function requireTokenQuotas(tx: Transaction, quotas: TokenQuotas, kind: TokenKind, role: string, entity: string): readonly Promise<void>[] {
  return [hold(tx, quotas, 'tokens_per_identity', `${kind}:${role}/${entity}`), hold(tx, quotas, 'tokens_per_role', `${kind}:${role}`)];
}

/** A login that a quota refuses is rolled back, including the use of its secret id; its audit row is written in a transaction of its own. */
export async function auditingQuota<T>(store: Store, kind: TokenKind, { source, accessor }: NewToken, login: Promise<T>): Promise<T> {
  try {
    return await login;
  } catch (error) {
    if (error instanceof Fault && error.code === CODE)
      await store.transaction((tx) =>
        tx.audit({ event: `${kind}.login`, outcome: 'refused', actor: 'unknown', scheme: 'token', source, target: accessor, reason: 'quota' }),
      );
    throw error;
  }
}
