// Tickets of Login and DelegatedLogin: the headers of messages carry them, for a time or a number of messages (KMIP specification 2.1 sections 6.1.12, 6.1.30 and 7.39).
import { createHash, randomBytes } from 'node:crypto';
import { deleteInParts, PART } from '../../kernel/store/parts.ts';
import { isSameMac } from '../../kernel/store/row-mac.ts';
import type { Reader, Store, Transaction } from '../../kernel/store/store.ts';
import { Refusal } from '../../kmip/refusal.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { bytes, enumeration, type Node, structure } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import type { RowSeal } from './object/rows/row-seal.ts';
import type { ObjectRows } from './object/rows/rows.ts';
import type { Right } from './rights.ts';
import type { TicketTerms } from './ticket-terms.ts';

/** What the holder of a ticket of DelegatedLogin may do, and in whose name. */
export interface Delegation {
  /** The account that gave the ticket. */
  readonly owner: string;
  readonly rights: readonly Right[];
}

export interface OpenTicket {
  /** What is stored of it. */
  readonly hash: string;
  /** Undefined for a ticket of Login. */
  readonly delegation: Delegation | undefined;
  /** Its messages or operations are counted: `countUse` has to follow. */
  readonly isCounted: boolean;
}

interface TicketRow {
  readonly owner: string;
  readonly ends_at: number | string | null;
  readonly requests_left: number | string | null;
  readonly operations_left: number | string | null;
  readonly rights: string | null;
  readonly mac: Uint8Array | null;
}

const TICKET_BYTES = 32;
/** Of one owner and kind: a client that logs in at each start, and never out, must neither fill the table nor be refused one day. */
const MAX_TICKETS = 100;
const MAX_RIGHTS_CHARACTERS = 65_536;

const hashOf = (ticket: Uint8Array): string => createHash('sha256').update(ticket).digest('hex');
/** One text for whatever is wrong. */
export const invalidTicket = (): Refusal => new Refusal('InvalidTicket', 'the ticket is unknown, has ended, or belongs to somebody else: log in again');

/** Ends what has run out, and the oldest if there are too many. @returns the value of a new ticket, of which only a hash is stored */
export function issueTicket(tx: Transaction, owner: string, terms: TicketTerms, now: number): Promise<Uint8Array> {
  return issue(tx, owner, terms, now, () => [null, null]);
}

/** As issueTicket. Its rights are stored with a MAC: whoever can write to the database must not act in the name of others. @throws Refusal InvalidField for too many rights */
export function issueDelegated(tx: Transaction, seals: RowSeal, { owner, rights }: Delegation, terms: TicketTerms, now: number): Promise<Uint8Array> {
  const text = JSON.stringify(rights);
  if (text.length > MAX_RIGHTS_CHARACTERS) throw new Refusal('InvalidField', 'the Rights are too long: name groups of objects, or fewer objects');
  return issue(tx, owner, terms, now, (hash) => [text, seals.macOfDelegation({ hash, owner, rights: text, endsAt: terms.endsAt })]);
}

async function issue(
  tx: Transaction,
  owner: string,
  { endsAt, requests, operations }: TicketTerms,
  now: number,
  sealed: (hash: string) => readonly [string, Uint8Array] | readonly [null, null],
): Promise<Uint8Array> {
  const ticket = new Uint8Array(randomBytes(TICKET_BYTES));
  const hash = hashOf(ticket);
  const [rights, mac] = sealed(hash);
  const ofKind = rights === null ? 'rights IS NULL' : 'rights IS NOT NULL';
  await tx.run('DELETE FROM kms_ticket WHERE owner = $1 AND ends_at <= $2', [owner, now]);
  await tx.run(
    `DELETE FROM kms_ticket WHERE hash IN (SELECT hash FROM kms_ticket WHERE owner = $1 AND ${ofKind} ORDER BY issued_at DESC, hash LIMIT $2 OFFSET $3)`,
    [owner, MAX_TICKETS, MAX_TICKETS - 1],
  );
  const sql = `INSERT INTO kms_ticket (hash, owner, issued_at, ends_at, requests_left, operations_left, rights, mac) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`;
  await tx.run(sql, [hash, owner, now, endsAt, requests, operations, rights, mac]);
  return ticket;
}

