// Which claims belong to the server, and what extra claims may be.

/** The names of the typed claims of sessions and certificates; extra claims must not take them. */
export const RESERVED_CLAIMS: ReadonlySet<string> = new Set([
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'],
  ...['roles', 'as_as', 'as_rid', 'realm_id', 'auth_scheme', 'verification_key'],
]);

/** @returns what is wrong with extra claims, in words, or undefined */
export function extraClaimsProblem(claims: Readonly<Record<string, unknown>>): string | undefined {
  const reserved = Object.keys(claims).find((name) => RESERVED_CLAIMS.has(name));
  return reserved === undefined ? undefined : `body/extra_claims/${reserved}: is a reserved claim name`;
}

/** Certificates take no name that sessions use for themselves. */
export function isReservedInCertificates(name: string): boolean {
  return RESERVED_CLAIMS.has(name) || name.startsWith('as_');
}
