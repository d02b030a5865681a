// Garbage for a whole server from outside, over HTTPS and over KMIP's own listener: it lives, and what it answers is well-formed.
import assert from 'node:assert/strict';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { encodeBinary } from '../../kmip/ttlv/binary.ts';
import { encodeJson } from '../../kmip/ttlv/json.ts';
import { encodeXml } from '../../kmip/ttlv/xml.ts';
import type { Made } from '../certificates.ts';
import { type SecureServer, startSecureServer } from '../secure-server.ts';
import { signInAdmin } from '../server.ts';
import { exchange } from './exchange.ts';
import { attributes, code, DATA, id } from './members.ts';
import { BINARY, BYTES, mutated } from './mutate.ts';
import { batchItem, requestMessage } from './objects.ts';
import type { Random } from './random.ts';
import type { FuzzTarget } from './target.ts';
import { checkHttp, checkKmip, frames, patience, type Sent } from './wire-answer.ts';

export interface Wire {
  readonly server: SecureServer;
  readonly cookie: string;
  readonly client: Made;
  readonly kmipPort: number;
}

const QUERY = requestMessage({ major: 2, minor: 1 }, [batchItem('Query', [code('QueryFunction', 'QueryOperations')])]);
const LOCATE = requestMessage({ major: 1, minor: 4 }, [batchItem('Locate', []), batchItem('Get', [id('nothing')])]);
const MESSAGES = [
  QUERY,
  LOCATE,
  requestMessage({ major: 2, minor: 1 }, [batchItem('Create', [code('ObjectType', 'SymmetricKey'), attributes(code('CryptographicAlgorithm', 'AES'))])]),
];
const text = (value: unknown): Uint8Array => new Uint8Array(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));
const BODIES: readonly Uint8Array[] = [
  ...MESSAGES.flatMap((message) => [encodeBinary(message), encodeJson(message), text(encodeXml(message))]),
  text({ tag: 'Query', value: [] }),
  text({ tag: 'Encrypt', value: [{ tag: 'UniqueIdentifier', type: 'TextString', value: 'nothing' }] }),
  text({ kid: 'nothing', alg: 'dir', enc: 'A256GCM', data: Buffer.from(DATA).toString('base64url') }),
  text({ kty: 'oct', alg: 'HS256' }),
  text({ tags: ['blue'] }),
  text({ unique_identifier: 'nothing', user_id: '_/somebody', operation_types: ['get', 'Encrypt'] }),
  text({ user_id: '_/*', operation_types: ['create'] }),
  new Uint8Array(0),
];
const PATHS = [
  ...['/kmip', '/kmip', '/kmip/2_1', '/kmip/1_4', '/kmip/', '/kmip/%00', '/kmip?x=%ff', '/kmip/2_1/..%2f'],
  ...['encrypt', 'decrypt', 'sign', 'verify', 'mac', 'keys', 'keys/unwrap', 'keys/nothing', 'keys/%00', 'keys/%ff%fe', 'keys/nothing/tags', ''].map(
    (path) => `/v1/crypto/${path}`,
  ),
  ...['owned', 'obtained', 'list/nothing', 'list/%5B', 'list/%00', 'list/%F0%9F%94%91', 'grant', 'revoke', 'create', 'privileged', 'check'].map(
    (path) => `/access/${path}`,
  ),
];
const TYPES = [
  ...['application/json', 'application/json', 'application/json; charset=utf-8', 'application/octet-stream', 'text/xml', 'application/xml', 'text/plain'],
  ...[
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'application/json;charset=utf-16',
    '',
    'a/b/c',
    'application/json\u00e9',
    'x'.repeat(3000),
  ],
];
const METHODS = ['POST', 'POST', 'GET', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'BREW'];

interface Fitting {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: Uint8Array;
}

const post = (path: string, type: string, body: Uint8Array): Fitting => ({ method: 'POST', path, type, body });
const JSON_TYPE = 'application/json';

/** Requests that are right as they are. */
const FITTING: readonly Fitting[] = [
  ...MESSAGES.flatMap((message) => [
    post('/kmip', 'application/octet-stream', encodeBinary(message)),
    post('/kmip', 'text/xml', text(encodeXml(message))),
    post('/kmip/2_1', JSON_TYPE, encodeJson(message)),
    post('/kmip/1_4', JSON_TYPE, encodeJson(message)),
  ]),
  post('/kmip/2_1', JSON_TYPE, text({ tag: 'Query', value: [] })),
  post('/kmip/1_4', JSON_TYPE, text({ tag: 'Encrypt', value: [{ tag: 'UniqueIdentifier', type: 'TextString', value: 'nothing' }] })),
  post('/kmip/1_4', JSON_TYPE, text({ tag: 'Nothing', value: [] })),
  post('/v1/crypto/keys', JSON_TYPE, text({ kty: 'oct', alg: 'HS256' })),
  post('/v1/crypto/encrypt', JSON_TYPE, text({ kid: 'nothing', alg: 'dir', enc: 'A256GCM', data: Buffer.from(DATA).toString('base64url') })),
  post('/access/grant', JSON_TYPE, text({ user_id: '_/*', operation_types: ['create'] })),
  post('/access/check', JSON_TYPE, text({ unique_identifier: 'nothing', operation_types: ['get', 'Encrypt'] })),
  ...['owned', 'obtained', 'create', 'privileged'].map((path) => ({ method: 'GET', path: `/access/${path}`, type: JSON_TYPE, body: new Uint8Array(0) })),
];

