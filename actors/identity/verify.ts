// Verifies one JWT: checks the algorithm, finds a key in the issuer's key set, then checks signature and claims.
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { JwtOutcome, JwtRequest, KeySetSource } from './api.ts';
import type { KeySet, KeySets } from './jwks.ts';
import { readUnverified } from './unverified.ts';

/** Public-key signatures only: a public key must never serve as the secret of an HMAC. */
const PUBLIC_KEY_ALGORITHM = /^((RS|PS|ES)(256|384|512)|EdDSA|Ed25519)$/;
/** The clock of an issuer may be ahead of ours, and the tokens of most begin at once. None lives longer for that. */
const EARLY_SECONDS = 30;

/** RFC 7519 section 2: a NumericDate is a number of seconds. JSON.parse makes Infinity of 1e999, which the library takes for one, and such a token would never end. */
const NUMERIC_DATES = ['exp', 'nbf', 'iat'] as const;

type Attempt = { readonly payload: JWTPayload } | { readonly reason: string; readonly keyMissing: boolean };

export async function verifyJwt(request: JwtRequest, keySets: KeySets, now: number): Promise<JwtOutcome> {
  const token = readUnverified(request.token);
  const algorithms = request.algorithms.filter((algorithm) => PUBLIC_KEY_ALGORITHM.test(algorithm));
  // Fetch nothing for a token that cannot be accepted anyway.
  if (!token) return refuse('malformed token');
  if (!algorithms.includes(token.alg)) return refuse('algorithm not accepted');
  if (request.requireKid && token.kid === undefined) return refuse('no key id');
  if (request.requireIssuer && token.iss === undefined) return refuse('no issuer');
  if (token.repeated !== undefined) return refuse(`the token has a member twice: ${token.repeated}`);
  let reason = 'unknown issuer';
  for (const [index, source] of request.keySets.entries()) {
    if (source.issuer !== null && source.issuer !== token.iss) continue;
    const attempt = await tryKeySet(request, source, keySets, optionsFor(request, source, algorithms, now));
    if ('payload' in attempt) return { ok: true, claims: attempt.payload, keySet: index };
    reason = attempt.reason;
  }
  return refuse(reason);
}

function refuse(reason: string): JwtOutcome {
  return { ok: false, reason };
}

function optionsFor({ requireIssuer }: JwtRequest, { issuer, audiences }: KeySetSource, algorithms: string[], now: number): JWTVerifyOptions {
  return {
    algorithms,
    currentDate: new Date(now),
    clockTolerance: EARLY_SECONDS,
    requiredClaims: requireIssuer ? ['exp', 'iss'] : ['exp'],
    ...(issuer === null ? {} : { issuer }),
    ...(audiences === null ? {} : { audience: [...audiences] }),
  };
}

async function tryKeySet({ token, minRefreshSeconds }: JwtRequest, { jwksUri }: KeySetSource, keySets: KeySets, options: JWTVerifyOptions): Promise<Attempt> {
  const known = await keySets.current(jwksUri, minRefreshSeconds);
  const first = await tryKeys(token, known, options);
  if ('payload' in first || !first.keyMissing) return first;
  const newer = await keySets.newer(jwksUri, minRefreshSeconds, known);
  return newer === known ? first : tryKeys(token, newer, options);
}

async function tryKeys(token: string, { resolve, failure }: KeySet, options: JWTVerifyOptions): Promise<Attempt> {
  if (!resolve) return { reason: `key set not available: ${failure}`, keyMissing: false };
  try {
    return accept((await jwtVerify(token, resolve, options)).payload, options);
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) return tryEach(token, error, options);
    return describeFailure(error);
  }
}

/** What the library leaves: its tolerance, which is for `nbf`, counts for `exp` too. */
function accept(payload: JWTPayload, { currentDate }: JWTVerifyOptions): Attempt {
  const { exp, events } = payload;
  const endless = NUMERIC_DATES.find((name) => payload[name] !== undefined && !Number.isFinite(payload[name]));
  if (endless !== undefined) return { reason: `the "${endless}" of the token is not a finite number`, keyMissing: false };
  if ((exp as number) * 1000 <= Number(currentDate)) return { reason: 'the "exp" of the token has passed', keyMissing: false };
  // RFC 8417 section 4: such a token reports what happened to its subject. A logout token of OpenID Connect has issuer, audience and subject of an ID token.
  if (typeof events === 'object' && events !== null && !Array.isArray(events))
    return { reason: 'the token reports events and is no credential', keyMissing: false };
  return { payload };
}

/** Tries all keys that match a token without a key id, or with one that several keys have. */
async function tryEach(token: string, keys: errors.JWKSMultipleMatchingKeys, options: JWTVerifyOptions): Promise<Attempt> {
  let last: Attempt = { reason: 'no key of the set matches', keyMissing: true };
  for await (const key of keys) {
    try {
      return accept((await jwtVerify(token, key, options)).payload, options);
    } catch (error) {
      last = describeFailure(error);
      if (!isOfKey(error)) return last;
    }
  }
  return last;
}

/** Another key may verify the token: this one does not, or cannot be used at all, such as one that is too short. */
function isOfKey(error: unknown): boolean {
  return error instanceof errors.JWSSignatureVerificationFailed || !(error instanceof errors.JOSEError);
}

/** The key of a token may be newer than the cached set: its id may be unknown, absent, or one that its issuer has given to another key since. */
function describeFailure(error: unknown): Attempt {
  return { reason: (error as Error).message, keyMissing: isOfKey(error) || error instanceof errors.JWKSNoMatchingKey };
}
