// How super admins name a deleted account: as the list of tombstones shows it, or by its former name if only one account of that name owns objects.
import { Fault } from '../../kernel/fault.ts';
import { ACCOUNT, nameOfId, namingOf, scopeOf } from '../../kernel/store/account-name.ts';
import { type AccountView, idsOfName, viewAccounts } from '../../kernel/store/accounts.ts';
import type { Reader } from '../../kernel/store/store.ts';

/** No caller's name begins with this prefix, so it sets apart the first account of a name, whose ID equals the name. */
export function handleOf(account: string): string {
  return account.startsWith(ACCOUNT) ? account : ACCOUNT + account;
}

/** @throws Fault NOT_FOUND, KEYS_REFUSED if several deleted accounts of this name own objects */
export async function tombstoneOf(from: Reader, text: string): Promise<{ account: string; view: AccountView }> {
  const ids = text.startsWith(ACCOUNT) ? [text, text.slice(ACCOUNT.length)] : await hadName(from, text);
  const views = await viewAccounts(from, ids);
  const found: { account: string; view: AccountView }[] = [];
  for (const [account, view] of views)
    if (view.isEnded && (await from.get('SELECT id FROM kms_object WHERE owner = $1 LIMIT 1', [account]))) found.push({ account, view });
  const [first, ...others] = found;
  if (!first) throw new Fault('NOT_FOUND', { detail: 'no deleted account with this name owns objects' });
  if (others.length > 0)
    throw new Fault('KEYS_REFUSED', {
      detail: `Invalid_Field: from: several deleted accounts had this name; give one of ${found.map(({ account }) => handleOf(account)).join(', ')}`,
    });
  return first;
}

/** All IDs of accounts that may have had this name. */
async function hadName(from: Reader, name: string): Promise<string[]> {
  const scope = namingOf(name)?.kind === 'guest' ? scopeOf(name) : undefined;
  const within = scope === undefined ? [] : (await idsOfName(from, scope)).map((id) => id + name.slice(scope.length));
  return [...new Set([...(await idsOfName(from, name)), ...within, ...(nameOfId(name).isPast ? [name] : [])])];
}
