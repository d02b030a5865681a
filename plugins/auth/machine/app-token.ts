// App tokens outside of the store: their value, their digest, how a request presents one, and the caller that one identifies.
import { hash, randomBytes, randomUUIDv7 } from 'node:crypto';
import type { NewToken, TokenView } from '../../../actors/token/api.ts';
import { Fault } from '../../../kernel/fault.ts';
import { appTokenIn } from '../../../kernel/http/caller/app-token.ts';
import type { Authenticator } from '../../../kernel/http/caller/credential.ts';
import type { Request } from '../../../kernel/http/route.ts';
import type { AuthContext } from '../actors.ts';

const VALUE_BYTES = 32;
const VALUE = /^hvs\.[A-Za-z0-9_-]{43}$/;

/** SHA-256 of a token or a secret id, base64url; the store holds only this. Both are random, so one round is enough. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** `hvs.` and 256 random bits; only the digest leaves this thread. Accessors begin with their time, so that those of a moment share pages of their indexes. */
export function newAppToken(source: string): { value: string; token: NewToken } {
  const value = `hvs.${randomBytes(VALUE_BYTES).toString('base64url')}`;
  return { value, token: { digest: digestOf(value), accessor: randomUUIDv7(), source } };
}

/** @returns undefined for a text that cannot be a token of this server */
export function appTokenDigest(value: unknown): string | undefined {
  return typeof value === 'string' && VALUE.test(value) ? digestOf(value) : undefined;
}

const BEARER = /^Bearer +([^ ]+)$/i;

/**
 * The token of a request, in any of the headers that clients use for it. A request may carry only one.
 * @throws Fault AUTH_TOKEN_DENIED
 */
export function shownIn(headers: Request['headers']): { readonly value: string; readonly digest: string } {
  const named = appTokenIn(headers);
  const { authorization } = headers;
  const bearer = typeof authorization === 'string' ? (BEARER.exec(authorization)?.[1] ?? null) : undefined;
  const value = named ?? bearer;
  const digest = appTokenDigest(value);
  const differ = named === null || bearer === null || (named !== undefined && bearer !== undefined && named !== bearer);
  if (digest === undefined || differ) throw new Fault('AUTH_TOKEN_DENIED');
  return { value: value as string, digest };
}

/** @throws Fault AUTH_TOKEN_DENIED for null, which stands for a token that is not valid */
export function requireUsable<T>(found: T | null): T {
  if (found === null) throw new Fault('AUTH_TOKEN_DENIED');
  return found;
}

/** The token of a request that counts as one of its uses; null if it is not valid. Most are not limited, and only looked at. */
export async function useAppToken({ actors }: AuthContext, digest: string, address: string): Promise<TokenView | null> {
  const token = await actors.token.of(digest).look(digest, address);
  return token === null || token.usesLeft === 0 ? token : actors.token.of(digest).use(digest, address);
}

export function appTokenAuthenticator(ctx: AuthContext): Authenticator {
  return async ({ value, address }) => {
    const digest = appTokenDigest(value);
    const token = digest === undefined ? null : await useAppToken(ctx, digest, address);
    if (!token) return undefined;
    const { kind, role, entity, account, policies } = token;
    // The role is part of the name, because different clusters have service accounts of the same name.
    const username = kind === 'cluster' ? `${role}/${entity}` : role;
    return { credential: 'app-token', realm: '', username, account, scheme: 'token', origin: kind, policies };
  };
}
