// Refuses requests of pages of other origins: with a session cookie or a client certificate, which browsers add by themselves, and on open routes.
import type { FastifyRequest } from 'fastify';
import { Fault } from '../../fault.ts';
import type { CredentialKind } from './credential.ts';

const ADDED: Readonly<Partial<Record<CredentialKind, string>>> = { cookie: 'session cookie', certificate: 'client certificate' };

/** @param kind of the credential that is about to be used @throws Fault FORBIDDEN */
export function refuseForeignPage(request: FastifyRequest, kind: CredentialKind): void {
  const what = ADDED[kind];
  if (what === undefined || (kind === 'certificate' && isLink(request))) return;
  requireOwnPage(request, `a ${what} is accepted from pages of this server only`);
}

/**
 * Browsers set Origin and Sec-Fetch-Site, and a page cannot change them. Other clients send neither.
 * @param only what is accepted from pages of this server only @throws Fault FORBIDDEN
 */
export function requireOwnPage({ headers, host }: FastifyRequest, only: string): void {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && origin !== ownOrigin(host)) throw new Fault('FORBIDDEN', { detail: `the request comes from another origin; ${only}` });
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new Fault('FORBIDDEN', { detail: `the request comes from another site; ${only}` });
}

/**
 * The author of a link cannot read the answer, and a GET changes nothing. Most links come without the cookie (SameSite=Strict) and lead through the
 * sign-in page, which a caller who has only a certificate could not pass.
 */
function isLink({ method, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && headers['sec-fetch-mode'] === 'navigate';
}

/** As browsers write it: some proxies add the port that every https address has, and hosts may have capitals. */
function ownOrigin(host: string): string | undefined {
  const address = `https://${host}`;
  return URL.canParse(address) ? new URL(address).origin : undefined;
}
