// Helps attackers: opens connections from their own address and builds requests and KMIP messages.
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { encodeBinary } from '../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { bytes, enumeration, integer, type Node, structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Target } from '../target.ts';

const ATTACKER = '127.0.0.2';

export interface DialOptions {
  /** Common name of the client certificate. */
  readonly client?: string;
  /** Connect to the KMIP listener instead of HTTPS. */
  readonly listener?: boolean;
  readonly localAddress?: string;
}

/** Opens a TLS connection and ignores its errors. */
export async function dial(target: Target, { client, listener = false, localAddress = ATTACKER }: DialOptions): Promise<TLSSocket> {
  const { port } = new URL(target.address);
  const tcp = connectTcp({ host: '127.0.0.1', port: listener ? target.listenerPort : Number(port), localAddress }).on('error', () => {});
  const socket = connect({ socket: tcp, host: '127.0.0.1', ca: target.ca, ...(client === undefined ? {} : target.clients[client]) });
  socket.on('error', () => {});
  await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')]);
  return socket;
}

/** @returns head and body of a request */
export function requestBytes(method: string, path: string, headers: Readonly<Record<string, string | number>> = {}, body?: string | Uint8Array): Buffer {
  const payload = Buffer.from(body ?? '');
  const all = { host: 'localhost', ...(body === undefined ? {} : { 'content-length': payload.length }), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), payload]);
}

/** @returns a KMIP 2.1 request message with one operation, in TTLV */
export function kmipMessage(operation: keyof typeof ENUM.Operation, ...payload: readonly Node[]): Uint8Array {
  const version = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, 2), integer(TAG.ProtocolVersionMinor, 1)]);
  return encodeBinary(
    structure(TAG.RequestMessage, [
      structure(TAG.RequestHeader, [version, integer(TAG.BatchCount, 1)]),
      structure(TAG.BatchItem, [enumeration(TAG.Operation, ENUM.Operation[operation]), structure(TAG.RequestPayload, payload)]),
    ]),
  );
}

/** @returns a message that registers secret data of this size in bytes */
export function registerMessage(size: number): Uint8Array {
  const block = structure(TAG.KeyBlock, [
    enumeration(TAG.KeyFormatType, ENUM.KeyFormatType.Opaque),
    structure(TAG.KeyValue, [bytes(TAG.KeyMaterial, new Uint8Array(size).fill(7))]),
  ]);
  return kmipMessage(
    'Register',
    enumeration(TAG.ObjectType, ENUM.ObjectType.SecretData),
    structure(TAG.Attributes, []),
    structure(TAG.SecretData, [enumeration(TAG.SecretDataType, ENUM.SecretDataType.Password), block]),
  );
}

export function getMessage(id: string): Uint8Array {
  return kmipMessage('Get', text(TAG.UniqueIdentifier, id));
}

/** Sends one message on a new connection to the listener. @returns the answer */
export async function tell(target: Target, client: string, message: Uint8Array): Promise<Buffer> {
  const socket = await dial(target, { client, listener: true });
  socket.write(message);
  const answer = await answerOf(socket);
  socket.destroy();
  return answer;
}

/** @returns the next complete message of the listener */
export async function answerOf(socket: TLSSocket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    const head = chunks.length === 1 ? (chunk as Buffer) : Buffer.concat(chunks.slice(0, 2));
    if (length >= 8 && length >= 8 + head.readUInt32BE(4)) return Buffer.concat(chunks);
  }
  throw new Error('the connection was closed');
}

/** @returns the unique identifier in an answer; the first UUID is in the header, so it takes the second */
export function idIn(answer: Uint8Array): string {
  const found = Buffer.from(answer)
    .toString('latin1')
    .match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)
    ?.at(1);
  if (found === undefined) throw new Error(`no identifier in the answer: ${Buffer.from(answer).subarray(0, 400).toString('latin1')}`);
  return found;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Keeps this number of connections open: a second after the server closes one, `open` is called again. */
export async function keep(count: number, signal: AbortSignal, open: () => Promise<TLSSocket>): Promise<void> {
  const one = async () => {
    while (!signal.aborted) {
      const socket = await open();
      if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
      await pause(1_000);
    }
  };
  await Promise.all(Array.from({ length: count }, one));
}
