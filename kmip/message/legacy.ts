// Converts payloads between versions: requests of KMIP 1.x and 3.0 into the form of 2.1, which operations work on, and responses back.
import { isMultiple } from '../attribute/rules.ts';
import { sameNode } from '../attribute/set.ts';
import { mapKeyValue } from '../key-value.ts';
import type { OperationName } from '../operation-name.ts';
import { Refusal } from '../refusal.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { TYPE_NAMES } from '../ttlv/enumeration-of.ts';
import { tagName } from '../ttlv/names.ts';
import { integer, type Node, type Structure, structure, TYPE } from '../ttlv/node.ts';
import { child, children, textOf } from '../ttlv/read.ts';
import { operationExists, tagExists } from '../ttlv/since.ts';
import { TAG } from '../ttlv/tag.ts';
import type { Version } from '../version.ts';
import { downgradeAttributes, downgradeReference, upgradeAttribute, upgradeAttributes, upgradeReference } from './legacy-attribute.ts';
import { checkAttributeMembers } from './legacy-members.ts';
import { payloadMembers, requireMembers, unknownField } from './payload-members.ts';
import { fromThird, isNaming, toThird } from './third-version.ts';
import { knownValues, spoken } from './version-values.ts';

/** @throws Refusal OperationNotSupported, and `unknownField`, if the version does not have the operation or one of the fields */
export function checkVersion(operation: OperationName, payload: Structure, version: Version): void {
  if (!operationExists(ENUM.Operation[operation], version)) throw new Refusal('OperationNotSupported', `${spoken(version)} has no ${operation}`);
  checkTags(payload, version);
}

function checkTags({ value }: Structure, version: Version): void {
  for (const node of value) {
    if (!tagExists(node.tag, version) && !isTaken(node)) throw new Refusal(unknownField(version), `${spoken(version)} has no ${tagName(node.tag)}`);
    if (node.type === TYPE.Structure) checkTags(node, version);
    else if (isNaming(node) && version.major < 3)
      throw new Refusal('InvalidMessage', `${spoken(version)} has no type ${TYPE_NAMES.name(node.type)}: use TextString`);
  }
}

/** What clients send too early: libkmip, which Percona's database servers bring, asks for the second page of Locate (since 1.3) in KMIP 1.0. */
const isTaken = (node: Node): boolean => node.tag === TAG.OffsetItems || isEmptyTemplate(node);

/** An empty template has no effect, and PyKMIP adds one to every ReKey, even in KMIP 2.0. */
const isEmptyTemplate = ({ tag, type, value }: Node) => tag === TAG.TemplateAttribute && type === TYPE.Structure && value.length === 0;

const IN_2: ReadonlyMap<number, number> = new Map([
  [TAG.TemplateAttribute, TAG.Attributes],
  [TAG.CommonTemplateAttribute, TAG.CommonAttributes],
  [TAG.PrivateKeyTemplateAttribute, TAG.PrivateKeyAttributes],
  [TAG.PublicKeyTemplateAttribute, TAG.PublicKeyAttributes],
]);
const IN_1: ReadonlyMap<number, number> = new Map([...IN_2].map(([before, after]) => [after, before]));

const KEYS: ReadonlySet<number> = new Set([TAG.SymmetricKey, TAG.PrivateKey, TAG.PublicKey, TAG.SecretData, TAG.SplitKey, TAG.PGPKey]);

/** The attributes of each template, by the name of the template, in the form of 2.1. */
export type Templates = ReadonlyMap<string, readonly Node[]>;

/** The names of the templates from which a request of KMIP 1.x takes attributes. */
export function templateNames({ value }: Structure): string[] {
  return value.flatMap((node) => (IN_2.has(node.tag) && node.type === TYPE.Structure ? children(node, TAG.Name).map(templateName) : []));
}

function templateName(node: Node): string {
  const name = node.type === TYPE.Structure ? textOf(node, TAG.NameValue) : undefined;
  if (name === undefined) throw new Refusal('InvalidMessage', 'the Name of a template has no NameValue');
  return name;
}

