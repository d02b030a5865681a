// What `gatehouse doctor` says of revocation lists, of which each authority of clients needs one that is valid now, and of certificates without a subject.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { checkCertificates } from '../../command/doctor/certificates.ts';
import type { Installation } from '../../command/doctor/finding.ts';
import { checkRevocationLists } from '../../command/doctor/revocation-lists.ts';
import { DAY_MS, makeCertificate, revocationList } from '../certificates.ts';
import { temporaryFolder } from '../server.ts';

const base = temporaryFolder();
test.after(() => rmSync(base, { recursive: true }));

/** @param now milliseconds after this moment */
async function found(authorities: readonly string[], lists: readonly string[], now = 0): Promise<string[]> {
  writeFileSync(join(base, 'ca.pem'), authorities.join(''));
  writeFileSync(join(base, 'crl.pem'), lists.join(''));
  const config = { http: { tls: { client_ca: 'ca.pem', client_crl: 'crl.pem' } } };
  const findings = await checkRevocationLists({ config, base, now: Date.now() + now } as unknown as Installation);
  return findings.map(({ state, says }) => `${state}: ${says}`);
}

test('an authority needs a list that is valid now, and is told before it ends', async () => {
  const [one, other] = [await makeCertificate('CN=one'), await makeCertificate('CN=other')];
  const [own, foreign] = [await revocationList(one, []), await revocationList(other, [])];
  const certificate = one.certificate.toString('pem');
  assert.match((await found([`${certificate}\n`], [own])).join(), /^ok: the list of CN=one in \S+crl\.pem ends at 20/);
  assert.match((await found([certificate], [foreign])).join(), /^problem: there is no list of CN=one in .*: all certificates of this authority are refused$/);
  assert.match((await found([certificate], [own], 29.5 * DAY_MS)).join(), /^warning: the list of CN=one in \S+ ends at 20/);
  assert.match((await found([certificate], [own], 31 * DAY_MS)).join(), /^problem: the list of CN=one in \S+ has ended at 20.*refused$/);
  assert.match((await found([certificate], [own], -2 * DAY_MS)).join(), /^problem: the list of CN=one in \S+ is of the future.*refused$/);
  const labelled = certificate.replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE');
  assert.match((await found([labelled], [foreign])).join(), /^problem: there is no list of CN=one in /, 'with a label that the server takes too');
  const both = await found([`${certificate}\n`, other.certificate.toString('pem')], [own, foreign]);
  assert.deepEqual(
    both.map((each) => each.slice(0, 6)),
    ['ok: th', 'ok: th'],
  );
  assert.match((await found([certificate], [own.replace(/\n[\w+/]{20}/, '\n')])).join(), /^problem: \S+ cannot be read: /);
});

test('a certificate that the server takes is no problem, whatever its label; of another the reason is told', async () => {
  const { cert, key } = await makeCertificate('CN=server', { days: 60 });
  writeFileSync(join(base, 'key.pem'), key);
  const config = { http: { tls: { cert: 'cert.pem', key: 'key.pem', client_ca: '' } } };
  const found = async (pem: string) => {
    writeFileSync(join(base, 'cert.pem'), pem);
    const [finding] = await checkCertificates({ config, base, dataDir: base, now: Date.now() } as unknown as Installation);
    return `${finding?.state}: ${finding?.says}`;
  };
  assert.match(await found(cert.replaceAll('CERTIFICATE', 'X509 CERTIFICATE')), /^ok: CN=server in \S+cert\.pem is valid until/);
  assert.match(await found(cert.replace(/\n[\w+/]{20}/, '\n')), /^problem: \S+cert\.pem cannot be used: its certificate is damaged/);
  assert.match(await found(cert.replace(/-----END.*/s, '')), /^problem: \S+cert\.pem is incomplete: its certificate has no end line/);
});

test('a certificate whose names are in its extension alone is told by these', async () => {
  const { cert, key } = await makeCertificate('', { names: ['127.0.0.1'], days: 60 });
  writeFileSync(join(base, 'cert.pem'), cert);
  writeFileSync(join(base, 'key.pem'), key);
  const config = { http: { tls: { cert: 'cert.pem', key: 'key.pem', client_ca: '' } } };
  const findings = await checkCertificates({ config, base, dataDir: base, now: Date.now() } as unknown as Installation);
  assert.deepEqual(
    findings.map(({ state }) => state),
    ['ok', 'ok'],
  );
  assert.match(findings[0]?.says ?? '', /^IP Address:127\.0\.0\.1 in \S+cert\.pem is valid until/);
});

test.run();
