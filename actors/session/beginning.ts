// Determines the accounts of a new session, in the transaction that creates it.
import { realmScope, userName } from '../../kernel/store/account-name.ts';
import { accountOf, accountOfScope, liveAccount } from '../../kernel/store/accounts.ts';
import type { Transaction } from '../../kernel/store/store.ts';
import type { NewSession } from './api.ts';

/** @returns undefined if the realm is not the one that the credential was proven for */
export async function accountsOf(tx: Transaction, session: NewSession): Promise<{ own: string; realm: string } | undefined> {
  const { realm: id, username, scheme, provenRealm } = session;
  const scope = realmScope(id);
  if ((await liveAccount(tx, scope)) !== provenRealm) return undefined;
  const realm = provenRealm ?? (await accountOfScope(tx, scope));
  if (realm === undefined) return undefined;
  const own = scheme === 'up' ? await accountOf(tx, userName(id, username)) : `${realm}${scheme}:${username}`;
  return own === undefined ? undefined : { own, realm };
}
