// Checks the first eight bytes of a binary message: it must be a request, and must not be too long.
import { Refusal } from '../refusal.ts';
import { HEADER } from '../ttlv/binary-reader.ts';
import { LIMITS } from '../ttlv/limits.ts';
import { tagName } from '../ttlv/names.ts';
import { TYPE } from '../ttlv/node.ts';
import { TAG } from '../ttlv/tag.ts';

const MIB = 1024 * 1024;

/**
 * This check comes before any other: if a message is too long or is not a request, the listener passes on only its first bytes.
 * @throws Refusal InvalidMessage
 */
export function requireRequest(bytes: Uint8Array): void {
  if (bytes.length < HEADER) return;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const word = view.getUint32(0);
  const tag = word >>> 8;
  if (tag !== TAG.RequestMessage) throw notARequest(tag);
  if ((word & 0xff) !== TYPE.Structure) throw new Refusal('InvalidMessage', 'RequestMessage must be a Structure');
  const length = HEADER + view.getUint32(4);
  if (length > LIMITS.bytes) throw new Refusal('InvalidMessage', `the message has ${length} bytes; at most ${LIMITS.bytes / MIB} MiB are allowed`);
}

export function notARequest(tag: number): Refusal {
  return new Refusal('InvalidMessage', `the message is a ${tagName(tag)}; it must be a RequestMessage`);
}
