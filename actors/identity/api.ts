// The interface of the identity actor: verifies JWTs of other issuers and returns their claims.

/** Where to fetch the keys of an issuer. */
export interface KeySetSource {
  /** Null accepts any issuer. */
  readonly issuer: string | null;
  /** An https address, or an http address of this machine. */
  readonly jwksUri: string;
  /** Null: the audience is not checked. */
  readonly audiences: readonly string[] | null;
}

export interface JwtRequest {
  readonly token: string;
  /** A key verifies only tokens of the entry that it was fetched for. */
  readonly keySets: readonly KeySetSource[];
  /** Accepted signature algorithms; `none` and HMACs are never accepted. */
  readonly algorithms: readonly string[];
  readonly requireIssuer: boolean;
  /** Shortest time between two fetches of a key set: tokens that name unknown keys cannot cause more. */
  readonly minRefreshSeconds: number;
  readonly requireKid: boolean;
}

/** `keySet` is the index of the entry that the token was valid for; `reason` is for the log and the audit log only. */
export type JwtOutcome =
  | { readonly ok: true; readonly claims: Record<string, unknown>; readonly keySet: number }
  | { readonly ok: false; readonly reason: string };

export type IdentityApi = {
  verifyJwt(request: JwtRequest): Promise<JwtOutcome>;
};
