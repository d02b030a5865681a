// What the identity actor answers: whether a JWT of somebody else's issuer is valid, and what it claims.

/** Where the keys of an issuer are. */
export interface KeySetSource {
  /** Null: whatever the token names as its issuer. */
  readonly issuer: string | null;
  /** https, or http to this machine. */
  readonly jwksUri: string;
  /** Null: the audience is not looked at. */
  readonly audiences: readonly string[] | null;
}

export interface JwtRequest {
  readonly token: string;
  /** A key counts only for the entry it was fetched for. */
  readonly keySets: readonly KeySetSource[];
  /** Signatures that are accepted; `none` and HMACs never are. */
  readonly algorithms: readonly string[];
  readonly requireIssuer: boolean;
  /** A key set is fetched at most once in this time, whatever tokens name. */
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