function body(random: Random): Uint8Array {
  const kind = random.below(8);
  if (kind === 0) return new Uint8Array(random.pick([1, 7, 100, 5000, 100_000])).map(() => random.below(256));
  return kind < 4 ? random.pick(BODIES) : mutated(BODIES, [...BYTES, ...BINARY], random);
}

const ENCODED: readonly ((bytes: Uint8Array) => { name: string; bytes: Uint8Array })[] = [
  (bytes) => ({ name: 'gzip', bytes: gzipSync(bytes) }),
  (bytes) => ({ name: 'deflate', bytes: deflateSync(bytes) }),
  (bytes) => ({ name: 'br', bytes: brotliCompressSync(bytes) }),
  (bytes) => ({ name: 'gzip', bytes }),
  (bytes) => ({ name: 'identity', bytes }),
  (bytes) => ({ name: 'gzip, gzip', bytes: gzipSync(gzipSync(bytes)) }),
  () => ({ name: 'gzip', bytes: gzipSync(new Uint8Array(2_000_000)) }),
];

/** A request as bytes: most are HTTP, some promise more or less body than they have. One that is whole has to be answered. */
function httpRequest({ cookie }: Wire, random: Random): Sent {
  const fitting = random.pick(FITTING);
  const [method, path, type] =
    random.below(3) > 0 ? [fitting.method, fitting.path, fitting.type] : [random.pick(METHODS), random.pick(PATHS), random.pick(TYPES)];
  const plain = random.below(3) > 0 ? (random.below(2) === 0 ? fitting.body : mutated([fitting.body], [...BYTES, ...BINARY], random)) : body(random);
  const encoded = random.below(8) === 0 ? random.pick(ENCODED)(plain) : undefined;
  const bytes = encoded?.bytes ?? plain;
  const lines = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', 'connection: close'];
  if (random.below(20) > 0) lines.push(`cookie: _ea_=${cookie}`);
  if (type !== '') lines.push(`content-type: ${type}`);
  if (encoded) lines.push(`content-encoding: ${encoded.name}`);
  if (random.below(10) === 0) lines.push('expect: 100-continue');
  const length = random.below(12);
  const promised = length === 0 ? random.pick([bytes.length + 10, Math.max(0, bytes.length - 1), 999_999_999, -1]) : bytes.length;
  if (length === 0) lines.push(`content-length: ${promised}`);
  else if (length === 1) lines.push('transfer-encoding: chunked');
  else lines.push(`content-length: ${bytes.length}`);
  const ending = random.below(2) === 0 ? '\r\n0\r\n\r\n' : '\r\nzz\r\n';
  const chunk = length === 1 ? [Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from(ending)] : [bytes];
  const whole = Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), ...chunk]);
  if (random.below(12) === 0) return { bytes: mutated([whole], BYTES, random), least: 0, most: 0 };
  const owed = promised >= 0 && promised <= bytes.length ? 1 : 0;
  return { bytes: whole, least: owed, most: owed };
}

/** Messages that follow each other; those in front that are as they should be have to be answered. */
function kmipMessages(random: Random): Sent {
  if (random.below(6) === 0) return kmipSent([body(random)], 0);
  const whole = MESSAGES.map(encodeBinary);
  const isIntact = Array.from({ length: 1 + random.below(3) }, () => random.below(3) === 0);
  const parts = isIntact.map((intact) => (intact ? random.pick(whole) : mutated(whole, [...BYTES, ...BINARY], random)));
  return kmipSent(parts, isIntact.indexOf(false) === -1 ? parts.length : isIntact.indexOf(false));
}

function kmipSent(parts: readonly Uint8Array[], least: number): Sent {
  const bytes = Buffer.concat(parts);
  return { bytes, least, most: frames(bytes) };
}

async function attempt(wire: Wire, random: Random): Promise<void> {
  const { server, client, kmipPort } = wire;
  const isHttp = random.below(3) > 0;
  const made = isHttp ? httpRequest(wire, random) : kmipMessages(random);
  const isKnown = random.below(10) > 0;
  // The listener owes nothing to somebody it does not know.
  const sent = isHttp || isKnown ? made : { ...made, least: 0 };
  try {
    const port = isHttp ? Number(new URL(server.address).port) : kmipPort;
    const socket = server.dial(port, isKnown ? client : undefined, isHttp ? { ALPNProtocols: ['http/1.1'] } : {});
    const isAnswered = (received: Uint8Array) => !isHttp && frames(received) >= sent.most;
    const exchanged = await exchange(socket, sent.bytes, { isAnswered, patienceMs: patience(sent) });
    if (isHttp) checkHttp(sent, exchanged);
    else checkKmip(sent, exchanged);
    const failed = server.lines.splice(0).filter(({ level }) => level === 'error' || level === 'fatal');
    assert.deepEqual(failed, []);
    if (random.below(20) === 0) assert.equal((await server.ask('GET', '/health')).status, 200);
  } catch (cause) {
    throw new Error(`${isHttp ? 'https' : 'kmip'} ${Buffer.from(sent.bytes).toString('latin1').slice(0, 3000)}`, { cause });
  }
}

export const WIRE_TARGET: FuzzTarget = {
  name: 'wire',
  maxMs: 10_000,
  async open() {
    const server = await startSecureServer({ config: '[keys.kmip_listener]\nenabled = true\nport = 0\n' });
    const wire: Wire = {
      server,
      cookie: await signInAdmin(server),
      client: await server.client('ann@acme.com'),
      kmipPort: server.kmipPort(),
    };
    return {
      attempt: (random) => attempt(wire, random),
      async close() {
        const { status } = await server.ask('GET', '/health');
        await server.end();
        assert.equal(status, 200);
      },
    };
  },
};
