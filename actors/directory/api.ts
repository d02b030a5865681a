// What the directory answers: realms, credentials, admins, and the server's signing keys.
import type { AuditEvent } from '../../kernel/store/audit.ts';

/** A realm as logins need it. */
export interface RealmView {
  readonly id: string;
  readonly passwordsEnabled: boolean;
  readonly sessionMaxAgeSeconds: number;
  readonly sessionMaxStaleAgeSeconds: number;
}

export interface CredentialView {
  /** PHC string. */
  readonly passwordHash: string;
  readonly changePassword: boolean;
  readonly roles: readonly string[];
  readonly extraClaims: Readonly<Record<string, unknown>> | null;
  /** Grows with every change: a session is created only for the revision that was proven. */
  readonly revision: number;
}

/** Both null for an unknown realm; the credential null for an unknown name. */
export interface LoginView {
  readonly realm: RealmView | null;
  readonly credential: CredentialView | null;
}

export interface PasswordChange {
  readonly realm: string;
  readonly username: string;
  /** The revision that was proven; a change in between refuses this one. */
  readonly revision: number;
  readonly passwordHash: string;
  readonly source: string;
}

export interface SessionOwner {
  readonly realm: string;
  readonly username: string;
  /** Scheme code: up, jwt, cc. */
  readonly scheme: string;
}

export interface FirstStart {
  readonly username: string;
  /** PHC string of the initial password. */
  readonly passwordHash: string;
}

export type DirectoryApi = {
  login(realm: string, username: string): Promise<LoginView>;
  /** Clears the mark, ends every session of the user. @returns the new revision, or null when the credential has changed meanwhile */
  changePassword(change: PasswordChange): Promise<number | null>;
  /** Realms that the owner of a session administers; `_` stands for all. */
  administered(owner: SessionOwner): Promise<readonly string[]>;
  /** True until the first realm exists. */
  isEmpty(): Promise<boolean>;
  /** Makes realm `_` with its admin, once for all nodes. @returns false when it was there */
  firstStart(first: FirstStart): Promise<boolean>;
  /** True while the admin of the first start has not changed the initial password. */
  hasInitialPassword(username: string): Promise<boolean>;
  /** Writes the row of an event that changes nothing, such as a refused login. */
  record(event: AuditEvent): Promise<void>;
};
