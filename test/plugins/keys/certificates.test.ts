// Certificates that the server issues: what they may be used for, what they say of themselves, and the extensions that are asked for.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import { certificateFacts } from '../../../crypto/x509/certificate-facts.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { bytes, enumeration, integer, type Node, structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf, required, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { active, attributes, certificateRequest, code, DATA, data, id, mask, subject } from '../../fuzz/members.ts';
import { caller } from './caller.ts';
import { textIn } from './kmip-client.ts';

const alice = caller('alice');
const client = alice.client({ major: 2, minor: 1, encoding: 'json' });
const older = alice.client({ major: 1, minor: 4, encoding: 'binary' });

const BIT = MASK.CryptographicUsageMask;
const RSA = [code('CryptographicAlgorithm', 'RSA'), integer(TAG.CryptographicLength, 2048)];
const P256 = [
  code('CryptographicAlgorithm', 'EC'),
  structure(TAG.CryptographicDomainParameters, [enumeration(TAG.RecommendedCurve, ENUM.RecommendedCurve.P_256)]),
];
const lines = (...given: readonly string[]): Node =>
  structure(TAG.Attribute, [
    text(TAG.VendorIdentification, 'cosmian'),
    text(TAG.AttributeName, 'x509-extension'),
    bytes(TAG.AttributeValue, Buffer.from(['[ v3_ca ]', ...given].join('\n'))),
  ]);

async function pair(algorithm: readonly Node[], publicBits: number): Promise<{ readonly privateKey: string; readonly publicKey: string }> {
  const common = structure(TAG.CommonAttributes, [...algorithm, active]);
  const masks = [structure(TAG.PrivateKeyAttributes, [mask(BIT.Sign | BIT.Decrypt | BIT.UnwrapKey)]), structure(TAG.PublicKeyAttributes, [mask(publicBits)])];
  const made = await client.do('CreateKeyPair', common, ...masks);
  return { privateKey: textIn(made, TAG.PrivateKeyUniqueIdentifier), publicKey: textIn(made, TAG.PublicKeyUniqueIdentifier) };
}

const certified = async (publicKey: string, ...more: readonly Node[]) =>
  textIn(await client.do('Certify', id(publicKey), attributes(subject('Subject'), active, ...more)), TAG.UniqueIdentifier);
/** As 1.4 has it, which knows more bits than 2.x. */
const maskOf = async (certificate: string) => (await older.valueOf(certificate, TAG.CryptographicUsageMask))?.value;
const derOf = async (certificate: string): Promise<Uint8Array> =>
  required(
    bytesOf(required(structureOf(await client.do('Get', id(certificate)), TAG.Certificate), TAG.Certificate), TAG.CertificateValue),
    TAG.CertificateValue,
  );

test('a certificate without keyUsage is for what its public key is for, and encrypts and wraps', async () => {
  const { privateKey, publicKey } = await pair(RSA, BIT.Encrypt | BIT.WrapKey | BIT.Verify);
  const certificate = await certified(publicKey);
  assert.equal(await maskOf(certificate), BIT.Encrypt | BIT.WrapKey | BIT.Verify);
  const encrypted = bytesOf(await client.do('Encrypt', id(certificate), data()), TAG.Data) as Uint8Array;
  assert.deepEqual(bytesOf(await client.do('Decrypt', id(privateKey), data(encrypted)), TAG.Data), DATA);
  const key = textIn(
    await client.do(
      'Create',
      code('ObjectType', 'SymmetricKey'),
      attributes(code('CryptographicAlgorithm', 'AES'), integer(TAG.CryptographicLength, 128), mask(BIT.Encrypt)),
    ),
    TAG.UniqueIdentifier,
  );
  const information = structure(TAG.EncryptionKeyInformation, [id(certificate)]);
  await client.do('Get', id(key), structure(TAG.KeyWrappingSpecification, [code('WrappingMethod', 'Encrypt'), information]));
});

