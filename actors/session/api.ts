// What a session actor answers about the sessions it owns.

/** A live session. Times are milliseconds since the epoch. */
export interface SessionView {
  readonly id: string;
  readonly realm: string;
  readonly username: string;
  readonly scheme: string;
  readonly createdAt: number;
  readonly maxAgeSeconds: number;
  readonly maxStaleAgeSeconds: number;
  /** JWT id of its claims. */
  readonly jti: string;
  readonly roles: readonly string[];
  readonly extraClaims: Readonly<Record<string, unknown>>;
}

export interface NewSession extends Omit<SessionView, 'createdAt'> {
  /** SHA-256 of the cookie's value. */
  readonly cookieHash: Uint8Array;
  /** Revision of the credential that was proven. */
  readonly revision: number;
  /** Address of the client, for the audit log. */
  readonly source: string;
}

/** Who ends a session, for the audit log. */
export interface SessionEnder {
  readonly realm: string;
  readonly username: string;
  readonly scheme: string;
  readonly source: string;
}

export type SessionApi = {
  /** @returns false when the credential has changed since it was proven; no session is made then */
  create(session: NewSession): Promise<boolean>;
  /** The session of a cookie, if it lives; counts as activity. */
  authenticate(id: string, cookieHash: Uint8Array): Promise<SessionView | null>;
  /** The session of an id, if it lives; counts as nothing. */
  look(id: string): Promise<SessionView | null>;
  /** @returns how many of them lived in the store */
  end(ids: readonly string[], by: SessionEnder): Promise<number>;
};
