// The attributes of an object: one or more values for each tag, each with the index that KMIP 1.x clients use to select it.
import { encodeBinary } from '../ttlv/binary.ts';
import { integer, type Node, type Structure, structure, TYPE } from '../ttlv/node.ts';
import { TAG } from '../ttlv/tag.ts';
import { referenceTo } from './reference.ts';

export interface AttributeValue {
  /** Never changes, even if other values are deleted (KMIP 1.4 section 2.1.1). Each vendor attribute name has its own count. */
  readonly index: number;
  readonly node: Node;
}

/** Most objects have few of the attributes that are asked for. */
const NONE: readonly AttributeValue[] = Object.freeze([]);

/** Read-only access to attributes. Objects from the cache are shared, so no code may change them. */
export interface ReadonlyAttributes {
  first(tag: number): Node | undefined;
  all(tag: number): readonly AttributeValue[];
  has(tag: number): boolean;
  /** All values, in the order in which their tags were first added. */
  nodes(): Node[];
  tags(): IterableIterator<number>;
  /** For storage: an Attributes structure. An AttributeIndex comes before each value whose index is not simply the next number. */
  toStructure(): Structure;
  copy(): AttributeSet;
}

export class AttributeSet implements ReadonlyAttributes {
  readonly #byTag = new Map<number, AttributeValue[]>();
  readonly #indexes = new Indexes();

  /** Reads an Attributes structure from a client or from the store. */
  static of(attributes: Structure | undefined): AttributeSet {
    const set = new AttributeSet();
    let index: number | undefined;
    for (const node of attributes?.value ?? []) {
      if (node.tag === TAG.AttributeIndex && typeof node.value === 'number') index = node.value;
      else {
        set.add(node, index);
        index = undefined;
      }
    }
    return set;
  }

  first(tag: number): Node | undefined {
    return this.#byTag.get(tag)?.[0]?.node;
  }

  all(tag: number): readonly AttributeValue[] {
    return this.#byTag.get(tag) ?? NONE;
  }

  has(tag: number): boolean {
    return this.#byTag.has(tag);
  }

  nodes(): Node[] {
    return [...this.#byTag.values()].flatMap((values) => values.map(({ node }) => node));
  }

  tags(): IterableIterator<number> {
    return this.#byTag.keys();
  }

  toStructure(): Structure {
    const value: Node[] = [];
    for (const values of this.#byTag.values()) {
      const follows = new Indexes();
      for (const { index, node } of values) {
        if (index !== follows.next(node)) value.push(integer(TAG.AttributeIndex, index));
        value.push(node);
        follows.note(node, index);
      }
    }
    return structure(TAG.Attributes, value);
  }

  copy(): AttributeSet {
    const set = new AttributeSet();
    for (const values of this.#byTag.values()) for (const { index, node } of values) set.add(node, index);
    return set;
  }

  /** Replaces all values of the node's tag with this one. */
  set(node: Node): void {
    for (const value of this.all(node.tag)) this.#indexes.forget(value.node);
    this.#byTag.set(node.tag, [{ index: 0, node }]);
    this.#indexes.note(node, 0);
  }

  /** Adds a value to the existing ones. @param index by default the next one */
  add(node: Node, index?: number): AttributeValue {
    const value = { index: index ?? this.#indexes.next(node), node };
    const values = this.#byTag.get(node.tag);
    if (values) values.push(value);
    else this.#byTag.set(node.tag, [value]);
    this.#indexes.note(node, value.index);
    return value;
  }

  /** Replaces the node of a value of this set. An index alone would not tell which: vendor attributes have one tag, and each name its own indexes. */
  replaceValue(old: AttributeValue, node: Node): AttributeValue {
    const value = { index: old.index, node };
    const values = this.#byTag.get(old.node.tag) ?? [];
    this.#byTag.set(
      old.node.tag,
      values.map((each) => (each === old ? value : each)),
    );
    return value;
  }

  removeValue(old: AttributeValue): void {
    this.#keep(old.node.tag, (value) => value !== old);
  }

  /** Removes all values of the tag. */
  remove(tag: number): void {
    this.#keep(tag, () => false);
  }

  #keep(tag: number, kept: (value: AttributeValue) => boolean): void {
    const values = this.#byTag.get(tag);
    if (!values) return;
    for (const { node } of values) this.#indexes.forget(node);
    const left = values.filter(kept);
    for (const { index, node } of left) this.#indexes.note(node, index);
    if (left.length > 0) this.#byTag.set(tag, left);
    else this.#byTag.delete(tag);
  }
}

/** The index that the next value of each attribute gets. */
class Indexes {
  readonly #next = new Map<string | number, number>();

  next(node: Node): number {
    return this.#next.get(keyOf(node)) ?? 0;
  }

  forget(node: Node): void {
    this.#next.delete(keyOf(node));
  }

  note(node: Node, index: number): void {
    this.#next.set(keyOf(node), Math.max(this.next(node), index + 1));
  }
}

function keyOf(node: Node): string | number {
  if (node.tag !== TAG.Attribute) return node.tag;
  const { vendor, name } = referenceTo(node);
  return `${vendor} ${name}`;
}

/** Whether two values have the same binary encoding, regardless of the order of members in structures. Values are compared with all others of their attribute. */
export function sameNode(a: Node, b: Node): boolean {
  if (a.tag !== b.tag) return false;
  if (a.type === TYPE.Structure) return b.type === TYPE.Structure && sameMembers(a.value, b.value);
  if (a.type === TYPE.TextString) return b.type === TYPE.TextString && a.value.toWellFormed() === b.value.toWellFormed();
  return a.type === b.type && Buffer.compare(encodeBinary(a), encodeBinary(b)) === 0;
}

function sameMembers(some: readonly Node[], others: readonly Node[]): boolean {
  if (some.length !== others.length) return false;
  const ordered = others.toSorted(byTag);
  return some.toSorted(byTag).every((member, at) => sameNode(member, ordered[at] as Node));
}

const byTag = (a: Node, b: Node): number => a.tag - b.tag;