/** @throws Refusal InvalidMessage, InvalidField for attributes that KMIP 1.x does not have, ItemNotFound for a template that is not in `templates` */
export function upgradePayload(operation: OperationName, payload: Structure, version: Version, templates: Templates = new Map()): Structure {
  if (version.major >= 3) return structure(payload.tag, fromThird(payload.value));
  if (version.major !== 1)
    return payload.value.some(isEmptyTemplate)
      ? structure(
          payload.tag,
          payload.value.filter((node) => !isEmptyTemplate(node)),
        )
      : payload;
  checkAttributeMembers(operation, payload);
  const members = payload.value.flatMap((node) => upgradeMember(operation, node, version, templates));
  // Section 4.16 of 1.4: without an index, the request means the first value.
  if (operation === 'DeleteAttribute' && !child(payload, TAG.AttributeIndex)) members.push(integer(TAG.AttributeIndex, 0));
  return structure(payload.tag, gather(members));
}

function upgradeMember(operation: OperationName, node: Node, version: Version, templates: Templates): Node[] {
  const after = IN_2.get(node.tag);
  if (after !== undefined) return [structure(after, templateAttributes(node, version, templates))];
  if (node.tag === TAG.Attribute) return [upgradeSingle(operation, upgradeAttribute(node, version))];
  if (node.tag === TAG.AttributeName) return [upgradeReference(node, version)];
  if (node.tag === TAG.CertificateRequest && node.type === TYPE.ByteString) return [{ ...node, tag: TAG.CertificateRequestValue }];
  if (node.tag === TAG.Template && node.type === TYPE.Structure)
    return [structure(TAG.Template, [structure(TAG.Attributes, upgradeAttributes(node.value, version))])];
  return [KEYS.has(node.tag) ? inKeyValue(node, (member) => upgradeKeyValue(member, version)) : node];
}

/** Converts an attribute that is a direct member of the payload. */
function upgradeSingle(operation: OperationName, attribute: readonly Node[]): Structure {
  if (operation === 'AddAttribute') return structure(TAG.NewAttribute, attribute);
  // Section 4.9 of 1.4: an attribute to search for has no index.
  if (operation === 'Locate') return structure(TAG.Attributes, attribute.slice(-1));
  if (operation !== 'ModifyAttribute') return structure(TAG.Attributes, attribute);
  return structure(TAG.NewAttribute, attribute.length > 1 ? attribute : [integer(TAG.AttributeIndex, 0), ...attribute]);
}

/** These belong to the template itself; objects made with it do not inherit them. */
const OF_TEMPLATE: ReadonlySet<number> = new Set([TAG.Name, TAG.AttributeIndex]);

/** Section 2.1.8 of 1.4. */
const OF_TEMPLATE_ATTRIBUTE = payloadMembers([], ['Name', 'Attribute']);

/**
 * Section 4 of 1.4: if an attribute can have one value only, the request takes precedence, then the last template.
 * If it can have several values, the object gets all of them.
 */
function templateAttributes(node: Node, version: Version, templates: Templates): Node[] {
  if (node.type !== TYPE.Structure) throw new Refusal('InvalidMessage', `${tagName(node.tag)} must be a Structure`);
  requireMembers(tagName(node.tag), OF_TEMPLATE_ATTRIBUTE, node);
  const own = upgradeAttributes(children(node, TAG.Attribute), version);
  const named = new Set(own.map(({ tag }) => tag));
  let inherited: Node[] = [];
  for (const name of children(node, TAG.Name)) {
    const attributes = templates.get(templateName(name));
    if (!attributes) throw new Refusal('ItemNotFound', `there is no template named ${templateName(name)}`);
    const single = attributes.filter(({ tag }) => !OF_TEMPLATE.has(tag) && !isMultiple(tag) && !named.has(tag));
    const several = attributes.filter((each) => !OF_TEMPLATE.has(each.tag) && isMultiple(each.tag) && !own.some((other) => sameNode(other, each)));
    const replaced = new Set(single.map(({ tag }) => tag));
    const kept = inherited.filter((each) => !replaced.has(each.tag) && !several.some((other) => sameNode(other, each)));
    inherited = [...kept, ...single, ...several];
  }
  return [...inherited, ...own];
}

