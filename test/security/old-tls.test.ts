// What both ports refuse of TLS, and another server takes of the same client: versions below 1.2, and renegotiation.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import tls, { createServer, type SecureVersion, type Server } from 'node:tls';
import { test } from 'uvu';
import { type Made, makeCertificate, SERVER_AUTH } from '../certificates.ts';
import { type SecureServer, startSecureServer } from '../secure-server.ts';

// As with the flags --tls-min-v1.0 and --tls-cipher-list: OpenSSL and Node would let the old versions in here, for client and server alike,
// so that what refuses them is the server's own setting. OpenSSL speaks them at security level 0 only.
tls.DEFAULT_MIN_VERSION = 'TLSv1';
tls.DEFAULT_CIPHERS = 'DEFAULT@SECLEVEL=0';

const OLD: readonly SecureVersion[] = ['TLSv1', 'TLSv1.1'];
const CURRENT: readonly SecureVersion[] = ['TLSv1.2', 'TLSv1.3'];

let server: SecureServer;
let control: Server;
let ann: Made;
let ports: Readonly<Record<string, number>>;

test.before(async () => {
  server = await startSecureServer({ config: '[keys.kmip_listener]\nenabled = true\nport = 0\n' });
  ann = await server.client('ann');
  const own = await makeCertificate('CN=control', { issuer: server.authority, usage: SERVER_AUTH, names: ['127.0.0.1'] });
  const trust = { ca: server.authority.cert, requestCert: true, rejectUnauthorized: true };
  control = createServer({ cert: own.cert, key: own.key, ...trust }, (socket) => socket.on('error', () => {}).resume());
  await once(control.listen(0, '127.0.0.1'), 'listening');
  ports = { https: Number(new URL(server.address).port), kmip: server.kmipPort() };
});
test.after(async () => {
  control?.close();
  await server?.end();
});

/** @returns the version that was agreed on, or the code of the error */
async function handshake(port: number, version: SecureVersion): Promise<string> {
  const socket = server.dial(port, ann, { minVersion: version, maxVersion: version });
  try {
    await once(socket, 'secureConnect');
    return socket.getProtocol() ?? 'none';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'an error without a code';
  } finally {
    socket.destroy();
  }
}

test('the client speaks every version with a server that takes them', async () => {
  const { port } = control.address() as AddressInfo;
  for (const version of [...OLD, ...CURRENT]) assert.equal(await handshake(port, version), version);
});

/** @returns the code of the error, if there is one */
async function renegotiate(port: number): Promise<string | undefined> {
  const socket = server.dial(port, ann, { maxVersion: 'TLSv1.2' });
  await once(socket, 'secureConnect');
  const failed = await new Promise<Error | null>((resolve) => {
    socket.on('error', resolve);
    socket.on('close', () => resolve(new Error('closed')));
    socket.renegotiate({}, resolve);
  });
  socket.destroy();
  return (failed as NodeJS.ErrnoException | null)?.code;
}

test('the client renegotiates with a server that takes it', async () => {
  assert.equal(await renegotiate((control.address() as AddressInfo).port), undefined);
});

for (const name of ['https', 'kmip']) {
  test(`the port of ${name} takes no renegotiation, by which a client could show another certificate`, async () => {
    assert.equal(await renegotiate(ports[name] as number), 'ERR_SSL_NO_RENEGOTIATION');
  });

  test(`the port of ${name} refuses TLS below 1.2 for its version, and takes the same client with 1.2 and 1.3`, async () => {
    const port = ports[name] as number;
    // The alert protocol_version (RFC 5246, section 7.2.2): any other refusal would be by chance, such as for want of a common cipher.
    for (const version of OLD) assert.equal(await handshake(port, version), 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', version);
    for (const version of CURRENT) assert.equal(await handshake(port, version), version);
  });
}

test.run();
