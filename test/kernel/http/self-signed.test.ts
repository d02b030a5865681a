// When the self-signed certificate is renewed, and that the server then uses the new one.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { test } from 'uvu';
import { ensureSelfSigned } from '../../../kernel/http/tls/self-signed.ts';
import { until } from '../../runtime.ts';
import { startServer, temporaryFolder } from '../../server.ts';

const DAY_MS = 86_400_000;

test('it is made anew 30 days before its end, and not earlier', async () => {
  const dataDir = temporaryFolder();
  const now = Date.now();
  const made = async (at: number) => new X509Certificate(readFileSync((await ensureSelfSigned(dataDir, '0.0.0.0', at)).cert));
  const first = await made(now);
  const due = Date.parse(first.validTo) - 30 * DAY_MS;
  for (const at of [now, due - 1]) assert.equal((await made(at)).fingerprint256, first.fingerprint256);
  assert.notEqual((await made(due)).fingerprint256, first.fingerprint256);
  assert.match(String(first.subjectAltName), /^DNS:localhost, IP Address:127\.0\.0\.1, IP Address:0:0:0:0:0:0:0:1, DNS:/);
  assert.ok(!String(first.subjectAltName).includes('0.0.0.0'));
  rmSync(dataDir, { recursive: true });
});

test('it is made anew where the clock was ahead when it was made, and a damaged one is told by its name', async () => {
  const dataDir = temporaryFolder();
  const now = Date.now();
  const { cert } = await ensureSelfSigned(dataDir, '127.0.0.1', now + 3 * DAY_MS);
  const early = new X509Certificate(readFileSync(cert));
  await ensureSelfSigned(dataDir, '127.0.0.1', now + 2 * DAY_MS);
  assert.equal(new X509Certificate(readFileSync(cert)).fingerprint256, early.fingerprint256);
  await ensureSelfSigned(dataDir, '127.0.0.1', now);
  assert.ok(Date.parse(new X509Certificate(readFileSync(cert)).validFrom) <= now);
  writeFileSync(cert, '');
  await assert.rejects(startServer({ dataDir }), { name: 'ConfigError', message: /http\.tls\.cert: .*cert\.pem holds no certificate in PEM format/ });
  rmSync(dataDir, { recursive: true });
});

test('it is made anew for a host that it does not name', async () => {
  const dataDir = temporaryFolder();
  const made = async (host: string) => new X509Certificate(readFileSync((await ensureSelfSigned(dataDir, host, Date.now())).cert));
  const first = await made('127.0.0.1');
  for (const host of ['0.0.0.0', '::', '::1', 'localhost']) assert.equal((await made(host)).fingerprint256, first.fingerprint256, host);
  const named = await made('gate.example');
  assert.ok(named.checkHost('gate.example') && named.checkIP('127.0.0.1'));
  const addressed = await made('192.0.2.1');
  assert.ok(addressed.checkIP('192.0.2.1') && !addressed.checkHost('gate.example'));
  const zoned = await made('fe80::1%eth0');
  assert.ok(zoned.checkIP('fe80::1'));
  assert.equal((await made('fe80::1%eth0')).fingerprint256, zoned.fingerprint256);
  rmSync(dataDir, { recursive: true });
});

test('OpenSSL takes it for a server where it is trusted itself, its key is its own, and it is no authority', async () => {
  const dataDir = temporaryFolder();
  const { cert, key } = await ensureSelfSigned(dataDir, '127.0.0.1', Date.now());
  const openssl = (...args: string[]) => spawnSync('openssl', args, { encoding: 'utf8' });
  const { stdout, stderr } = openssl('verify', '-x509_strict', '-purpose', 'sslserver', '-verify_ip', '127.0.0.1', '-CAfile', cert, cert);
  assert.equal(stdout, `${cert}: OK\n`, stderr);
  const made = new X509Certificate(readFileSync(cert));
  assert.ok(!made.ca && made.verify(made.publicKey) && made.checkPrivateKey(createPrivateKey(readFileSync(key))));
  assert.deepEqual([made.subject, made.issuer], Array(2).fill('CN=gatehouse self-signed'));
  rmSync(dataDir, { recursive: true });
});

test('a server that runs for a year makes it anew in time, and serves it', async () => {
  const running = await startServer();
  const { hostname, port } = new URL(running.address);
  const served = () =>
    new Promise<X509Certificate>((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
        resolve(socket.getPeerX509Certificate() as X509Certificate);
        socket.destroy();
      });
      socket.on('error', reject);
    });
  const first = await served();
  await running.runtime.advance(300 * DAY_MS);
  assert.equal(new X509Certificate(readFileSync(join(running.dataDir, 'tls', 'cert.pem'))).fingerprint256, first.fingerprint256);
  await running.runtime.advance(37 * DAY_MS);
  await until(async () => (await served()).fingerprint256 !== first.fingerprint256, 'the new certificate is served');
  assert.ok(Date.parse((await served()).validTo) > running.clock.now() + 300 * DAY_MS);
  await running.end();
});

test.run();
