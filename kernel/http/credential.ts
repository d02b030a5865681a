// Credentials of a request, the caller they stand for, and who turns the one into the other.
import type { PeerCertificateView } from './client-certificate.ts';

/** In the order in which they are looked for: the first that is present decides, nothing falls through to the next. */
export const CREDENTIAL_KINDS = ['authorization', 'app-token', 'cookie', 'certificate'] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** Whoever a credential was found to belong to. */
export interface Caller {
  readonly credential: CredentialKind;
  readonly realm: string;
  readonly username: string;
  /** Who that is, whoever may have the name later; of a client certificate the name is all there is. */
  readonly account?: string;
  /** Of a session: the account of its realm. */
  readonly realmAccount?: string;
  /** Scheme code of the sign-in: up, jwt, cc; `token` for an app token. */
  readonly scheme: string;
  /** Whose word the name is, where that is neither a realm's nor the certificate authority's: how a machine signed in, which identity provider. */
  readonly origin?: string;
  readonly sessionId?: string;
  /** Policies of an app token. */
  readonly policies?: readonly string[];
  /** Claims of a session, as `/whoami` answers them. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

export interface Presented {
  /** The header's or cookie's value; empty for a client certificate. */
  readonly value: string;
  readonly certificate?: PeerCertificateView | undefined;
}

/** Answers undefined for a credential that is not valid, or not for it to judge. */
export type Authenticator = (presented: Presented) => Promise<Caller | undefined>;
