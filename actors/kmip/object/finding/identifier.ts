// Reads the identifier of an object from a payload, and resolves placeholders and keyset addresses.
import type { Reader } from '../../../../kernel/store/store.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { tagName } from '../../../../kmip/ttlv/names.ts';
import { type Structure, TYPE } from '../../../../kmip/ttlv/node.ts';
import { child, nameOf } from '../../../../kmip/ttlv/read.ts';
import type { Principal } from '../../api.ts';
import { identifierAt } from '../../earlier.ts';
import type { Batch } from '../../operation-context.ts';
import { keysetTerm } from '../index-terms.ts';
import { SCOPES, Selection } from '../search/selection.ts';

const MAX_IDENTIFIER_CHARACTERS = 128;
/** Some clients send the name of the enumeration value as text. */
const PLACEHOLDER = 'IDPlaceholder';

/** The text of the identifier. If the payload has none or refers to an earlier item of the batch, the identifier of that item. @throws Refusal */
export function identifierText(payload: Structure, tag: number, batch: Batch): string {
  const node = child(payload, tag);
  if (node === undefined || (node.type === TYPE.TextString && node.value === PLACEHOLDER)) return placeholder(batch);
  if (node.type === TYPE.TextString) {
    if (node.value === '') throw new Refusal('InvalidField', `${tagName(tag)} must not be empty`);
    return node.value;
  }
  if (node.type === TYPE.Integer && batch.earlier) return identifierAt(node.value, batch);
  if (node.type !== TYPE.Enumeration) throw new Refusal('InvalidField', `${tagName(tag)} must be a text string or a value of the enumeration`);
  if (node.value === ENUM.UniqueIdentifier.IDPlaceholder) return placeholder(batch);
  const made = batch.made?.get(node.value);
  if (made === undefined)
    throw new Refusal('InvalidField', `no earlier item of this batch has made the object that ${nameOf('UniqueIdentifier', node.value)} stands for`);
  return made;
}

function placeholder({ placeholder: id }: Batch): string {
  if (id === undefined) throw new Refusal('InvalidField', 'UniqueIdentifier is missing, and no earlier item of this batch has set the place holder id');
  return id;
}

const SERVER_MADE = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether the server has generated the identifier: a UUID of version 7, and before that of version 4. */
export function isServerMade(id: string): boolean {
  return SERVER_MADE.test(id);
}

/** Checks an identifier that a client chose for a new object. @throws Refusal InvalidField */
export function requireChosen(id: string): string {
  const why =
    id.length === 0 || id.length > MAX_IDENTIFIER_CHARACTERS
      ? `must have between 1 and ${MAX_IDENTIFIER_CHARACTERS} characters`
      : /\p{Cc}/u.test(id)
        ? 'must not contain control characters'
        : id.startsWith('[') || id === '*' || id === PLACEHOLDER
          ? `must not begin with [, nor be * or ${PLACEHOLDER}`
          : undefined;
  if (why) throw new Refusal('InvalidField', `a unique identifier ${why}`);
  return id;
}

export interface KeysetAddress {
  readonly name: string;
  readonly generation: 'latest' | 'first' | number;
}

/** `name@latest`, `name@first`, `name@3`; undefined for anything else. */
export function keysetAddress(id: string): KeysetAddress | undefined {
  const match = /^(.+)@(latest|first|\d{1,9})$/s.exec(id);
  if (!match) return undefined;
  const [, name, place] = match as unknown as [string, string, string];
  return { name, generation: place === 'latest' || place === 'first' ? place : Number(place) };
}

/**
 * The members of a keyset, newest first: the caller's own if there are any, otherwise those of the one owner who has granted the caller a right on any.
 * @throws Refusal if there are several such owners
 */
export async function keysetMembers(from: Reader, name: string, caller: Principal): Promise<string[]> {
  for (const scope of SCOPES) {
    const selection = new Selection(caller, scope);
    selection.term(keysetTerm(name));
    const rows = await from.all<{ id: string; owner: string }>(`${selection.sql()} ORDER BY seq DESC`, selection.params);
    if (new Set(rows.map(({ owner }) => owner)).size > 1)
      throw new Refusal('InvalidField', 'several owners have granted keys of a keyset with this name; give the identifier of a key');
    if (rows.length > 0) return rows.map(({ id }) => id);
  }
  return [];
}
