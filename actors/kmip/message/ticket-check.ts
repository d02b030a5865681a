// Checks the ticket in the header of a message before any of its items begins.
import type { BatchItem } from '../../../kmip/message/request.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import type { Principal } from '../api.ts';
import { auditRefusal } from '../audit-refusal.ts';
import type { KeyServer } from '../server.ts';
import { useTicket } from '../tickets.ts';
import type { Outcome } from './batch.ts';

/**
 * @returns undefined if the ticket lets the message in; else how each of its items fails
 * @throws Refusal UsageLimitExceeded: a ticket that is used up lets no message in, and its items are not told one by one (TC-LOGIN-3 of OASIS)
 */
export async function checkTicket(server: KeyServer, caller: Principal, ticket: Uint8Array, items: readonly BatchItem[]): Promise<Outcome[] | undefined> {
  try {
    await useTicket(server.store, caller.user, ticket, Math.floor(server.now() / 1000));
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { reason, message } = error;
    await auditRefusal(server, caller, { event: 'key.ticket', reason, target: undefined });
    if (reason !== 'InvalidTicket') throw error;
    return items.map((item) => ({ item, status: 'OperationFailed', reason, message }));
  }
}
