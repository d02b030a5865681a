// The tag of authenticated encryption in KMIP 1.2 and 1.3, which have no field of their own for it: the last bytes of the data.
import type { Version } from '../operations/operation.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { bytes, type Node, type Structure, structure } from '../ttlv/node.ts';
import { booleanOf, bytesOf, child, codeOf, integerOf, structureOf } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';

const { GCM, CCM, AEAD } = ENUM.BlockCipherMode;
const AUTHENTICATED: ReadonlySet<number | undefined> = new Set([GCM, CCM, AEAD]);
const TAG_BYTES = 16;

/** AuthenticatedEncryptionTag came with 1.4. */
export const hasTagInData = ({ major, minor }: Version): boolean => major === 1 && minor < 4;

/** @param payload of Decrypt, whole or the last piece of a stream; only where it names the mode itself */
export function splitTag(payload: Structure): Structure {
  const parameters = structureOf(payload, TAG.CryptographicParameters);
  const data = bytesOf(payload, TAG.Data);
  const unfinished = booleanOf(payload, TAG.InitIndicator) === true && booleanOf(payload, TAG.FinalIndicator) !== true;
  if (!parameters || !data || unfinished || child(payload, TAG.AuthenticatedEncryptionTag)) return payload;
  const length = integerOf(parameters, TAG.TagLength) ?? TAG_BYTES;
  if (!AUTHENTICATED.has(codeOf(parameters, TAG.BlockCipherMode)) || length <= 0 || data.length < length) return payload;
  const rest = payload.value.map((node) => (node.tag === TAG.Data ? bytes(TAG.Data, data.subarray(0, data.length - length)) : node));
  return structure(payload.tag, [...rest, bytes(TAG.AuthenticatedEncryptionTag, data.subarray(data.length - length))]);
}

/** @param payload of the response to Encrypt */
export function joinTag(payload: readonly Node[]): Node[] {
  const response = structure(TAG.ResponsePayload, payload);
  const tag = bytesOf(response, TAG.AuthenticatedEncryptionTag);
  if (!tag) return [...payload];
  const data = Buffer.concat([bytesOf(response, TAG.Data) ?? new Uint8Array(), tag]);
  const rest = payload.filter((node) => node.tag !== TAG.AuthenticatedEncryptionTag && node.tag !== TAG.Data);
  return [...rest, bytes(TAG.Data, new Uint8Array(data))];
}
