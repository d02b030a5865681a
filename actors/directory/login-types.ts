// The types for a login in progress: what the directory knows of realm and credential, and what the login has proven.
import type { CredentialView, Realm } from './api.ts';

export type Factor = 'password' | 'totp';

/** For an unknown realm, `realm` and `credential` are null; for an unknown name, `credential` is. */
export interface LoginView {
  readonly realm: Realm | null;
  readonly credential: CredentialView | null;
  /** Set if there is no credential: takes as long to create and to send as one, but is never used. */
  readonly nobody: CredentialView | null;
  /** Factors that are locked for this source. */
  readonly locked: readonly Factor[];
  /** The account of the realm, which a later realm of the same name will not have; null if there is none. */
  readonly realmAccount: string | null;
  /** The realm admits this name with a password. */
  readonly opens: boolean;
}

export interface ProvenLogin {
  readonly realm: string;
  readonly username: string;
  readonly source: string;
  /** The revision of the credential that was proven; if the credential changes meanwhile, the login is refused. */
  readonly revision: number;
  /** The code that the client sent, or null. */
  readonly code: string | null;
}

export interface CompletedLogin extends ProvenLogin {
  /** PHC string of the new password; null keeps the current one. */
  readonly passwordHash: string | null;
  /** A session is to begin: without room for it in the realm nothing is changed. */
  readonly beginsSession?: true;
}

/** The directory's data for a new session. */
export interface SignedIn {
  /** The current revision of the credential. */
  readonly revision: number;
  readonly roles: readonly string[];
  readonly extraClaims: Readonly<Record<string, unknown>>;
}
