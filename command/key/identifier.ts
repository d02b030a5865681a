// Finds the key that a word of the command line means: an identifier as it is, or the name of a key of one's own.
import type { Client } from '../../client/client.ts';
import { enumeration, integer, type Node, structure, text } from '../../client/kmip.ts';

const IDENTIFIER = /^([0-9a-f]{8}-[0-9a-f-]{27}|hsm::.+)$/;
/** On-line and in the archive (bits of StorageStatusMask): a key there keeps its name. */
export const ALL_STORAGES = integer('StorageStatusMask', 0x1 | 0x2);
const NAMED = 'UninterpretedTextString';

export const nameAttribute = (name: string): Node => structure('Name', text('NameValue', name), enumeration('NameType', NAMED));

/** Tags are one attribute with a list in JSON. */
export const tagAttribute = (tags: readonly string[]): Node =>
  structure('Attribute', text('VendorIdentification', 'gatehouse'), text('AttributeName', 'tag'), text('AttributeValue', JSON.stringify(tags)));

/** Of a pair that shares a name the private key is meant. @returns the word itself if no key has that name: it may be an identifier of another form */
export async function identifierOf(client: Client, word: string): Promise<string> {
  if (IDENTIFIER.test(word)) return word;
  const found = await locate(client, [nameAttribute(word)]);
  if (found.length < 2) return found[0] ?? word;
  const [owner] = await locate(client, [nameAttribute(word), enumeration('ObjectType', 'PrivateKey')]);
  return owner ?? (found[0] as string);
}

async function locate(client: Client, attributes: readonly Node[]): Promise<string[]> {
  const { UniqueIdentifier: found } = await client.kmip('Locate', [integer('MaximumItems', 2), ALL_STORAGES, structure('Attributes', ...attributes)]);
  return found === undefined ? [] : ([] as string[]).concat(found as string | string[]);
}
