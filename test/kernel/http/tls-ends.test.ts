// What is told of certificates and revocation lists that end, and of the metric from which others compute the same.
import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { test } from 'uvu';
import { endingOf, endsOf, exposeTlsEnds } from '../../../kernel/http/tls/tls-ends.ts';
import { DAY_MS, makeCertificate, revocationList, SERVER_AUTH } from '../../certificates.ts';

const authority = await makeCertificate('CN=authority', { days: 20 });
const other = await makeCertificate('CN=other authority', { days: 300 });
const own = await makeCertificate('CN=server', { issuer: authority, usage: SERVER_AUTH, days: 90 });
const lists = await Promise.all([revocationList(authority, [], [], 1), revocationList(authority, [], [], 5), revocationList(other, [], [], 8)]);
const ends = endsOf({ cert: Buffer.from(`${own.cert}\n${authority.cert}`), ca: Buffer.from(other.cert), crl: lists });
const now = Date.now();
const told = (days: number) => endingOf(ends, now + days * DAY_MS).map((each) => each.replace(/ on \d{4}-.*/, ''));

test('of each file the first end counts, and of the lists of one issuer the last one', () => {
  const days = ends.map(({ file, to }) => [file, Math.round((to - now) / DAY_MS)]);
  assert.deepEqual(days, [
    ['cert', 20],
    ['client_ca', 300],
    ['client_crl', 5],
  ]);
});

test('certificates are told a week before they end, lists when they have ended', () => {
  const list = 'http.tls.client_crl: a revocation list, without which clients are refused, has ended';
  assert.deepEqual(told(4), []);
  assert.deepEqual(told(6), [list]);
  assert.deepEqual(told(14), ['http.tls.cert: a certificate ends', list]);
  assert.deepEqual(told(294), ['http.tls.cert: a certificate has ended', 'http.tls.client_ca: a certificate ends', list]);
});

test('a server without authorities of clients tells of its certificate only', async () => {
  const registry = new Registry();
  exposeTlsEnds(registry, () => endsOf({ cert: Buffer.from(own.cert) }));
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('gatehouse_tls_end_timestamp_seconds{'));
  assert.equal(lines.length, 1);
  const [, seconds] = /\{file="cert"\} (\d+)$/.exec(lines[0] ?? '') ?? [];
  assert.equal(Math.round((Number(seconds) - now / 1_000) / 86_400), 90);
});

test.run();
