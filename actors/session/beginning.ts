// Whether a session may begin, and whose it is: looked at in the transaction that makes it.
import { realmScope, userName } from '../../kernel/store/account-name.ts';
import { accountOf, accountOfScope, liveAccount } from '../../kernel/store/accounts.ts';
import type { Transaction } from '../../kernel/store/store.ts';
import { opensTo, SUPER_REALM } from '../directory/administered.ts';
import type { NewSession } from './api.ts';

export async function mayBegin(tx: Transaction, { realm, username, scheme, revision }: NewSession): Promise<boolean> {
  if (revision === null) {
    if (!(await tx.get('SELECT id FROM realm WHERE id = $1', [realm]))) return false;
  } else {
    const credential = await tx.get<{ revision: number }>('SELECT revision FROM userpass WHERE realm = $1 AND username = $2', [realm, username]);
    if (credential?.revision !== revision) return false;
  }
  return opensTo(tx, { realm, username, scheme });
}

/** A certificate or a token has opened `_`: from now on it counts as a way in for the last super admin. @param now milliseconds since the epoch */
export async function noteWay(tx: Transaction, { realm, scheme }: NewSession, account: string, now: number): Promise<void> {
  if (realm !== SUPER_REALM || scheme === 'up') return;
  await tx.run('INSERT INTO proven_way (account, scheme, proven_at) VALUES ($1, $2, $3) ON CONFLICT (account) DO NOTHING', [account, scheme, now]);
}

/** @returns undefined where the realm is not the one that the credential was proven for */
export async function accountsOf(tx: Transaction, session: NewSession): Promise<{ own: string; realm: string } | undefined> {
  const { realm: id, username, scheme, provenRealm } = session;
  const scope = realmScope(id);
  if ((await liveAccount(tx, scope)) !== provenRealm) return undefined;
  const realm = provenRealm ?? (await accountOfScope(tx, scope));
  if (realm === undefined) return undefined;
  const own = scheme === 'up' ? await accountOf(tx, userName(id, username)) : `${realm}${scheme}:${username}`;
  return own === undefined ? undefined : { own, realm };
}
