// Reads attributes of an object on a token: all in one call where the token tells them all, because some take as long for one as for ten.
import { CKA } from '../../../kmip/pkcs11.ts';
import { PKCS_11_RETURN_CODE as CKR } from '../../../kmip/ttlv/pkcs11.ts';
import type { TokenKeyKind } from '../api.ts';
import { isStaleSession, returnValue } from './return-value.ts';

/** By type; those that the object does not have, or keeps, are missing. */
export type Attributes = ReadonlyMap<number, Buffer>;
type Read = (types: { readonly type: number }[]) => { readonly value: Buffer }[];

const NAMES = [CKA.KEY_TYPE, CKA.ID, CKA.LABEL];
const GUARD = [CKA.SENSITIVE, CKA.EXTRACTABLE];

/** What a key is described by. A call for what its class does not have fails as a whole. */
export const TOLD: Readonly<Record<TokenKeyKind, readonly number[]>> = {
  secret: [...NAMES, ...GUARD, CKA.VALUE_LEN, CKA.ENCRYPT, CKA.DECRYPT, CKA.SIGN, CKA.VERIFY, CKA.WRAP, CKA.UNWRAP, CKA.DERIVE],
  private: [...NAMES, ...GUARD, CKA.DECRYPT, CKA.SIGN, CKA.UNWRAP, CKA.DERIVE],
  public: [...NAMES, CKA.ENCRYPT, CKA.VERIFY, CKA.WRAP, CKA.DERIVE],
};

const UNREADABLE: ReadonlySet<number> = new Set([CKR.ATTRIBUTE_SENSITIVE, CKR.ATTRIBUTE_TYPE_INVALID]);

/** @param read C_GetAttributeValue on the object */
export function readAttributes(read: Read, types: readonly number[]): Attributes {
  try {
    const values = read(types.map((type) => ({ type })));
    return new Map(types.map((type, at) => [type, values[at]?.value as Buffer]));
  } catch (error) {
    if (types.length > 1 && !isStaleSession(error)) return new Map(types.flatMap((type) => [...readAttributes(read, [type])]));
    if (UNREADABLE.has(returnValue(error) ?? -1)) return new Map();
    throw error;
  }
}

/** @returns nothing if the object cannot be read @throws the error of a session that has ended */
export function readOrNone<T>(work: () => T): T[] {
  try {
    return [work()];
  } catch (error) {
    if (returnValue(error) === undefined || isStaleSession(error)) throw error;
    return [];
  }
}

/** CK_ULONG in the byte order of the machine. */
export const uint = (value: Buffer | undefined): number => (value && value.length > 0 ? value.readUIntLE(0, Math.min(value.length, 6)) : 0);

/** Of CKA_VALUE_LEN, in bytes; 0 if the token does not say, which some do by CK_UNAVAILABLE_INFORMATION. No key has so many bits that KMIP has no number for them. */
export function lengthIn(value: Buffer | undefined): number {
  const bytes = uint(value);
  return bytes * 8 <= MAX_BITS ? bytes : 0;
}

const MAX_BITS = 0x7fffffff;
