// The kind of a key by its CKA_KEY_TYPE.
import { CKK } from '../../../kmip/pkcs11.ts';
import type { TokenKeyType } from '../api.ts';
import { uint } from './attributes.ts';

const TYPE: ReadonlyMap<number, TokenKeyType> = new Map([
  [CKK.AES, 'AES'],
  [CKK.GENERIC_SECRET, 'GENERIC'],
  [CKK.RSA, 'RSA'],
  [CKK.EC, 'EC'],
  [CKK.EC_EDWARDS, 'ED'],
  [CKK.EC_MONTGOMERY, 'X'],
]);

/** @param value CKA_KEY_TYPE, if the token tells it */
export const typeIn = (value: Buffer | undefined): TokenKeyType => TYPE.get(uint(value)) ?? 'OTHER';

export const isOnCurve = (type: TokenKeyType): type is 'EC' | 'ED' | 'X' => type === 'EC' || type === 'ED' || type === 'X';
