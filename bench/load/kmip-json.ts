// Requests of KMIP for the questions, written in JSON and, where a question is about it, encoded in binary.
import { encodeBinary } from '../../kmip/ttlv/binary.ts';
import { decodeJson } from '../../kmip/ttlv/json.ts';
import { type HttpRequest, post } from './http-request.ts';

export interface Json {
  readonly tag: string;
  readonly type?: string;
  readonly value: unknown;
}

export const e = (tag: string, value: string): Json => ({ tag, type: 'Enumeration', value });
export const n = (tag: string, value: number): Json => ({ tag, type: 'Integer', value });
export const s = (tag: string, ...value: readonly Json[]): Json => ({ tag, value });
export const t = (tag: string, value: string): Json => ({ tag, type: 'TextString', value });
export const b = (tag: string, value: string): Json => ({ tag, type: 'ByteString', value });
export const active: Json = { tag: 'ActivationDate', type: 'DateTime', value: '2024-01-01T00:00:00Z' };

/** 64 bytes. */
export const DATA = '00112233445566778899AABBCCDDEEFF'.repeat(4);

/** Operation and payload. */
export type Item = readonly [operation: string, payload: readonly Json[]];

export function message(...items: readonly Item[]): Json {
  const version = s('ProtocolVersion', n('ProtocolVersionMajor', 2), n('ProtocolVersionMinor', 1));
  const batch = items.map(([operation, payload]) => s('BatchItem', e('Operation', operation), s('RequestPayload', ...payload)));
  return s('RequestMessage', s('RequestHeader', version, n('BatchCount', items.length)), ...batch);
}

/** One operation without a message around it. */
export function json(cookie: string, [operation, payload]: Item): HttpRequest {
  return post('/kmip/2_1', { cookie, 'content-type': 'application/json' }, JSON.stringify(s(operation, ...payload)));
}

export function binary(cookie: string, ...items: readonly Item[]): HttpRequest {
  const bytes = encodeBinary(decodeJson(Buffer.from(JSON.stringify(message(...items)))));
  return post('/kmip', { cookie, 'content-type': 'application/octet-stream' }, bytes);
}

/** @returns the text of a member of an answer to a single operation */
export function memberOf(answer: string, tag: string): string {
  const found = (JSON.parse(answer) as { value: readonly Json[] }).value.find((each) => each.tag === tag);
  if (!found) throw new Error(`no ${tag} in ${answer}`);
  return String(found.value);
}
