// Certificates of the operator and of clients: trusted, foreign, expired, of the wrong use, and files that change under way.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import Type from 'typebox';
import { Agent, request } from 'undici';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { TlsWatch } from '../../../kernel/http/tls/tls-watch.ts';
import { definePlugin } from '../../../kernel/plugin.ts';
import { BUILT_IN } from '../../../plugins/index.ts';
import { CLIENT_AUTH, DAY_MS, type Made, makeCertificate, SERVER_AUTH } from '../../certificates.ts';
import { until } from '../../runtime.ts';
import { startServer, type TestServer, temporaryFolder } from '../../server.ts';

const folder = temporaryFolder();

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Answers what the front makes of the client's certificate. */
const mirror = definePlugin({
  name: 'mirror',
  config: Type.Object({}, { default: {} }),
  authenticators: () => ({
    certificate: async ({ certificate }) => certificate && { credential: 'certificate', realm: 'r', username: certificate.commonName, scheme: 'cc' },
  }),
  routes: () => [
    { method: 'GET', path: '/mirror', auth: 'none', handle: ({ certificate }) => ({ status: 200, body: certificate ?? null }) },
    { method: 'GET', path: '/mirror/me', auth: ['certificate'], handle: ({ caller }) => ({ status: 200, body: caller?.username }) },
  ],
});

const ca = await makeCertificate('CN=ca');
const serverFiles = await makeCertificate('CN=server', { issuer: ca, usage: SERVER_AUTH, names: ['127.0.0.1'] });
const paths = { cert: write('server.pem', serverFiles.cert), key: write('server.key', serverFiles.key), ca: write('ca.pem', ca.cert) };
let server: TestServer;

