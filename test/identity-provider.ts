// An identity provider of a test's own on loopback: a key set over HTTP, tokens with any claims, and ways to misbehave.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

export interface IdentityProvider {
  readonly issuer: string;
  readonly jwksUri: string;
  /** Requests for the key set so far. */
  readonly fetches: number;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
  /** A token as the provider makes it; members of `claims` replace its own, undefined leaves one out. */
  token(claims?: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>;
  /** Replaces the key; the old one is gone from the key set. */
  rotate(): Promise<void>;
  end(): Promise<void>;
}

/** @param now milliseconds since the epoch */
export async function startIdentityProvider(now: () => number, issuer = 'https://idp.example'): Promise<IdentityProvider> {
  let keys = await makeKeys('key-1');
  let made = 1;
  const state = { fetches: 0 };
  const server = createServer((_request, response) => {
    state.fetches += 1;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [keys.publicJwk] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    issuer,
    jwksUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
    get fetches() {
      return state.fetches;
    },
    get privateKey() {
      return keys.privateKey;
    },
    get publicJwk() {
      return keys.publicJwk;
    },
    token(claims = {}, header = {}) {
      const seconds = Math.floor(now() / 1000);
      const payload = { iss: issuer, sub: 'user-1', aud: 'gatehouse', iat: seconds, exp: seconds + 300, ...claims };
      return new SignJWT(JSON.parse(JSON.stringify(payload)) as Record<string, unknown>)
        .setProtectedHeader({ alg: 'ES256', kid: keys.publicJwk.kid as string, ...header })
        .sign(keys.privateKey);
    },
    async rotate() {
      made += 1;
      keys = await makeKeys(`key-${made}`);
    },
    end: () => close(server),
  };
}

async function makeKeys(kid: string): Promise<{ privateKey: CryptoKey; publicJwk: JWK }> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  return { privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } };
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
