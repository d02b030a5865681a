// Certificates: what is issued is read by node:crypto and OpenSSL's program, chains are held to RFC 5280, requests to their signature.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import type { CryptoError } from '../../../crypto/crypto-error.ts';
import { generatePair, type KeyPair } from '../../../crypto/key/key-pair.ts';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import { validateChain } from '../../../crypto/x509/certificate-chain.ts';
import { EXTENSION } from '../../../crypto/x509/certificate-extension.ts';
import { certificateFacts } from '../../../crypto/x509/certificate-facts.ts';
import { readCertificateRequest } from '../../../crypto/x509/certificate-request.ts';
import { type CertifyOptions, certify } from './certify.ts';

const NOW = 1_800_000_000;
const DAY = 86_400;
const CA = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign';
const refused = (code: string, text: RegExp) => (error: unknown) => (error as CryptoError).code === code && text.test((error as CryptoError).message);

interface Made extends KeyPair {
  readonly der: Uint8Array;
}

const pair = (): KeyPair => generatePair('EC', { curve: 'P_256' });

function made(name: string, issuer: Made | undefined, more: Partial<CertifyOptions> = {}, keys: KeyPair = pair()): Made {
  const der = certify({
    subjectPublicKey: keys.publicKey,
    subject: { CN: [name] },
    issuerKey: issuer?.privateKey ?? keys.privateKey,
    ...(issuer === undefined ? {} : { issuerCertificate: issuer.der }),
    notBefore: NOW - DAY,
    notAfter: NOW + DAY,
    ...more,
  });
  return { ...keys, der };
}

const root = made('root', undefined, { extensions: CA });
const middle = made('middle', root, { extensions: `[ v3_ca ]\nbasicConstraints=critical,CA:true,pathlen:0\nkeyUsage=critical,keyCertSign` });
const leaf = made('leaf', middle, { extensions: 'keyUsage=digitalSignature' });

test('issuer keys of every signature algorithm make certificates that hold', () => {
  const algorithms: CryptographicAlgorithm[] = ['RSA', 'DSA', 'EC', 'Ed25519', 'Ed448', 'MLDSA_44', 'MLDSA_65', 'SLHDSA_SHA2_128f'];
  for (const algorithm of algorithms) {
    const keys = generatePair(algorithm);
    const { der } = made(algorithm, undefined, { extensions: CA }, keys);
    const read = new X509Certificate(der);
    assert.ok(read.verify(keys.publicKey), algorithm);
    assert.ok(read.checkIssued(read) && read.ca && read.publicKey.equals(keys.publicKey), algorithm);
    assert.deepEqual(validateChain([der], NOW), { valid: true }, algorithm);
    const other = Buffer.from(der);
    other[other.length - 3] = (other[other.length - 3] as number) ^ 1;
    assert.equal(validateChain([other], NOW).valid, false, algorithm);
  }
  for (const [curve, name] of [
    ['P_384', 'ECDSAWithSHA384'],
    ['P_521', 'ECDSAWithSHA512'],
    ['SECP256K1', 'ECDSAWithSHA256'],
  ] as const)
    assert.equal(certificateFacts(made(curve, undefined, {}, generatePair('EC', { curve })).der).signatureAlgorithm, name);
  // Keys that do not sign are certified all the same.
  for (const keys of [generatePair('ECDH', { curve: 'CURVE25519' }), generatePair('MLKEM_768')])
    assert.ok(new X509Certificate(made('kem', root, {}, keys).der).verify(root.publicKey));
});

