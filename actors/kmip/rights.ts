// Rights of a ticket of DelegatedLogin: the operations that its holder may request, and on which objects (KMIP specification 2.1 sections 7.34 and 7.35).
import type { OperationName } from '../../kmip/operation-name.ts';
import { Refusal } from '../../kmip/refusal.ts';
import { type Structure, TYPE } from '../../kmip/ttlv/node.ts';
import { children, nameOf, structureOf } from '../../kmip/ttlv/read.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import type { ObjectDescription } from './object/managed-object.ts';

/** Who acts in the name of the giver of a ticket. */
export interface TicketHolder {
  /** Their own account. */
  readonly user: string;
  /** The hash of the ticket, as it is stored. */
  readonly ticket: string;
}

/** What is left out is not restricted. */
export interface Right {
  readonly operations?: readonly OperationName[];
  /** Identifiers. */
  readonly objects?: readonly string[];
  /** Values of ObjectGroup. */
  readonly groups?: readonly string[];
}

/** The rights that permit one operation, without its name; undefined if one of them permits it on every object, and on none. */
export type Reach = readonly Pick<Right, 'objects' | 'groups'>[];

/** Bounds what is stored, and read with each message. */
const MAX_RIGHTS = 64;
const MAX_NAMES = 256;
const MAX_CHARACTERS = 1_024;

/** A ticket must not make another, which would have more rights or last longer. */
const NEVER: ReadonlySet<OperationName> = new Set<OperationName>(['DelegatedLogin', 'Login']);

/** Operations on objects that exist, and on nothing else: a right on certain objects permits these only. */
const ON_OBJECTS: ReadonlySet<OperationName> = new Set<OperationName>([
  ...(['Activate', 'AddAttribute', 'AdjustAttribute', 'Archive', 'Check', 'Deactivate', 'Decrypt', 'DeleteAttribute'] as const),
  ...(['Decapsulate', 'DeriveKey', 'Destroy', 'Encapsulate', 'Encrypt', 'Obliterate'] as const),
  ...(['Export', 'Get', 'GetAttributeList', 'GetAttributes', 'GetUsageAllocation', 'JoinSplitKey', 'MAC', 'MACVerify', 'ModifyAttribute'] as const),
  ...(['ObtainLease', 'ReCertify', 'Recover', 'ReKey', 'ReKeyKeyPair', 'Revoke', 'SetAttribute', 'Sign', 'SignatureVerify'] as const),
]);

const invalid = (message: string): Refusal => new Refusal('InvalidField', message);
const notPermitted = (message: string): Refusal => new Refusal('NotAuthorised', message);

/** @param canonical of an identifier @throws Refusal InvalidField, InvalidMessage; FeatureNotSupported for UsageLimits of a Right */
export function readRights(rights: Structure, canonical: (id: string) => string): readonly Right[] {
  const all = children(rights, TAG.Right);
  if (all.length === 0) throw invalid('Rights must hold a Right: the ticket would permit nothing');
  if (all.length > MAX_RIGHTS) throw invalid(`Rights can hold at most ${MAX_RIGHTS} Rights`);
  return all.map((node) => {
    if (node.type !== TYPE.Structure) throw new Refusal('InvalidMessage', 'a Right is a Structure');
    return readRight(node, canonical);
  });
}

function readRight(node: Structure, canonical: (id: string) => string): Right {
  if (structureOf(node, TAG.UsageLimits)) throw new Refusal('FeatureNotSupported', 'a Right has no UsageLimits: give them to the ticket');
  const operations = structureOf(node, TAG.Operations)?.value.map(({ type, value }) => {
    if (type !== TYPE.Enumeration) throw new Refusal('InvalidMessage', 'an Operation of a Right is an Enumeration');
    return nameOf('Operation', value);
  });
  const never = operations?.find((name) => NEVER.has(name));
  if (never) throw invalid(`${never} cannot be delegated: a ticket makes no tickets`);
  const objects = namesIn(structureOf(node, TAG.Objects), 'UniqueIdentifier')?.map(canonical);
  const groups = namesIn(structureOf(node, TAG.ObjectGroups), 'ObjectGroup');
  return { ...(operations && { operations }), ...(objects && { objects }), ...(groups && { groups }) };
}

function namesIn(list: Structure | undefined, member: 'UniqueIdentifier' | 'ObjectGroup'): string[] | undefined {
  if (list && list.value.length > MAX_NAMES) throw invalid(`a Right can hold at most ${MAX_NAMES} of ${member}`);
  return list?.value.map(({ type, value }) => {
    if (type !== TYPE.TextString) throw new Refusal('InvalidMessage', `${member} of a Right is a TextString`);
    if (value.length > MAX_CHARACTERS) throw invalid(`${member} of a Right can have at most ${MAX_CHARACTERS} characters`);
    return value;
  });
}

/** @param rights undefined for a caller who is not restricted */
export function permits(rights: readonly Right[] | undefined, operation: OperationName): boolean {
  return rights === undefined || permitting(rights, operation).length > 0;
}

/** @throws Refusal NotAuthorised if no right permits the operation at all */
export function reachOf(rights: readonly Right[], operation: OperationName): Reach | undefined {
  const found = permitting(rights, operation);
  if (found.length === 0) throw notPermitted(`the ticket does not permit ${operation}`);
  if (found.some(isOnAll)) return undefined;
  return found;
}

function permitting(rights: readonly Right[], operation: OperationName): readonly Right[] {
  if (NEVER.has(operation)) return [];
  return rights.filter((right) => (right.operations?.includes(operation) ?? true) && (isOnAll(right) || ON_OBJECTS.has(operation)));
}

const isOnAll = ({ objects, groups }: Right): boolean => objects === undefined && groups === undefined;

export function isWithin(reach: Reach | undefined, { id, attributes }: ObjectDescription): boolean {
  if (reach === undefined) return true;
  const inGroup = (groups: readonly string[]) => attributes.all(TAG.ObjectGroup).some(({ node }) => groups.includes(node.value as string));
  return reach.some(({ objects, groups }) => (objects?.includes(id) ?? true) && (groups === undefined || inGroup(groups)));
}

/** Called for an object that the giver of the ticket may use, so that the refusal tells nobody of objects that are not theirs. @throws Refusal NotAuthorised */
export function requireWithin(reach: Reach | undefined, object: ObjectDescription): void {
  if (!isWithin(reach, object)) throw notPermitted(`the ticket does not permit this on ${object.id}`);
}
