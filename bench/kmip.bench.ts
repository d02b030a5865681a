// Compares the key server with an empty POST route of the same server, and with node:crypto in a loop: encryption by KMIP in JSON and binary and by REST, signatures, key creation, batches.
import { writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Agent, request } from 'undici';
import { encodeBinary } from '../kmip/ttlv/binary.ts';
import { decodeJson } from '../kmip/ttlv/json.ts';
import { CLIENT_AUTH, makeCertificate } from '../test/certificates.ts';
import { type LoadResult, load } from './load.ts';
import { median, percentile, report, round } from './report.ts';
import { startServerProcess } from './server-process.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 3);
const RUN_MS = Number(process.env.RUN_MS ?? 2_000);
const CONNECTIONS = [1, 16, 64];
const EMPTY = 'empty POST route';
const DATA = '00112233445566778899AABBCCDDEEFF'.repeat(4);

const authority = await makeCertificate('CN=bench authority');
const client = await makeCertificate('CN=bench', { issuer: authority, usage: CLIENT_AUTH });
const authorityFile = join(tmpdir(), `gatehouse-bench-ca-${process.pid}.pem`);
writeFileSync(authorityFile, authority.cert);
const empty = fileURLToPath(new URL('./fakes/empty-route.ts', import.meta.url));
const server = await startServerProcess(`[http.tls]\nclient_ca = ${JSON.stringify(authorityFile)}\n[[plugins]]\nmodule = ${JSON.stringify(empty)}\n`, 4);
const { address, ca } = server;
const agent = new Agent({ connect: { ca, cert: client.cert, key: client.key } });

type Json = { tag: string; type?: string; value: unknown };
const e = (tag: string, value: string): Json => ({ tag, type: 'Enumeration', value });
const n = (tag: string, value: number): Json => ({ tag, type: 'Integer', value });
const s = (tag: string, ...value: Json[]): Json => ({ tag, value });
const t = (tag: string, value: string): Json => ({ tag, type: 'TextString', value });
const b = (tag: string, value: string): Json => ({ tag, type: 'ByteString', value });
const active: Json = { tag: 'ActivationDate', type: 'DateTime', value: '2024-01-01T00:00:00Z' };
const message = (...items: [string, Json[]][]): Json =>
  s(
    'RequestMessage',
    s('RequestHeader', s('ProtocolVersion', n('ProtocolVersionMajor', 2), n('ProtocolVersionMinor', 1)), n('BatchCount', items.length)),
    ...items.map(([operation, payload]) => s('BatchItem', e('Operation', operation), s('RequestPayload', ...payload))),
  );

const aes = [
  e('ObjectType', 'SymmetricKey'),
  s('Attributes', e('CryptographicAlgorithm', 'AES'), n('CryptographicLength', 256), n('CryptographicUsageMask', 12), active),
];
const aesId = identifier(await kmip('Create', aes), 'UniqueIdentifier');
const rsaId = await pair([e('CryptographicAlgorithm', 'RSA'), n('CryptographicLength', 2048)]);
const ecId = await pair([e('CryptographicAlgorithm', 'ECDSA'), s('CryptographicDomainParameters', e('RecommendedCurve', 'P_256'))]);
const { kid } = JSON.parse(await post('/v1/crypto/keys', 'application/json', JSON.stringify({ kty: 'oct', alg: 'A256GCM' }))) as { kid: string };
const parameters = s('CryptographicParameters', e('BlockCipherMode', 'GCM'));
const encrypt: [string, Json[]] = ['Encrypt', [t('UniqueIdentifier', aesId), parameters, b('Data', DATA)]];
const json = (value: Json) => httpText('/kmip/2_1', 'application/json', JSON.stringify(value));
const binary = (value: Json) => httpText('/kmip', 'application/octet-stream', Buffer.from(encodeBinary(decodeJson(Buffer.from(JSON.stringify(value))))));
const signBy = (id: string): [string, Json[]] => ['Sign', [t('UniqueIdentifier', id), b('Data', DATA)]];

const subjects: Readonly<Record<string, Buffer>> = {
  [EMPTY]: httpText('/empty', 'application/json', '{}'),
  'Encrypt, JSON': json(message(encrypt)),
  'Encrypt, binary': binary(message(encrypt)),
  'encrypt, REST': httpText(
    '/v1/crypto/encrypt',
    'application/json',
    JSON.stringify({ kid, alg: 'dir', enc: 'A256GCM', data: Buffer.from(DATA, 'hex').toString('base64url') }),
  ),
  'RSA-2048 Sign, binary': binary(message(signBy(rsaId))),
  'P-256 Sign, binary': binary(message(signBy(ecId))),
  'Create AES, binary': binary(message(['Create', aes])),
  'batch of 10 Encrypt, binary': binary(message(...Array.from({ length: 10 }, () => encrypt))),
};
const wanted = process.env.ONLY;
const names = Object.keys(subjects).filter((name) => !wanted || name === EMPTY || name.includes(wanted));