test('facts are those that node:crypto reads', () => {
  const subject = {
    CN: ['Zoë'],
    O: ['Acme, Inc.'],
    OU: ['one', 'two'],
    Email: ['zoe@example.org'],
    C: ['FR'],
    ST: ['Île-de-France'],
    L: ['Paris'],
    UID: ['zoe'],
    SerialNumber: ['12345'],
    Title: ['Dr'],
    DC: ['org', 'example'],
    DNQualifier: ['q'],
  };
  const extensions =
    'subjectAltName=DNS:example.org,IP:192.0.2.7,IP:2001:db8::7,IP:::ffff:192.0.2.1,email:zoe@example.org,URI:https://example.org/\nextendedKeyUsage=serverAuth, clientAuth,1.2.3.4\nauthorityKeyIdentifier=keyid:always,issuer';
  const { der, publicKey } = made('', root, { subject, extensions, serial: Buffer.from('00ff01', 'hex') });
  const facts = certificateFacts(der);
  const read = new X509Certificate(der);
  assert.deepEqual(facts.subject.attributes, subject);
  assert.deepEqual(facts.issuer.attributes, { CN: ['root'] });
  assert.ok(facts.issuer.der.equals(certificateFacts(root.der).subject.der));
  assert.equal(facts.serialNumber.toString('hex'), '00ff01');
  assert.equal(read.serialNumber, 'FF01');
  assert.equal(Date.parse(read.validFrom) / 1000, facts.notBefore);
  assert.equal(Date.parse(read.validTo) / 1000, facts.notAfter);
  assert.equal(facts.signatureAlgorithm, 'ECDSAWithSHA256');
  assert.equal(facts.length, der.length);
  assert.ok(facts.publicKey.equals(publicKey));
  assert.deepEqual(facts.subject.alternativeNames, [
    { type: 'DNS', value: 'example.org' },
    { type: 'IP', value: '192.0.2.7' },
    { type: 'IP', value: '2001:db8::7' },
    { type: 'IP', value: '::ffff:192.0.2.1' },
    { type: 'email', value: 'zoe@example.org' },
    { type: 'URI', value: 'https://example.org/' },
  ]);
  assert.equal(read.checkIP('2001:db8::7'), '2001:db8::7');
  assert.equal(read.checkHost('example.org'), 'example.org');
  assert.deepEqual(read.keyUsage, ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2', '1.2.3.4']);
});

test('times before and from 2050 on', () => {
  const end = Date.UTC(2061, 1, 3, 4, 5, 6) / 1000;
  const { der } = made('long', undefined, { notBefore: 0, notAfter: end });
  assert.equal(certificateFacts(der).notBefore, 0);
  assert.equal(certificateFacts(der).notAfter, end);
  assert.equal(Date.parse(new X509Certificate(der).validTo) / 1000, end);
});

test('a chain is valid in any order', () => {
  const all = [leaf.der, middle.der, root.der];
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 2, 0],
    [0, 0, 2, 1],
  ])
    assert.deepEqual(
      validateChain(
        order.map((at) => all[at] as Uint8Array),
        NOW,
      ),
      { valid: true },
    );
  assert.deepEqual(validateChain([root.der], NOW), { valid: true });
  assert.deepEqual(validateChain([root.der, middle.der], NOW), { valid: true });
});

test('what is wrong with a chain', () => {
  const why = (certificates: readonly Made[], at = NOW) =>
    validateChain(
      certificates.map(({ der }) => der),
      at,
    ).why;
  assert.match(why([leaf, root]) ?? '', /not one chain/);
  assert.match(why([leaf, middle]) ?? '', /missing/);
  assert.match(why([leaf]) ?? '', /missing/);
  assert.match(why([]) ?? '', /not one chain/);
  assert.match(why([leaf, middle, root, made('stranger', undefined)]) ?? '', /not one chain/);
  assert.match(why([leaf, middle, root], NOW + 2 * DAY) ?? '', /expired/);
  assert.match(why([leaf, middle, root], NOW - 2 * DAY) ?? '', /not valid yet/);
  assert.equal(why([leaf, middle, root], NOW + DAY), undefined);
  assert.match(why([made('below', leaf), leaf, middle, root]) ?? '', /not a certification authority|longer/);
  const plain = made('plain', root);
  assert.match(why([made('x', plain), plain, root]) ?? '', /not a certification authority/);
  const notForCertificates = made('usage', root, { extensions: 'basicConstraints=CA:TRUE\nkeyUsage=digitalSignature' });
  assert.match(why([made('x', notForCertificates), notForCertificates, root]) ?? '', /must not sign certificates/);
  const second = made('second', middle, { extensions: CA });
  assert.match(why([made('x', second), second, middle, root]) ?? '', /longer/);
  assert.equal(why([second, middle, root]), undefined, 'the last one does not count for the path length');
  const sameName = made('root', undefined, { extensions: CA });
  assert.match(why([middle, sameName]) ?? '', /not one chain|missing/);
  assert.equal(validateChain([Buffer.from('3000', 'hex')], NOW).valid, false);
  assert.equal(validateChain([leaf.der.subarray(0, -1)], NOW).valid, false);
});

