// Reads the JSON members of bodies and protected headers; unknown members are ignored.
import { isUtf8 } from 'node:buffer';
import { MAX_DEPTH } from '../../../kernel/http/body/nesting.ts';
import { checkShape } from '../../../kmip/ttlv/json-parse.ts';
import { isLonger } from '../../../text/code-points.ts';
import { repeatedMember } from '../../../text/repeated-member.ts';
import { badRequest, notFound } from './problem.ts';

export type Members = Readonly<Record<string, unknown>>;

/** Maximum number of members of one object, including unknown ones. */
const MAX_MEMBERS = 256;
/** Maximum number of commas and brackets in a whole body, because JSON.parse itself has no limits. */
const MAX_MARKS = 10_000;
/** Maximum lengths in characters: of names; of numbers, headers and signatures; and of content, which may fill a whole body. */
export const MAX_NAME = 1_024;
export const MAX_CHARACTERS = 16_384;
const MAX_CONTENT = 16_777_216;
const MAXIMA: ReadonlyMap<string, number> = new Map([
  ...['kid', 'alg', 'enc', 'kty', 'crv', 'use', 'key_ops'].map((name) => [name, MAX_NAME] as const),
  ...['data', 'ciphertext', 'aad'].map((name) => [name, MAX_CONTENT] as const),
]);

/** @param what names the bytes in the error @throws Problem bad_request for anything but a JSON object in UTF-8 whose names each stand once (RFC 7515 section 4) */
export function readObject(bytes: Uint8Array, what: string): Members {
  if (!isUtf8(bytes)) throw badRequest(`${what} is not valid UTF-8`);
  let value: unknown;
  try {
    checkShape(bytes, { marks: MAX_MARKS, brackets: MAX_DEPTH });
  } catch (error) {
    throw badRequest(`${what}: ${(error as Error).message}`);
  }
  try {
    value = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
  } catch {
    throw badRequest(`${what} is not valid JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badRequest(`${what} is not a JSON object`);
  if (Object.keys(value).length > MAX_MEMBERS) throw badRequest(`${what} has more than ${MAX_MEMBERS} members`);
  const repeated = repeatedMember(bytes, value);
  if (repeated !== undefined) throw badRequest(`${what} has a member twice: ${repeated}`);
  return value as Members;
}

/** As everywhere in this API, null counts as absent. */
export const isGiven = (members: Members, name: string): boolean => members[name] !== undefined && members[name] !== null;

/** null counts as absent. @throws Problem bad_request for another type, or for a text above the maximum length */
export function optionalText(members: Members, name: string): string | undefined {
  const value = members[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw badRequest(`${name} is not a string`);
  const most = MAXIMA.get(name) ?? MAX_CHARACTERS;
  // No key has an identifier of this length.
  if (name === 'kid' && isLonger(value, most)) throw notFound();
  if (isLonger(value, most)) throw badRequest(`${name} has more than ${most} characters`);
  return value;
}

/** null counts as absent. @throws Problem bad_request for anything but an array of texts, or for one above the maximum length of the member */
export function optionalTexts(members: Members, name: string): readonly string[] | undefined {
  const value = members[name];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string')) throw badRequest(`${name} is not an array of strings`);
  const most = MAXIMA.get(name) ?? MAX_CHARACTERS;
  if (value.some((each) => isLonger(each, most))) throw badRequest(`${name} has an entry of more than ${most} characters`);
  return value;
}

/** @throws Problem bad_request if it is missing or has another type */
export function text(members: Members, name: string): string {
  const value = optionalText(members, name);
  if (value === undefined) throw badRequest(`missing member: ${name}`);
  return value;
}

/**
 * Decodes base64url without padding (RFC 7515 section 2). Accepts only the canonical encoding of the bytes.
 * @throws Problem bad_request
 */
export function decode(value: string, name: string): Buffer {
  const bytes = Buffer.from(value, 'base64url');
  if (bytes.toString('base64url') !== value) throw badRequest(`${name} is not base64url without padding`);
  return bytes;
}

/** @throws Problem bad_request */
export function octets(members: Members, name: string): Buffer {
  return decode(text(members, name), name);
}

/** @throws Problem bad_request */
export function optionalOctets(members: Members, name: string): Buffer | undefined {
  const value = optionalText(members, name);
  return value === undefined ? undefined : decode(value, name);
}
