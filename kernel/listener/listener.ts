// How a plugin declares a protocol other than HTTP, and what the configuration must have for it: messages with a length in the header, answered in order, over TLS with client certificates.
import { ConfigError } from '../config/config-error.ts';
import type { KernelConfig } from '../config/sections.ts';
import type { PeerCertificateView } from '../http/tls/client-certificate.ts';

export interface Message {
  /** In a buffer of their own, so that they can be moved to a thread. */
  readonly bytes: Uint8Array;
  /** The client certificate. It was valid when the message had arrived. */
  readonly certificate: PeerCertificateView;
  /** Address of the peer. */
  readonly address: string;
  /** Aborted if the connection is gone before the client gets its answer. A client that only says that it sends nothing more still waits for it. */
  readonly signal: AbortSignal;
}

export interface Listener {
  /** Name of the protocol, for the log and for the start message of the server. */
  readonly name: string;
  /** Its place in the configuration, with which messages about problems begin. */
  readonly setting: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Bytes of the header, which tells the length of a message. */
  readonly headerBytes: number;
  /** Longer messages are refused before they are read. */
  readonly maxMessageBytes: number;
  /** @returns whole length in bytes of the message with this header; undefined if the header is invalid */
  lengthOf(header: Uint8Array): number | undefined;
  /**
   * Answers one message. A connection has one running message at a time. For an invalid or too long message it gets the header only, and
   * the connection ends after the answer. If it throws, the connection ends at once.
   */
  answer(message: Message): Promise<Uint8Array>;
  /** Answers a message that is refused because its client uses too much memory. @param why text for the client */
  refuse(message: Uint8Array, why: string): Uint8Array;
}

/** @throws ConfigError if the server does not ask for client certificates */
export function requireClients({ setting }: Listener, isAsking: boolean): void {
  if (!isAsking) throw new ConfigError([`${setting}: requires client certificates; set http.tls.client_ca`]);
}

/** @throws ConfigError for the port of HTTPS at the same address */
export function requireOwnPort({ setting, host, port }: Listener, https: Pick<KernelConfig['http'], 'host' | 'port'>): void {
  if (port === https.port && host === https.host && port !== 0)
    throw new ConfigError([`${setting}: ${host} port ${port} is that of HTTPS ([http]); give the listener a port of its own`]);
}
