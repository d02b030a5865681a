// The interface of the session actor.
import type { Page, PageRequest } from '../../kernel/store/page.ts';
import type { SessionUse } from './rows.ts';

/** A live session. Times are milliseconds since the epoch. */
export interface SessionView {
  readonly id: string;
  readonly realm: string;
  readonly username: string;
  /** Owner of the session; stays the same if somebody else gets the name later. */
  readonly account: string;
  /** Account of the realm; the accounts of all of its users begin with it. */
  readonly realmAccount: string;
  readonly scheme: string;
  readonly createdAt: number;
  readonly maxAgeSeconds: number;
  readonly maxStaleAgeSeconds: number;
  /** JWT id of the claims. */
  readonly jti: string;
  readonly roles: readonly string[];
  readonly extraClaims: Readonly<Record<string, unknown>>;
}

export interface NewSession extends Omit<SessionView, 'createdAt' | 'account' | 'realmAccount'> {
  /** Account of the realm that the credential was proven for; null if the realm has none yet. */
  readonly provenRealm: string | null;
  /** JSON of the realm's ways to sign in that the credential was proven by. */
  readonly authParams: string;
  /** SHA-256 of the cookie's value. */
  readonly cookieHash: Uint8Array;
  /** Revision of the credential that was proven; null for schemes without one. */
  readonly revision: number | null;
  /** Address of the client, for the audit log. */
  readonly source: string;
}

/** The user who ends a session, for rights and the audit log. */
export interface Principal {
  readonly realm: string;
  readonly username: string;
  /** Account of the user's own session, for rights. */
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
   * Creates a session. If the identity has reached its quota, its oldest session ends.
   * @returns false, without a session, if the credential or the realm's ways to sign in changed after it was proven
   * @throws Fault AUTH_QUOTA_EXCEEDED if the realm has reached its quota
   */
  create(session: NewSession): Promise<boolean>;
  /** The session of a cookie, if it is live; counts as activity. */
  authenticate(id: string, cookieHash: Uint8Array): SessionView | null | Promise<SessionView | null>;
  /** The session with this id, if it is live. @param counts whether this counts as activity; false for lookups by admins */
  look(id: string, counts: boolean): SessionView | null | Promise<SessionView | null>;
  /** @returns how many of the sessions existed @throws Fault FORBIDDEN, and ends nothing, if the user neither owns nor administers one of them */
  end(ids: readonly string[], by: Principal): Promise<number>;
  /** Writes when sessions were used, as far as no later use is known. @returns how many of them are there still */
  noteUses(used: readonly SessionUse[]): Promise<number>;
  /** Ids of the live sessions of these users. */
  list(realm: string, clients: readonly SessionClient[], page: PageRequest): Promise<Page<string>>;
  /** One part of it: a realm may have a million sessions, and others wait meanwhile. @returns false if there are more: call it again */
  endRealm(realm: string, by: Principal): Promise<boolean>;
  /** Removes the rows of expired sessions. */
  purge(by: Principal): Promise<void>;
};
