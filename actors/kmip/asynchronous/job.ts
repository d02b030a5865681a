// The items of a batch that are executed later, with all that their execution needs, as bytes.
import { type BatchItem, type ErrorContinuation, readHeader, readItems } from '../../../kmip/message/request.ts';
import { decodeBinary, encodeBinary } from '../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { boolean, bytes, enumeration, integer, type Node, type Structure, structure } from '../../../kmip/ttlv/node.ts';
import { nameOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Version } from '../../../kmip/version.ts';
import type { Principal } from '../api.ts';
import { type Earlier, refersBack } from '../earlier.ts';
import type { Batch } from '../operation-context.ts';

export interface Job {
  /** Without what the caller administers, which is asked again. */
  readonly caller: Principal;
  /** Of the request that asked for it. */
  readonly requestId: string | undefined;
  readonly version: Version;
  readonly onError: ErrorContinuation;
  readonly items: readonly BatchItem[];
  /** The correlation values of the items, in hexadecimal. */
  readonly ids: readonly string[];
  /** What the items before them have left. */
  readonly batch: Readonly<Batch>;
}

interface Facts extends Pick<Job, 'caller' | 'requestId' | 'ids'> {
  readonly placeholder: string | undefined;
  readonly made: readonly (readonly [number, string])[];
  /** Length of the message. What earlier items have answered follows it, if an item refers to that. */
  readonly messageBytes?: number;
}

const LENGTH_BYTES = 4;

/** @returns the length of the facts, the facts in JSON, a RequestMessage in binary TTLV, and perhaps what earlier items have answered */
export function encodeJob({ caller: { administers: _, ...caller }, requestId, version, onError, items, ids, batch }: Job): Uint8Array {
  const message = encodeBinary(messageOf(version, onError, items));
  const earlier = refersBack(items) ? encodeEarlier(batch.earlier ?? []) : undefined;
  const more = earlier && { messageBytes: message.length };
  const facts: Facts = { caller, requestId, ids, placeholder: batch.placeholder, made: [...(batch.made ?? [])], ...more };
  const json = Buffer.from(JSON.stringify(facts));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(json.length);
  const whole = Buffer.concat([length, json, message, ...(earlier ? [earlier] : [])]);
  message.fill(0);
  earlier?.fill(0);
  return whole;
}

/** @param whole what encodeJob returned; the items are views of it */
export function decodeJob(whole: Uint8Array): Job {
  const end = LENGTH_BYTES + Buffer.from(whole.buffer, whole.byteOffset).readUInt32BE();
  const { placeholder, made, messageBytes, ...facts } = JSON.parse(Buffer.from(whole.subarray(LENGTH_BYTES, end)).toString()) as Facts;
  const earlierAt = messageBytes === undefined ? whole.length : end + messageBytes;
  const message = decodeBinary(whole.subarray(end, earlierAt));
  const header = readHeader(message);
  const earlier = messageBytes === undefined ? undefined : decodeEarlier(whole.subarray(earlierAt));
  const batch = { placeholder, made: made.length > 0 ? new Map(made) : undefined, earlier };
  return { ...facts, version: header.version, onError: header.onError, items: readItems(message, header), batch };
}

function encodeEarlier(earlier: readonly Earlier[]): Uint8Array {
  const items = earlier.map(({ operation, members }) =>
    structure(TAG.BatchItem, [enumeration(TAG.Operation, ENUM.Operation[operation]), structure(TAG.ResponsePayload, members)]),
  );
  return encodeBinary(structure(TAG.ResponseMessage, items));
}

function decodeEarlier(encoded: Uint8Array): Earlier[] {
  const items = decodeBinary(encoded).value as readonly Structure[];
  return items.map(({ value: [operation, payload] }) => ({
    operation: nameOf('Operation', operation?.value as number),
    members: (payload as Structure).value,
  }));
}

function messageOf({ major, minor }: Version, onError: ErrorContinuation, items: readonly BatchItem[]): Structure {
  return structure(TAG.RequestMessage, [
    structure(TAG.RequestHeader, [
      structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, major), integer(TAG.ProtocolVersionMinor, minor)]),
      enumeration(TAG.BatchErrorContinuationOption, ENUM.BatchErrorContinuationOption[onError]),
      integer(TAG.BatchCount, items.length),
    ]),
    ...items.map(itemOf),
  ]);
}

function itemOf({ code, ephemeral, id, payload }: BatchItem): Structure {
  const members: Node[] = [enumeration(TAG.Operation, code)];
  // What 2.x can say is written as in 2.x: a node that runs an earlier version may read it.
  if (ephemeral) members.push(ephemeral === 'Data' ? boolean(TAG.Ephemeral, true) : enumeration(TAG.Ephemeral, ENUM.Ephemeral[ephemeral]));
  if (id) members.push(bytes(TAG.UniqueBatchItemID, id));
  return structure(TAG.BatchItem, [...members, payload]);
}
