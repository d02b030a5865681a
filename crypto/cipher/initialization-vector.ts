// Checks the length of initialization vectors, nonces and counters for a cipher.
import { CryptoError } from '../crypto-error.ts';
import type { Cipher } from './cipher.ts';

export interface IvRule {
  /** Length of an IV that the server generates. All lengths are in bytes. */
  readonly bytes: number;
  readonly min: number;
  readonly max: number;
  /** The allowed lengths between `min` and `max`; absent if all are allowed. */
  readonly only?: readonly number[];
}

/** @throws CryptoError missing_iv, invalid */
export function checkedIv(name: string, rule: IvRule, iv: Uint8Array | undefined): Uint8Array {
  if (iv === undefined) throw new CryptoError('missing_iv', `${name} needs an IV/nonce, and none was given`);
  if (!acceptsIv(rule, iv.length)) throw new CryptoError('invalid', `invalid IV/nonce length: ${lengths(rule)} bytes are needed, ${iv.length} were given`);
  return iv;
}

function acceptsIv({ min, max, only }: IvRule, bytes: number): boolean {
  return bytes >= min && bytes <= max && (only === undefined || only.includes(bytes));
}

/** What a cipher tells of its IVs. @param rule undefined if it needs none */
export function takesIv(rule: IvRule | undefined): Pick<Cipher, 'ivBytes' | 'ivRule' | 'acceptsIv'> {
  return { ivBytes: rule?.bytes, ivRule: rule, acceptsIv: (bytes) => rule === undefined || acceptsIv(rule, bytes) };
}

function lengths({ min, max, only }: IvRule): string {
  if (only !== undefined) return only.join(' or ');
  return min === max ? String(min) : `${min} to ${max}`;
}
