// The interface of the directory: realms, credentials, second factors, admins, locks, signatures, and the audit log.
import type { EncodedPage } from '../../kernel/runtime/channel/encoded-page.ts';
import type { AuditEvent, AuditRow } from '../../kernel/store/audit.ts';
import type { AuditQuery } from '../../kernel/store/audit-query.ts';
import type { PageRequest } from '../../kernel/store/page.ts';
import type { CompletedLogin, Factor, LoginView, ProvenLogin, SignedIn } from './login-types.ts';
import type { Realm } from './realm.ts';

export type { CompletedLogin, Factor, LoginView, ProvenLogin, SignedIn } from './login-types.ts';

/** The acting user: the account is for rights, the names are for the audit log. */
export interface Principal {
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
  /** Always null, like `totp_auth_url`: both would hold the secret, which is shown only once, when it is generated. */
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
  /** PHC string of a new password; null keeps the current one. */
  readonly passwordHash: string | null;
}

export interface CredentialUpdate extends CredentialInput {
  /** Revision of the credential whose password was compared with the new one; null if none was compared. */
  readonly comparedWith: number | null;
}

/** The members of a credential that a login needs. */
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
  /** An unused code of the factor that is replaced; administrators of the realm need none. */
  readonly currentCode: string | undefined;
}

export type TotpOutcome = 'done' | 'missing' | 'code-invalid' | 'unproven';

export type SigningPurpose = 'session' | 'certificate';

/**
 * Methods return null for an unknown object. They throw AUTH_EXISTS, AUTH_LAST_SUPER_ADMIN or BAD_REQUEST for a change that is not possible. Each
 * change checks the rights of the actor `by` in the same transaction, and throws FORBIDDEN without them.
 */
export type DirectoryApi = {
  /** Looks up the realm, the credential and its locks for a sign-in. It checks, counts and writes nothing. */
  findSignIn(realm: string, username: string, source: string): Promise<LoginView>;
  /**
   * Writes the audit row of a refused login, counts the failure of an existing credential, and locks it after too many failures.
   * @param code the one-time code that was refused: one that is right, but has been used, counts as no failure
   */
  refuse(failure: AuditEvent, factor: Factor | null, username: string, source: string, code?: string): Promise<void>;
  /**
   * The last step of a login with a password, in one transaction: checks the credential, the locks and the code once more, marks the code as used,
   * changes the password if there is a new one (which clears the mark and ends every session), and clears the failures of this source.
   * @returns the data for the session, or null if meanwhile the credential changed, a lock was set, or the code was used
   */
  complete(login: CompletedLogin): Promise<SignedIn | null>;
  /**
   * Writes the audit row of a login whose password was correct, but which needs a code or a new password to continue.
   * @returns false, and writes nothing, if the credential changed or a lock was set meanwhile
   */
  interrupt(login: ProvenLogin, event: AuditEvent): Promise<boolean>;
  /** Whether a code is valid and unused; does not mark it as used. */
  checkTotp(realm: string, username: string, code: string): Promise<boolean>;
  /** Whether the realm admits this name with this scheme: `_` admits only users whom an admin record lists for it. */
  opensTo(owner: { readonly realm: string; readonly username: string; readonly scheme: string }): Promise<boolean>;
  record(event: AuditEvent): Promise<void>;

  administered(owner: { readonly realm: string; readonly account: string }): Promise<readonly string[]>;
  /** Whether the owner administers this realm or all realms. */
  administers(owner: { readonly realm: string; readonly account: string }, realm: string): Promise<boolean>;
  /** @param only ids of the realms to list, in order of id; null for all realms */
  listRealms(only: readonly string[] | null, page: PageRequest): Promise<EncodedPage<Realm>>;
  getRealm(id: string): Promise<Realm | null>;
  createRealm(realm: Realm, by: Principal): Promise<Realm>;
  updateRealm(realm: Realm, by: Principal): Promise<Realm | null>;
  /** One part of it: a realm may have a million credentials, and others wait meanwhile. @returns false if it is still there: call it again */
  deleteRealm(id: string, by: Principal): Promise<boolean>;

  listAdmins(page: PageRequest): Promise<EncodedPage<Admin>>;
  getAdmin(id: string): Promise<Admin | null>;
  createAdmin(admin: AdminRecord, by: Principal): Promise<Admin>;
  updateAdmin(admin: AdminRecord, by: Principal): Promise<Admin | null>;
  deleteAdmin(id: string, by: Principal): Promise<void>;
  /** Leaves the rest of the record, and its bindings in other realms, as they are. @returns null for an unknown admin or realm */
  addAdminRealm(id: string, realm: string, by: Principal): Promise<Admin | null>;
  removeAdminRealm(id: string, realm: string, by: Principal): Promise<Admin | null>;

  /** @param realm null for all realms */
  listCredentials(realm: string | null, page: PageRequest): Promise<EncodedPage<Credential>>;
  getCredential(realm: string, username: string): Promise<Credential | null>;
  createCredential(input: CredentialInput, by: Principal): Promise<Credential | null>;
  /** A new password removes the lock on passwords. @returns `overtaken`, and changes nothing, if the credential changed after the comparison */
  updateCredential(input: CredentialUpdate, by: Principal): Promise<Credential | null | 'overtaken'>;
  deleteCredential(realm: string, username: string, by: Principal): Promise<void>;
  unlock(realm: string, username: string, by: Principal): Promise<boolean>;

  /** Codes that serve as a proof are counted, and lock the factor, like those of logins. */
  enableTotp(enrolment: TotpEnrolment, by: Principal): Promise<TotpOutcome>;
  disableTotp(realm: string, username: string, code: string | undefined, by: Principal): Promise<TotpOutcome>;

  /** Compact JWS, ES256. */
  sign(purpose: SigningPurpose, claims: Readonly<Record<string, unknown>>): Promise<string>;
  publicKeys(purpose: SigningPurpose): Promise<readonly Readonly<Record<string, unknown>>[]>;

  audit(query: AuditQuery): Promise<EncodedPage<AuditRow>>;
  /** When an earlier realm of this name was deleted, milliseconds since the epoch; undefined if there was none. */
  formerEndOfRealm(realm: string): Promise<number | undefined>;

  /** True until the first realm exists. */
  isEmpty(): Promise<boolean>;
  /** Creates realm `_` with its admin, once for all nodes. @returns false if the realm already exists */
  firstStart(first: FirstStart): Promise<boolean>;
  /** @returns null if there is no such admin, or the initial password was changed */
  initialPasswordHash(username: string): Promise<string | null>;
  /** Gives the admin of realm `_` a new initial password, and makes sure that the admin can sign in with it. */
  resetAdmin(first: FirstStart): Promise<void>;
};