test.before(async () => {
  const config = `[http.tls]\ncert = "${paths.cert}"\nkey = "${paths.key}"\nclient_ca = "${paths.ca}"\n`;
  // The helper of the tests trusts the self-signed certificate, which this server does not use; only the address is needed.
  const dataDir = join(folder, 'data');
  const first = await startServer({ dataDir });
  await first.end();
  server = await startServer({ plugins: [...BUILT_IN, mirror] as never, config, dataDir });
});
test.after(async () => {
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

async function see(client?: Made, path = '/mirror'): Promise<{ status: number; body: unknown }> {
  const agent = new Agent({ connect: { ca: ca.cert, ...(client ? { cert: client.cert, key: client.key } : {}) } });
  const { statusCode, body } = await request(`${server.address}${path}`, { dispatcher: agent });
  const answer = { status: statusCode, body: await body.json() };
  await agent.close();
  return answer;
}

test('files with other contents, or that do not fit together, stop the start with a clear message', async () => {
  const other = write('other.key', (await makeCertificate('CN=other')).key);
  const start = (tls: string) => startServer({ config: `[http.tls]\n${tls}\n` });
  await assert.rejects(start(`client_ca = "${other}"`), /http\.tls\.client_ca: .*other\.key holds no certificate in PEM/);
  await assert.rejects(start(`client_ca = "${paths.ca}"\nclient_crl = "${paths.ca}"`), /http\.tls\.client_crl: .* holds no revocation list in PEM/);
  await assert.rejects(start(`cert = "${other}"\nkey = "${paths.ca}"`), /http\.tls\.cert: .* no certificate[\s\S]*http\.tls\.key: .* no private key/);
  await assert.rejects(
    start(`cert = "${paths.cert}"\nkey = "${other}"`),
    /http\.tls: the certificate .*server\.pem and the key .*other\.key cannot be used together \(.*key values mismatch\)/,
  );
});

test('a key of another type than the certificate is refused: no client could connect', async () => {
  const keys = [generateKeyPairSync('rsa', { modulusLength: 2048 }), generateKeyPairSync('ed25519'), generateKeyPairSync('ec', { namedCurve: 'P-384' })];
  for (const { privateKey } of keys) {
    const key = write('typed.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    await assert.rejects(
      startServer({ config: `[http.tls]\ncert = "${paths.cert}"\nkey = "${key}"\n` }),
      /http\.tls: the certificate .*server\.pem and the key .*typed\.key cannot be used together \(.+\)/,
      privateKey.asymmetricKeyType,
    );
  }
  const second = write('second.pem', `${ca.cert}${serverFiles.cert}`);
  await assert.rejects(startServer({ config: `[http.tls]\ncert = "${second}"\nkey = "${paths.key}"\n` }), /cannot be used together \(.+\)/);
});

test('a damaged file is named with its block, even if OpenSSL would silently skip the block', async () => {
  const start = (tls: string) => startServer({ config: `${tls}\n` });
  const damaged = (name: string) => `-----BEGIN ${name}-----\nAAAA\n-----END ${name}-----\n`;
  const [cert, key, crl] = [write('d.pem', damaged('CERTIFICATE')), write('d.key', damaged('PRIVATE KEY')), write('d.crl', damaged('X509 CRL'))];
  const second = write('second.pem', ca.cert + damaged('CERTIFICATE'));
  const cut = write('cut.pem', ca.cert.slice(0, -30));
  const own = `cert = "${paths.cert}"\nkey = "${paths.key}"\n`;
  await assert.rejects(
    start(`[http.tls]\ncert = "${cert}"\nkey = "${key}"`),
    /http\.tls\.cert: .*d\.pem .* is damaged[\s\S]*http\.tls\.key: .*d\.key .* is damaged/,
  );
  await assert.rejects(start(`[http.tls]\n${own}client_ca = "${cert}"`), /http\.tls\.client_ca: .*d\.pem cannot be used: its certificate is damaged/);
  await assert.rejects(start(`[http.tls]\n${own}client_ca = "${second}"`), /http\.tls\.client_ca: .*second\.pem cannot be used: certificate 2 of 2 is damaged/);
  await assert.rejects(start(`[http.tls]\n${own}client_ca = "${cut}"`), /http\.tls\.client_ca: .*cut\.pem is incomplete: its certificate has no end line/);
  await assert.rejects(
    start(`[http.tls]\n${own}client_ca = "${paths.ca}"\nclient_crl = "${crl}"`),
    /http\.tls\.client_crl: .*d\.crl cannot be used: its revocation list is damaged/,
  );
  await assert.rejects(start(`[auth]\njwks_ca = "${second}"`), /auth\.jwks_ca: .*second\.pem cannot be used: certificate 2 of 2 is damaged/);
  await assert.rejects(start(`[auth]\njwks_ca = "${paths.key}"`), /auth\.jwks_ca: .*server\.key holds no certificate in PEM/);
  await assert.rejects(start(`[auth]\njwks_ca = "${folder}/none.pem"`), /auth\.jwks_ca: .*none\.pem cannot be read \(ENOENT\)/);
});

test('a client without a trusted certificate is served as a client without a certificate', async () => {
  assert.deepEqual(await see(), { status: 200, body: null });
  assert.equal((await see(undefined, '/mirror/me')).status, 401);
});

test('a trusted certificate gives its common name', async () => {
  const client = await makeCertificate('CN=owner@acme.com', { issuer: ca, usage: CLIENT_AUTH });
  assert.deepEqual(await see(client), { status: 200, body: { commonName: 'owner@acme.com' } });
  assert.deepEqual(await see(client, '/mirror/me'), { status: 200, body: 'owner@acme.com' });
  assert.deepEqual((await see(await makeCertificate('CN=no usage', { issuer: ca }))).body, { commonName: 'no usage' });
});

test('foreign, expired and wrong-use certificates, and invalid names, give no identity', async () => {
  const foreign = await makeCertificate('CN=other ca');
  const clients = [
    await makeCertificate('CN=mallory', { issuer: foreign, usage: CLIENT_AUTH }),
    await makeCertificate('CN=mallory', { usage: CLIENT_AUTH }),
    await makeCertificate('CN=late', { issuer: ca, usage: CLIENT_AUTH, days: -1 }),
    await makeCertificate('CN=server', { issuer: ca, usage: SERVER_AUTH }),
    await makeCertificate('O=no common name', { issuer: ca, usage: CLIENT_AUTH }),
    await makeCertificate('CN=one, CN=two', { issuer: ca, usage: CLIENT_AUTH }),
    await makeCertificate('CN=*', { issuer: ca, usage: CLIENT_AUTH }),
    await makeCertificate('CN=realm/user', { issuer: ca, usage: CLIENT_AUTH }),
    await makeCertificate('CN=jwt:user', { issuer: ca, usage: CLIENT_AUTH }),
  ];
  for (const client of clients) {
    assert.deepEqual(await see(client), { status: 200, body: null }, client.certificate.subject);
    assert.equal((await see(client, '/mirror/me')).status, 401, client.certificate.subject);
  }
});

const degraded = async () => ((await see(undefined, '/ready')).body as { degraded?: readonly string[] }).degraded;

test('changed files are used without a restart; broken ones are not', async () => {
  const { hostname, port } = new URL(server.address);
  const subject = () =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), ca: ca.cert }, () => {
        resolve(socket.getPeerX509Certificate()?.subject ?? '');
        socket.destroy();
      });
      socket.on('error', reject);
    });
  assert.equal(await subject(), 'CN=server');
  write('server.pem', 'broken');
  await until(() => server.lines.some(({ msg }) => String(msg).includes('the old ones stay in use')), 'the broken file was seen', 15_000);
  assert.ok(server.lines.some(({ msg, error }) => String(msg).includes('the old ones stay') && String(error).includes('server.pem holds no certificate')));
  assert.match(String(await degraded()), /^TLS files: .* the old ones stay in use: .*server\.pem holds no certificate/);
  assert.equal(await subject(), 'CN=server');
  const renewed = await makeCertificate('CN=renewed', { issuer: ca, usage: SERVER_AUTH, names: ['127.0.0.1'] });
  write('server.key', renewed.key);
  write('server.pem', renewed.cert);
  await until(async () => (await subject()) === 'CN=renewed', 'the new certificate is served', 15_000);
  await until(async () => (await degraded()) === undefined, 'nothing is degraded', 15_000);
});

