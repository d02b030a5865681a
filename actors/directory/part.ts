// What the parts of the directory work with: the store of its thread, time, locks, and the news for other threads.
import type { Clock } from '../../kernel/clock.ts';
import type { Store, Transaction } from '../../kernel/store/store.ts';
import type { Actor } from './api.ts';

export interface LockoutPolicy {
  readonly failures: number;
  readonly failuresAllSources: number;
  readonly windowMs: number;
  readonly lockMs: number;
}

export interface DirectoryArgs {
  /** Days that audit rows are kept. */
  readonly auditRetentionDays: number;
  readonly lockout: LockoutPolicy;
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

/** The row of a change, in its transaction. */
export function auditChange(tx: Transaction, by: Actor, event: string, target: string, realm: string | undefined): Promise<void> {
  return tx.audit({ event, outcome: 'success', realm, actor: `${by.realm}/${by.username}`, scheme: by.scheme, source: by.source, target });
}

/** Ends every session of a user. */
export async function endSessions(tx: Transaction, realm: string, username: string): Promise<void> {
  await tx.run('DELETE FROM session WHERE realm = $1 AND username = $2', [realm, username]);
}
