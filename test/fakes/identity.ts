// The identity actor with issuers around it, for its tests: real key set servers, and a private authority for those that speak TLS.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import type { IdentityApi, JwtOutcome, JwtRequest, KeySetSource } from '../../actors/identity/api.ts';
import type { IdentityArgs } from '../../actors/identity/identity.actor.ts';
import { pinned } from '../../kernel/actor.ts';
import { JWT_ALGORITHMS } from '../../kernel/http/caller/identity-provider.ts';
import { ensureSelfSigned } from '../../kernel/http/tls/self-signed.ts';
import { createRuntime } from '../runtime.ts';
import { temporaryFolder } from '../server.ts';
import { type Issuer, type IssuerOptions, startIssuer } from './issuer.ts';

const ALGORITHMS = [...JWT_ALGORITHMS, 'HS256', 'none'];
const folder = temporaryFolder();
export const certificate = await ensureSelfSigned(folder, '127.0.0.1', Date.now());
const spec = pinned<IdentityApi, IdentityArgs>({
  module: new URL('../../actors/identity/identity.actor.ts', import.meta.url),
  instances: { main: { caFile: certificate.cert }, trustless: { caFile: '' } },
  deadlineMs: 60_000,
});
const made = createRuntime({ identity: spec });
const { ref, clock } = made;
export const { runtime } = made;
export const now = () => Math.floor(clock.now() / 1000);
const open: Issuer[] = [];

export async function stop(): Promise<void> {
  await Promise.all(open.map((issuer) => issuer.close()));
  await runtime.stop();
  rmSync(folder, { recursive: true, force: true });
}

export async function newIssuer(options: Pick<IssuerOptions, 'tls'> = {}): Promise<Issuer> {
  const issuer = await startIssuer({ now, ...options });
  open.push(issuer);
  return issuer;
}

/** Key ids are the names of their algorithms. */
export async function issuerWith(...algorithms: string[]): Promise<Issuer> {
  const issuer = await newIssuer();
  for (const algorithm of algorithms) await issuer.addKey(algorithm, algorithm);
  return issuer;
}

export function source(issuer: Issuer, more: Partial<KeySetSource> = {}): KeySetSource {
  return { issuer: null, jwksUri: issuer.uri, audiences: null, ...more };
}

export function verify(token: string, keySets: readonly KeySetSource[], more: Partial<JwtRequest> = {}, actor = 'main'): Promise<JwtOutcome> {
  return ref('identity')
    .at(actor)
    .verifyJwt({ token, keySets, algorithms: ALGORITHMS, requireIssuer: false, minRefreshSeconds: 60, requireKid: false, ...more });
}

export async function refusal(outcome: Promise<JwtOutcome>): Promise<string> {
  const settled = await outcome;
  assert.equal(settled.ok, false);
  return settled.ok ? '' : settled.reason;
}

export const b64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
