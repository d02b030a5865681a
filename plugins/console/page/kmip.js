// Asks the key server in KMIP 2.1, as JSON: nodes with a tag, a type and a value.
import { ask } from './api.js';

/** @typedef {{ tag: string, type?: string, value: any }} Node a structure has no type, and nodes as its value */

const typed = (/** @type {string} */ type) => (/** @type {string} */ tag, /** @type {unknown} */ value) => /** @type {Node} */ ({ tag, type, value });
export const text = typed('TextString');
export const enumeration = typed('Enumeration');
export const integer = typed('Integer');
export const interval = typed('Interval');
export const boolean = typed('Boolean');
const bytes = typed('ByteString');

/** @param {string} tag @param {Date} date KMIP knows no milliseconds */
export const dateTime = (tag, date) => typed('DateTime')(tag, `${date.toISOString().slice(0, 19)}Z`);

/** @param {string} tag @param {readonly Node[]} members @returns {Node} */
export const structure = (tag, members) => ({ tag, value: members });

/** @param {string} id */
export const identifier = (id) => text('UniqueIdentifier', id);

/** @param {string} name */
export const nameNode = (name) => structure('Name', [text('NameValue', name), enumeration('NameType', 'UninterpretedTextString')]);

/** @param {string} name @param {string} value */
export const vendorNode = (name, value) =>
  structure('Attribute', [text('VendorIdentification', 'gatehouse'), text('AttributeName', name), text('AttributeValue', value)]);

/** The tags of an object are one attribute: a JSON array of texts. @param {readonly string[]} tags */
export const tagsNode = (tags) => vendorNode('tag', JSON.stringify(tags));

/** @param {readonly Node[]} nodes @param {string} tag @returns {any} the value of the first of them */
export const memberOf = (nodes, tag) => nodes.find((node) => node.tag === tag)?.value;

/** @param {readonly Node[]} nodes @param {string} tag @returns {any[]} */
export const membersOf = (nodes, tag) => nodes.filter((node) => node.tag === tag).map(({ value }) => value);

/**
 * @param {string} operation
 * @param {readonly Node[]} members
 * @returns {Promise<readonly Node[]>} the members of the response
 * @throws {Refusal}
 */
export async function operate(operation, members) {
  const { body } = await ask('POST', '/kmip/2_1', structure(operation, members));
  return body.value;
}

/**
 * One message with the same operation for many objects.
 * @param {string} operation
 * @param {readonly (readonly Node[])[]} payloads at most 1000
 * @returns {Promise<readonly (readonly Node[] | undefined)[]>} undefined for an item that failed
 */
export async function operateOnAll(operation, payloads) {
  if (payloads.length === 0) return [];
  const version = structure('ProtocolVersion', [integer('ProtocolVersionMajor', 2), integer('ProtocolVersionMinor', 1)]);
  const continues = enumeration('BatchErrorContinuationOption', 'Continue');
  const header = structure('RequestHeader', [version, continues, integer('BatchCount', payloads.length)]);
  const items = payloads.map((members, at) =>
    structure('BatchItem', [
      enumeration('Operation', operation),
      bytes('UniqueBatchItemID', at.toString(16).padStart(8, '0')),
      structure('RequestPayload', members),
    ]),
  );
  const { body } = await ask('POST', '/kmip/2_1', structure('RequestMessage', [header, ...items]));
  return membersOf(body.value, 'BatchItem').map((item) => (memberOf(item, 'ResultStatus') === 'Success' ? memberOf(item, 'ResponsePayload') : undefined));
}
