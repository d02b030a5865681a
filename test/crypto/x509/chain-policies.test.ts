// Certificate policies of chains, as section 6.1 of RFC 5280 processes them. OpenSSL's program, where it is, says the same of every chain.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import { boolean, DER, element, oid, sequence, unsigned } from '../../../crypto/der.ts';
import { generatePair } from '../../../crypto/key/key-pair.ts';
import { validateChain } from '../../../crypto/x509/certificate-chain.ts';
import { EXTENSION, type Extension } from '../../../crypto/x509/certificate-extension.ts';
import { certify } from './certify.ts';

const NOW = Math.floor(Date.now() / 1000);
const TIMES = { notBefore: NOW - 1000, notAfter: NOW + 1000 };
const ANY = '2.5.29.32.0';
const policy = (name: string): Buffer => oid(name === 'any' ? ANY : `1.2.3.${name}`);

interface Wanted {
  /** Names of policies, or `any`. */
  readonly has?: string;
  /** Pairs `1>2`: the policy 1 of the issuer stands for the policy 2 below. */
  readonly maps?: string;
  readonly explicit?: number;
  readonly noMapping?: number;
  readonly noAny?: number;
  /** Issued by the authority to itself. */
  readonly toItself?: true;
  readonly critical?: boolean;
}

const words = (text: string): string[] => text.split(' ');
const tagged = (tag: number, value: number | undefined): Buffer[] => (value === undefined ? [] : [element(tag, Buffer.of(value))]);

function extensionsOf({ has, maps, explicit, noMapping, noAny, critical = true }: Wanted): Extension[] {
  const pairs = maps === undefined ? [] : words(maps).map((pair) => sequence(...pair.split('>').map(policy)));
  const constraints = [...tagged(0x80, explicit), ...tagged(0x81, noMapping)];
  return [
    { oid: EXTENSION.basicConstraints, critical: true, value: sequence(boolean(true)) },
    ...(has === undefined
      ? []
      : [{ oid: EXTENSION.certificatePolicies, critical: false, value: sequence(...words(has).map((each) => sequence(policy(each)))) }]),
    ...(pairs.length === 0 ? [] : [{ oid: EXTENSION.policyMappings, critical, value: sequence(...pairs) }]),
    ...(constraints.length === 0 ? [] : [{ oid: EXTENSION.policyConstraints, critical, value: sequence(...constraints) }]),
    ...(noAny === undefined ? [] : [{ oid: EXTENSION.inhibitAnyPolicy, critical, value: unsigned(BigInt(noAny)) }]),
  ];
}

const keys = Array.from({ length: 8 }, () => generatePair('EC', { curve: 'P_256' }));
const keysAt = (at: number) => keys[at] as (typeof keys)[number];

/** @param wanted of the root, and of each certificate below it @returns from the root to the leaf */
function chainOf(wanted: readonly Wanted[]): Uint8Array[] {
  const made: Uint8Array[] = [];
  let name = 'root';
  for (const [at, each] of wanted.entries()) {
    name = at === 0 || each.toItself ? name : `number ${at}`;
    const issuer = made.at(-1);
    const by = issuer === undefined ? {} : { issuerCertificate: issuer };
    const options = { subjectPublicKey: keysAt(at).publicKey, subject: { CN: [name] }, issuerKey: keysAt(Math.max(0, at - 1)).privateKey, ...by, ...TIMES };
    made.push(certify({ ...options, renewedExtensions: extensionsOf(each) }));
  }
  return made;
}

/** Whether the chain is valid, and what the certificates below a plain root have. */
const CHAINS: readonly (readonly [boolean, ...Wanted[]])[] = [
  [true, { has: '1' }, {}],
  [true, { explicit: 3 }, {}, {}],
  [false, { explicit: 2 }, {}, {}],
  [false, { explicit: 0 }, { has: '1' }],
  [true, { has: '1', explicit: 0 }, { has: '1' }],
  [false, { has: '1', explicit: 0, critical: false }, { has: '2' }],
  [false, { has: '1' }, { has: '2', explicit: 0 }],
  [true, { has: '1' }, { has: '2', explicit: 1 }],
  [true, { has: '1 2', explicit: 0 }, { has: '2 3' }, { has: '2' }],
  [false, { has: '1 2', explicit: 0 }, { has: '2' }, { has: '1' }],
  [true, { has: 'any', explicit: 0 }, { has: '1' }, { has: '1' }],
  [true, { has: '1', explicit: 0 }, { has: 'any' }, { has: '1' }],
  [false, { has: '1', explicit: 0 }, { has: 'any' }, { has: '2' }],
  [false, { has: '1', explicit: 0, noAny: 0 }, { has: 'any' }, { has: '1' }],
  [true, { has: '1', explicit: 0, noAny: 1 }, { has: 'any' }, { has: '1' }],
  [false, { has: '1', explicit: 0, noAny: 1 }, { has: 'any' }, { has: 'any' }],
  [true, { has: '1', explicit: 0, noAny: 0 }, { has: 'any', toItself: true }, { has: '1' }],
  [false, { has: '1', explicit: 0, noAny: 0 }, { has: '1' }, { has: 'any' }],
  [true, { has: '1', explicit: 0, maps: '1>2' }, { has: '2' }],
  [false, { has: '1', explicit: 0, maps: '1>2' }, { has: '1' }],
  [true, { has: '1', explicit: 0, maps: '1>2 1>3' }, { has: '3' }],
  [true, { has: 'any', explicit: 0, maps: '1>2' }, { has: '2' }],
  [false, { has: '1', explicit: 0, maps: '3>2' }, { has: '2' }],
  [true, { has: '1', explicit: 0, maps: '1>2' }, { has: '2', maps: '2>3' }, { has: '3' }],
  [false, { has: '1', explicit: 0, noMapping: 0 }, { has: '1', maps: '1>2' }, { has: '2' }],
  [true, { has: '1', explicit: 0, noMapping: 1 }, { has: '1', maps: '1>2' }, { has: '2' }],
  [false, { has: '1', explicit: 0, noMapping: 1 }, { has: '1' }, { has: '1', maps: '1>2' }, { has: '2' }],
  [true, { has: '1', explicit: 0, noMapping: 1 }, { has: '1', toItself: true }, { has: '1', maps: '1>2' }, { has: '2' }],
  [false, { has: '1', maps: 'any>2' }, { has: '2' }],
  [false, { has: '1', maps: '1>any' }, { has: '1' }],
];

