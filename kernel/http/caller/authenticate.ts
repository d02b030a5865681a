// Finds out who is calling. The first credential present decides. A request with one that browsers add by themselves must come from our own pages.
import type { TLSSocket } from 'node:tls';
import type { FastifyRequest } from 'fastify';
import { andThen } from '../../at-once.ts';
import type { Clock } from '../../clock.ts';
import { Fault } from '../../fault.ts';
import { peerCertificate } from '../tls/client-certificate.ts';
import { appTokenIn } from './app-token.ts';
import { cookieIn } from './cookie.ts';
import { type Authenticator, type Authenticators, type Caller, CREDENTIAL_KINDS, type CredentialKind, type Presented } from './credential.ts';
import { refuseForeignPage } from './foreign-pages.ts';

export const SESSION_COOKIE = '_ea_';

export interface Authentication {
  /**
   * The caller is there at once if its credential is in the memory of this thread.
   * @param own authenticators of the route, which are asked before those of the plugins
   * @throws Fault UNAUTHENTICATED for a missing, unaccepted or invalid credential, FORBIDDEN for a request from a page of another origin
   */
  require(request: FastifyRequest, accepted: readonly CredentialKind[], own?: Authenticators): Caller | Promise<Caller>;
  /** @returns the caller; undefined if there is no valid credential */
  attempt(request: FastifyRequest): Found | Promise<Found>;
}

type Found = Caller | undefined;

/** @param plugins in their order of start; the first one that recognizes a credential decides whose it is */
export function createAuthentication(plugins: readonly Authenticators[], clock: Clock): Authentication {
  const byKind = Object.fromEntries(CREDENTIAL_KINDS.map((kind) => [kind, plugins.flatMap((each) => each[kind] ?? [])])) as Record<
    CredentialKind,
    Authenticator[]
  >;
  const attempt = (request: FastifyRequest, accepted?: readonly CredentialKind[], own?: Authenticators): Found | Promise<Found> => {
    const found = findPresented(request, clock.now());
    if (!found || (accepted && !accepted.includes(found.kind))) return undefined;
    const ofRoute = own?.[found.kind];
    if (!ofRoute) return askInTurn(byKind[found.kind], found.presented, 0);
    return andThen(ofRoute(found.presented), (caller) => caller ?? askInTurn(byKind[found.kind], found.presented, 0));
  };
  return {
    attempt: (request) => attempt(request),
    require(request, accepted, own) {
      const found = attempt(request, accepted, own);
      return found instanceof Promise ? found.then((caller) => requireCaller(caller, request)) : requireCaller(found, request);
    },
  };
}

const TWO_COOKIES = `there are two different cookies ${SESSION_COOKIE}; remove them, one may be of another server of this domain`;

function requireCaller(caller: Found, request: FastifyRequest): Caller {
  if (!caller) throw new Fault('UNAUTHENTICATED', { detail: cookieIn(request.headers.cookie, SESSION_COOKIE) === null ? TWO_COOKIES : undefined });
  refuseForeignPage(request, caller.credential);
  return caller;
}

function askInTurn(authenticators: readonly Authenticator[], presented: Presented, from: number): Found | Promise<Found> {
  const authenticate = authenticators[from];
  if (!authenticate) return undefined;
  const caller = authenticate(presented);
  if (caller instanceof Promise) return caller.then((each) => each ?? askInTurn(authenticators, presented, from + 1));
  return caller ?? askInTurn(authenticators, presented, from + 1);
}

function findPresented(request: FastifyRequest, now: number): { kind: CredentialKind; presented: Presented } | undefined {
  const { headers, ip: address } = request;
  const { authorization } = headers;
  if (authorization !== undefined) return { kind: 'authorization', presented: { value: authorization, address } };
  const appToken = appTokenIn(headers);
  // Two different tokens are not a credential. Later kinds of credential are not tried either.
  if (appToken !== undefined) return appToken === null ? undefined : { kind: 'app-token', presented: { value: appToken, address } };
  const cookie = cookieIn(headers.cookie, SESSION_COOKIE);
  // Nor are two different cookies: the holder of one might act as the holder of the other, and give away what is made there.
  if (cookie !== undefined) return cookie === null ? undefined : { kind: 'cookie', presented: { value: cookie, address } };
  const { present, view } = peerCertificate(request.raw.socket as TLSSocket, now);
  return present ? { kind: 'certificate', presented: { value: '', address, certificate: view } } : undefined;
}
