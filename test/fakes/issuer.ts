// An issuer of JWTs for tests: keys of its own, and a real server for its key set that can be told to misbehave.
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose';

export interface Issuer {
  readonly uri: string;
  readonly origin: string;
  /** Requests for the key set so far. */
  fetches: number;
  /** What the server does instead of answering with the key set. */
  misbehave: RequestListener | undefined;
  /** Answers with the key set. */
  serve: RequestListener;
  /** Adds a key to the set; without `publish` the set does not show it. */
  addKey(kid: string, algorithm?: string, publish?: boolean): Promise<void>;
  removeKey(kid: string): void;
  /** PEM of a public key. */
  publicPem(kid: string): Promise<string>;
  /** `claims` stand beside `exp` in five minutes; undefined leaves one out. */
  sign(kid: string, claims: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Where it listens, again: a server that was closed comes back. */
  close(): Promise<void>;
  listen(): Promise<void>;
}

interface Key {
  readonly algorithm: string;
  readonly pair: Awaited<ReturnType<typeof generateKeyPair>>;
  readonly jwk: JWK;
  published: boolean;
}

export interface IssuerOptions {
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Seconds since the epoch. */
  readonly now?: () => number;
}

export async function startIssuer({ tls, now = () => Math.floor(Date.now() / 1000) }: IssuerOptions = {}): Promise<Issuer> {
  const keys = new Map<string, Key>();
  const key = (kid: string) => keys.get(kid) as Key;
  let port = 0;
  let server: Server | undefined;
  const listener: RequestListener = (request, response) => {
    issuer.fetches += 1;
    return (issuer.misbehave ?? issuer.serve)(request, response);
  };
  const issuer = {
    fetches: 0,
    misbehave: undefined as RequestListener | undefined,
    serve: ((_request, response) => {
      const set = [...keys.values()].filter(({ published }) => published).map(({ jwk }) => jwk);
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: set }));
    }) as RequestListener,
    uri: '',
    origin: '',
    async addKey(kid: string, algorithm = 'ES256', publish = true) {
      const pair = await generateKeyPair(algorithm, { extractable: true });
      keys.set(kid, { algorithm, pair, jwk: { ...(await exportJWK(pair.publicKey)), kid, alg: algorithm, use: 'sig' }, published: publish });
    },
    removeKey: (kid: string) => void keys.delete(kid),
    publicPem: (kid: string) => exportSPKI(key(kid).pair.publicKey),
    sign(kid: string, claims: Readonly<Record<string, unknown>>, header: Readonly<Record<string, unknown>> = {}) {
      const payload = JSON.parse(JSON.stringify({ exp: now() + 300, ...claims, ...('exp' in claims ? { exp: claims['exp'] } : {}) })) as Record<
        string,
        unknown
      >;
      return new SignJWT(payload).setProtectedHeader({ alg: key(kid).algorithm, kid, ...header }).sign(key(kid).pair.privateKey);
    },
    async listen() {
      const open = tls ? (createTlsServer(tls, listener) as unknown as Server) : createServer(listener);
      await new Promise<void>((resolve) => open.listen(port, '127.0.0.1', resolve));
      port = (open.address() as AddressInfo).port;
      server = open;
      issuer.origin = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
      issuer.uri = `${issuer.origin}/jwks.json`;
    },
    async close() {
      server?.closeAllConnections();
      await new Promise((resolve) => server?.close(resolve) ?? resolve(undefined));
    },
  };
  await issuer.listen();
  return issuer;
}