test('extensions and other input that cannot be', () => {
  const attempt = (more: Partial<CertifyOptions>) => () => made('x', root, more);
  for (const extensions of [
    'nonsense',
    'toString=1',
    'basicConstraints=CA:maybe',
    'keyUsage=everything',
    'subjectAltName=host',
    'subjectAltName=IP:1.2.3',
    'keyUsage=digitalSignature\nkeyUsage=keyAgreement',
    'extendedKeyUsage=9.9',
  ])
    assert.throws(attempt({ extensions }), refused('invalid', /certificate extensions|subjectAltName/), extensions);
  assert.throws(attempt({ notAfter: NOW - 2 * DAY }), refused('invalid', /before it begins/));
  assert.throws(attempt({ notAfter: Number.MAX_SAFE_INTEGER }), refused('invalid', /time/));
  assert.throws(attempt({ serial: Buffer.alloc(3) }), refused('invalid', /serial/));
  assert.throws(attempt({ serial: Buffer.alloc(21, 1) }), refused('invalid', /serial/));
  assert.throws(attempt({ issuerKey: leaf.privateKey }), refused('invalid', /issuing certificate/));
  for (const subject of [{ C: ['FRA'] }, { CN: ['a\0b'] }, { Email: ['é'] }, { CN: ['x'.repeat(65)] }])
    assert.throws(attempt({ subject }), refused('invalid', /attribute/));
  assert.throws(() => made('x', undefined, { issuerKey: leaf.privateKey }), refused('invalid', /private key/));
  assert.throws(() => made('x', undefined, {}, generatePair('MLKEM_512')), refused('unsupported', /cannot sign/));
});

const openssl = (...args: string[]) => spawnSync('openssl', args, { encoding: 'utf8', timeout: 30_000 });
const hasOpenssl = openssl('version').status === 0;
if (!hasOpenssl) console.log('skipped: requests, revocation lists and verification by the openssl program, which is not here');

