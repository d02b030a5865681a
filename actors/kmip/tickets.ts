// Tickets of Login: each proves its owner in the headers of messages, for a time or a number of them (KMIP specification 2.1 sections 6.1.30 and 7.39).
import { createHash, randomBytes } from 'node:crypto';
import { deleteInParts, PART } from '../../kernel/store/parts.ts';
import type { Reader, Store, Transaction } from '../../kernel/store/store.ts';
import { Refusal } from '../../kmip/refusal.ts';

/** How long a ticket is good. */
export interface TicketTerms {
  /** Seconds since the epoch; null for no end. */
  readonly endsAt: number | null;
  /** Messages that may carry it; null for any number. */
  readonly requests: number | null;
}

const TICKET_BYTES = 32;
/** Of one owner: a client that logs in at each start, and never out, must neither fill the table nor be refused one day. */
const MAX_TICKETS = 100;

const hashOf = (ticket: Uint8Array): string => createHash('sha256').update(ticket).digest('hex');
const invalid = (): Refusal => new Refusal('InvalidTicket', 'the ticket is unknown, has ended, or belongs to somebody else: log in again');

/** Ends what has run out, and the oldest if there are too many. @returns the value of a new ticket, of which only a hash is stored */
export async function issueTicket(tx: Transaction, owner: string, { endsAt, requests }: TicketTerms, now: number): Promise<Uint8Array> {
  await tx.run('DELETE FROM kms_ticket WHERE owner = $1 AND ends_at <= $2', [owner, now]);
  await tx.run('DELETE FROM kms_ticket WHERE hash IN (SELECT hash FROM kms_ticket WHERE owner = $1 ORDER BY issued_at DESC, hash LIMIT $2 OFFSET $3)', [
    owner,
    MAX_TICKETS,
    MAX_TICKETS - 1,
  ]);
  const ticket = new Uint8Array(randomBytes(TICKET_BYTES));
  const row = [hashOf(ticket), owner, now, endsAt, requests];
  await tx.run('INSERT INTO kms_ticket (hash, owner, issued_at, ends_at, requests_left) VALUES ($1, $2, $3, $4, $5)', row);
  return ticket;
}

/**
 * Lets one message of its owner through. A ticket that counts messages is written before the message is served, so that it never lets one more through.
 * @param now seconds since the epoch @throws Refusal InvalidTicket; UsageLimitExceeded if all its messages were used
 */
export async function useTicket(store: Store, owner: string, ticket: Uint8Array, now: number): Promise<void> {
  const hash = hashOf(ticket);
  const found = await openTicket(store, owner, hash, now);
  if (found.requests_left === null) return;
  const taken = await store.transaction((tx) =>
    tx.run('UPDATE kms_ticket SET requests_left = requests_left - 1 WHERE hash = $1 AND requests_left > 0', [hash]),
  );
  if (taken === 0) throw new Refusal('UsageLimitExceeded', 'all requests of the ticket are used: log in again');
}

/** Ends a ticket of its owner. @throws Refusal InvalidTicket */
export async function endTicket(tx: Transaction, owner: string, ticket: Uint8Array, now: number): Promise<void> {
  const hash = hashOf(ticket);
  await openTicket(tx, owner, hash, now);
  await tx.run('DELETE FROM kms_ticket WHERE hash = $1', [hash]);
}

const ENDED = `DELETE FROM kms_ticket WHERE hash IN (SELECT hash FROM kms_ticket WHERE ends_at <= $1 LIMIT ${PART})`;

/** Deletes those that have ended, also of owners who never log in again. @param now seconds since the epoch @returns their number */
export function purgeTickets(store: Pick<Store, 'transaction'>, now: number): Promise<number> {
  return deleteInParts(store, ENDED, [now]);
}

async function openTicket(from: Reader, owner: string, hash: string, now: number): Promise<{ readonly requests_left: number | null }> {
  const found = await from.get<{ owner: string; ends_at: number | null; requests_left: number | null }>(
    'SELECT owner, ends_at, requests_left FROM kms_ticket WHERE hash = $1',
    [hash],
  );
  if (found?.owner !== owner || (found.ends_at !== null && found.ends_at <= now)) throw invalid();
  return found;
}
