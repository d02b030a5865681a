// Headers of messages: writes protected ones with members in a fixed order, and reads those of received messages (RFC 7515 section 4, RFC 7516 section 4).
import type { ManagedObject } from '../object/managed-object.ts';
import { decode, type Members, readObject, text } from './members.ts';
import { badRequest, JoseProblem } from './problem.ts';

/** Characters of a name that an error repeats. */
const MAX_TOLD = 64;

export interface ProtectedHeader {
  /** In base64url, as sent. */
  readonly encoded: string;
  /** `encoded` in ASCII, which is what is authenticated. */
  readonly octets: Uint8Array;
}

/** @param members in the order of the result */
export function writeHeader(members: Members): ProtectedHeader {
  const encoded = Buffer.from(JSON.stringify(members)).toString('base64url');
  return { encoded, octets: Buffer.from(encoded, 'latin1') };
}

const written = new WeakMap<ManagedObject, Map<string, ProtectedHeader>>();

/** The header for messages that need only algorithms and key in it. It is the same for each of them, so it is cached. */
export function plainHeader(object: ManagedObject, alg: string, enc?: string): ProtectedHeader {
  let headers = written.get(object);
  if (!headers) {
    headers = new Map();
    written.set(object, headers);
  }
  const name = enc === undefined ? alg : `${alg} ${enc}`;
  let header = headers.get(name);
  if (!header) {
    header = writeHeader(enc === undefined ? { alg, kid: object.id } : { alg, enc, kid: object.id });
    headers.set(name, header);
  }
  return header;
}

export interface ReceivedHeader {
  /** The protected header, as sent. */
  readonly encoded: string;
  /** Of all headers of the message. */
  readonly members: Members;
  readonly alg: string;
  readonly kid: string;
}

/** These change how a message is read, so they must be protected (RFC 7515 section 4.1.11, RFC 7516 section 4.1.3). */
const ONLY_PROTECTED = ['crit', 'zip'] as const;

/**
 * The headers of a body: the protected one, and those beside it that this kind of message may have (RFC 7515 section 7.2.1, RFC 7516 section 7.2.1).
 * @throws Problem bad_request if one is malformed, if two have a member of one name, or if none has `alg` or `kid`; unsupported_algorithm for
 * extensions that must be understood
 */
export function receivedHeader(body: Members, ...beside: readonly ('unprotected' | 'header')[]): ReceivedHeader {
  const encoded = text(body, 'protected');
  let members = readObject(decode(encoded, 'protected'), 'protected');
  if (members['crit'] !== undefined) throw new JoseProblem('unsupported_algorithm', 'crit names extensions that are not supported');
  if (members['zip'] !== undefined) throw new JoseProblem('unsupported_algorithm', 'zip is not supported: content is never compressed');
  for (const name of beside) members = unite(members, body[name] ?? {}, name);
  return { encoded, members, alg: text(members, 'alg'), kid: text(members, 'kid') };
}

function unite(members: Members, further: unknown, where: string): Members {
  if (typeof further !== 'object' || further === null || Array.isArray(further)) throw badRequest(`${where} is not a JSON object`);
  for (const name of ONLY_PROTECTED) if (Object.hasOwn(further, name)) throw badRequest(`${name} must be in the protected header`);
  const twice = Object.keys(further).find((name) => Object.hasOwn(members, name));
  if (twice !== undefined) throw badRequest(`${where} repeats a member of another header: ${twice.slice(0, MAX_TOLD)}`);
  return { ...members, ...further };
}