/** The Ticket of a response. */
export function ticketNode(ticket: Uint8Array): Node {
  return structure(TAG.Ticket, [enumeration(TAG.TicketType, ENUM.TicketType.Login), bytes(TAG.TicketValue, ticket)]);
}

/**
 * Looks at a ticket that a message carries.
 * @param user whose message it is: a ticket of Login is good for its owner alone, one of DelegatedLogin for everybody who has it
 * @param now seconds since the epoch
 * @throws Refusal InvalidTicket
 */
export async function openTicket(
  from: Reader,
  { seals, forged }: Pick<ObjectRows, 'seals' | 'forged'>,
  user: string,
  ticket: Uint8Array,
  now: number,
): Promise<OpenTicket> {
  const hash = hashOf(ticket);
  const { owner, rights, mac, ...row } = await liveRow(from, hash, now);
  const isCounted = row.requests_left !== null || row.operations_left !== null;
  if (rights === null) {
    if (owner !== user) throw invalidTicket();
    return { hash, delegation: undefined, isCounted };
  }
  const endsAt = row.ends_at === null ? null : Number(row.ends_at);
  if (!isSameMac(mac, seals.macOfDelegation({ hash, owner, rights, endsAt }))) {
    forged(hash, 'ticket');
    throw invalidTicket();
  }
  return { hash, delegation: { owner, rights: JSON.parse(rights) as Right[] }, isCounted };
}

/** Takes one message with its operations from what is left of a ticket, before the message is served, so that it never lets one more through. @throws Refusal UsageLimitExceeded */
export async function countUse(store: Store, ticket: Uint8Array, operations: number): Promise<void> {
  // NULL stays NULL.
  const sql = `UPDATE kms_ticket SET requests_left = requests_left - 1, operations_left = operations_left - $2
    WHERE hash = $1 AND COALESCE(requests_left, 1) > 0 AND COALESCE(operations_left, $2) >= $2`;
  const taken = await store.transaction((tx) => tx.run(sql, [hashOf(ticket), operations]));
  if (taken === 0) throw new Refusal('UsageLimitExceeded', 'all requests or operations of the ticket are used: log in again');
}

/** Ends a ticket of its owner. @throws Refusal InvalidTicket */
export async function endTicket(tx: Transaction, owner: string, ticket: Uint8Array, now: number): Promise<void> {
  const hash = hashOf(ticket);
  if ((await liveRow(tx, hash, now)).owner !== owner) throw invalidTicket();
  await tx.run('DELETE FROM kms_ticket WHERE hash = $1', [hash]);
}

const ENDED = `DELETE FROM kms_ticket WHERE hash IN (SELECT hash FROM kms_ticket WHERE ends_at <= $1 LIMIT ${PART})`;

/** Deletes those that have ended, also of owners who never log in again. @param now seconds since the epoch @returns their number */
export function purgeTickets(store: Pick<Store, 'transaction'>, now: number): Promise<number> {
  return deleteInParts(store, ENDED, [now]);
}

/** Whether a ticket that was good once is so still; how often it may yet be used is another matter. @param now seconds since the epoch */
export async function isLiveTicket(from: Reader, hash: string, now: number): Promise<boolean> {
  return (await findLive(from, hash, now)) !== undefined;
}

async function liveRow(from: Reader, hash: string, now: number): Promise<TicketRow> {
  const row = await findLive(from, hash, now);
  if (!row) throw invalidTicket();
  return row;
}

async function findLive(from: Reader, hash: string, now: number): Promise<TicketRow | undefined> {
  const row = await from.get<TicketRow>('SELECT owner, ends_at, requests_left, operations_left, rights, mac FROM kms_ticket WHERE hash = $1', [hash]);
  return row && (row.ends_at === null || Number(row.ends_at) > now) ? row : undefined;
}
