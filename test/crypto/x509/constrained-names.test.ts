// Name constraints of authorities, as section 4.2.1.10 of RFC 5280 has them. OpenSSL's program, where it is, says the same of every chain.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import { context, DER, element, oid, sequence } from '../../../crypto/der.ts';
import { generatePair } from '../../../crypto/key/key-pair.ts';
import { validateChain } from '../../../crypto/x509/certificate-chain.ts';
import { certificateFacts } from '../../../crypto/x509/certificate-facts.ts';
import { requireWithinConstraints } from '../../../crypto/x509/constrained-names.ts';
import { type DistinguishedName, writeName } from '../../../crypto/x509/distinguished-name.ts';
import { certify } from './certify.ts';

const NOW = Math.floor(Date.now() / 1000);
const CA = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign';
const pair = () => generatePair('EC', { curve: 'P_256' });
const [rootKeys, middleKeys, leafKeys] = [pair(), pair(), pair()];
const times = { notBefore: NOW - 1000, notAfter: NOW + 1000 };
const root = certify({ subjectPublicKey: rootKeys.publicKey, subject: { CN: ['root'] }, issuerKey: rootKeys.privateKey, extensions: CA, ...times });

const underRoot = { issuerCertificate: root, issuerKey: rootKeys.privateKey, ...times };
const middleWith = (constraints: string): Uint8Array =>
  certify({ subjectPublicKey: middleKeys.publicKey, subject: { CN: ['middle'] }, extensions: `${CA}\nnameConstraints=${constraints}`, ...underRoot });
const leafOf = (issuerCertificate: Uint8Array, subject: DistinguishedName, names: string): Uint8Array =>
  certify({
    subjectPublicKey: leafKeys.publicKey,
    subject,
    issuerCertificate,
    issuerKey: middleKeys.privateKey,
    extensions: names === '' ? CA : `subjectAltName=${names}`,
    ...times,
  });

/** Constraints, other names of the leaf, whether it is valid, and its mail address. */
const CHAINS: readonly (readonly [string, string, boolean, string?])[] = [
  ['permitted;DNS:example.org', 'DNS:example.org', true],
  ['permitted;DNS:example.org', 'DNS:A.Example.ORG', true],
  ['permitted;DNS:example.org', 'DNS:badexample.org', false],
  ['permitted;DNS:example.org', 'DNS:a.example.org,DNS:example.com', false],
  ['permitted;DNS:example.org,permitted;DNS:example.com', 'DNS:a.example.org,DNS:example.com', true],
  ['permitted;DNS:.example.org', 'DNS:a.example.org', true],
  ['permitted;DNS:.example.org', 'DNS:example.org', false],
  ['permitted;DNS:example.org,excluded;DNS:a.example.org', 'DNS:b.example.org', true],
  ['permitted;DNS:example.org,excluded;DNS:a.example.org', 'DNS:x.a.example.org', false],
  ['permitted;DNS:example.org', 'IP:10.0.0.1', true],
  ['permitted;DNS:example.org', '', true],
  ['permitted;IP:10.0.0.0/8', 'IP:10.255.0.1', true],
  ['permitted;IP:10.0.0.0/8', 'IP:11.0.0.1', false],
  ['permitted;IP:10.0.0.0/8', 'IP:2001:db8::1', false],
  ['excluded;IP:10.0.0.0/8', 'IP:10.0.0.1', false],
  ['excluded;IP:2001:db8::/32', 'IP:2001:db8:1::1', false],
  ['excluded;IP:2001:db8::/32', 'IP:2001:db9::1', true],
  ['permitted;email:example.org', 'email:ada@EXAMPLE.org', true],
  ['permitted;email:example.org', 'email:ada@a.example.org', false],
  ['permitted;email:.example.org', 'email:ada@a.example.org', true],
  ['permitted;email:ada@example.org', 'email:ada@example.org', true],
  ['permitted;email:ada@example.org', 'email:eve@example.org', false],
  ['permitted;email:example.org', '', false, 'ada@example.com'],
  ['permitted;email:example.org', '', true, 'ada@example.org'],
  ['permitted;URI:example.org', 'URI:https://example.org:8443/a', true],
  ['permitted;URI:example.org', 'URI:https://a.example.org/', false],
  ['permitted;URI:.example.org', 'URI:https://a.example.org/', true],
  ['excluded;URI:example.org', 'URI:https://example.org/', false],
  ['permitted;URI:example.org', 'URI:urn:example.org', false],
];

const pem = (der: Uint8Array): string => `-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString('base64')}\n-----END CERTIFICATE-----\n`;
const openssl = (...args: string[]) => spawnSync('openssl', args, { encoding: 'utf8', timeout: 30_000 });