function inFolder(work: (at: (name: string) => string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-certificate-'));
  try {
    work((name) => join(folder, name));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const pem = (der: Uint8Array): string => new X509Certificate(der).toString();

if (hasOpenssl)
  test('the openssl program verifies the chain', () => {
    inFolder((at) => {
      for (const [name, { der }] of Object.entries({ root, middle, leaf })) writeFileSync(at(name), pem(der));
      const { status, stdout, stderr } = openssl(
        'verify',
        '-x509_strict',
        '-check_ss_sig',
        '-attime',
        String(NOW),
        '-CAfile',
        at('root'),
        '-untrusted',
        at('middle'),
        at('leaf'),
      );
      assert.equal(status, 0, stdout + stderr);
    });
  });

if (hasOpenssl)
  test('requests in DER and PEM, with extensions; a changed one is refused', () => {
    inFolder((at) => {
      const types = [
        ['rsa:2048'],
        ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
        ['ed25519'],
        ['rsa:2048', '-sigopt', 'rsa_padding_mode:pss', '-sha384', '-sigopt', 'rsa_pss_saltlen:-1'],
      ];
      for (const [type = '', ...more] of types) {
        const made = openssl(
          'req',
          '-new',
          '-newkey',
          type,
          ...more,
          '-nodes',
          '-keyout',
          at('key'),
          '-out',
          at('pem'),
          '-subj',
          '/C=FR/O=Acme/CN=client',
          '-addext',
          'subjectAltName=DNS:example.org',
          '-addext',
          'basicConstraints=CA:TRUE',
        );
        assert.equal(made.status, 0, made.stderr);
        const text = readFileSync(at('pem'));
        const request = readCertificateRequest(text);
        const der = Buffer.from(text.toString().replaceAll(/-----.*-----|\s/g, ''), 'base64');
        assert.deepEqual(readCertificateRequest(der).subject, request.subject);
        const certificate = certify({
          ...request,
          issuerKey: root.privateKey,
          issuerCertificate: root.der,
          notBefore: NOW,
          notAfter: NOW + 1,
        });
        const facts = certificateFacts(certificate);
        assert.deepEqual(facts.subject.attributes, { C: ['FR'], O: ['Acme'], CN: ['client'] });
        assert.deepEqual(facts.subject.alternativeNames, [{ type: 'DNS', value: 'example.org' }]);
        assert.equal(
          facts.extensions.some(({ oid }) => oid === EXTENSION.basicConstraints),
          false,
          'nobody makes an authority of itself',
        );
        const changed = Buffer.from(der);
        changed[der.indexOf('client')] = 0x43;
        assert.throws(() => readCertificateRequest(changed), refused('bad_certificate_request', /not signed/));
      }
    });
    assert.throws(() => readCertificateRequest(Buffer.from('no request')), refused('bad_certificate_request', /DER/));
    assert.throws(
      () => readCertificateRequest(root.der),
      (error: unknown) => (error as CryptoError).code === 'bad_certificate_request',
    );
  });

if (hasOpenssl)
  test('revocation lists', () => {
    inFolder((at) => {
      const keys = pair();
      const authority = made('authority', undefined, { extensions: CA }, keys);
      const [good, bad] = [made('good', authority), made('bad', authority, { serial: Buffer.of(0x4d) })];
      writeFileSync(at('ca.pem'), pem(authority.der));
      writeFileSync(at('ca.key'), keys.privateKey.export({ format: 'pem', type: 'pkcs8' }));
      const time = (seconds: number) =>
        new Date(seconds * 1000)
          .toISOString()
          .replaceAll(/[-:T]|\.\d+/g, '')
          .slice(2);
      writeFileSync(at('index'), `R\t${time(NOW + DAY)}\t${time(NOW - 100)},keyCompromise\t4D\tunknown\t/CN=bad\n`);
      writeFileSync(at('conf'), `[ca]\ndefault_ca=d\n[d]\ndatabase=${at('index')}\ndefault_md=sha256\n`);
      const run = openssl(
        'ca',
        '-gencrl',
        '-config',
        at('conf'),
        '-cert',
        at('ca.pem'),
        '-keyfile',
        at('ca.key'),
        '-crl_lastupdate',
        time(NOW - 50),
        '-crl_nextupdate',
        time(NOW + 50),
        '-out',
        at('crl.pem'),
      );
      assert.equal(run.status, 0, run.stderr);
      const list = Buffer.from(readFileSync(at('crl.pem'), 'utf8').replaceAll(/-----.*-----|\s/g, ''), 'base64');
      const validity = (certificate: Made, when = NOW, crl: Uint8Array = list) => validateChain([certificate.der, authority.der], when, [crl]);
      assert.deepEqual(validity(good), { valid: true });
      assert.match(validity(bad).why ?? '', /revoked/);
      assert.deepEqual(validateChain([bad.der, authority.der], NOW), { valid: true }, 'without the list nothing is known of it');
      assert.match(validity(good, NOW + 51).why ?? '', /not of this time/);
      const changed = Buffer.from(list);
      changed[changed.indexOf(0x4d, 60)] = 0x4e;
      assert.equal(validity(good, NOW, changed).valid, false);
      assert.deepEqual(validateChain([leaf.der, middle.der, root.der], NOW, [list]), { valid: true }, 'the list of another authority');
    });
  });

test.run();
