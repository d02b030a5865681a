// What the directory tells of a login under way, and what it is told: the realm, the credential, and what has been proven.
import type { CredentialView, Realm } from './api.ts';

export type Factor = 'password' | 'totp';

/** Both null for an unknown realm; the credential null for an unknown name. */
export interface LoginView {
  readonly realm: Realm | null;
  readonly credential: CredentialView | null;
  /** In place of a credential that is not there: as long to make and to send as one, and good for nothing. */
  readonly nobody: CredentialView | null;
  /** Factors that this source is locked out of. */
  readonly locked: readonly Factor[];
  /** The account of the realm, which another realm of the same name will not have; null without one. */
  readonly realmAccount: string | null;
  /** The realm takes this name by password. */
  readonly opens: boolean;
}

export interface ProvenLogin {
  readonly realm: string;
  readonly username: string;
  readonly source: string;
  /** The revision of the credential that was proven; a change in between refuses the login. */
  readonly revision: number;
  /** The code that was sent; null where there was none. */
  readonly code: string | null;
}

export interface CompletedLogin extends ProvenLogin {
  /** PHC string of the new password; null keeps the one there is. */
  readonly passwordHash: string | null;
}

/** What a session is made from. */
export interface SignedIn {
  /** Of the credential as it is now. */
  readonly revision: number;
  readonly roles: readonly string[];
  readonly extraClaims: Readonly<Record<string, unknown>>;
}
