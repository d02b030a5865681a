// A client of the KMIP listener of a server that a bench measures: binary messages over TLS with a certificate.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { decodeBinary, encodeBinary } from '../../kmip/ttlv/binary.ts';
import { decodeJson } from '../../kmip/ttlv/json.ts';
import type { Node } from '../../kmip/ttlv/node.ts';
import { CLIENT_AUTH, type Made, makeCertificate } from '../../test/certificates.ts';
import { freePort } from '../../test/postgres.ts';
import { type Item, message } from '../load/kmip-json.ts';
import { AES, encryptBy } from './key-server.ts';
import type { ServerProcess } from './server-process.ts';

const HEADER_BYTES = 8;
const LENGTH_AT = 4;
/** Tag of the specification 2.1, section 11 (Tags). */
const UNIQUE_IDENTIFIER = 0x420094;
const USER = 'bench@example.com';

export interface KmipConnection {
  /** @returns encrypts 64 bytes each time it is called @throws Error if the server refuses */
  encrypt(): Promise<() => Promise<void>>;
  close(): void;
}

export interface KmipListener {
  /** Tables for the configuration of the server. */
  readonly config: string;
  connect(server: ServerProcess): Promise<KmipConnection>;
}

/** @param folder of the certificate authority */
export async function kmipListener(folder: string): Promise<KmipListener> {
  const port = await freePort();
  const authority = await makeCertificate('CN=authority of the bench');
  const own = await makeCertificate(`CN=${USER}`, { issuer: authority, usage: CLIENT_AUTH });
  const file = join(folder, 'client-ca.pem');
  writeFileSync(file, authority.cert);
  return {
    config: `[http.tls]\nclient_ca = "${file}"\n[keys.kmip_listener]\nenabled = true\nport = ${port}\n`,
    connect: ({ ca }) => connected(port, ca, own),
  };
}

async function connected(port: number, ca: string, { cert, key }: Made): Promise<KmipConnection> {
  const socket = connect({ host: '127.0.0.1', port, ca, cert, key });
  await once(socket, 'secureConnect');
  return {
    async encrypt() {
      const id = identifierIn(await answerTo(socket, encoded(AES)));
      const request = encoded(encryptBy(id));
      return async () => {
        const { length } = await answerTo(socket, request);
        if (length < request.length) throw new Error(`an answer of ${length} bytes is no ciphertext`);
      };
    },
    close: () => socket.destroy(),
  };
}

function encoded(item: Item): Buffer {
  return Buffer.from(encodeBinary(decodeJson(Buffer.from(JSON.stringify(message(item))))));
}

/** One message at a time, as the listener serves them. */
function answerTo(socket: TLSSocket, request: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let all: Buffer = Buffer.alloc(0);
    const end = () => {
      socket.off('data', take).off('close', lost);
    };
    const lost = () => {
      end();
      reject(new Error('the KMIP listener has closed the connection'));
    };
    const take = (part: Buffer) => {
      all = Buffer.concat([all, part]);
      if (all.length < HEADER_BYTES || all.length < HEADER_BYTES + all.readUInt32BE(LENGTH_AT)) return;
      end();
      resolve(all);
    };
    socket.on('data', take).on('close', lost);
    socket.write(request);
  });
}

function identifierIn(answer: Buffer): string {
  const found = textIn(decodeBinary(answer), UNIQUE_IDENTIFIER);
  if (found === undefined) throw new Error(`the KMIP listener has made no key: ${answer.toString('hex')}`);
  return found;
}

function textIn({ tag, value }: Node, wanted: number): string | undefined {
  if (tag === wanted) return String(value);
  if (!Array.isArray(value)) return undefined;
  for (const member of value as readonly Node[]) {
    const found = textIn(member, wanted);
    if (found !== undefined) return found;
  }
  return undefined;
}
