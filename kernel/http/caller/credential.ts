// The credentials of a request, the caller that they prove, and the function that checks them: their types.
import type { PeerCertificateView } from '../tls/client-certificate.ts';

/** In the order in which they are tried. The first one present decides: if it is invalid, the next is not tried. */
export const CREDENTIAL_KINDS = ['authorization', 'app-token', 'cookie', 'certificate'] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** The owner of a valid credential. */
export interface Caller {
  readonly credential: CredentialKind;
  readonly realm: string;
  readonly username: string;
  /** Account ID. It stays the same even if somebody else gets the name later. Absent for client certificates, which have a name only. */
  readonly account?: string;
  /** For a session: the account of its realm. */
  readonly realmAccount?: string;
  /** Scheme code of the sign-in: up, jwt, cc; `token` for an app token. */
  readonly scheme: string;
  /** Who vouches for the name, if it is neither a realm nor the certificate authority: the method of a machine's sign-in, or the identity provider. */
  readonly origin?: string;
  readonly sessionId?: string;
  /** For an app token: its policies. */
  readonly policies?: readonly string[];
  /** For a session: its claims, as `/whoami` returns them. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** The caller of a route that requires authentication. */
export function requireCaller({ caller }: { readonly caller: Caller | undefined }): Caller {
  if (!caller) throw new Error('this route does not require authentication, so its caller is not known');
  return caller;
}

export interface Presented {
  /** Of the client. */
  readonly address: string;
  /** Value of the header or cookie; empty for a client certificate. */
  readonly value: string;
  readonly certificate?: PeerCertificateView | undefined;
}

/** @returns undefined for a credential that is invalid, or that belongs to another authenticator; no promise where it is known at once */
export type Authenticator = (presented: Presented) => Caller | undefined | Promise<Caller | undefined>;

/** By kind of credential. */
export type Authenticators = Partial<Record<CredentialKind, Authenticator>>;
