// What the directory answers: realms, credentials, second factors, admins, locks, signatures, and the audit log.

import type { EncodedPage } from '../../kernel/runtime/encoded-page.ts';
import type { AuditEvent, AuditRow } from '../../kernel/store/audit.ts';
import type { AuditQuery } from '../../kernel/store/audit-query.ts';
import type { PageRequest } from '../../kernel/store/page.ts';
import type { CompletedLogin, Factor, LoginView, ProvenLogin, SignedIn } from './login-types.ts';
import type { Realm } from './realm.ts';

export type { CompletedLogin, Factor, LoginView, ProvenLogin, SignedIn } from './login-types.ts';

/** Who acts: the account for rights, the names for the audit log. */
export interface Actor {
  readonly realm: string;
  readonly username: string;
  readonly account: string;
  /** Scheme code: up, jwt, cc. */
  readonly scheme: string;
  readonly source: string;
}

export type { AuthParams, IdentityProvider, Realm } from './realm.ts';

export interface AdminRecord {
  readonly id: string;
  readonly realms: readonly string[];
  readonly userpass: string | null;
  readonly jwt: string | null;
  readonly fido2: string | null;
  readonly digital_credentials: Readonly<Record<string, unknown>> | null;
  readonly client_certificate: string | null;
}

export interface Admin extends AdminRecord {
  readonly totp_enabled: boolean;
  /** Both hold the secret, which is shown once, when it is generated. */
  readonly totp_secret: null;
  readonly totp_auth_url: null;
}

export interface Credential {
  readonly realm: string;
  readonly username: string;
  readonly password_hash: '';
  readonly change_password: boolean;
  readonly roles: readonly string[];
  readonly extra_claims: Readonly<Record<string, unknown>> | null;
}

export interface CredentialInput extends Omit<Credential, 'password_hash'> {
  /** PHC string of a new password; null keeps the one there is. */
  readonly passwordHash: string | null;
}

export interface CredentialUpdate extends CredentialInput {
  /** Revision of the credential whose password the new one was compared with; null where nothing was compared. */
  readonly comparedWith: number | null;
}

/** A credential as logins need it. */
export interface CredentialView {
  /** PHC string. */
  readonly passwordHash: string;
  readonly changePassword: boolean;
  /** Milliseconds since the epoch. */
  readonly passwordSetAt: number;
  /** Grows with every change: a session is created only for the revision that was proven. */
  readonly revision: number;
  readonly totp: boolean;
}

export interface FirstStart {
  readonly username: string;
  /** PHC string of the initial password. */
  readonly passwordHash: string;
}

export interface TotpEnrolment {
  readonly realm: string;
  readonly username: string;
  /** Base32. */
  readonly secret: string;
  readonly code: string;
  /** An unused code of the factor that is replaced; those who administer the realm need none. */
  readonly currentCode: string | undefined;
}

export type TotpOutcome = 'done' | 'missing' | 'code-invalid' | 'unproven';

export type SigningPurpose = 'session' | 'certificate';

/**
 * Methods answer null for what is missing, and throw AUTH_EXISTS, AUTH_LAST_SUPER_ADMIN or BAD_REQUEST for what cannot be. Each change is one
 * transaction with the look at the right of whom it is `by`, and throws FORBIDDEN without it.
 */
