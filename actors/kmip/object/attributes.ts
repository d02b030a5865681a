// The attributes of an object: values by tag, several where KMIP permits it, each with the index that KMIP 1.x clients name it by.
import { encodeBinary } from '../ttlv/binary.ts';
import { integer, type Node, type Structure, structure, TYPE } from '../ttlv/node.ts';
import { TAG } from '../ttlv/tag.ts';
import { referenceTo, sameReference } from './attribute-reference.ts';

export interface AttributeValue {
  /** Stable while the value exists, so that deleting one renumbers nothing (KMIP 1.4 section 2.1.1). Vendor attributes count by name. */
  readonly index: number;
  readonly node: Node;
}

/** What may be read of attributes by everybody; objects that came from the cache are shared and never written to. */
export interface ReadonlyAttributes {
  first(tag: number): Node | undefined;
  all(tag: number): readonly AttributeValue[];
  has(tag: number): boolean;
  /** Every value, in the order in which their tags came. */
  nodes(): Node[];
  tags(): IterableIterator<number>;
  /** For storage: an Attributes structure, an AttributeIndex before each value whose index does not follow from those before it. */
  toStructure(): Structure;
  copy(): AttributeSet;
}

export class AttributeSet implements ReadonlyAttributes {
  readonly #byTag = new Map<number, AttributeValue[]>();

  /** From values as a client or the store has them. */
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
    return this.#byTag.get(tag) ?? [];
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
    for (const values of this.#byTag.values())
      for (const [place, { index, node }] of values.entries()) {
        if (index !== nextIndex(values.slice(0, place), node)) value.push(integer(TAG.AttributeIndex, index));
        value.push(node);
      }
    return structure(TAG.Attributes, value);
  }

  copy(): AttributeSet {
    const set = new AttributeSet();
    for (const [tag, values] of this.#byTag) set.#byTag.set(tag, [...values]);
    return set;
  }

  /** Replaces every value of the node's tag by this one. */
  set(node: Node): void {
    this.#byTag.set(node.tag, [{ index: 0, node }]);
  }

  /** Adds a value beside those that are there; its index is the next one unless given. */
  add(node: Node, index?: number): AttributeValue {
    const values = this.#byTag.get(node.tag) ?? [];
    const value = { index: index ?? nextIndex(values, node), node };
    this.#byTag.set(node.tag, [...values, value]);
    return value;
  }

  /** Puts another node in the place of the value with this index. */
  replace(tag: number, index: number, node: Node): void {
    const values = this.#byTag.get(tag) ?? [];
    this.#byTag.set(
      tag,
      values.map((value) => (value.index === index ? { index, node } : value)),
    );
  }

  /** Puts another node in the place of a value of this set. */
  replaceValue(old: AttributeValue, node: Node): AttributeValue {
    const value = { index: old.index, node };
    const values = this.#byTag.get(old.node.tag) ?? [];
    this.#byTag.set(
      old.node.tag,
      values.map((each) => (each === old ? value : each)),
    );
    return value;
  }

  /** Removes a value of this set. */
  removeValue(old: AttributeValue): void {
    const left = (this.#byTag.get(old.node.tag) ?? []).filter((each) => each !== old);
    if (left.length > 0) this.#byTag.set(old.node.tag, left);
    else this.#byTag.delete(old.node.tag);
  }

  /** Removes one value, or all of the tag where no index is given. */
  remove(tag: number, index?: number): void {
    const left = index === undefined ? [] : (this.#byTag.get(tag) ?? []).filter((value) => value.index !== index);
    if (left.length > 0) this.#byTag.set(tag, left);
    else this.#byTag.delete(tag);
  }
}

/** The index of a value that comes after these. */
function nextIndex(values: readonly AttributeValue[], node: Node): number {
  const reference = referenceTo(node);
  return values.reduce((next, each) => (sameReference(referenceTo(each.node), reference) ? Math.max(next, each.index + 1) : next), 0);
}

/** Whether two values are the same, by their binary encoding; the order of a structure's members means nothing. */
export function sameNode(a: Node, b: Node): boolean {
  return a.tag === b.tag && a.type === b.type && Buffer.compare(encodeBinary(ordered(a)), encodeBinary(ordered(b))) === 0;
}

function ordered(node: Node): Node {
  if (node.type !== TYPE.Structure) return node;
  return structure(
    node.tag,
    node.value.map(ordered).toSorted((a, b) => a.tag - b.tag),
  );
}
