// Compares an object with those attributes of a Locate that are not indexed (KMIP specification 2.1 section 6.1.28).
import { sameNode } from '../../../../kmip/attribute/set.ts';
import { usageIn } from '../../../../kmip/message/version-values.ts';
import { LARGEST_DATE } from '../../../../kmip/ttlv/date-time.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { type Node, type Structure, TYPE } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { type Viewer, viewAttributes } from '../attribute-view.ts';
import type { ObjectDescription } from '../managed-object.ts';

/** Computed by the server and never stored. */
export const COMPUTED: ReadonlySet<number> = new Set([TAG.LeaseTime, TAG.ObjectClass, TAG.ProtectionStorageMask, TAG.ShortUniqueIdentifier]);

/** Shown with a default for objects on which they are not stored, such as certificates and opaque data. */
const DEFAULTED: ReadonlySet<number> = new Set([TAG.Sensitive, TAG.AlwaysSensitive, TAG.Extractable, TAG.NeverExtractable, TAG.Fresh, TAG.KeyFormatType]);

/** Whether an object matches all of these; two dates with the same tag are the ends of a range. */
export function matches(object: ObjectDescription, conditions: readonly Node[], viewer: Viewer): boolean {
  return conditions.every((asked) => {
    if (asked.tag === TAG.ObjectGroupMember) return isFresh(object) === (asked.value === ENUM.ObjectGroupMember.GroupMemberFresh);
    if (isNotStored(object, asked.tag)) return viewAttributes(object, viewer).some((node) => sameNode(node, asked));
    const values = object.attributes.all(asked.tag).map(({ node }) => node);
    if (asked.tag === TAG.UsageLimits && asked.type === TYPE.Structure) return values.some((node) => node.type === TYPE.Structure && hasLeft(node, asked));
    if (asked.type === TYPE.DateTime) return isInRange(values, conditions, asked.tag);
    if (asked.tag === TAG.CryptographicUsageMask && asked.type === TYPE.Integer)
      return values.some((node) => node.type === TYPE.Integer && ((node.value | usageIn(node.value, viewer.version)) & asked.value) === asked.value);
    return values.some((node) => includes(node, asked));
  });
}

function isNotStored({ attributes }: ObjectDescription, tag: number): boolean {
  return COMPUTED.has(tag) || (DEFAULTED.has(tag) && !attributes.has(tag));
}

/** Section 6.1.28: total and count must be at least as large as requested. */
function hasLeft(limits: Structure, asked: Structure): boolean {
  return asked.value.every((member) => {
    const own = limits.value.find(({ tag }) => tag === member.tag);
    if (member.type !== TYPE.LongInteger) return own !== undefined && sameNode(own, member);
    return own?.type === TYPE.LongInteger && own.value >= member.value;
  });
}

function isFresh({ attributes }: ObjectDescription): boolean {
  return attributes.first(TAG.Fresh)?.value === true;
}

/** A range that ends with the largest date has the objects without the date (section 6.1.28). */
function isInRange(values: readonly Node[], conditions: readonly Node[], tag: number): boolean {
  const [first, last] = rangeOf(conditions, tag);
  if (values.length === 0) return last === LARGEST_DATE;
  return values.some(({ value }) => (value as number) >= first && (value as number) <= last);
}

/** The ends of a range of dates; a single date is both ends. */
export function rangeOf(conditions: readonly Node[], tag: number): [number, number] {
  const ends = conditions.flatMap((each) => (each.tag === tag && each.type === TYPE.DateTime ? [each.value] : []));
  return [Math.min(...ends), Math.max(...ends)];
}

/** The requested structure may contain only some of the members. */
function includes(node: Node, asked: Node): boolean {
  if (asked.type !== TYPE.Structure || node.type !== TYPE.Structure) return sameNode(node, asked);
  return asked.value.every((member) => (node as Structure).value.some((own) => own.tag === member.tag && includes(own, member)));
}
