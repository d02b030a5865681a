// How large what is stored as JSON may be: it is read with every login, session and list that it belongs to.
import { Fault } from '../../kernel/fault.ts';

/** Bytes of UTF-8 as compact JSON: roles, extra claims, digital credentials, policies. */
export const MAX_JSON_BYTES = 4_096;
/** Each list of service accounts, namespaces or audiences of a cluster role. */
export const MAX_BOUND_LIST_BYTES = 16_384;
/** All that a realm says of its ways to sign in; it may have many identity providers. */
export const MAX_AUTH_PARAMS_BYTES = 32_768;

/** @throws Fault BAD_REQUEST naming the member and its limit */
export function requireJsonSize(member: string, value: unknown, maxBytes = MAX_JSON_BYTES): void {
  if (!fits(value, maxBytes)) throw new Fault('BAD_REQUEST', { detail: `body/${member}: must not have more than ${maxBytes} bytes as JSON` });
}

function fits(value: unknown, maxBytes: number): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(value)) <= maxBytes;
  } catch (error) {
    // So deep that it cannot be written has more bytes than this.
    if (error instanceof RangeError) return false;
    throw error;
  }
}
