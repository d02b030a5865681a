// The version that the beginning of a request names, for answers to a request that is not decoded.
import { Refusal } from '../refusal.ts';
import { decodeJson } from '../ttlv/json.ts';
import type { Structure } from '../ttlv/node.ts';
import { child } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';
import { decodeXml } from '../ttlv/xml.ts';
import { VERSIONS, type Version, WORKING_VERSION } from '../version.ts';

/** Offsets in bytes: the protocol version, which is the first member of the header, and its major and its minor number (specification 2.1 section 8.2). */
const [VERSION_AT, MAJOR_AT, MINOR_AT] = [16, 24, 40];
const VERSION_TAGS = [TAG.ProtocolVersion, TAG.ProtocolVersionMajor, TAG.ProtocolVersionMinor];

/**
 * @param request of a binary one the first 52 bytes are enough
 * @returns the version to answer in: that of the request, or the newest of its major number, or the working version if that is not served; undefined if the
 * bytes name none
 */
export function versionAhead(request: Uint8Array, form: 'binary' | 'json' | 'xml' = 'binary'): Version | undefined {
  return form === 'binary' ? inBinary(request) : inText(request, form);
}

function inBinary(request: Uint8Array): Version | undefined {
  const bytes = Buffer.from(request.buffer, request.byteOffset, request.byteLength);
  const isThere = bytes.length >= MINOR_AT + 12 && [VERSION_AT, MAJOR_AT, MINOR_AT].every((at, index) => bytes.readUIntBE(at, 3) === VERSION_TAGS[index]);
  return isThere ? answering(bytes.readInt32BE(MAJOR_AT + 8), bytes.readInt32BE(MINOR_AT + 8)) : undefined;
}

function answering(major: number, minor: number): Version {
  const newest = VERSIONS.find((version) => version.major === major);
  return newest === undefined ? WORKING_VERSION : { major, minor: minor < 0 ? newest.minor : Math.min(minor, newest.minor) };
}

/** Characters of a text that are looked through: the version is the first member of a header, though JSON may have it in another place. */
const MAX_CHARACTERS = 4_096;
/** The fields alone, because what is around and behind them may be what cannot be read. */
const FIELDS = {
  json: [/\{[^{}]*"(?:Protocol[ _./-]?Version[ _./-]?Major|0x42006A)"[^{}]*\}/i, /\{[^{}]*"(?:Protocol[ _./-]?Version[ _./-]?Minor|0x42006B)"[^{}]*\}/i],
  xml: [/<(?:ProtocolVersionMajor|TTLV\s[^<>]*0x42006A)[^<>]*>/i, /<(?:ProtocolVersionMinor|TTLV\s[^<>]*0x42006B)[^<>]*>/i],
} as const;

function inText(request: Uint8Array, form: 'json' | 'xml'): Version | undefined {
  const text = Buffer.from(request.buffer, request.byteOffset, Math.min(request.byteLength, MAX_CHARACTERS)).toString();
  const [major, minor] = FIELDS[form].map((field) => field.exec(text)?.[0]);
  if (major === undefined || minor === undefined) return undefined;
  const version = decoded(major, minor, form);
  const numbers = version && [TAG.ProtocolVersionMajor, TAG.ProtocolVersionMinor].map((tag) => child(version, tag)?.value);
  return typeof numbers?.[0] === 'number' && typeof numbers[1] === 'number' ? answering(numbers[0], numbers[1]) : undefined;
}

function decoded(major: string, minor: string, form: 'json' | 'xml'): Structure | undefined {
  try {
    return form === 'json'
      ? decodeJson(Buffer.from(`{"tag":"ProtocolVersion","value":[${major},${minor}]}`))
      : decodeXml(Buffer.from(`<ProtocolVersion>${major}${minor}</ProtocolVersion>`));
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
