// What the parts of the directory work with: the store of its thread, time, locks, and the news for other threads.
import type { Clock } from '../../kernel/clock.ts';
import type { Store, Transaction } from '../../kernel/store/store.ts';
import { requireQuota } from '../../kernel/store/usage.ts';
import type { Actor } from './api.ts';

export interface LockoutPolicy {
  readonly failures: number;
  readonly failuresAllSources: number;
  readonly windowMs: number;
  readonly lockMs: number;
}

/** How much there may be, by the keys of the configuration; 0: any number. */
export interface RealmQuotas {
  readonly credentials_per_realm: number;
  readonly admins_per_realm: number;
}

export interface DirectoryArgs {
  /** Days that audit rows are kept. */
  readonly auditRetentionDays: number;
  readonly lockout: LockoutPolicy;
  readonly quotas: RealmQuotas;
  /** The front asks for client certificates: they count as a way to sign in. */
  readonly clientCertificates: boolean;
}

export interface Part {
  readonly store: Store;
  readonly clock: Clock;
  readonly args: DirectoryArgs;
  /** The key that wraps second factors and signing keys. */
  readonly dataKey: Uint8Array;
  /** After a commit and before the reply: what others have cached of this user is not trusted any more. */
  bump(realm: string, username: string): void;
  bumpAll(): void;
}

/** @throws Fault AUTH_QUOTA_EXCEEDED where a realm has more than it may have, with what was just added */
export function requireRealmQuota(tx: Transaction, { args }: Part, name: keyof RealmQuotas, realm: string): Promise<void> {
  const kind = name === 'admins_per_realm' ? 'admin' : 'credential';
  const quota = { usage: 'auth_usage', kind, name: `[auth.quotas] ${name}`, most: args.quotas[name] };
  return requireQuota(tx, quota, realm, 'AUTH_QUOTA_EXCEEDED');
}

/** The row of a change, in its transaction. */
export function auditChange(tx: Transaction, by: Actor, event: string, target: string, realm: string | undefined): Promise<void> {
  return tx.audit({ event, outcome: 'success', realm, actor: `${by.realm}/${by.username}`, scheme: by.scheme, source: by.source, target });
}
