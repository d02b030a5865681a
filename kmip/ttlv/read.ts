// Reads the members of a structure by tag, and refuses members of the wrong type.
import { Refusal } from '../refusal.ts';
import { ENUM, type EnumName } from './enumeration.ts';
import { asUnsigned } from './lexical.ts';
import { tagName } from './names.ts';
import { type Node, type Structure, TYPE } from './node.ts';

/** The first child with this tag. */
export function child(parent: Structure, tag: number): Node | undefined {
  for (const node of parent.value) if (node.tag === tag) return node;
  return undefined;
}

export function children(parent: Structure, tag: number): Node[] {
  return parent.value.filter((node) => node.tag === tag);
}

type Value<T extends Node['type']> = Extract<Node, { readonly type: T }>['value'];

/** @throws Refusal InvalidMessage if the child has another type */
function valueOfType<T extends Node['type']>(parent: Structure, tag: number, type: T): Value<T> | undefined {
  const node = child(parent, tag);
  if (node === undefined) return undefined;
  if (node.type !== type) throw wrongType(node, type);
  return node.value as unknown as Value<T> | undefined;
}

export function wrongType(node: Node, type: number): Refusal {
  const name = (code: number) => Object.entries(TYPE).find(([, value]) => value === code)?.[0] ?? `type ${code}`;
  return new Refusal('InvalidMessage', `${tagName(node.tag)} is ${name(node.type)}, not ${name(type)}`);
}

export const structureOf = (parent: Structure, tag: number): Structure | undefined => {
  const node = child(parent, tag);
  if (node === undefined) return undefined;
  if (node.type !== TYPE.Structure) throw wrongType(node, TYPE.Structure);
  return node;
};
export const textOf = (parent: Structure, tag: number): string | undefined => valueOfType(parent, tag, TYPE.TextString);
export const bytesOf = (parent: Structure, tag: number): Uint8Array | undefined => valueOfType(parent, tag, TYPE.ByteString);
export const integerOf = (parent: Structure, tag: number): number | undefined => valueOfType(parent, tag, TYPE.Integer);
export const longOf = (parent: Structure, tag: number): bigint | undefined => valueOfType(parent, tag, TYPE.LongInteger);
export const bigOf = (parent: Structure, tag: number): bigint | undefined => valueOfType(parent, tag, TYPE.BigInteger);
export const booleanOf = (parent: Structure, tag: number): boolean | undefined => valueOfType(parent, tag, TYPE.Boolean);
export const dateOf = (parent: Structure, tag: number): number | undefined => valueOfType(parent, tag, TYPE.DateTime);
/** Also accepts an Integer or a LongInteger, as `secondsOf` does. */
export function intervalOf(parent: Structure, tag: number): number | undefined {
  const node = child(parent, tag);
  if (node === undefined) return undefined;
  const seconds = secondsOf(node);
  if (seconds === undefined) throw wrongType(node, TYPE.Interval);
  return seconds;
}
export const codeOf = (parent: Structure, tag: number): number | undefined => valueOfType(parent, tag, TYPE.Enumeration);

/** The value of an Interval, or of an Integer or LongInteger in the same range; undefined for anything else. */
export function secondsOf({ type, value }: Node): number | undefined {
  if (type !== TYPE.Interval && type !== TYPE.Integer && type !== TYPE.LongInteger) return undefined;
  return asUnsigned(Number(value));
}

/** @throws Refusal InvalidMessage that names the missing field */
export function required<T>(value: T | undefined, tag: number): T {
  if (value === undefined) throw new Refusal('InvalidMessage', `missing field: ${tagName(tag)}`);
  return value;
}

/** The name of a code in an enumeration. @throws Refusal InvalidField for a code without a name */
export function nameOf<E extends EnumName>(enumeration: E, code: number): keyof (typeof ENUM)[E] & string {
  const name = NAMES.get(enumeration)?.get(code);
  if (name === undefined) throw new Refusal('InvalidField', `${enumeration} has no value 0x${code.toString(16).padStart(8, '0')}`);
  return name as keyof (typeof ENUM)[E] & string;
}

const NAMES: ReadonlyMap<string, ReadonlyMap<number, string>> = new Map(
  Object.entries(ENUM).map(([name, values]) => [name, new Map(Object.entries(values).map(([key, code]) => [code as number, key]))]),
);

/** The name of the value of an Enumeration child. */
export function enumNameOf<E extends EnumName>(parent: Structure, tag: number, enumeration: E): (keyof (typeof ENUM)[E] & string) | undefined {
  const code = codeOf(parent, tag);
  return code === undefined ? undefined : nameOf(enumeration, code);
}
