// Protected headers: writes them with members in a fixed order, and checks the required members of received ones (RFC 7515 section 4, RFC 7516 section 4).
import type { ManagedObject } from '../object/managed-object.ts';
import { decode, type Members, readObject, text } from './members.ts';
import { JoseProblem } from './problem.ts';

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
  readonly encoded: string;
  readonly members: Members;
  readonly alg: string;
  readonly kid: string;
}

/**
 * The protected header of a body.
 * @throws Problem bad_request if it is malformed or lacks `alg` or `kid`, unsupported_algorithm for extensions that must be understood
 */
export function receivedHeader(body: Members): ReceivedHeader {
  const encoded = text(body, 'protected');
  const members = readObject(decode(encoded, 'protected'), 'protected');
  const alg = text(members, 'alg');
  if (members['crit'] !== undefined) throw new JoseProblem('unsupported_algorithm', 'crit names extensions that are not supported');
  if (members['zip'] !== undefined) throw new JoseProblem('unsupported_algorithm', 'zip is not supported: content is never compressed');
  return { encoded, members, alg, kid: text(members, 'kid') };
}
