// The items of a batch that are executed later, with all that their execution needs, as bytes.
import { type BatchItem, type ErrorContinuation, readHeader, readItems } from '../../../kmip/message/request.ts';
import { decodeBinary, encodeBinary } from '../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { boolean, bytes, enumeration, integer, type Node, type Structure, structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Version } from '../../../kmip/version.ts';
import type { Principal } from '../api.ts';
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
}

const LENGTH_BYTES = 4;

/** @returns the length of the facts, the facts in JSON, and a RequestMessage in binary TTLV */
export function encodeJob({ caller: { administers: _, ...caller }, requestId, version, onError, items, ids, batch }: Job): Uint8Array {
  const facts: Facts = { caller, requestId, ids, placeholder: batch.placeholder, made: [...(batch.made ?? [])] };
  const json = Buffer.from(JSON.stringify(facts));
  const message = encodeBinary(messageOf(version, onError, items));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(json.length);
  const whole = new Uint8Array(LENGTH_BYTES + json.length + message.length);
  whole.set(length);
  whole.set(json, LENGTH_BYTES);
  whole.set(message, LENGTH_BYTES + json.length);
  message.fill(0);
  return whole;
}

/** @param whole what encodeJob returned; the items are views of it */
export function decodeJob(whole: Uint8Array): Job {
  const end = LENGTH_BYTES + Buffer.from(whole.buffer, whole.byteOffset).readUInt32BE();
  const { placeholder, made, ...facts } = JSON.parse(Buffer.from(whole.subarray(LENGTH_BYTES, end)).toString()) as Facts;
  const message = decodeBinary(whole.subarray(end));
  const header = readHeader(message);
  const batch = { placeholder, made: made.length > 0 ? new Map(made) : undefined };
  return { ...facts, version: header.version, onError: header.onError, items: readItems(message, header), batch };
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
  if (ephemeral) members.push(boolean(TAG.Ephemeral, true));
  if (id) members.push(bytes(TAG.UniqueBatchItemID, id));
  return structure(TAG.BatchItem, [...members, payload]);
}
