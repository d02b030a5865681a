// A protocol that is not HTTP, as a plugin declares it: messages that begin with their length, answered in turn, over TLS with client certificates.
import type { PeerCertificateView } from '../http/client-certificate.ts';

export interface Message {
  /** In a buffer of its own: it may be moved to a thread. */
  readonly bytes: Uint8Array;
  /** Of the client, found valid when the message had arrived. */
  readonly certificate: PeerCertificateView;
  /** Address of the peer. */
  readonly address: string;
  /** Aborted when the client goes away before its answer. */
  readonly signal: AbortSignal;
}

export interface Listener {
  /** The protocol, for logs and for the line that says the server is up. */
  readonly name: string;
  /** Its place in the configuration: problems begin with it. */
  readonly setting: string;
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** So many bytes tell the length of a message. */
  readonly headerBytes: number;
  /** Longer ones are refused before they are read. */
  readonly maxMessageBytes: number;
  /** Whole length in bytes of the message that begins so; undefined where no message does. */
  lengthOf(header: Uint8Array): number | undefined;
  /**
   * The answer to one message; a connection has one under way at a time. Of what is no message, or is too long, it gets the header alone, and
   * the connection ends after its answer. What it throws ends the connection at once.
   */
  answer(message: Message): Promise<Uint8Array>;
  /** The answer to a message that is not worked on, because its sender has too much under way or unread. @param why in words for the client */
  refuse(message: Uint8Array, why: string): Uint8Array;
}
