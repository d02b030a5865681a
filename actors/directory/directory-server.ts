// What the parts of the directory share: the store, the clock, the settings, and version counters that invalidate other threads' caches.
import type { Clock } from '../../kernel/clock.ts';
import type { Store, Transaction } from '../../kernel/store/store.ts';
import { requireQuota } from '../../kernel/store/usage.ts';
import type { SessionQuotas } from '../session/room.ts';
import type { Principal } from './api.ts';

export interface LockoutPolicy {
  readonly failures: number;
  readonly failuresAllSources: number;
  readonly windowMs: number;
  readonly lockMs: number;
}

/** Highest numbers, with the names of the configuration; 0: unlimited. */
export interface RealmQuotas {
  readonly credentials_per_realm: number;
  readonly admins_per_realm: number;
}

export interface DirectoryArgs {
  /** Audit rows are kept for this many days. */
  readonly auditRetentionDays: number;
  readonly lockout: LockoutPolicy;
  readonly quotas: RealmQuotas & SessionQuotas;
  /** The server asks for client certificates, so they count as a way to sign in. */
  readonly clientCertificates: boolean;
}

export interface DirectoryServer {
  readonly store: Store;
  readonly clock: Clock;
  readonly args: DirectoryArgs;
  /** The key that wraps second factors and signing keys. */
  readonly dataKey: Uint8Array;
}

/** @throws Fault AUTH_QUOTA_EXCEEDED if the realm exceeds its quota, including what the transaction has just added */
export function requireRealmQuota(tx: Transaction, { args }: DirectoryServer, name: keyof RealmQuotas, realm: string): Promise<void> {
  const kind = name === 'admins_per_realm' ? 'admin' : 'credential';
  const quota = { usage: 'auth_usage', kind, name: `[auth.quotas] ${name}`, most: args.quotas[name] };
  return requireQuota(tx, quota, realm, 'AUTH_QUOTA_EXCEEDED');
}

/** Writes the audit row of a change in the change's transaction. */
export function auditChange(tx: Transaction, by: Principal, event: string, target: string, realm: string | undefined): Promise<void> {
  return tx.audit({ event, outcome: 'success', realm, actor: `${by.realm}/${by.username}`, scheme: by.scheme, source: by.source, target });
}
