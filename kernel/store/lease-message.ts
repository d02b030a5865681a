// The notifications by which nodes tell each other of changes to what they cache: their texts, and what they mean.
import { SLOTS } from '../versions.ts';

/** The channel of PostgreSQL. */
export const CHANNEL = 'gatehouse_cache';
/** PostgreSQL takes notifications of less than 8000 bytes. */
const MAX_CHARACTERS = 7_500;
const SLOT_RADIX = 36;

export type LeaseMessage =
  /** A transaction of `origin` has changed what these version counters stand for; undefined: all. */
  | { readonly kind: 'change'; readonly origin: string; readonly change: number; readonly slots: readonly number[] | undefined }
  /** A member has seen changes; those of each origin. */
  | { readonly kind: 'seen'; readonly term: string; readonly changes: ReadonlyMap<string, readonly number[]> }
  /** A member has renewed its lease. */
  | { readonly kind: 'renewal'; readonly term: string };

export function changeText(origin: string, change: number, slots: readonly number[] | undefined): string {
  const text = `change ${origin} ${change} ${slots?.map((slot) => slot.toString(SLOT_RADIX)).join(',') ?? '*'}`;
  return text.length > MAX_CHARACTERS ? changeText(origin, change, undefined) : text;
}

export const renewalText = (term: string): string => `renewal ${term}`;

/** @returns one text, or more if it would be too long */
export function seenTexts(term: string, seen: readonly { readonly origin: string; readonly change: number }[]): string[] {
  const texts: string[] = [];
  let text = '';
  for (const { origin, change } of seen) {
    const next = ` ${origin}:${change}`;
    if (text.length + next.length > MAX_CHARACTERS) {
      texts.push(text);
      text = '';
    }
    text += next;
  }
  return [...texts, text].filter((each) => each !== '').map((each) => `seen ${term}${each}`);
}

/** @returns undefined for a text that is none of these: whoever sent it may mean that something has changed */
export function parseMessage(text: string): LeaseMessage | undefined {
  const [kind, name, ...rest] = text.split(' ');
  if (name === undefined) return undefined;
  if (kind === 'renewal' && rest.length === 0) return { kind, term: name };
  if (kind === 'change' && rest.length === 2) return parseChange(name, rest as [string, string]);
  return kind === 'seen' ? parseSeen(name, rest) : undefined;
}

function parseChange(origin: string, [number, list]: readonly [string, string]): LeaseMessage | undefined {
  const change = Number(number);
  const slots = list === '*' ? undefined : list.split(',').map((slot) => Number.parseInt(slot, SLOT_RADIX));
  return Number.isInteger(change) && (slots === undefined || slots.every((slot) => slot >= 0 && slot < SLOTS))
    ? { kind: 'change', origin, change, slots }
    : undefined;
}

function parseSeen(term: string, list: readonly string[]): LeaseMessage | undefined {
  const changes = new Map<string, number[]>();
  for (const each of list) {
    const [origin = '', number] = each.split(':');
    const change = Number(number);
    if (!Number.isInteger(change)) return undefined;
    changes.set(origin, [...(changes.get(origin) ?? []), change]);
  }
  return { kind: 'seen', term, changes };
}