test('keyUsage of a certificate decides, by the table of the specification, whoever issued or renewed it', async () => {
  const { publicKey } = await pair(RSA, BIT.Verify);
  for (const [usage, bits] of [
    ['digitalSignature,keyEncipherment', BIT.Verify | BIT.WrapKey],
    ['critical,dataEncipherment,nonRepudiation', BIT.Encrypt | BIT.ContentCommitmentNonRepudiation],
    ['keyCertSign,cRLSign', BIT.CertificateSign | BIT.CRLSign],
    ['keyAgreement,encipherOnly', BIT.KeyAgreement | BIT.Encrypt],
    ['keyAgreement,decipherOnly', BIT.KeyAgreement | BIT.Decrypt],
  ] as const) {
    const certificate = await certified(publicKey, lines(`keyUsage=${usage}`));
    assert.equal(await maskOf(certificate), bits, usage);
    const content = structure(TAG.Certificate, [code('CertificateType', 'X_509'), bytes(TAG.CertificateValue, await derOf(certificate))]);
    await client.do('Import', id(`brought ${usage}`), code('ObjectType', 'Certificate'), attributes(), content);
    assert.equal(await maskOf(`brought ${usage}`), bits, usage);
    // A mask of the client's own goes before it.
    const own = await client.do('Register', code('ObjectType', 'Certificate'), attributes(mask(BIT.Verify)), content);
    assert.equal(await maskOf(textIn(own, TAG.UniqueIdentifier)), BIT.Verify);
  }
  const certificate = await certified(publicKey, lines('keyUsage=dataEncipherment'));
  const renewed = async (...more: readonly Node[]) => maskOf(textIn(await client.do('ReCertify', id(certificate), attributes(...more)), TAG.UniqueIdentifier));
  assert.equal(await renewed(), BIT.Encrypt);
  assert.equal(await renewed(lines('keyUsage=keyEncipherment')), BIT.WrapKey);
});

test('a certificate for a request has the uses of its key: on a curve also signing and agreement', async () => {
  const { privateKey, publicKey } = await pair(P256, BIT.Verify);
  const issuer = await certified(publicKey, lines('basicConstraints=critical,CA:true', 'keyUsage=keyCertSign'));
  const link = (type: keyof typeof ENUM.LinkType, to: string) => structure(TAG.Link, [code('LinkType', type), text(TAG.LinkedObjectIdentifier, to)]);
  const csr = required(bytesOf(certificateRequest, TAG.CertificateRequestValue), TAG.CertificateRequestValue);
  const payload = [code('CertificateRequestType', 'PKCS_10'), bytes(TAG.CertificateRequestValue, csr)];
  const made = await client.do('Certify', ...payload, attributes(active, link('CertificateLink', issuer), link('PrivateKeyLink', privateKey)));
  assert.equal(await maskOf(textIn(made, TAG.UniqueIdentifier)), BIT.Verify | BIT.Encrypt | BIT.WrapKey | BIT.KeyAgreement);
});

test('the Key Format Type of a certificate is X_509', async () => {
  const { publicKey } = await pair(P256, BIT.Verify);
  const certificate = await certified(publicKey);
  assert.equal((await client.valueOf(certificate, TAG.KeyFormatType))?.value, ENUM.KeyFormatType.X_509);
  const found = await client.do('Locate', attributes(code('ObjectType', 'Certificate'), code('KeyFormatType', 'X_509')));
  assert.ok(found.value.some(({ tag, value }) => tag === TAG.UniqueIdentifier && value === certificate));
});

test('a certificate request tells the kind of its key, and is given out as PKCS_10', async () => {
  const type = code('ObjectType', 'CertificateRequest');
  const made = await client.do('Register', type, attributes(code('KeyFormatType', 'Raw')), certificateRequest);
  const request = textIn(made, TAG.UniqueIdentifier);
  const asked = [TAG.CryptographicAlgorithm, TAG.CryptographicLength, TAG.KeyFormatType] as const;
  const values = await Promise.all(asked.map(async (tag) => (await client.valueOf(request, tag))?.value));
  assert.deepEqual(values, [ENUM.CryptographicAlgorithm.EC, 256, ENUM.KeyFormatType.PKCS_10]);
  await client.do('Get', id(request), code('KeyFormatType', 'PKCS_10'));
  assert.equal(await client.refused('Get', id(request), code('KeyFormatType', 'X_509')), 'KeyFormatTypeNotSupported');
  assert.equal(await client.refused('Register', type, attributes(integer(TAG.CryptographicLength, 384)), certificateRequest), 'InvalidField');
});

