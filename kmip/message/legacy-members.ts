// Where payloads of KMIP 1.x have attributes: as Attributes of their own, or within one TemplateAttribute (specification 1.4 section 4).
import type { OperationName } from '../operation-name.ts';
import { Refusal } from '../refusal.ts';
import { tagName } from '../ttlv/names.ts';
import type { Structure } from '../ttlv/node.ts';
import { children } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';

/** Those whose payload has Attributes of its own. Some appliances send Locate with a TemplateAttribute, which is taken as that. */
const WITH_ATTRIBUTES: ReadonlySet<OperationName> = new Set(['AddAttribute', 'Import', 'Locate', 'ModifyAttribute']);

/**
 * In the form of 2.1 all of these are the same, and cannot be told from another any more.
 * @throws Refusal InvalidField for a field that the operation does not have, InvalidMessage for a second one of a field that it has once (1.4 table 327)
 */
export function checkAttributeMembers(operation: OperationName, payload: Structure): void {
  if (!WITH_ATTRIBUTES.has(operation) && children(payload, TAG.Attribute).length > 0)
    throw new Refusal('InvalidField', `${operation} of KMIP 1.x has no field Attribute: give attributes within a TemplateAttribute`);
  requireOne(operation, payload, TAG.TemplateAttribute);
  if (operation === 'DeleteAttribute') requireOne(operation, payload, TAG.AttributeName);
}

function requireOne(operation: OperationName, payload: Structure, tag: number): void {
  if (children(payload, tag).length > 1) throw new Refusal('InvalidMessage', `${operation} takes only one ${tagName(tag)}, but this request has several`);
}
