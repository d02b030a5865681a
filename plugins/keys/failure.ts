// The answer to a KMIP client if the actor cannot give one: a response message with one failed item, in TTLV (KMIP 2.1 sections 8.4 to 8.6).
import { encodeBinary } from '../../kmip/ttlv/binary.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { dateTime, enumeration, integer, structure, text } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { VERSIONS, type Version, WORKING_VERSION } from '../../kmip/version.ts';

/** Offsets in a request message, in bytes: the protocol version, its major and its minor number. */
const [VERSION_AT, MAJOR_AT, MINOR_AT] = [16, 24, 40];
const VERSION_TAGS = [TAG.ProtocolVersion, TAG.ProtocolVersionMajor, TAG.ProtocolVersionMinor];

/** @param request only its protocol version is read @param now milliseconds since the epoch */
export function failureMessage(request: Uint8Array, said: string, now: number): Uint8Array {
  const { major, minor } = versionOf(Buffer.from(request.buffer, request.byteOffset, request.byteLength));
  return encodeBinary(
    structure(TAG.ResponseMessage, [
      structure(TAG.ResponseHeader, [
        structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, major), integer(TAG.ProtocolVersionMinor, minor)]),
        dateTime(TAG.TimeStamp, Math.floor(now / 1_000)),
        ...(major < 3 ? [integer(TAG.BatchCount, 1)] : []),
      ]),
      structure(TAG.BatchItem, [
        enumeration(TAG.ResultStatus, ENUM.ResultStatus.OperationFailed),
        enumeration(TAG.ResultReason, ENUM.ResultReason.GeneralFailure),
        text(TAG.ResultMessage, said),
      ]),
    ]),
  );
}

/** The version to answer in: 1.0, which every client reads, if the request does not name one. */
function versionOf(request: Buffer): Version {
  const isThere = request.length >= MINOR_AT + 12 && [VERSION_AT, MAJOR_AT, MINOR_AT].every((at, index) => request.readUIntBE(at, 3) === VERSION_TAGS[index]);
  const [major, minor] = isThere ? [request.readInt32BE(MAJOR_AT + 8), request.readInt32BE(MINOR_AT + 8)] : [1, 0];
  const newest = VERSIONS.find((version) => version.major === major);
  // If the major version is not served, answer in the newest version that is.
  return newest === undefined ? WORKING_VERSION : { major, minor: minor < 0 ? newest.minor : Math.min(minor, newest.minor) };
}
