// Ends the sessions in realm `_` of those whom no admin record admits there any more, in the transaction that changes or deletes a record.
import type { Transaction } from '../../kernel/store/store.ts';
import { endSessionsOf } from '../session/end.ts';
import { opensTo, SUPER_REALM } from './administered.ts';
import type { Admin } from './api.ts';

/** @param before the record as it was; the row is already as it will be */
export async function endUnadmitted(tx: Transaction, { realms, userpass, jwt, client_certificate: certificate }: Admin): Promise<void> {
  if (!realms.includes(SUPER_REALM)) return;
  const names = [
    ['up', userpass],
    ['jwt', jwt],
    ['cc', certificate],
  ] as const;
  for (const [scheme, username] of names)
    if (username !== null && !(await opensTo(tx, { realm: SUPER_REALM, username, scheme }))) await endSessionsOf(tx, SUPER_REALM, username, scheme);
}