const openssl = (...args: string[]) => spawnSync('openssl', args, { encoding: 'utf8', timeout: 30_000 });

test('policies are common to the chain where an authority requires it, with mappings and anyPolicy', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-policies-'));
  const file = (name: string, ...certificates: readonly Uint8Array[]): string => {
    writeFileSync(join(folder, name), certificates.map((der) => new X509Certificate(der).toString()).join('\n'));
    return join(folder, name);
  };
  const hasOpenssl = openssl('version').status === 0;
  try {
    for (const [valid, ...wanted] of CHAINS) {
      const chain = chainOf([{}, ...wanted]);
      const found = validateChain(chain, NOW);
      assert.equal(found.valid, valid, `${JSON.stringify(wanted)}: ${found.why}`);
      if (!hasOpenssl) continue;
      const [root, leaf] = [chain[0] as Uint8Array, chain.at(-1) as Uint8Array];
      const paths = ['-CAfile', file('root', root), '-untrusted', file('middle', ...chain.slice(1, -1)), file('leaf', leaf)];
      const said = openssl('verify', '-policy_check', '-policy', ANY, ...(chain.length > 2 ? paths : paths.toSpliced(2, 2)));
      assert.equal(said.status === 0, valid, `openssl: ${JSON.stringify(wanted)}: ${said.stderr}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the policies of the root are not those of the chain, but its restrictions hold', () => {
  const isValid = (...wanted: readonly Wanted[]) => validateChain(chainOf(wanted), NOW).valid;
  assert.equal(isValid({ has: '1' }, { has: '2', explicit: 0 }, { has: '2' }), true);
  assert.equal(isValid({ explicit: 0 }, { has: '2' }, { has: '2' }), true);
  assert.equal(isValid({ explicit: 0 }, { has: '2' }, { has: '3' }), false);
  assert.equal(isValid({ explicit: 0 }), true, 'a root alone');
});

test('malformed policies let nothing pass', () => {
  const [root, leaf] = [keysAt(0), keysAt(1)];
  const issuer = chainOf([{}])[0] as Uint8Array;
  const withExtension = (name: keyof typeof EXTENSION, value: Buffer): Uint8Array => {
    const renewedExtensions = [...extensionsOf({}), { oid: EXTENSION[name], critical: false, value }];
    const options = { subjectPublicKey: leaf.publicKey, subject: { CN: ['middle'] }, issuerKey: root.privateKey, issuerCertificate: issuer };
    return certify({ ...options, ...TIMES, renewedExtensions });
  };
  const below = (issuerCertificate: Uint8Array) =>
    certify({ subjectPublicKey: root.publicKey, subject: { CN: ['leaf'] }, issuerKey: leaf.privateKey, issuerCertificate, ...TIMES });
  for (const name of ['certificatePolicies', 'policyMappings', 'policyConstraints', 'inhibitAnyPolicy'] as const)
    for (const value of [Buffer.alloc(0), element(DER.utf8, Buffer.from('1')), sequence(unsigned(1n)).subarray(1), element(DER.integer, Buffer.of(0xff))]) {
      const middle = withExtension(name, value);
      assert.match(validateChain([issuer, middle, below(middle)], NOW).why ?? '', /DER/, `${name} ${value.toString('hex')}`);
    }
});

test('policies have a limit, because they are compared with those of all certificates above', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => String(at)).join(' ');
  assert.equal(validateChain(chainOf([{}, { has: many(1000), explicit: 0 }, { has: '999' }]), NOW).valid, true);
  assert.match(validateChain(chainOf([{}, { has: many(3000) }, { has: '1' }]), NOW).why ?? '', /longer than 16384 bytes/);
});

test.run();
