// The answer to a KMIP client if the actor cannot give one: a response message with one failed item, in TTLV (KMIP 2.1 sections 8.4 to 8.6).
import { versionAhead } from '../../kmip/message/version-ahead.ts';
import { encodeBinary } from '../../kmip/ttlv/binary.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { dateTime, enumeration, integer, structure, text } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import type { Version } from '../../kmip/version.ts';

/** Every client reads it. */
const OLDEST: Version = { major: 1, minor: 0 };

/** @param request only its protocol version is read @param now milliseconds since the epoch */
export function failureMessage(request: Uint8Array, said: string, now: number): Uint8Array {
  const { major, minor } = versionAhead(request) ?? OLDEST;
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
