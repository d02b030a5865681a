// Names of keys on tokens, and the CKA_ID of each.
import { isUtf8 } from 'node:buffer';
import { isPublicName } from '../../../kmip/pair-name.ts';
import type { TokenKeyName } from '../api.ts';

const MAX_NAME_BYTES = 90;
/** A key with a longer CKA_ID, and no other name, is not listed: PostgreSQL would not keep its identifier. */
const MAX_ID_BYTES = 256;

/** CKA_ID and CKA_LABEL are both the name, so that vendor tools find the key by either. An identifier that is a name has no other form. */
export function idOf(name: string): Buffer {
  const bytes = /^0x([0-9a-f]{2})+$/.test(name) ? Buffer.from(name.slice(2), 'hex') : undefined;
  return bytes && asName(bytes) === undefined ? bytes : Buffer.from(name);
}

/** Bytes as a name, if they are a text that an identifier may contain. */
function asName(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0 || bytes.length > MAX_NAME_BYTES) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return isPublicName(text) || /\p{Cc}|^0x|@/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Whether a key has its CKA_ID as its name. */
export const hasTextId = (id: Buffer | undefined): boolean => id !== undefined && asName(id) !== undefined;

/** CKA_ID if it is a text, else CKA_LABEL if it is one, else CKA_ID in hexadecimal. @param isAlone whether no other key of the class has the label */
export function chosenName(id: Buffer | undefined, label: Buffer | undefined, isAlone: (label: Buffer) => boolean): string | undefined {
  const text = id && asName(id);
  if (text !== undefined) return text;
  const name = label && asName(label);
  if (name !== undefined && isAlone(label as Buffer)) return name;
  return id && id.length > 0 && id.length <= MAX_ID_BYTES ? `0x${id.toString('hex')}` : undefined;
}

/** All names that a key is found by, also those that an identifier may not contain. Bytes that are no text have none as text: all such would be alike. */
export function namesOf(id: Uint8Array = new Uint8Array(), label: Uint8Array = new Uint8Array()): string[] {
  const [idBytes, labelBytes] = [Buffer.from(id), Buffer.from(label)];
  const texts = [idBytes, labelBytes].filter((bytes) => isUtf8(bytes)).map((bytes) => bytes.toString());
  return [...new Set([...texts, `0x${idBytes.toString('hex')}`])].filter((name) => name !== '' && name !== '0x');
}

/** A name for each key of a slot. */
export const cacheName = ({ name, kind, wrapped }: TokenKeyName): string => `${wrapped ? 'wrapped ' : ''}${kind} ${name}`;
export const isOfWrapped = (name: string): boolean => name.startsWith('wrapped ');
