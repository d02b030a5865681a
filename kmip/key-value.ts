// Changes the members of the KeyValue inside an object (KMIP 2.1 section 3.2).
import { type Node, type Structure, structure } from './ttlv/node.ts';
import { TAG } from './ttlv/tag.ts';

/** @returns the object with the members of its KeyValue changed; an unchanged object if the KeyValue is wrapped or absent */
export function mapKeyValue(object: Structure, change: (members: readonly Node[]) => readonly Node[]): Structure {
  const inside = (parent: Structure): Structure =>
    structure(
      parent.tag,
      parent.value.map((node) => {
        if (!isStructure(node)) return node;
        if (node.tag === TAG.KeyValue) return structure(node.tag, change(node.value));
        return node.tag === TAG.KeyBlock ? inside(node) : node;
      }),
    );
  return inside(object);
}

const isStructure = (node: Node): node is Structure => Array.isArray(node.value);
