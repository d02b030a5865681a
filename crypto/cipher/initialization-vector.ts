// Which initialization vectors, nonces or counters a cipher takes, and the refusals of others.
import { CryptoError } from '../crypto-error.ts';

export interface IvRule {
  /** Bytes of one that the server makes. */
  readonly bytes: number;
  readonly min: number;
  readonly max: number;
  /** Between `min` and `max`; all when absent. */
  readonly only?: readonly number[];
}

/** @throws CryptoError missing_iv, invalid */
export function checkedIv(name: string, rule: IvRule, iv: Uint8Array | undefined): Uint8Array {
  if (iv === undefined) throw new CryptoError('missing_iv', `${name} needs an IV/nonce, and none was given`);
  if (!acceptsIv(rule, iv.length)) throw new CryptoError('invalid', `invalid IV/nonce length: ${lengths(rule)} bytes are needed, ${iv.length} were given`);
  return iv;
}

export function acceptsIv({ min, max, only }: IvRule, bytes: number): boolean {
  return bytes >= min && bytes <= max && (only === undefined || only.includes(bytes));
}

function lengths({ min, max, only }: IvRule): string {
  if (only !== undefined) return only.join(' or ');
  return min === max ? String(min) : `${min} to ${max}`;
}
