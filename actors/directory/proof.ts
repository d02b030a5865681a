// For the transaction that creates a session: checks that the login's proof is still valid, and records which way to sign in was used.
import type { Transaction } from '../../kernel/store/store.ts';
import { opensTo, SUPER_REALM } from './administered.ts';

/** The identity that a login has proven. */
interface Proof {
  readonly realm: string;
  readonly username: string;
  /** Scheme code: up, jwt, cc. */
  readonly scheme: string;
  /** Revision of the credential; null for schemes without one. */
  readonly revision: number | null;
  /** JSON of the realm's ways to sign in, as they were. */
  readonly authParams: string;
}

/**
 * Whether the credential and the realm's ways to sign in are unchanged, and the realm still admits the name. The key set of a provider may take seconds
 * to arrive: by then its administrators may trust the provider no more.
 */
export async function isStillProven(tx: Transaction, { realm, username, scheme, revision, authParams }: Proof): Promise<boolean> {
  const row = await tx.get<{ auth_params: string }>('SELECT auth_params FROM realm WHERE id = $1', [realm]);
  // As it is written from what was read: a row that was mended by hand may have spaces.
  if (row === undefined || JSON.stringify(JSON.parse(row.auth_params)) !== authParams) return false;
  if (revision !== null) {
    const credential = await tx.get<{ revision: number }>('SELECT revision FROM userpass WHERE realm = $1 AND username = $2', [realm, username]);
    if (credential?.revision !== revision) return false;
  }
  return opensTo(tx, { realm, username, scheme });
}

/** Records a sign-in to `_` with a certificate or a token: from now on it counts in the rule of the last super admin. @param now milliseconds since the epoch */
export async function noteWay(tx: Transaction, { realm, scheme }: Pick<Proof, 'realm' | 'scheme'>, account: string, now: number): Promise<void> {
  if (realm !== SUPER_REALM || scheme === 'up') return;
  await tx.run('INSERT INTO proven_way (account, scheme, proven_at) VALUES ($1, $2, $3) ON CONFLICT (account) DO NOTHING', [account, scheme, now]);
}
