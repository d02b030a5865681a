// Whether a new object keeps to the constraints of the caller that makes it (KMIP specification 2.1 sections 6.1.52 and 7.7).
import { referenceTo, sameReference, valuesOf } from '../../../kmip/attribute/reference.ts';
import { type ReadonlyAttributes, sameNode } from '../../../kmip/attribute/set.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { tagName } from '../../../kmip/ttlv/names.ts';
import { type Node, TYPE } from '../../../kmip/ttlv/node.ts';
import { nameOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { pertaining, type ScopedAttributes } from './scoped-attributes.ts';

/** @throws Refusal ConstraintViolation if constraints are for this object and it keeps to none of them */
export function requireConstraints(constraints: readonly ScopedAttributes[], { type, attributes }: { type: number; attributes: ReadonlyAttributes }): void {
  const [first, ...others] = pertaining(constraints, type, attributes);
  if (!first) return;
  const violated = violatedBy(attributes, first);
  if (violated === undefined || others.some((other) => violatedBy(attributes, other) === undefined)) return;
  const object = nameOf('ObjectType', type);
  throw new Refusal('ConstraintViolation', `the ${object} keeps to none of the constraints that SetConstraints has set for it; look at ${tagName(violated)}`);
}

/** What is as the request has it, whatever else comes to the object. */
const KNOWN_BEFORE: ReadonlySet<number> = new Set([TAG.CryptographicAlgorithm, TAG.CryptographicLength, TAG.CryptographicUsageMask]);

/** As `requireConstraints`, before a key is generated that takes long: of what is not known then nothing is demanded. @throws Refusal ConstraintViolation */
export function requirePossible(constraints: readonly ScopedAttributes[], object: { type: number; attributes: ReadonlyAttributes }): void {
  const isKnown = ({ tag }: Node): boolean => KNOWN_BEFORE.has(tag) && object.attributes.has(tag);
  requireConstraints(
    constraints.map((each) => ({ ...each, attributes: each.attributes.filter(isKnown) })),
    object,
  );
}

/** @returns the tag of the first attribute that is not as demanded; undefined if all are. Of one that is demanded several times, one value is enough */
function violatedBy(attributes: ReadonlyAttributes, { attributes: demanded }: ScopedAttributes): number | undefined {
  for (const each of demanded) {
    const reference = referenceTo(each);
    const accepted = demanded.filter((other) => sameReference(referenceTo(other), reference));
    if (!accepted.some((other) => isAs(attributes, other))) return each.tag;
  }
  return undefined;
}

function isAs(attributes: ReadonlyAttributes, demanded: Node): boolean {
  if (demanded.tag === TAG.CryptographicUsageMask && demanded.type === TYPE.Integer) {
    const given = attributes.first(demanded.tag);
    // These uses and no others; what has no mask has none.
    return given?.type !== TYPE.Integer || (given.value & ~demanded.value) === 0;
  }
  return valuesOf(attributes, referenceTo(demanded)).some(({ node }) => sameNode(node, demanded));
}