export type DirectoryApi = {
  /** What a sign-in needs to know of the realm, the credential and its locks. It is looked up only: nothing is checked, counted or written. */
  findSignIn(realm: string, username: string, source: string): Promise<LoginView>;
  /** Writes the row of a refused login, counts the failure of an existing credential, and locks what has failed too often. */
  refuse(failure: AuditEvent, factor: Factor | null, username: string, source: string): Promise<void>;
  /**
   * The last step of a login by password, all of it or nothing: looks at the credential, the locks and the code once more, uses the code up,
   * changes the password where there is a new one (which clears the mark and ends every session), forgets the failures of this source.
   * @returns what the session is made from, or null when the credential has changed, a lock has come, or the code was used meanwhile
   */
  complete(login: CompletedLogin): Promise<SignedIn | null>;
  /**
   * Writes the row of a login by password that has proven something and goes no further: a code or another password is asked for.
   * @returns false, and nothing is written, when the credential has changed or a lock has come meanwhile
   */
  interrupt(login: ProvenLogin, event: AuditEvent): Promise<boolean>;
  /** Whether a code is valid and not used up; it stays so. */
  checkTotp(realm: string, username: string, code: string): Promise<boolean>;
  /** Whether the realm takes this name by this scheme: `_` takes only those whom an admin record lists for it. */
  opensTo(owner: { readonly realm: string; readonly username: string; readonly scheme: string }): Promise<boolean>;
  record(event: AuditEvent): Promise<void>;

  administered(owner: { readonly realm: string; readonly account: string }): Promise<readonly string[]>;
  /** Whether the owner administers this realm, or all. */
  administers(owner: { readonly realm: string; readonly account: string }, realm: string): Promise<boolean>;
  /** @param only ids, in their order; null for all realms */
  listRealms(only: readonly string[] | null, page: PageRequest): Promise<EncodedPage<Realm>>;
  getRealm(id: string): Promise<Realm | null>;
  createRealm(realm: Realm, by: Actor): Promise<Realm>;
  updateRealm(realm: Realm, by: Actor): Promise<Realm | null>;
  deleteRealm(id: string, by: Actor): Promise<void>;

  listAdmins(page: PageRequest): Promise<EncodedPage<Admin>>;
  getAdmin(id: string): Promise<Admin | null>;
  createAdmin(admin: AdminRecord, by: Actor): Promise<Admin>;
  updateAdmin(admin: AdminRecord, by: Actor): Promise<Admin | null>;
  deleteAdmin(id: string, by: Actor): Promise<void>;
  /** The rest of the record stays as it is at that moment, and whom it stands for elsewhere. @returns null for an unknown admin or realm */
  addAdminRealm(id: string, realm: string, by: Actor): Promise<Admin | null>;
  removeAdminRealm(id: string, realm: string, by: Actor): Promise<Admin | null>;

  /** @param realm null for all realms */
  listCredentials(realm: string | null, page: PageRequest): Promise<EncodedPage<Credential>>;
  getCredential(realm: string, username: string): Promise<Credential | null>;
  createCredential(input: CredentialInput, by: Actor): Promise<Credential | null>;
  /** A new password opens the lock of passwords. @returns `overtaken`, and nothing is changed, when the credential has changed since it was compared */
  updateCredential(input: CredentialUpdate, by: Actor): Promise<Credential | null | 'overtaken'>;
  deleteCredential(realm: string, username: string, by: Actor): Promise<void>;
  unlock(realm: string, username: string, by: Actor): Promise<boolean>;

  /** Codes that are asked for as a proof count and lock as those of logins do. */
  enableTotp(enrolment: TotpEnrolment, by: Actor): Promise<TotpOutcome>;
  disableTotp(realm: string, username: string, code: string | undefined, by: Actor): Promise<TotpOutcome>;

  /** Compact JWS, ES256. */
  sign(purpose: SigningPurpose, claims: Readonly<Record<string, unknown>>): Promise<string>;
  publicKeys(purpose: SigningPurpose): Promise<readonly Readonly<Record<string, unknown>>[]>;

  audit(query: AuditQuery): Promise<EncodedPage<AuditRow>>;

  /** True until the first realm exists. */
  isEmpty(): Promise<boolean>;
  /** Makes realm `_` with its admin, once for all nodes. @returns false when it was there */
  firstStart(first: FirstStart): Promise<boolean>;
  /** True while the admin of the first start has not changed the initial password. */
  hasInitialPassword(username: string): Promise<boolean>;
  /** Makes the admin of realm `_` able to sign in with a new initial password, whatever was done to it. */
  resetAdmin(first: FirstStart): Promise<void>;
};
