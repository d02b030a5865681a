// The version that the first bytes of a binary request name, for answers to a request that is not decoded.
import { TAG } from '../ttlv/tag.ts';
import { VERSIONS, type Version, WORKING_VERSION } from '../version.ts';

/** Offsets in bytes: the protocol version, which is the first member of the header, and its major and its minor number (specification 2.1 section 8.2). */
const [VERSION_AT, MAJOR_AT, MINOR_AT] = [16, 24, 40];
const VERSION_TAGS = [TAG.ProtocolVersion, TAG.ProtocolVersionMajor, TAG.ProtocolVersionMinor];

/**
 * @param request or its first 52 bytes
 * @returns the version to answer in: that of the request, or the newest of its major number, or the working version if that is not served; undefined if the
 * bytes name none
 */
export function versionAhead(request: Uint8Array): Version | undefined {
  const bytes = Buffer.from(request.buffer, request.byteOffset, request.byteLength);
  const isThere = bytes.length >= MINOR_AT + 12 && [VERSION_AT, MAJOR_AT, MINOR_AT].every((at, index) => bytes.readUIntBE(at, 3) === VERSION_TAGS[index]);
  if (!isThere) return undefined;
  const [major, minor] = [bytes.readInt32BE(MAJOR_AT + 8), bytes.readInt32BE(MINOR_AT + 8)];
  const newest = VERSIONS.find((version) => version.major === major);
  return newest === undefined ? WORKING_VERSION : { major, minor: minor < 0 ? newest.minor : Math.min(minor, newest.minor) };
}
