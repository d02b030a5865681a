// Certificates are issued only with extensions that are what the standard says they are, and with a name of their subject (RFC 5280).
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { context, DER, element, oid, sequence } from '../../../crypto/der.ts';
import { generatePair } from '../../../crypto/key/key-pair.ts';
import { EXTENSION, type Extension } from '../../../crypto/x509/certificate-extension.ts';
import { certificateFacts } from '../../../crypto/x509/certificate-facts.ts';
import { writeName } from '../../../crypto/x509/distinguished-name.ts';
import { type CertifyOptions, certify } from './certify.ts';

const keys = generatePair('EC', { curve: 'P_256' });
const CA = 'basicConstraints=critical,CA:TRUE';
const names = sequence(element(0x82, Buffer.from('a.example.org')));
const NOBODY = writeName({});

const issued = (options: Partial<CertifyOptions>) =>
  certificateFacts(certify({ subjectPublicKey: keys.publicKey, subject: { CN: ['x'] }, issuerKey: keys.privateKey, notBefore: 0, notAfter: 1, ...options }))
    .extensions;
const asking = (name: 'subjectAltName' | 'extendedKeyUsage', value: Buffer, critical = false): readonly Extension[] => [
  { oid: EXTENSION[name], critical, value },
];

test('names and purposes that a request asks for are granted only if they are some', () => {
  const purposes = sequence(oid('1.3.6.1.5.5.7.3.1'), oid('1.2.3'));
  for (const [name, good] of [
    ['subjectAltName', names],
    ['extendedKeyUsage', purposes],
  ] as const) {
    assert.deepEqual(issued({ requestedExtensions: asking(name, good) }).find((each) => each.oid === EXTENSION[name])?.value, good);
    const bad = [sequence(), Buffer.from('hello'), Buffer.alloc(0), oid('1.2.3'), Buffer.concat([good, Buffer.of(0)])];
    for (const value of bad) assert.throws(() => issued({ requestedExtensions: asking(name, value) }), new RegExp(`${name} of the certificate request`));
  }
  assert.throws(() => issued({ requestedExtensions: asking('extendedKeyUsage', sequence(element(DER.utf8, Buffer.from('serverAuth')))) }));
});

test('a line with nothing but critical is refused, except where nothing is a value', () => {
  const refused = ['subjectAltName', 'extendedKeyUsage', 'keyUsage', 'crlDistributionPoints', 'authorityInfoAccess', 'certificatePolicies', 'nameConstraints'];
  for (const name of [...refused, 'subjectKeyIdentifier', 'authorityKeyIdentifier'])
    assert.throws(() => issued({ extensions: `${name}=critical` }), new RegExp(`${name}=critical`), name);
  assert.ok(issued({ extensions: 'basicConstraints=critical' }).some((each) => each.oid === EXTENSION.basicConstraints && each.critical));
  // The line names the extension, and nothing else does.
  const point = 'crlDistributionPoints=URL:http://a.example.org';
  assert.throws(
    () => issued({ extensions: point }),
    ({ message }) => message.includes(point) && !message.includes('subjectAltName'),
  );
});

test('parts of a line that contradict each other or are no names are refused, and lose nothing', () => {
  for (const line of [
    ...['CA:TRUE,CA:FALSE', 'CA:TRUE,CA:TRUE', 'CA:TRUE,pathlen:1,pathlen:2', 'pathlen:1', 'CA:FALSE,pathlen:0', 'CA:maybe', 'CA:TRUE,pathlen:-1'].map(
      (value) => `basicConstraints=${value}`,
    ),
    ...['email:copy', 'email:a@b@c', 'email:@c', 'IP:fe80::1%eth0', 'IP:1.2.3'].map((name) => `subjectAltName=${name}`),
  ])
    assert.throws(() => issued({ extensions: line }), new RegExp(line.replaceAll('.', '\\.')), line);
  const constraints = (value: string) =>
    issued({ extensions: `basicConstraints=${value}` })
      .find((each) => each.oid === EXTENSION.basicConstraints)
      ?.value.toString('hex');
  for (const [value, der] of [
    ['CA:TRUE', '30030101ff'],
    ['pathlen:3,ca:true', '30060101ff020103'],
    ['CA:FALSE', '3000'],
  ] as const)
    assert.equal(constraints(value), der);
});

test('where the distinguished name is empty, the other names are critical', () => {
  const critical = (options: Partial<CertifyOptions>) => issued(options).find((each) => each.oid === EXTENSION.subjectAltName)?.critical;
  const requestedExtensions = asking('subjectAltName', names);
  assert.equal(critical({ subject: NOBODY, requestedExtensions }), true);
  assert.equal(critical({ subject: NOBODY, extensions: 'subjectAltName=DNS:a.example.org' }), true);
  assert.equal(critical({ subject: NOBODY, renewedExtensions: requestedExtensions }), true);
  assert.equal(critical({ requestedExtensions }), false);
  assert.equal(critical({ requestedExtensions: asking('subjectAltName', names, true) }), true);
});

test('nobody, and an authority without a distinguished name, get no certificate', () => {
  const requestedExtensions = asking('subjectAltName', names);
  assert.throws(() => issued({ subject: NOBODY }), /no subjectAltName/);
  assert.throws(() => issued({ subject: NOBODY, extensions: CA, requestedExtensions }), /an authority needs one/);
  const directory = sequence(context(4, writeName({ CN: ['x'] })));
  assert.throws(() => issued({ subject: NOBODY, extensions: CA, requestedExtensions: asking('subjectAltName', directory) }), /an authority needs one/);
});

test.run();
