// Reads attributes of keys and puts them into words: for tables, for one key, for the choice of an algorithm.
import type { Client } from '../../client/client.ts';
import { GatehouseError } from '../../client/error.ts';
import { type Members, membersOf, type Node, text } from '../../client/kmip.ts';
import { CommandError, EXIT } from '../exit.ts';
import type { Sort } from './kind.ts';

export async function attributesOf(client: Client, id: string): Promise<Members> {
  const { Attributes } = await client.kmip('GetAttributes', [text('UniqueIdentifier', id)]);
  return Attributes as Members;
}

/** @throws CommandError if the caller may use the key but not see its attributes: then the algorithm must be named */
export async function sortOf(client: Client, id: string, flag: string): Promise<Sort> {
  try {
    const { CryptographicAlgorithm, CryptographicLength, CryptographicDomainParameters, CryptographicParameters } = await attributesOf(client, id);
    return {
      algorithm: String(CryptographicAlgorithm),
      bits: Number(CryptographicLength),
      curve: listOf(CryptographicDomainParameters)[0]?.['RecommendedCurve'] as string | undefined,
      parameters: listOf(CryptographicParameters)[0] ?? {},
    };
  } catch (error) {
    if (!(error instanceof GatehouseError && error.status === 422)) throw error;
    throw new CommandError(`the attributes of the key cannot be read, say ${flag}: ${error.message}`, EXIT.usage);
  }
}

/** A row of the table of keys. */
export function rowOf(id: string, state: string, attributes: Members) {
  const { ObjectType, CryptographicAlgorithm, CryptographicLength } = attributes;
  return {
    id,
    name: namesOf(attributes).join(', '),
    type: ObjectType,
    algorithm: CryptographicAlgorithm === undefined ? undefined : `${CryptographicAlgorithm} ${CryptographicLength ?? ''}`.trim(),
    state,
    tags: tagsOf(attributes),
  };
}

export const COLUMNS = ['id', 'name', 'type', 'algorithm', 'state', 'tags'] as const;

const listOf = (value: unknown): readonly Members[] => (value === undefined ? [] : Array.isArray(value) ? value : [value as Members]);

const namesOf = ({ Name }: Members): string[] => listOf(Name).map(({ NameValue }) => String(NameValue));

/** Tags are one vendor attribute with a list in JSON. */
function tagsOf({ Attribute }: Members): string[] {
  const own = listOf(Attribute).find(({ AttributeName }) => AttributeName === 'tag');
  if (own === undefined) return [];
  try {
    return ([] as unknown[]).concat(JSON.parse(String(own['AttributeValue']))).map(String);
  } catch {
    return [String(own['AttributeValue'])];
  }
}

/** What `/access/owned` tells of an object. */
export function ownedRow({ object_id, state, attributes }: { object_id: string; state: string; attributes: unknown }) {
  const { object_type, tags, attributes: nodes } = attributes as { object_type: string; tags: string[]; attributes: Node[] };
  const row = rowOf(object_id, state, { ...membersOf(nodes), ObjectType: object_type });
  return { ...row, tags: tags.filter((tag) => !tag.startsWith('_')) };
}

const USES: readonly (readonly [number, string])[] = [
  [1, 'sign'],
  [2, 'verify'],
  [4, 'encrypt'],
  [8, 'decrypt'],
  [16, 'wrap'],
  [32, 'unwrap'],
  [64, 'export'],
  [128, 'mac'],
  [256, 'verify mac'],
  [512, 'derive'],
  [2_048, 'agree'],
];

/** One key for people: the attributes that matter, each in a line. */
export function detailsOf(id: string, attributes: Members): Record<string, unknown> {
  const { State, CryptographicUsageMask, Link, Sensitive, Extractable } = attributes;
  const mask = Number(CryptographicUsageMask ?? 0);
  const dates = Object.entries(attributes).filter(([name]) => /Date$/.test(name));
  const links = listOf(Link).map(({ LinkType, LinkedObjectIdentifier }) => [`${LinkType}`, LinkedObjectIdentifier]);
  return {
    ...rowOf(id, String(State), attributes),
    uses: USES.flatMap(([bit, use]) => ((mask & bit) === 0 ? [] : [use])),
    sensitive: Sensitive,
    extractable: Extractable,
    ...Object.fromEntries(dates),
    ...Object.fromEntries(links),
  };
}
