// Identifiers of keys on tokens: `hsm::<model>[_n]::<slot>::<name>`, or without the model if there is one instance.
import { isPublicName, publicName, withoutPublicEnd } from '../../../kmip/pair-name.ts';
import type { TokenKey } from '../../hsm/api.ts';

/** Where a key lies. */
export interface TokenPlace {
  /** Of the instance: `hsm::soft_hsm_1`. */
  readonly prefix: string;
  readonly slot: number;
  /** The key on the token; the public key of a pair has the name of its private key. */
  readonly name: string;
}

export const HSM = 'hsm';
const BORDER = '::';
// A slot has one form, without leading zeros: a key with two identifiers would be two objects.
const SHORT = /^hsm::(0|[1-9]\d{0,9})::(.+)$/s;
const REST = /^(0|[1-9]\d{0,9})::(.+)$/s;

/** Whether this account is an HSM instance, which owns the keys of its tokens. Nobody can have such a name, because of the colons. */
export const isInstance = (owner: string): boolean => owner.startsWith(HSM + BORDER);

/** Whether an identifier says that its key lies on a token. */
export const isOnToken = (id: string): boolean => id.startsWith(HSM + BORDER);

/** The identifier in full. The short form stands for the only instance. */
export function canonical(id: string, prefixes: readonly string[]): string {
  const short = SHORT.exec(id);
  return short && prefixes.length === 1 ? `${prefixes[0]}${BORDER}${short[1]}${BORDER}${short[2]}` : id;
}

/** The identifier without its model, which `canonical` takes for it if there is one instance. @returns undefined if the key lies on no token */
export function shortForm(id: string): string | undefined {
  const [, rest] = /^hsm::[a-z][a-z0-9_]*::(\d.*)$/s.exec(id) ?? [];
  return rest === undefined ? undefined : HSM + BORDER + rest;
}

/** A configuration may write the slot with leading zeros. */
export const withPlainSlot = (configured: string): string => configured.replace(/^(hsm::(?:[a-z][a-z0-9_]*::)?)0+(?=\d+::)/, '$1');

/** @param isPublic of a public key: its end is not part of the name @returns undefined if the identifier has another form, or no instance has its prefix */
export function placeOf(id: string, prefixes: readonly string[], isPublic: boolean): TokenPlace | undefined {
  const full = canonical(id, prefixes);
  const prefix = prefixes.find((each) => full.startsWith(each + BORDER));
  const rest = prefix === undefined ? null : REST.exec(full.slice(prefix.length + BORDER.length));
  if (prefix === undefined || !rest) return undefined;
  const [, slot, given] = rest as unknown as [string, string, string];
  const name = isPublic ? withoutPublicEnd(given) : given;
  // No key has an empty name: on a token it would be that of all keys without one.
  return name === '' ? undefined : { prefix, slot: Number(slot), name };
}

export function identifierOf({ prefix, slot, name }: TokenPlace, isPublic = false): string {
  const id = [prefix, slot, name].join(BORDER);
  return isPublic ? publicName(id) : id;
}

/** The longest name of a new key that its token lists by it, without the number of its generation. */
const MAX_BASE = 72;

/**
 * The next generation of a key: `key`, `key::1`, `key::2`. A key without a name is called by its CKA_ID in hexadecimal, `0x0102`, and no new one is:
 * the next is `0102::1`, of a long CKA_ID with its beginning alone.
 * @param id in full
 */
export function nextGeneration(id: string): string {
  const whole = withoutPublicEnd(id);
  const [, place = '', name = whole, generation = '0'] = /^(hsm::[a-z][a-z0-9_]*::\d+::)(.+?)(?:::(\d{1,9}))?$/s.exec(whole) ?? [];
  const base = /^0x([0-9a-f]{2})+$/.test(name) ? name.slice(2, 2 + MAX_BASE) : name;
  const next = `${place}${base}::${Number(generation) + 1}`;
  return isPublicName(id) ? publicName(next) : next;
}

/**
 * Other names that a key may have by its CKA_ID: the hexadecimal form while another key has its label, and the text if this server made it, even one
 * longer than those of other tools may be.
 */
export function namesById({ name, names }: Pick<TokenKey, 'name' | 'names'>): string[] {
  const hex = names.findLast((each) => /^0x([0-9a-f]{2})+$/.test(each));
  if (hex === undefined) return [];
  const id = Buffer.from(hex.slice(2), 'hex');
  return [hex, id.toString()].filter((each) => each !== name && (each === hex || Buffer.from(each).equals(id)));
}
