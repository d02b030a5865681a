// App tokens outside the store: their value, the digest that is stored, the answer that hands one out, and the caller one stands for.
import { hash, randomBytes, randomUUID } from 'node:crypto';
import type { NewToken, TokenView } from '../../../actors/token/api.ts';
import type { Authenticator } from '../../../kernel/http/credential.ts';
import type { Response } from '../../../kernel/http/route.ts';
import type { AuthContext } from '../actors.ts';

const VALUE_BYTES = 32;
const VALUE = /^hvs\.[A-Za-z0-9_-]{43}$/;

/** SHA-256, base64url: what the store holds of a token or a secret id. Both are random, so that one round is enough. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** `hvs.` and 256 random bits; only the digest leaves this thread. */
export function newAppToken(source: string): { value: string; token: NewToken } {
  const value = `hvs.${randomBytes(VALUE_BYTES).toString('base64url')}`;
  return { value, token: { digest: digestOf(value), accessor: randomUUID(), source } };
}

/** @returns undefined for a text that no token of ours can be */
export function appTokenDigest(value: unknown): string | undefined {
  return typeof value === 'string' && VALUE.test(value) ? digestOf(value) : undefined;
}

/** `lease_duration` is the time that was granted: the role's, or less where its maximum is near. */
export function authAnswer(value: string, { kind, role, policies, ttlSeconds, renewable }: TokenView): Response {
  const metadata = kind === 'approle' ? { role_name: role } : {};
  return { status: 200, body: { auth: { client_token: value, renewable, lease_duration: ttlSeconds, policies, metadata } } };
}

export function appTokenAuthenticator(ctx: AuthContext): Authenticator {
  return async ({ value }) => {
    const digest = appTokenDigest(value);
    const token = digest === undefined ? null : await ctx.actors.token.of(digest).look(digest);
    if (!token) return undefined;
    const { kind, role, entity, account, policies } = token;
    // Every cluster has service accounts of the same names.
    const username = kind === 'cluster' ? `${role}/${entity}` : role;
    return { credential: 'app-token', realm: '', username, account, scheme: 'token', origin: kind, policies };
  };
}
