// The limit of the server's front: HTTPS, session, decoding, one operation and the answer, all in one thread, as often as there are threads.
import { hash } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { fastify } from 'fastify';
import { readHeader, readItems } from '../../kmip/message/request.ts';
import { responseMessage } from '../../kmip/message/response.ts';
import { decodeBinary, encodeBinary } from '../../kmip/ttlv/binary.ts';
import { decodeJsonRequest, encodeJson } from '../../kmip/ttlv/json.ts';
import { structure } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { type GivenAnswers, inlineEncrypt, inlineOperations } from './inline-operations.ts';

export type { GivenAnswers } from './inline-operations.ts';

export interface InlineOptions {
  readonly threads: number;
  readonly cert: string;
  readonly key: string;
  /** Value of the only session's cookie. */
  readonly cookie: string;
  readonly encryptId: string;
  readonly signId: string;
  readonly answers: GivenAnswers;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const COOKIE = /(?:^|; )_ea_=([^;]*)/;

if (isMainThread)
  process.once('message', async (options: InlineOptions) => {
    const port = await serve(options, 0);
    const own = { workerData: { options, port }, execArgv: process.execArgv };
    await Promise.all(
      Array.from({ length: options.threads - 1 }, () => new Promise((resolve) => new Worker(new URL(import.meta.url), own).on('message', resolve))),
    );
    process.send?.({ port });
    process.once('disconnect', () => process.exit(0));
  });
else {
  const { options, port } = workerData as { readonly options: InlineOptions; readonly port: number };
  const { parentPort } = await import('node:worker_threads');
  await serve(options, port);
  parentPort?.postMessage('listening');
}

/** @param port 0 for any @returns the port */
async function serve({ threads, cert, key, cookie, ...given }: InlineOptions, port: number): Promise<number> {
  const operations = inlineOperations(given.encryptId, given.signId, given.answers);
  const sessions = new Map([[hash('sha256', cookie, 'base64'), {}]]);
  const app = fastify({ serverFactory: (handler) => createServer({ cert, key }, handler), logger: false });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', async ({ url, headers }, reply) => {
    if (url !== '/empty' && !sessions.has(hash('sha256', COOKIE.exec(headers.cookie ?? '')?.[1] ?? '', 'base64'))) return reply.code(401).send();
  });
  const run = (code: number | undefined, payload: Parameters<NonNullable<ReturnType<typeof operations.get>>>[0]) => {
    const operation = operations.get(code ?? 0);
    if (!operation) throw new Error('this front has no such operation');
    return operation(payload);
  };
  app.post('/kmip/2_1', async ({ body }, reply) => {
    const { operation, node } = decodeJsonRequest(body as Uint8Array);
    return reply.type(JSON_TYPE).send(encodeJson(structure(TAG.ResponsePayload, run(operation, node)), 'Response'));
  });
  app.post('/kmip', async ({ body }, reply) => {
    const message = decodeBinary(body as Uint8Array);
    const header = readHeader(message);
    const outcomes = readItems(message, header).map((item) => ({ item, status: 'Success' as const, payload: run(item.code, item.payload) }));
    return reply
      .type('application/octet-stream')
      .send(encodeBinary(responseMessage({ version: header.version, now: Math.floor(Date.now() / 1_000) }, outcomes)));
  });
  app.post('/v1/crypto/encrypt', async ({ body }, reply) => reply.type(JSON_TYPE).send(inlineEncrypt(body as Uint8Array)));
  app.get('/empty', async (_request, reply) => reply.type(JSON_TYPE).send('{}'));
  await app.ready();
  await new Promise<void>((resolve) => app.server.listen({ port, host: '127.0.0.1', reusePort: threads > 1 }, resolve));
  return (app.server.address() as AddressInfo).port;
}
