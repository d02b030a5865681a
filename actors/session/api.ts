// What a session actor answers about the sessions it owns.
import type { Page, PageRequest } from '../../kernel/store/page.ts';
import type { SessionUse } from './rows.ts';

/** A live session. Times are milliseconds since the epoch. */
export interface SessionView {
  readonly id: string;
  readonly realm: string;
  readonly username: string;
  /** Whose it is, whoever may have the name later. */
  readonly account: string;
  /** That of the realm, which the accounts of all in it begin with. */
  readonly realmAccount: string;
  readonly scheme: string;
  readonly createdAt: number;
  readonly maxAgeSeconds: number;
  readonly maxStaleAgeSeconds: number;
  /** JWT id of its claims. */
  readonly jti: string;
  readonly roles: readonly string[];
  readonly extraClaims: Readonly<Record<string, unknown>>;
}

export interface NewSession extends Omit<SessionView, 'createdAt' | 'account' | 'realmAccount'> {
  /** Account of the realm that the credential was proven for; null where it has none yet. */
  readonly provenRealm: string | null;
  /** SHA-256 of the cookie's value. */
  readonly cookieHash: Uint8Array;
  /** Revision of the credential that was proven; null for schemes without one. */
  readonly revision: number | null;
  /** Address of the client, for the audit log. */
  readonly source: string;
}

/** Who ends a session, for the audit log. */
export interface SessionEnder {
  readonly realm: string;
  readonly username: string;
  /** Whose session it is, for rights. */
  readonly account: string;
  readonly scheme: string;
  readonly source: string;
}

export interface SessionClient {
  readonly username: string;
  /** Scheme code. */
  readonly scheme: string;
}

export type SessionApi = {
  /**
   * Ends the oldest session of the same identity where it has as many as it may have.
   * @returns false when the credential has changed since it was proven; no session is made then
   * @throws Fault AUTH_QUOTA_EXCEEDED where the realm has as many as it may have
   */
  create(session: NewSession): Promise<boolean>;
  /** The session of a cookie, if it lives; counts as activity. */
  authenticate(id: string, cookieHash: Uint8Array): Promise<SessionView | null>;
  /** The session of an id, if it lives. @param counts as activity, which the look of an admin does not */
  look(id: string, counts: boolean): Promise<SessionView | null>;
  /** What is ended by somebody who neither owns nor administers it any more is FORBIDDEN, and nothing ends. @returns how many of them lived in the store */
  end(ids: readonly string[], by: SessionEnder): Promise<number>;
  /** Writes when sessions were used, as far as no later use is known. @returns how many of them are there still */
  noteUses(used: readonly SessionUse[]): Promise<number>;
  /** Ids of the live sessions of these users. */
  list(realm: string, clients: readonly SessionClient[], page: PageRequest): Promise<Page<string>>;
  endRealm(realm: string, by: SessionEnder): Promise<number>;
  /** Removes the rows of expired sessions. */
  purge(by: SessionEnder): Promise<number>;
};
