// Measures the encodings: decodes an Encrypt request with 64 bytes of data and encodes its answer, in JSON, binary and XML.
import { randomBytes } from 'node:crypto';
import { decodeBinary, encodeBinary } from '../kmip/ttlv/binary.ts';
import { ENUM } from '../kmip/ttlv/enumeration.ts';
import { decodeJson, decodeJsonRequest, encodeJson } from '../kmip/ttlv/json.ts';
import { bytes, dateTime, enumeration, integer, type Node, structure, text } from '../kmip/ttlv/node.ts';
import { TAG } from '../kmip/ttlv/tag.ts';
import { decodeXml, encodeXml } from '../kmip/ttlv/xml.ts';
import { median, report, round } from './report/report.ts';

const ROUNDS = 15;
const MESSAGES = 20_000;
const MAX_NS = 10_000;

const identifier = '5f1d2c1e-7f5b-4c39-9d35-0c5e2c1a7b11';
const version = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, 2), integer(TAG.ProtocolVersionMinor, 1)]);
const payload = structure(TAG.RequestPayload, [
  text(TAG.UniqueIdentifier, identifier),
  structure(TAG.CryptographicParameters, [
    enumeration(TAG.BlockCipherMode, ENUM.BlockCipherMode.GCM),
    enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES),
  ]),
  bytes(TAG.Data, randomBytes(64)),
]);
const answer = structure(TAG.ResponsePayload, [
  text(TAG.UniqueIdentifier, identifier),
  bytes(TAG.Data, randomBytes(64)),
  bytes(TAG.IVCounterNonce, randomBytes(12)),
  bytes(TAG.AuthenticatedEncryptionTag, randomBytes(16)),
]);
const message = (tag: number, header: number, fields: readonly Node[], item: readonly Node[]) =>
  structure(tag, [
    structure(header, [version, ...fields, integer(TAG.BatchCount, 1)]),
    structure(TAG.BatchItem, [enumeration(TAG.Operation, ENUM.Operation.Encrypt), ...item]),
  ]);
const request = message(TAG.RequestMessage, TAG.RequestHeader, [], [payload]);
const response = message(
  TAG.ResponseMessage,
  TAG.ResponseHeader,
  [dateTime(TAG.TimeStamp, 1_704_164_645)],
  [enumeration(TAG.ResultStatus, ENUM.ResultStatus.Success), answer],
);

const bare = encodeJson(payload, 'Encrypt');
const json = encodeJson(request);
const binary = encodeBinary(request);
const xml = encodeXml(request);
const subjects: readonly { readonly name: string; readonly size: number; readonly decode: () => unknown; readonly encode: () => unknown }[] = [
  { name: 'JSON, bare operation', size: bare.length, decode: () => decodeJsonRequest(bare), encode: () => encodeJson(answer, 'EncryptResponse') },
  { name: 'JSON, message', size: json.length, decode: () => decodeJson(json), encode: () => encodeJson(response) },
  { name: 'binary, message', size: binary.length, decode: () => decodeBinary(binary), encode: () => encodeBinary(response) },
  { name: 'XML, message', size: xml.length, decode: () => decodeXml(xml), encode: () => encodeXml(response) },
];

/** CPU time of the process, including garbage collection. Other processes on the machine affect it little. */
function nanoseconds(work: () => unknown): number {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let count = 0; count < MESSAGES; count++) work();
    const { user, system } = process.cpuUsage(before);
    times.push(((user + system) * 1e3) / MESSAGES);
  }
  return median(times);
}

const rows = subjects.map(({ name, size, decode, encode }) => {
  const [decodeNs, encodeNs] = [nanoseconds(decode), nanoseconds(encode)];
  return { encoding: name, 'request bytes': size, 'decode ns': round(decodeNs, 0), 'encode ns': round(encodeNs, 0), 'both ns': round(decodeNs + encodeNs, 0) };
});
report(
  'ttlv',
  rows,
  rows
    .filter(({ encoding }) => !encoding.startsWith('XML'))
    .map((row) => ({ limit: `${row.encoding}: at most ${MAX_NS} ns`, value: row['both ns'], holds: row['both ns'] <= MAX_NS })),
);
