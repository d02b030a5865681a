// Fetches one key set over the network, and does not trust the server that it asks.
import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import type { Agent, request as Request } from 'undici';
import { isRsaPublicKey } from '../../crypto/key/rsa-key.ts';
import type { Clock } from '../../kernel/clock.ts';
import { isFetchable } from '../../kernel/http/outbound.ts';
import { type Outgoing, tracedRequest } from '../../kernel/tracing/outgoing.ts';

/** A JSON object that names a key type; its other members are checked when the key is used. */
type PublicJwk = Readonly<Record<string, unknown>> & { readonly kty: string };

export interface Fetcher {
  /** @throws Error that says what is wrong with the server's answer */
  fetch(uri: string): Promise<readonly PublicJwk[]>;
  close(): Promise<void>;
}

/** From the first packet to the last byte of the body. */
const TOTAL_MS = 5_000;
const MAX_KEY_SET_BYTES = 1_048_576;
const MAX_KEYS = 256;
/** Connections are not kept for long: a key set is fetched only every few minutes. */
const KEEP_ALIVE_MS = 1_000;
const PUBLIC_TYPES: ReadonlySet<unknown> = new Set(['RSA', 'EC', 'OKP']);

/** The HTTP client and its connections. */
interface HttpClient {
  readonly agent: Agent;
  readonly request: typeof Request;
}

/** @param caFile PEM file of additional certificate authorities; empty for none */
export function createFetcher(clock: Clock, caFile: string): Fetcher {
  const ca = caFile === '' ? undefined : [...rootCertificates, readFileSync(caFile, 'utf8')];
  let client: Promise<HttpClient> | undefined;
  return {
    async fetch(uri) {
      if (!isFetchable(uri)) throw new Error('the address must be https, or http on the same machine');
      client ??= openClient(ca);
      const opened = await client;
      const late = new AbortController();
      const timer = clock.setTimeout(() => late.abort(new Error(`the answer was not complete within ${TOTAL_MS} ms`)), TOTAL_MS);
      try {
        return keysOf(await tracedRequest('GET', uri, (outgoing) => download(uri, opened, late.signal, outgoing)));
      } catch (error) {
        throw late.signal.aborted ? late.signal.reason : error;
      } finally {
        clock.clearTimeout(timer);
      }
    },
    close: async () => (await client)?.agent.destroy(),
  };
}

/** Loaded for the first fetch: many servers never do one, and the client has more modules than all actors of this thread. */
async function openClient(ca: string[] | undefined): Promise<HttpClient> {
  const { Agent, request } = await import('undici');
  const connect = { timeout: TOTAL_MS, ...(ca && { ca }) };
  return { agent: new Agent({ allowH2: false, keepAliveTimeout: KEEP_ALIVE_MS, keepAliveMaxTimeout: KEEP_ALIVE_MS, connect }), request };
}

/** The client follows no redirects: every status other than 200 is an error. */
async function download(uri: string, { agent, request }: HttpClient, signal: AbortSignal, outgoing: Outgoing): Promise<Buffer> {
  const { statusCode, body } = await request(uri, { dispatcher: agent, signal, headers: { accept: 'application/json', ...outgoing.headers } });
  outgoing.answered(statusCode);
  // A body that is not read to its end is destroyed; the error event of that needs a listener.
  body.on('error', () => {});
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    if (statusCode !== 200) throw new Error(`the server answered ${statusCode}`);
    for await (const chunk of body) {
      size += (chunk as Buffer).length;
      if (size > MAX_KEY_SET_BYTES) throw new Error(`the answer is larger than ${MAX_KEY_SET_BYTES} bytes`);
      chunks.push(chunk as Buffer);
    }
    return Buffer.concat(chunks);
  } finally {
    body.destroy();
  }
}

/** Leaves out symmetric keys, keys of unknown types and RSA keys by which anybody could sign. A set without any usable key is an error, so that the caller keeps the set that it had. */
function keysOf(bytes: Uint8Array): readonly PublicJwk[] {
  const document = parse(bytes);
  const { keys } = (typeof document === 'object' && document !== null ? document : {}) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error('the answer is not a key set');
  if (keys.length > MAX_KEYS) throw new Error(`the key set has more than ${MAX_KEYS} keys`);
  const usable = keys.filter((key: PublicJwk | null) => typeof key === 'object' && key !== null && PUBLIC_TYPES.has(key.kty) && isSound(key)) as PublicJwk[];
  if (usable.length === 0) throw new Error('the key set has no public key');
  return usable.map(({ d: _private, ...key }) => key as PublicJwk);
}

/** With an exponent of 0 or 1 a signature is the padded hash itself, which needs no private key. OpenSSL and the library verify it. */
function isSound(key: PublicJwk): boolean {
  if (key.kty !== 'RSA') return true;
  try {
    return isRsaPublicKey(createPublicKey({ key, format: 'jwk' }));
  } catch {
    return false;
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Error('the answer is not JSON');
  }
}
