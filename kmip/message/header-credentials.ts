// Reads the credentials in the header of a request (KMIP 1.4 sections 2.1.2 and 6.6, 2.1 sections 8.1.2 and 9.11), but does not check them.
import { Refusal } from '../refusal.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { type Structure, TYPE } from '../ttlv/node.ts';
import { bytesOf, children, codeOf, required, structureOf, textOf } from '../ttlv/read.ts';
import { tagExists } from '../ttlv/since.ts';
import { TAG } from '../ttlv/tag.ts';
import type { Version } from '../version.ts';
import { payloadMembers, requireMembers, unknownField } from './payload-members.ts';
import { spoken } from './version-values.ts';

/** The limit bounds the work of the server: each credential costs a lookup, and each password a hash. */
const MAX_CREDENTIALS = 4;

const NAMES: ReadonlyMap<number, string> = new Map(Object.entries(ENUM.CredentialType).map(([name, code]) => [code, name]));

/** Of two values the server would check one, and a proxy or a log perhaps the other. Credentials of other types are not read. */
const OF_AUTHENTICATION = payloadMembers([], ['Credential']);
const OF_CREDENTIAL = payloadMembers(['CredentialType', 'CredentialValue']);
const OF_PASSWORD = payloadMembers(['Username', 'Password']);
const WITH_TICKET = payloadMembers(['Ticket']);
const OF_TICKET = payloadMembers(['TicketType', 'TicketValue']);

/** @returns undefined if the header has no Authentication, which is the usual case @throws Refusal InvalidMessage, InvalidTicket, and `unknownField` */
export function credentialsIn(header: Structure, version: Version): readonly HeaderCredential[] | undefined {
  const authentication = structureOf(header, TAG.Authentication);
  if (!authentication) return undefined;
  requireMembers('Authentication', OF_AUTHENTICATION, authentication, unknownField(version));
  const credentials = children(authentication, TAG.Credential);
  if (credentials.length === 0) throw new Refusal('InvalidMessage', 'Authentication must contain at least one Credential');
  if (credentials.length > MAX_CREDENTIALS) throw new Refusal('InvalidMessage', `Authentication must contain at most ${MAX_CREDENTIALS} Credentials`);
  return credentials.map((node) => {
    if (node.type !== TYPE.Structure) throw new Refusal('InvalidMessage', 'Credential must be a Structure');
    return credentialOf(node, version);
  });
}

function credentialOf(node: Structure, version: Version): HeaderCredential {
  requireMembers('Credential', OF_CREDENTIAL, node, unknownField(version));
  const code = required(codeOf(node, TAG.CredentialType), TAG.CredentialType);
  const value = required(structureOf(node, TAG.CredentialValue), TAG.CredentialValue);
  const type = NAMES.get(code) ?? `0x${code.toString(16).padStart(8, '0')}`;
  if (code === ENUM.CredentialType.Ticket) return { type, ticket: ticketOf(value, version) };
  if (code !== ENUM.CredentialType.UsernameAndPassword) return { type };
  requireMembers('CredentialValue', OF_PASSWORD, value, unknownField(version));
  const password = textOf(value, TAG.Password);
  return {
    type,
    username: required(textOf(value, TAG.Username), TAG.Username),
    ...(password === undefined ? {} : { password: new Uint8Array(Buffer.from(password)) }),
  };
}

function ticketOf(value: Structure, version: Version): Uint8Array {
  if (!tagExists(TAG.Ticket, version)) throw new Refusal(unknownField(version), `Credential of ${spoken(version)} has no Ticket`);
  requireMembers('CredentialValue', WITH_TICKET, value, unknownField(version));
  const ticket = structureOf(value, TAG.Ticket);
  if (ticket) requireMembers('Ticket', OF_TICKET, ticket, unknownField(version));
  return ticketIn(value);
}

/** The value of the Ticket that a credential or a payload has (2.1 section 7.39). @throws Refusal InvalidMessage, InvalidTicket for one of another type */
export function ticketIn(parent: Structure): Uint8Array {
  const ticket = required(structureOf(parent, TAG.Ticket), TAG.Ticket);
  const type = required(codeOf(ticket, TAG.TicketType), TAG.TicketType);
  if (type !== ENUM.TicketType.Login) throw new Refusal('InvalidTicket', 'only tickets of type Login are known');
  return required(bytesOf(ticket, TAG.TicketValue), TAG.TicketValue);
}

/** A credential in the header of a message (KMIP 1.4 section 2.1.2, 2.1 section 9.11). */
export interface HeaderCredential {
  /** `UsernameAndPassword`, `Ticket`. */
  readonly type: string;
  readonly username?: string;
  /** UTF-8. Secret. */
  readonly password?: Uint8Array;
  /** The value of a ticket. Secret. */
  readonly ticket?: Uint8Array;
}