test('files that change between their reading and the watch, as during a long start, are read anew', async () => {
  const files = { cert: write('early.pem', serverFiles.cert), key: write('early.key', serverFiles.key), clientCa: undefined, clientCrl: undefined };
  const watch = await TlsWatch.of(files, { info() {}, error() {} });
  const startFor = async (applied: string[]) => {
    (await watch.start(createClock(), ({ cert }) => void applied.push(String(cert))))();
    return applied;
  };
  assert.deepEqual(await startFor([]), []);
  const chain = `${serverFiles.cert}\n${ca.cert}`;
  write('early.pem', chain);
  assert.deepEqual(await startFor([]), [chain]);
});

test('files that could not be read for another reason than their content are tried again', async () => {
  const files = { cert: write('late.pem', serverFiles.cert), key: write('late.key', serverFiles.key), clientCa: undefined, clientCrl: undefined };
  const errors: string[] = [];
  const watch = await TlsWatch.of(files, { info() {}, error: (_, message) => void errors.push(message) });
  let isFull = true;
  const apply = () => {
    if (isFull) throw new Error('EMFILE: too many open files');
  };
  const look = async () => (await watch.start(createClock(), apply))();
  write('late.pem', `${serverFiles.cert}\n${ca.cert}`);
  await look();
  await look();
  assert.equal(errors.length, 1, 'the same trouble is logged once');
  assert.match(watch.degraded(Date.now())[0] ?? '', /cannot be used, and the old ones stay in use: .*EMFILE/);
  isFull = false;
  await look();
  assert.deepEqual(watch.degraded(Date.now()), []);
});

// Moves the clock back at its end, after which what repeats waits.
test('a certificate that expires is refused on connections and sessions that are open already', async () => {
  const client = await makeCertificate('CN=soon gone', { issuer: ca, usage: CLIENT_AUTH, days: 1 });
  const agent = new Agent({ connections: 1, connect: { ca: ca.cert, cert: client.cert, key: client.key } });
  const ask = async () => (await (await request(`${server.address}/mirror`, { dispatcher: agent })).body.json()) as unknown;
  assert.deepEqual(await ask(), { commonName: 'soon gone' });
  await server.runtime.advance(2 * DAY_MS);
  assert.deepEqual(await ask(), null);
  await server.runtime.advance(-2 * DAY_MS);
  await agent.close();
});

test.run();
