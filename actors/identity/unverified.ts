// Reads a JWT before anything of it is verified: the members that choose its keys, and what no verified token may have.
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { repeatedMember } from '../../text/repeated-member.ts';

const MAX_TOKEN_CHARACTERS = 65_536;
/** Levels of arrays and objects in the claims: deeper ones could not cross to the thread that asks. */
const MAX_CLAIM_LEVELS = 32;

export interface Unverified {
  readonly alg: string;
  readonly kid: string | undefined;
  readonly iss: string | undefined;
  /** The name of a header parameter or a claim that stands twice (RFC 7515 section 4, RFC 7519 section 4), as a path. */
  readonly repeated: string | undefined;
}

/** @returns undefined if it is no JWT, or one that is too long or nests too deep */
export function readUnverified(token: string): Unverified | undefined {
  const parts = token.length > MAX_TOKEN_CHARACTERS ? [] : token.split('.').map((part) => Buffer.from(part, 'base64url'));
  if (parts.length === 0 || parts.map((bytes) => bytes.toString('base64url')).join('.') !== token) return undefined;
  try {
    const header = decodeProtectedHeader(token);
    const claims = decodeJwt(token);
    if (isDeeper(claims, MAX_CLAIM_LEVELS)) return undefined;
    const { alg, kid } = header;
    const { iss } = claims;
    if (typeof alg !== 'string') return undefined;
    const repeated = repeatedMember(parts[0] as Buffer, header) ?? repeatedMember(parts[1] as Buffer, claims);
    return { alg, kid: typeof kid === 'string' ? kid : undefined, iss: typeof iss === 'string' ? iss : undefined, repeated };
  } catch {
    return undefined;
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}
