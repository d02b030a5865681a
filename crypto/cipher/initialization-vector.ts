// Which initialization vectors, nonces or counters a cipher takes, and the refusals of others.
import { Refusal } from '../../kmip/refusal.ts';

export interface IvRule {
  /** Bytes of one that the server makes. */
  readonly bytes: number;
  readonly min: number;
  readonly max: number;
  /** Between `min` and `max`; all when absent. */
  readonly only?: readonly number[];
}

/** @throws Refusal MissingInitializationVector, InvalidField */
export function checkedIv(name: string, rule: IvRule, iv: Uint8Array | undefined): Uint8Array {
  if (iv === undefined) throw new Refusal('MissingInitializationVector', `${name} needs an IV/nonce, and none was given`);
  if (!acceptsIv(rule, iv.length)) throw new Refusal('InvalidField', `invalid IV/nonce length: ${lengths(rule)} bytes are needed, ${iv.length} were given`);
  return iv;
}

export function acceptsIv({ min, max, only }: IvRule, bytes: number): boolean {
  return bytes >= min && bytes <= max && (only === undefined || only.includes(bytes));
}

function lengths({ min, max, only }: IvRule): string {
  if (only !== undefined) return only.join(' or ');
  return min === max ? String(min) : `${min} to ${max}`;
}