test('the Key Format Type of opaque data is Opaque', async () => {
  const content = structure(TAG.OpaqueObject, [
    { ...code('ObjectType', 'OpaqueObject'), tag: TAG.OpaqueDataType } as Node,
    bytes(TAG.OpaqueDataValue, new Uint8Array(3)),
  ]);
  const opaque = textIn(await client.do('Register', code('ObjectType', 'OpaqueObject'), attributes(), content), TAG.UniqueIdentifier);
  assert.equal((await client.valueOf(opaque, TAG.KeyFormatType))?.value, ENUM.KeyFormatType.Opaque);
  const found = await client.do('Locate', attributes(code('ObjectType', 'OpaqueObject'), code('KeyFormatType', 'Opaque')));
  assert.ok(found.value.some(({ tag, value }) => tag === TAG.UniqueIdentifier && value === opaque));
});

async function said(...given: readonly string[]): Promise<string> {
  const { publicKey } = await pair(P256, BIT.Verify);
  const { item, status, reason } = await client.ask('Certify', id(publicKey), attributes(subject('Subject'), lines(...given)));
  assert.equal(status, 'OperationFailed', given.join('; '));
  assert.equal(reason, 'InvalidField');
  return textOf(item, TAG.ResultMessage) ?? '';
}

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl) console.log('skipped: the openssl program is not here');

/** What the openssl program says of the extensions, without spaces at the ends of lines. */
function shown(der: Uint8Array): string {
  const { status, stdout, stderr } = spawnSync('openssl', ['x509', '-inform', 'DER', '-noout', '-text', '-certopt', 'ext_error'], { input: der });
  assert.equal(status, 0, stderr.toString());
  return stdout.toString().replaceAll(/ +$/gm, '');
}

