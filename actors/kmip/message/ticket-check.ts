// Checks the ticket in the header of a message before any of its items begins, and says in whose name they run.
import { viewAccounts } from '../../../kernel/store/accounts.ts';
import type { BatchItem } from '../../../kmip/message/request.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import type { Principal } from '../api.ts';
import { auditRefusal } from '../audit-refusal.ts';
import { auditActor, callerName, subjectOf } from '../principal.ts';
import type { KeyServer } from '../server.ts';
import { countUse, type Delegation, invalidTicket, openTicket } from '../tickets.ts';
import type { Outcome } from './batch.ts';

const EVENT = 'key.ticket';

/** In whose name the items run, or how each of them fails. */
export type TicketVerdict = { readonly as: Principal } | { readonly refused: Outcome[] };

/** @throws Refusal UsageLimitExceeded of a ticket of Login: its items are not told one by one, those of a delegated one are (TC-LOGIN-3 and TC-DLOGIN-1 of OASIS) */
export async function checkTicket(server: KeyServer, caller: Principal, ticket: Uint8Array, items: readonly BatchItem[]): Promise<TicketVerdict> {
  let delegation: Delegation | undefined;
  try {
    const open = await openTicket(server.store, server.rows, caller.user, ticket, Math.floor(server.now() / 1000));
    delegation = open.delegation;
    const as = delegation ? await giverOf(server, caller, open.hash, delegation) : caller;
    if (open.isCounted) await countUse(server.store, ticket, items.length);
    if (as !== caller) await auditUse(server, caller, as);
    return { as };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { reason, message } = error;
    await auditRefusal(server, caller, { event: EVENT, reason, target: undefined });
    if (reason !== 'InvalidTicket' && !delegation) throw error;
    return { refused: items.map((item) => ({ item, status: 'OperationFailed', reason, message })) };
  }
}

/** Whoever gave the ticket, as they are now, with nothing but what the ticket permits. @throws Refusal InvalidTicket if their account has ended */
async function giverOf(
  { store, asynchronous }: KeyServer,
  { user, scheme, source }: Principal,
  ticket: string,
  { owner, rights }: Delegation,
): Promise<Principal> {
  const account = (await viewAccounts(store, [owner])).get(owner);
  const giver = account && !account.isEnded ? await subjectOf(store, account.name) : undefined;
  if (giver?.user !== owner) throw invalidTicket();
  return { ...asynchronous.acting(giver), scheme, source, rights, holder: { user, ticket } };
}

/** The rows of what the items do name the giver. This one, with the same request ID, names the holder. */
async function auditUse({ store }: KeyServer, holder: Principal, giver: Principal): Promise<void> {
  await store.transaction((tx) => tx.audit({ event: EVENT, outcome: 'success', ...auditActor(holder), target: callerName(giver) }));
}
