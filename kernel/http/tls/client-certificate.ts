// Reads client certificates and checks them at every use, because a resumed TLS 1.3 session reports an expired one as authorized.
import type { X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { normalName } from '../../normal-form.ts';
import { isUsername } from '../../username.ts';
import { endOfLists, type RevocationListTerm } from './revocation-lists.ts';

/** The identity that a valid client certificate proves. */
export interface PeerCertificateView {
  readonly commonName: string;
}

/** id-kp-clientAuth, RFC 5280 section 4.2.1.12. */
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

/** `present` without `view` means that the certificate proves no identity: the request is refused. */
interface PeerCertificate {
  readonly present: boolean;
  readonly view: PeerCertificateView | undefined;
  /** Why a certificate that is present proves none: for the audit log and the log. */
  readonly refusal: string | undefined;
}

/** Connections whose certificate was checked against an authority or a revocation list that is no longer in use. */
const distrusted = new WeakSet<TLSSocket>();

/** From now on the certificate of this connection proves no identity. */
export function distrust(socket: TLSSocket): void {
  distrusted.add(socket);
}

export function isDistrusted(socket: TLSSocket): boolean {
  return distrusted.has(socket);
}

const listsOf = new WeakMap<TLSSocket, readonly RevocationListTerm[]>();

/** Call it before the certificate is read. @param lists those that the handshake has checked it with */
export function checkedWith(socket: TLSSocket, lists: readonly RevocationListTerm[]): void {
  if (lists.length > 0) listsOf.set(socket, lists);
}

/** The contents of a connection's certificate. They are read once: without renegotiation a client cannot change its certificate. */
interface Shown {
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** Holds between `from` and `to`; the reason if the certificate proves no identity at all. */
  readonly proof: PeerCertificateView | string;
}

const shown = new WeakMap<TLSSocket, Shown | undefined>();

/** @param now milliseconds since the epoch */
export function peerCertificate(socket: TLSSocket, now: number): PeerCertificate {
  if (!shown.has(socket)) shown.set(socket, read(socket));
  const certificate = shown.get(socket);
  if (!certificate) return { present: false, view: undefined, refusal: undefined };
  const { proof } = certificate;
  if (typeof proof === 'string') return { present: true, view: undefined, refusal: proof };
  const refusal = distrusted.has(socket) ? CHANGED : outOfTime(certificate, now);
  return { present: true, view: refusal === undefined ? proof : undefined, refusal };
}

/** In words, for the operator. */
export const certificateRefused = (refusal: string): string => `the client certificate is not accepted: ${refusal}`;

const CHANGED = 'the authorities or the revocation lists have changed since the connection began; connect again';

function outOfTime({ from, to }: Shown, now: number): string | undefined {
  if (now < from) return 'it or an authority above it is not valid yet';
  return now > to ? 'it, an authority above it or a revocation list of one has ended' : undefined;
}

function read(socket: TLSSocket): Shown | undefined {
  const certificate = socket.getPeerX509Certificate?.();
  if (!certificate) return undefined;
  return { ...validityOf(socket), proof: proofOf(socket, certificate) };
}

function proofOf(socket: TLSSocket, certificate: X509Certificate): PeerCertificateView | string {
  if (!socket.authorized) return refusalOf(socket);
  if (!allowsClients(certificate)) return 'its extendedKeyUsage does not allow clients';
  const commonName = commonNameOf(certificate);
  return commonName === undefined ? 'it must have exactly one common name, which a user can have' : { commonName };
}

/**
 * When the certificate and the authorities above it are all valid, and with them the revocation lists of their issuers. Node shows those of `client_ca`, also for a resumed session. It shows none that
 * the client has sent.
 */
function validityOf(socket: TLSSocket): Pick<Shown, 'from' | 'to'> {
  const chain = new Set<DetailedPeerCertificate>();
  // An authority of its own is its own issuer.
  for (let each: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true); each && !chain.has(each); each = each.issuerCertificate)
    chain.add(each);
  const dates = [...chain].map(({ valid_from: from, valid_to: to }) => ({ from: Date.parse(from), to: Date.parse(to) }));
  const lists = listsOf.get(socket);
  const ends = lists ? [...chain].map(({ raw }) => endOfLists(lists, raw)) : [];
  return { from: Math.max(...dates.map(({ from }) => from)), to: Math.min(...dates.map(({ to }) => to), ...ends) };
}

/** @returns the code of OpenSSL, such as CERT_HAS_EXPIRED or UNABLE_TO_GET_CRL. Node has codes for the most frequent reasons only */
export function refusalOf({ authorizationError: code }: TLSSocket): string {
  return String(code) === 'UNSPECIFIED' ? 'it or an authority above it breaks a rule of RFC 5280, or has a key that is too short' : String(code);
}

/** An absent extension allows every use. */
function allowsClients({ keyUsage }: X509Certificate): boolean {
  return keyUsage === undefined || keyUsage.length === 0 || keyUsage.includes(CLIENT_AUTH);
}

/** @returns the common name; undefined unless there is exactly one and it can be a user name */
function commonNameOf(certificate: X509Certificate): string | undefined {
  const { CN } = certificate.toLegacyObject().subject as { CN?: string | string[] };
  const name = typeof CN === 'string' ? normalName(CN) : undefined;
  return name !== undefined && isUsername(name) ? (CN as string) : undefined;
}