test('a name of each form has to be permitted, and must not be excluded', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-names-'));
  const file = (name: string, der: Uint8Array): string => {
    writeFileSync(join(folder, name), pem(der));
    return join(folder, name);
  };
  const hasOpenssl = openssl('version').status === 0;
  try {
    for (const critical of ['critical,', '']) {
      for (const [constraints, names, valid, mail] of CHAINS) {
        const middle = middleWith(critical + constraints);
        const leaf = leafOf(middle, { CN: ['leaf'], ...(mail === undefined ? {} : { Email: [mail] }) }, names);
        const found = validateChain([leaf, middle, root], NOW);
        assert.equal(found.valid, valid, `${constraints} ${names} ${mail}: ${found.why}`);
        if (!hasOpenssl) continue;
        const said = openssl('verify', '-CAfile', file('root', root), '-untrusted', file('middle', middle), file('leaf', leaf));
        assert.equal(said.status === 0, valid, `openssl: ${constraints} ${names} ${mail}: ${said.stderr}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a subject has to lie below a directory name, however its letters are written', () => {
  const named = (subject: DistinguishedName) => certificateFacts(leafOf(middleWith('permitted;DNS:x'), subject, ''));
  const tree = (kind: number, name: Buffer) => sequence(context(kind, sequence(context(4, name))));
  const acme = writeName({ O: ['ACME Inc'] });
  const printable = sequence(element(DER.set, sequence(oid('2.5.4.10'), element(DER.printable, Buffer.from('acme  INC')))));
  const inside = named({ O: ['ACME Inc'], CN: ['leaf'] });
  const wide = Buffer.concat([...'ACME Inc'].map((letter) => Buffer.of(0, 0, 0, letter.charCodeAt(0))));
  const universal = sequence(element(DER.set, sequence(oid('2.5.4.10'), element(DER.universal, wide))));
  for (const name of [acme, printable, universal]) {
    requireWithinConstraints(inside, tree(0, name));
    assert.throws(() => requireWithinConstraints(inside, tree(1, name)), /must not certify/);
    assert.throws(() => requireWithinConstraints(named({ O: ['ACME'], CN: ['leaf'] }), tree(0, name)), /must not certify/);
    requireWithinConstraints(named({ O: ['ACME'], CN: ['leaf'] }), tree(1, name));
  }
});

/** OpenSSL's program takes them, so they are not in the table: the constraint is on a host that the wildcard stands for. */
test('a wildcard that stands for an excluded host is excluded with it', () => {
  const verdict = (constraints: string, names: string): boolean => {
    const middle = middleWith(constraints);
    return validateChain([leafOf(middle, { CN: ['leaf'] }, names), middle, root], NOW).valid;
  };
  for (const constraints of ['excluded;DNS:a.example.org', 'excluded;DNS:A.Example.ORG', 'permitted;DNS:example.org,excluded;DNS:a.example.org'])
    assert.equal(verdict(constraints, 'DNS:*.example.org'), false, constraints);
  assert.equal(verdict('excluded;DNS:a.example.org', 'DNS:*.EXAMPLE.org'), false);
  for (const names of ['DNS:*.b.example.org', 'DNS:*.example.com', 'DNS:example.org']) assert.equal(verdict('excluded;DNS:a.example.org', names), true, names);
  assert.equal(verdict('excluded;DNS:a.b.example.org', 'DNS:*.example.org'), true, 'a wildcard stands for one label');
});

test('constraints that are malformed, on names of unknown forms, or too long let nothing pass', () => {
  const leaf = certificateFacts(leafOf(middleWith('permitted;DNS:x'), { CN: ['leaf'] }, 'DNS:a.example.org'));
  const dns = element(0x82, Buffer.from('example.org'));
  requireWithinConstraints(leaf, sequence(context(0, sequence(dns))));
  for (const constraints of [Buffer.from('3001', 'hex'), sequence(context(0, dns)), sequence(context(0, sequence(dns, element(0x80, Buffer.of(1)))))])
    assert.throws(() => requireWithinConstraints(leaf, constraints));
  assert.throws(() => requireWithinConstraints(leaf, sequence(context(0, ...new Array(20_000).fill(sequence(dns))))), /too long/);
  const registered = { ...leaf, extensions: [{ oid: '2.5.29.17', critical: false, value: sequence(element(0x88, Buffer.of(42, 3))) }] };
  assert.throws(() => requireWithinConstraints(registered, sequence(context(1, sequence(element(0x88, Buffer.of(42, 4)))))), /must not certify/);
});

test.run();
