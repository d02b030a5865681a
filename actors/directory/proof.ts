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
}

/** Whether the credential is unchanged (for schemes without one: whether the realm exists) and the realm still admits the name. */
export async function isStillProven(tx: Transaction, { realm, username, scheme, revision }: Proof): Promise<boolean> {
  if (revision === null) {
    if (!(await tx.get('SELECT id FROM realm WHERE id = $1', [realm]))) return false;
  } else {
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
