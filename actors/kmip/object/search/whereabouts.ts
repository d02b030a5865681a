// What a search asks by names that are no stored attributes: who owns an object, on which HSM it lies, and whether it is the caller's own. They only narrow what the caller may see.
import { composed } from '../../../../kernel/normal-form.ts';
import { accountOf, idsOfName } from '../../../../kernel/store/accounts.ts';
import type { Reader } from '../../../../kernel/store/store.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { type Node, TYPE } from '../../../../kmip/ttlv/node.ts';
import { textOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { isInstance } from '../hsm-identifier.ts';
import { SCOPES, type Scope, type Selection } from './selection.ts';

/** The vendor whose attributes these are. */
const VENDOR = 'gatehouse';
/** An instance, or one of its slots: `hsm::soft_hsm`, `hsm::soft_hsm::0`. */
const PLACE = /^(hsm::[a-z][a-z0-9_]*)(?:::\d{1,10})?$/;

export interface Whereabouts {
  /** The names of owners, as GET /me shows them, each with the accounts that have or had it. */
  readonly owners: readonly (readonly string[])[];
  readonly places: readonly { readonly instance: string; readonly start: string }[];
  /** What is to be searched, in the order of SCOPES. */
  readonly scopes: readonly Scope[];
}

/** The attributes that are left, and what the others ask. @throws Refusal InvalidField for an HSM that no identifier can name, or another scope */
export async function whereaboutsOf(from: Reader, attributes: readonly Node[]): Promise<{ readonly attributes: readonly Node[]; readonly asked: Whereabouts }> {
  const owners = attributes.flatMap((node) => askedFor(node, 'owner') ?? []).map(composed);
  const places = attributes.flatMap((node) => askedFor(node, 'hsm') ?? []).map(placeIn);
  const scopes = attributes.flatMap((node) => askedFor(node, 'scope') ?? []).map(scopeIn);
  const accounts: string[][] = [];
  for (const name of owners) accounts.push(await accountsOf(from, name));
  return {
    attributes:
      owners.length + places.length + scopes.length === 0 ? attributes : attributes.filter((node) => NAMES.every((name) => askedFor(node, name) === undefined)),
    asked: { owners: accounts, places, scopes: SCOPES.filter((each) => scopes.every((scope) => scope === each)) },
  };
}

const NAMES = ['owner', 'hsm', 'scope'] as const;

export function selectWhereabouts(selection: Selection, { owners, places }: Whereabouts): void {
  for (const ids of owners) selection.where(ids.length === 0 ? '1 = 0' : `o.owner IN (${ids.map((id) => selection.param(id)).join(', ')})`);
  for (const { instance, start } of places) {
    selection.where(`o.owner = ${selection.param(instance)}`);
    selection.where(`substr(o.id, 1, ${start.length}) = ${selection.param(start)}`);
  }
}

function askedFor(node: Node, name: (typeof NAMES)[number]): string | undefined {
  if (node.tag !== TAG.Attribute || node.type !== TYPE.Structure) return undefined;
  if (textOf(node, TAG.VendorIdentification) !== VENDOR || textOf(node, TAG.AttributeName) !== name) return undefined;
  return textOf(node, TAG.AttributeValue) ?? '';
}

/** Also of holders that are deleted: their objects stay. */
async function accountsOf(from: Reader, name: string): Promise<string[]> {
  if (isInstance(name)) return [name];
  return [...new Set([...[await accountOf(from, name)].filter((id) => id !== undefined), ...(await idsOfName(from, name))])];
}

function placeIn(value: string): Whereabouts['places'][number] {
  const instance = PLACE.exec(value)?.[1];
  if (instance === undefined) throw new Refusal('InvalidField', `${value} is no HSM: give hsm::<model>, or hsm::<model>::<slot>`);
  return { instance, start: `${value}::` };
}

function scopeIn(value: string): Scope {
  const scope = SCOPES.find((each) => each === value);
  if (scope === undefined) throw new Refusal('InvalidField', `${value} is no scope: give ${SCOPES.join(' or ')}`);
  return scope;
}