/** DER of the extensions that the openssl program makes of the same lines. */
function byOpenssl(...given: readonly string[]): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-extensions-'));
  try {
    const at = (name: string) => join(folder, name);
    writeFileSync(at('cnf'), ['[req]', 'distinguished_name=dn', '[dn]', '[v3_ca]', ...given].join('\n'));
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', at('key'), '-subj', '/CN=x'];
    const { status, stderr } = spawnSync('openssl', [
      'req',
      '-x509',
      '-config',
      at('cnf'),
      '-extensions',
      'v3_ca',
      '-outform',
      'DER',
      '-out',
      at('der'),
      ...key,
    ]);
    assert.equal(status, 0, stderr.toString());
    return extensionsOf(readFileSync(at('der')));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function extensionsOf(der: Uint8Array): ReadonlyMap<string, string> {
  return new Map(certificateFacts(der).extensions.map(({ oid, critical, value }) => [oid, `${critical} ${value.toString('hex')}`]));
}

const SAME: readonly (readonly [oid: string, ...given: string[]])[] = [
  ['2.5.29.31', 'crlDistributionPoints=URI:https://acme.com/crl.pem'],
  ['2.5.29.31', 'crlDistributionPoints = critical, URI:http://a.example/1.crl, URI:http://b.example/2.crl'],
  [
    '2.5.29.31',
    'crlDistributionPoints=points',
    '[points]',
    'fullname=URI:http://a.example/1.crl,URI:http://b.example/1.crl',
    'reasons=keyCompromise, CACompromise',
  ],
  ['1.3.6.1.5.5.7.1.1', 'authorityInfoAccess=OCSP;URI:http://ocsp.example.com/,caIssuers;URI:http://ca.example/ca.der'],
  ['1.3.6.1.5.5.7.1.1', 'authorityInfoAccess=1.3.6.1.5.5.7.48.3;DNS:time.example'],
  ['2.5.29.32', 'certificatePolicies=1.2.3.4,anyPolicy,2.5.29.32'],
  ['2.5.29.32', 'certificatePolicies=1.2.3.4,@own', '[own]', 'policyIdentifier = 1.3.5.8', 'CPS.1="http://my.host.example/"', 'CPS.2=http://other.example/'],
  [
    ...(['2.5.29.32', 'certificatePolicies=critical,@own', '[own]', 'policyIdentifier=1.3.5.8', 'userNotice.1=@notice', '[notice]'] as const),
    ...(['explicitText="UTF8:What it is for"', 'organization="Organization Name"', 'noticeNumbers=1,2,300'] as const),
  ],
  ['2.5.29.30', 'nameConstraints=critical,permitted;DNS:.example.com,permitted;email:example.com,excluded;IP:192.168.0.0/255.255.0.0'],
  ['2.5.29.30', 'nameConstraints=excluded;IP:2001:db8::/ffff:ffff::,excluded;URI:.example.org'],
  ['2.5.29.17', 'subjectAltName=@names', '[names]', 'DNS.1=one.example', 'DNS.2 = two.example', 'IP.1=192.0.2.1'],
];

if (hasOpenssl)
  test('distribution points, access, policies and constraints equal what openssl makes of the same lines', async () => {
    const { publicKey } = await pair(P256, BIT.Verify);
    for (const [oid, ...given] of SAME) {
      const certificate = await certified(publicKey, lines(...given));
      assert.equal(extensionsOf(await derOf(certificate)).get(oid), byOpenssl(...given).get(oid), given.join('; '));
    }
    const policies = shown(
      await derOf(await certified(publicKey, lines('certificatePolicies=1.3.6.1.4.1.16376.9.1.1.1.0,CPS.1:http://pki.example/policy.pdf'))),
    );
    assert.match(policies, /Policy: 1\.3\.6\.1\.4\.1\.16376\.9\.1\.1\.1\.0\n\s+CPS: http:\/\/pki\.example\/policy\.pdf/);
    const bits = shown(await derOf(await certified(publicKey, lines('nameConstraints=permitted;IP:10.0.0.0/9'))));
    assert.match(bits, /IP:10\.0\.0\.0\/255\.128\.0\.0/);
  });

test('a line that cannot be is quoted, with what it may be', async () => {
  for (const [line, words] of [
    ['nonsense', /supported extensions, which are .*keyUsage.*nameConstraints/],
    ['tlsfeature=status_request', /supported extensions/],
    ['keyUsage=everything', /digitalSignature/],
    ['basicConstraints=CA:maybe', /basicConstraints/],
    ['crlDistributionPoints=nowhere', /no section \[nowhere\]/],
    ['authorityInfoAccess=URI:http://x', /OCSP, caIssuers or an object identifier/],
    ['certificatePolicies=CPS:http://x', /after the policy/],
    ['certificatePolicies=1.99.3', /less than 40/],
    ['nameConstraints=DNS:x', /permitted;/],
    ['nameConstraints=permitted;IP:10.0.0.0/33', /0 to 32 bits/],
    ['subjectAltName=@missing', /no section/],
  ] as const) {
    const message = await said('basicConstraints=CA:FALSE', line);
    assert.ok(message.includes(JSON.stringify(line)), message);
    assert.match(message, words);
  }
  assert.match(await said('keyUsage=digitalSignature', 'keyUsage=keyAgreement'), /"keyUsage=keyAgreement": keyUsage must be given only once/);
  assert.match(await said('keyUsage=digitalSignature', `# ${'x'.repeat(65_536)}`), /longer than 65536/);
});

test('Register takes the length and the algorithm of a certificate, if they are those that it has', async () => {
  const { publicKey } = await pair(P256, BIT.Verify);
  const value = await derOf(await certified(publicKey));
  const content = structure(TAG.Certificate, [code('CertificateType', 'X_509'), bytes(TAG.CertificateValue, value)]);
  const [length, algorithm] = [integer(TAG.CertificateLength, value.length), code('DigitalSignatureAlgorithm', 'ECDSAWithSHA256')];
  for (const each of [client, older]) {
    const registered = (...told: readonly Node[]) => [code('ObjectType', 'Certificate'), each.attributes(mask(BIT.Verify), ...told), content];
    const made = textIn(await each.do('Register', ...registered(length, algorithm)), TAG.UniqueIdentifier);
    assert.equal((await each.valueOf(made, TAG.CertificateLength))?.value, value.length);
    for (const wrong of [integer(TAG.CertificateLength, value.length + 1), code('DigitalSignatureAlgorithm', 'SHA_256WithRSAEncryption')])
      assert.equal(await each.refused('Register', ...registered(wrong)), 'InvalidField');
    assert.equal(
      await each.refused('Certify', id(publicKey), each.attributes(mask(BIT.Verify), length)),
      each.isOld ? 'PermissionDenied' : 'AttributeReadOnly',
    );
  }
});

test.run();