const results = new Map<string, LoadResult[]>();
for (let run = 0; run <= ROUNDS; run++)
  // The subjects take turns, so that a slow period of the machine affects all of them.
  for (const connections of CONNECTIONS)
    for (const name of names) {
      const text = subjects[name] as Buffer;
      const result = await load({ address, ca, client, connections, ms: RUN_MS, status: 200, next: () => text });
      const key = `${name} ${connections}`;
      if (run > 0) results.set(key, [...(results.get(key) ?? []), result]);
    }
await agent.destroy();
await server.stop();

const LOOPS = { 'RSA-2048 Sign, binary': 'rsa', 'P-256 Sign, binary': 'ec', 'Encrypt, binary': 'aes' } as const;
/** Operations per second of node:crypto in one loop, and in one loop per core at the same time. */
const bare = new Map<string, { readonly one: number; readonly all: number }>();
for (const [name, kind] of Object.entries(LOOPS))
  if (names.includes(name)) bare.set(name, { one: await bareRate(kind, 1), all: await bareRate(kind, cpus().length) });

const rate = (name: string, connections: number) => median((results.get(`${name} ${connections}`) ?? []).map(({ perSecond }) => perSecond));
const times = (name: string, connections: number, part: number) =>
  median((results.get(`${name} ${connections}`) ?? []).map((each) => percentile(each.times, part)));
const part = (name: string, connections: number) => round(rate(name, connections) / rate(EMPTY, connections), 2);
const ofLoop = (name: string, connections: number, loops: 'one' | 'all') => {
  const loop = bare.get(name);
  return loop ? round(rate(name, connections) / loop[loops], 2) : '';
};
const rows = names.flatMap((name) =>
  CONNECTIONS.map((connections) => ({
    what: name,
    connections,
    'requests/s': Math.round(rate(name, connections)),
    'of the empty route': part(name, connections),
    'of one loop': ofLoop(name, connections, 'one'),
    'of a loop on each core': ofLoop(name, connections, 'all'),
    'p50 ms': round(times(name, connections, 0.5), 2),
    'p99 ms': round(times(name, connections, 0.99), 2),
  })),
);
const LEAST = { 'Encrypt, JSON': 0.45, 'Encrypt, binary': 0.55, 'encrypt, REST': 0.55 } as const;
const limits = Object.entries(LEAST).flatMap(([name, least]) =>
  [16, 64].map((connections) => {
    const value = part(name, connections);
    return { limit: `${name} relative to the empty route at ${connections} connections, at least ${least}`, value, holds: value >= least };
  }),
);
const rsa = Number(ofLoop('RSA-2048 Sign, binary', 64, 'one'));
report('kmip', rows, [...limits, { limit: 'RSA-2048 Sign at 64 connections relative to node:crypto in a loop, at least 0.7', value: rsa, holds: rsa >= 0.7 }]);

function httpText(path: string, type: string, body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\ncontent-length: ${bytes.length}\r\n\r\n`), bytes]);
}

async function post(path: string, type: string, body: string): Promise<string> {
  const answer = await request(`${address}${path}`, { method: 'POST', headers: { 'content-type': type }, body, dispatcher: agent });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
  return text;
}

/** Sends one operation without a message around it. @returns the text of the answer */
function kmip(operation: string, payload: readonly Json[]): Promise<string> {
  return post('/kmip/2_1', 'application/json', JSON.stringify(s(operation, ...payload)));
}

function identifier(answer: string, tag: string): string {
  const found = (JSON.parse(answer) as { value: readonly Json[] }).value.find((each) => each.tag === tag);
  return String(found?.value);
}

async function pair(attributes: readonly Json[]): Promise<string> {
  const common = s('CommonAttributes', ...attributes, n('CryptographicUsageMask', 3), active);
  return identifier(await kmip('CreateKeyPair', [common]), 'PrivateKeyUniqueIdentifier');
}

/** @returns operations per second of node:crypto, with one loop in each of the threads */
async function bareRate(kind: 'rsa' | 'ec' | 'aes', threads: number): Promise<number> {
  const workers = Array.from({ length: threads }, () => new Worker(new URL('./fakes/crypto-loop.ts', import.meta.url), { workerData: { kind, ms: RUN_MS } }));
  const rates = await Promise.all(workers.map((worker) => new Promise<number>((resolve, reject) => worker.on('message', resolve).on('error', reject))));
  return rates.reduce((sum, each) => sum + each, 0);
}
