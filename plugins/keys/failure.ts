// The answer to a KMIP client if the actor cannot give one: a response message with one failed item, in TTLV (KMIP 2.1 sections 8.4 to 8.6).

const [STRUCTURE, INTEGER, ENUMERATION, TEXT, DATE_TIME] = [1, 2, 5, 7, 9];
const TAG = {
  batchCount: 0x42000d,
  batchItem: 0x42000f,
  protocolVersion: 0x420069,
  major: 0x42006a,
  minor: 0x42006b,
  header: 0x42007a,
  response: 0x42007b,
  message: 0x42007d,
  reason: 0x42007e,
  status: 0x42007f,
  timeStamp: 0x420092,
};
const OPERATION_FAILED = 1;
const GENERAL_FAILURE = 0x100;
/** The newest minor version that is served, by major version. */
const NEWEST_MINOR: Readonly<Record<number, number>> = { 1: 4, 2: 1 };
/** Offsets in a request message, in bytes: the protocol version, its major and its minor number. */
const [VERSION_AT, MAJOR_AT, MINOR_AT] = [16, 24, 40];

/** @param request only its protocol version is read @param now milliseconds since the epoch */
export function failureMessage(request: Uint8Array, text: string, now: number): Uint8Array {
  const { major, minor } = versionOf(Buffer.from(request.buffer, request.byteOffset, request.byteLength));
  const version = item(TAG.protocolVersion, STRUCTURE, Buffer.concat([number(TAG.major, INTEGER, major), number(TAG.minor, INTEGER, minor)]));
  const time = Buffer.alloc(8);
  time.writeBigInt64BE(BigInt(Math.floor(now / 1_000)));
  const header = item(TAG.header, STRUCTURE, Buffer.concat([version, item(TAG.timeStamp, DATE_TIME, time), number(TAG.batchCount, INTEGER, 1)]));
  const result = Buffer.concat([
    number(TAG.status, ENUMERATION, OPERATION_FAILED),
    number(TAG.reason, ENUMERATION, GENERAL_FAILURE),
    item(TAG.message, TEXT, Buffer.from(text)),
  ]);
  return item(TAG.response, STRUCTURE, Buffer.concat([header, item(TAG.batchItem, STRUCTURE, result)]));
}

/** The version to answer in: 1.0, which every client reads, if the request does not name one. */
function versionOf(request: Buffer): { major: number; minor: number } {
  const isThere =
    request.length >= MINOR_AT + 12 &&
    [VERSION_AT, MAJOR_AT, MINOR_AT].every((at, index) => request.readUIntBE(at, 3) === [TAG.protocolVersion, TAG.major, TAG.minor][index]);
  const [major, minor] = isThere ? [request.readInt32BE(MAJOR_AT + 8), request.readInt32BE(MINOR_AT + 8)] : [1, 0];
  const newest = NEWEST_MINOR[major];
  // If the major version is not served, answer in the newest version that is.
  return newest === undefined ? { major: 2, minor: 1 } : { major, minor: minor < 0 ? newest : Math.min(minor, newest) };
}

function number(tag: number, type: number, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return item(tag, type, bytes);
}

/** Tag, type, length, value. The value is padded to a multiple of eight bytes; the length does not count the padding. */
function item(tag: number, type: number, value: Buffer): Buffer {
  const bytes = Buffer.alloc(8 + Math.ceil(value.length / 8) * 8);
  bytes.writeUIntBE(tag, 0, 3);
  bytes.writeUInt8(type, 3);
  bytes.writeUInt32BE(value.length, 4);
  value.copy(bytes, 8);
  return bytes;
}