/** Merges all Attributes structures into one, in the position of the first. */
function gather(members: readonly Node[]): Node[] {
  const first = members.findIndex(({ tag }) => tag === TAG.Attributes);
  const all = members.flatMap((node) => (node.tag === TAG.Attributes && node.type === TYPE.Structure ? node.value : []));
  return members.flatMap((node, place) => (node.tag !== TAG.Attributes ? [node] : place === first ? [structure(TAG.Attributes, all)] : []));
}

/** @param payload of a response, in the form of 2.1 */
export function downgradePayload(operation: OperationName, payload: readonly Node[], version: Version): readonly Node[] {
  const shown = knownValues(payload, version);
  const answered = version.major === 1 ? shown.flatMap((node) => downgradeMember(operation, node)) : shown;
  return keepKnown(version.major >= 3 ? toThird(answered) : answered, version);
}

/** Removes, at every level, members that the version does not have. Mostly there are none, and then nothing is copied. */
function keepKnown(nodes: readonly Node[], version: Version): readonly Node[] {
  if (areKnown(nodes, version)) return nodes;
  return nodes
    .filter(({ tag }) => tagExists(tag, version))
    .map((node) => (node.type === TYPE.Structure ? structure(node.tag, keepKnown(node.value, version)) : node));
}

function areKnown(nodes: readonly Node[], version: Version): boolean {
  for (const node of nodes) if (!tagExists(node.tag, version) || (node.type === TYPE.Structure && !areKnown(node.value, version))) return false;
  return true;
}

function downgradeMember(operation: OperationName, node: Node): Node[] {
  const before = IN_1.get(node.tag);
  if (before !== undefined && node.type === TYPE.Structure) {
    const attributes = downgradeAttributes(node.value);
    return operation === 'GetAttributes' || operation === 'Export' ? attributes : [structure(before, attributes)];
  }
  if (node.tag === TAG.NewAttribute && node.type === TYPE.Structure) return downgradeAttributes(node.value);
  if (node.tag === TAG.AttributeReference) return [downgradeReference(node) ?? []].flat();
  if (node.tag === TAG.Template && node.type === TYPE.Structure)
    return [
      structure(
        TAG.Template,
        node.value.flatMap((each) => (each.type === TYPE.Structure ? downgradeAttributes(each.value) : [])),
      ),
    ];
  return [KEYS.has(node.tag) ? inKeyValue(node, downgradeKeyValue) : node];
}

/** Converts the KeyValue of an object that is not wrapped, because it can contain attributes too. */
function inKeyValue(object: Node, convert: (member: Node) => Node[]): Node {
  const inside = (node: Node): Node => {
    if (node.type !== TYPE.Structure) return node;
    if (node.tag === TAG.KeyValue) return structure(node.tag, gather(node.value.flatMap(convert)));
    return structure(
      node.tag,
      node.value.map((member) => (member.tag === TAG.KeyBlock || member.tag === TAG.KeyValue ? inside(member) : member)),
    );
  };
  return inside(object);
}

/** Converts the contents of the KeyValue to the version; after wrapping this is no longer possible. @param object in the form of 2.1 */
export function keyValueIn(object: Structure, version: Version): Structure {
  const shown = mapKeyValue(object, (members) => knownValues(members, version));
  if (version.major >= 3) return structure(shown.tag, toThird(shown.value));
  return version.major === 1 ? (inKeyValue(shown, downgradeKeyValue) as Structure) : shown;
}

const upgradeKeyValue = (node: Node, version: Version): Node[] =>
  node.tag === TAG.Attribute ? [structure(TAG.Attributes, upgradeAttribute(node, version))] : [node];

const downgradeKeyValue = (node: Node): Node[] => (node.tag === TAG.Attributes && node.type === TYPE.Structure ? downgradeAttributes(node.value) : [node]);
