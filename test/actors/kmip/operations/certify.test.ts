// Certify, ReCertify and Validate with real keys; what is issued is held against node's reader and the openssl program.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import { link, linkedTo, newObject } from '../../../../actors/kmip/object/create.ts';
import { certificateOf } from '../../../../actors/kmip/object/forms/certificate-content.ts';
import { applyEvent } from '../../../../actors/kmip/object/life/lifecycle.ts';
import type { Draft } from '../../../../actors/kmip/object/managed-object.ts';
import { placeFor } from '../../../../actors/kmip/object/place.ts';
import type { Operation } from '../../../../actors/kmip/operation.ts';
import { certify } from '../../../../actors/kmip/operations/certify.ts';
import { createKeyPair } from '../../../../actors/kmip/operations/create-key-pair.ts';
import { reCertify } from '../../../../actors/kmip/operations/re-certify.ts';
import { register } from '../../../../actors/kmip/operations/register.ts';
import { rekeyKeyPair } from '../../../../actors/kmip/operations/rekey-key-pair.ts';
import { validate } from '../../../../actors/kmip/operations/validate.ts';
import { EXTENSION } from '../../../../crypto/x509/certificate-extension.ts';
import { certificateFacts } from '../../../../crypto/x509/certificate-facts.ts';
import { refusalOf } from '../../../../kmip/crypto-refusal.ts';
import type { ResultReason } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../../kmip/ttlv/mask.ts';
import { bytes, dateTime, enumeration, integer, interval, type Node, structure, text } from '../../../../kmip/ttlv/node.ts';
import { codeOf, textOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { ObjectsInMemory } from '../../../fakes/objects.ts';

const NOW = 1_700_000_000;
const YEAR = 365 * 86_400;
const { ObjectType, State } = ENUM;

const payload = (...members: readonly Node[]) => structure(TAG.RequestPayload, members);
const attributes = (...members: readonly Node[]) => structure(TAG.Attributes, members);
const named = (id: string) => text(TAG.UniqueIdentifier, id);
const vendor = (name: string, value: Node) =>
  structure(TAG.Attribute, [text(TAG.VendorIdentification, 'cosmian'), text(TAG.AttributeName, name), { ...value, tag: TAG.AttributeValue } as Node]);
const extensions = (lines: string) => vendor('x509-extension', bytes(TAG.AttributeValue, Buffer.from(lines)));
const subject = (cn: string) =>
  structure(TAG.CertificateAttributes, [text(TAG.CertificateSubjectCN, cn), text(TAG.CertificateSubjectO, 'Acme'), text(TAG.CertificateSubjectOU, '')]);
const AUTHORITY = '[ v3_ca ]\nbasicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign,crlSign\n';

async function identifier(operation: Operation, ctx: ObjectsInMemory, ...members: readonly Node[]): Promise<string> {
  return textOf(payload(...((await operation.run(payload(...members), ctx)) as Node[])), TAG.UniqueIdentifier) as string;
}

async function refused(reason: ResultReason, words: RegExp, work: Promise<unknown>): Promise<void> {
  await assert.rejects(work, (error: unknown) => refusalOf(error)?.reason === reason && words.test(refusalOf(error)?.message ?? ''));
}

async function pair(ctx: ObjectsInMemory, ...more: readonly Node[]): Promise<{ privateKey: string; publicKey: string }> {
  const common = structure(TAG.CommonAttributes, [enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.EC), ...more]);
  const answer = payload(...(await createKeyPair.run(payload(common), ctx)));
  return { privateKey: textOf(answer, TAG.PrivateKeyUniqueIdentifier) as string, publicKey: textOf(answer, TAG.PublicKeyUniqueIdentifier) as string };
}

const objectOf = (ctx: ObjectsInMemory, id: string): Draft => ctx.objects.get(id) as Draft;
const read = (ctx: ObjectsInMemory, id: string): X509Certificate => new X509Certificate(certificateOf(objectOf(ctx, id)));
const seconds = (date: string): number => Date.parse(date) / 1000;

interface Chain {
  readonly ctx: ObjectsInMemory;
  readonly rootKeys: { privateKey: string; publicKey: string };
  readonly root: string;
  readonly leafKeys: { privateKey: string; publicKey: string };
  readonly leaf: string;
}

async function chain(...leafAttributes: readonly Node[]): Promise<Chain> {
  const ctx = new ObjectsInMemory([], { now: NOW });
  const rootKeys = await pair(ctx);
  const root = await identifier(certify, ctx, named(rootKeys.publicKey), attributes(subject('Root'), extensions(AUTHORITY)));
  const leafKeys = await pair(ctx);
  const issuer = [link('CertificateLink', root), link('PrivateKeyLink', rootKeys.privateKey)];
  const leaf = await identifier(certify, ctx, named(leafKeys.publicKey), attributes(...issuer, subject('Leaf'), ...leafAttributes));
  return { ctx, rootKeys, root, leafKeys, leaf };
}

async function verdict(ctx: ObjectsInMemory, ...members: readonly Node[]): Promise<string | undefined> {
  const code = codeOf(payload(...(await validate.run(payload(...members), ctx))), TAG.ValidityIndicator);
  return Object.entries(ENUM.ValidityIndicator).find(([, value]) => value === code)?.[0];
}

test('a public key is certified by its own private key', async () => {
  const ctx = new ObjectsInMemory([], { now: NOW });
  const keys = await pair(ctx);
  const id = await identifier(certify, ctx, named(keys.publicKey), attributes(subject('Self')));
  const issued = read(ctx, id);
  assert.equal(issued.subject, 'O=Acme\nCN=Self');
  assert.equal(issued.issuer, issued.subject);
  assert.ok(issued.verify(issued.publicKey));
  assert.equal(seconds(issued.validFrom), NOW);
  assert.equal(seconds(issued.validTo), NOW + YEAR);
  const object = objectOf(ctx, id);
  assert.equal(object.state, State.PreActive);
  assert.equal(linkedTo(object, 'PublicKeyLink'), keys.publicKey);
  assert.equal(linkedTo(object, 'PrivateKeyLink'), keys.privateKey);
  assert.equal(linkedTo(object, 'CertificateLink'), undefined);
  assert.equal(linkedTo(objectOf(ctx, keys.publicKey), 'CertificateLink'), id);
  assert.equal(object.attributes.first(TAG.CertificateSubjectCN)?.value, 'Self');
  assert.equal(object.attributes.has(TAG.CertificateSubjectOU), false);
  assert.equal(object.attributes.first(TAG.CertificateLength)?.value, issued.raw.length);
  assert.equal(object.attributes.has(TAG.CertificateAttributes), false);
  assert.ok(ctx.audited.includes(`key.certify ${id}`));
});

test('a certificate has the dates of its object, and the days that are asked for', async () => {
  const { ctx, leaf } = await chain(dateTime(TAG.ActivationDate, NOW + 100), dateTime(TAG.DeactivationDate, NOW + 5_000));
  assert.equal(seconds(read(ctx, leaf).validFrom), NOW + 100);
  assert.equal(seconds(read(ctx, leaf).validTo), NOW + 5_000);
  const days = await chain(vendor('requested_validity_days', integer(TAG.AttributeValue, 30)));
  assert.equal(seconds(read(days.ctx, days.leaf).validTo), NOW + 30 * 86_400);
  await refused('InvalidField', /requested_validity_days/, chain(vendor('requested_validity_days', text(TAG.AttributeValue, 'ten'))));
  for (const odd of ['0x10', '1e3', ' 30', '-1', ''])
    await refused('InvalidField', /requested_validity_days/, chain(vendor('requested_validity_days', text(TAG.AttributeValue, odd))));
});

test('a chain is issued, and openssl takes it', async () => {
  const { ctx, root, leaf, rootKeys } = await chain(extensions('subjectAltName=DNS:leaf.example,IP:192.0.2.7\nextendedKeyUsage=serverAuth\n'));
  const issued = read(ctx, leaf);
  assert.ok(issued.verify(read(ctx, root).publicKey));
  assert.ok(issued.checkIssued(read(ctx, root)));
  assert.equal(issued.subjectAltName, 'DNS:leaf.example, IP Address:192.0.2.7');
  assert.equal(linkedTo(objectOf(ctx, leaf), 'CertificateLink'), root);
  assert.equal(await verdict(ctx, named(root), named(leaf)), 'Valid');
  // The link to the private key is enough, and so is the one to the certificate.
  for (const named of [link('PrivateKeyLink', rootKeys.privateKey), link('CertificateLink', root)]) {
    const keys = await pair(ctx);
    const id = await identifier(certify, ctx, text(TAG.UniqueIdentifier, keys.publicKey), attributes(named, subject('Other')));
    assert.ok(read(ctx, id).checkIssued(read(ctx, root)));
  }
  if (spawnSync('openssl', ['version']).status !== 0) return;
  const folder = mkdtempSync(join(tmpdir(), 'certify-'));
  try {
    writeFileSync(join(folder, 'root.pem'), read(ctx, root).toString());
    writeFileSync(join(folder, 'leaf.pem'), issued.toString());
    const at = ['-attime', String(NOW + 60)];
    const out = execFileSync('openssl', [
      'verify',
      '-x509_strict',
      ...at,
      '-purpose',
      'sslserver',
      '-CAfile',
      join(folder, 'root.pem'),
      join(folder, 'leaf.pem'),
    ]);
    assert.match(out.toString(), /leaf\.pem: OK/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** A request that openssl has made; undefined where it is not installed. */
function csr(extension: string): Buffer | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'certify-'));
  try {
    const args = ['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', join(folder, 'key.pem'), '-outform', 'DER'];
    const made = spawnSync('openssl', [...args, '-subj', '/C=NL/CN=Requested', '-addext', extension]);
    return made.status === 0 ? made.stdout : undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a certificate request goes before the attributes, and makes no authority', async () => {
  const request = csr('subjectAltName=DNS:csr.example');
  const greedy = csr('basicConstraints=CA:TRUE');
  if (!request || !greedy) return;
  const { ctx, root, rootKeys } = await chain();
  const issuer = [link('CertificateLink', root), link('PrivateKeyLink', rootKeys.privateKey)];
  const pkcs10 = enumeration(TAG.CertificateRequestType, ENUM.CertificateRequestType.PKCS_10);
  const id = await identifier(certify, ctx, pkcs10, bytes(TAG.CertificateRequestValue, request), attributes(...issuer, subject('Ignored')));
  assert.equal(read(ctx, id).subject, 'C=NL\nCN=Requested');
  assert.equal(read(ctx, id).subjectAltName, 'DNS:csr.example');
  assert.equal(linkedTo(objectOf(ctx, id), 'PublicKeyLink'), undefined);
  const other = await identifier(certify, ctx, pkcs10, bytes(TAG.CertificateRequestValue, greedy), attributes(...issuer));
  assert.equal(read(ctx, other).ca, false);
  const pem = Buffer.from(`-----BEGIN CERTIFICATE REQUEST-----\n${request.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`);
  const asPem = enumeration(TAG.CertificateRequestType, ENUM.CertificateRequestType.PEM);
  const fromPem = await identifier(certify, ctx, asPem, bytes(TAG.CertificateRequestValue, pem), attributes(...issuer));
  assert.ok(read(ctx, fromPem).publicKey.equals(read(ctx, id).publicKey));
  // As a stored object, under either name.
  const content = structure(TAG.CertificateRequest, [pkcs10, bytes(TAG.CertificateRequestValue, request)]);
  const stored = await identifier(register, ctx, enumeration(TAG.ObjectType, ObjectType.CertificateRequest), attributes(), content);
  for (const tag of [TAG.UniqueIdentifier, TAG.CertificateRequestUniqueIdentifier]) {
    const made = ctx.objects.size;
    assert.equal(read(ctx, await identifier(certify, ctx, text(tag, stored), attributes(...issuer))).subject, 'C=NL\nCN=Requested');
    assert.equal(ctx.objects.size, made + 1);
  }
  const spoiled = Buffer.from(request);
  spoiled[spoiled.length - 1] = (spoiled.at(-1) as number) ^ 1;
  await refused('InvalidCSR', /signed/, identifier(certify, ctx, pkcs10, bytes(TAG.CertificateRequestValue, spoiled), attributes(...issuer)));
  await refused('InvalidField', /Invalid Certify request/, identifier(certify, ctx, pkcs10, bytes(TAG.CertificateRequestValue, request), attributes()));
  const crmf = enumeration(TAG.CertificateRequestType, ENUM.CertificateRequestType.CRMF);
  await refused('FeatureNotSupported', /CRMF/, identifier(certify, ctx, crmf, bytes(TAG.CertificateRequestValue, request), attributes(...issuer)));
  await refused('InvalidMessage', /CertificateRequestType/, identifier(certify, ctx, bytes(TAG.CertificateRequestValue, request), attributes(...issuer)));
});

test('a request that asks for keyCertSign gets it only for an authority', async () => {
  const both = csr('keyUsage=critical,digitalSignature,keyCertSign');
  const alone = csr('keyUsage=keyCertSign');
  if (!both || !alone) return;
  const { ctx, root, rootKeys } = await chain();
  const issuer = [link('CertificateLink', root), link('PrivateKeyLink', rootKeys.privateKey)];
  const pkcs10 = enumeration(TAG.CertificateRequestType, ENUM.CertificateRequestType.PKCS_10);
  const usage = async (request: Buffer, ...more: readonly Node[]) => {
    const id = await identifier(certify, ctx, pkcs10, bytes(TAG.CertificateRequestValue, request), attributes(...issuer, ...more));
    const found = certificateFacts(new Uint8Array(read(ctx, id).raw)).extensions.find(({ oid }) => oid === EXTENSION.keyUsage);
    return found && [found.critical, found.value.toString('hex')];
  };
  assert.deepEqual(await usage(both), [true, '03020780']);
  assert.equal(await usage(alone), undefined);
  assert.deepEqual(await usage(both, extensions('basicConstraints=critical,CA:true\n')), [true, '03020284']);
});

test('without a key, one is made with the certificate', async () => {
  const ctx = new ObjectsInMemory([], { now: NOW });
  const algorithm = enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.Ed25519);
  const id = await identifier(certify, ctx, attributes(algorithm, text(TAG.CertificateSubjectCN, 'New')));
  assert.equal(ctx.objects.size, 3);
  assert.ok(read(ctx, id).verify(read(ctx, id).publicKey));
  const publicKey = linkedTo(objectOf(ctx, id), 'PublicKeyLink') as string;
  assert.equal(linkedTo(objectOf(ctx, publicKey), 'CertificateLink'), id);
  assert.equal(objectOf(ctx, linkedTo(objectOf(ctx, publicKey), 'PrivateKeyLink') as string).type, ObjectType.PrivateKey);
  assert.equal(objectOf(ctx, id).attributes.first(TAG.CryptographicAlgorithm)?.value, ENUM.CryptographicAlgorithm.Ed25519);
});

test('what cannot be certified, or certify, is refused', async () => {
  const { ctx, root, rootKeys, leafKeys, leaf } = await chain();
  const opaque = newObject(ctx, {
    place: placeFor(ctx, { type: ObjectType.OpaqueObject }),
    type: ObjectType.OpaqueObject,
    content: structure(TAG.OpaqueObject, []),
    attributes: objectOf(ctx, root).attributes.copy(),
  });
  ctx.objects.set(opaque.id, opaque);
  await refused('InvalidObjectType', /Invalid Certify request/, identifier(certify, ctx, named(opaque.id)));
  await refused('InvalidObjectType', /Invalid Certify request/, identifier(certify, ctx, named(leafKeys.privateKey), attributes(subject('X'))));
  await refused('ObjectNotFound', /not found/, identifier(certify, ctx, named('nothing'), attributes(subject('X'))));
  await refused('InvalidField', /subject/, identifier(certify, ctx, named(leafKeys.publicKey), attributes()));
  await refused('InvalidField', /X\.509/, identifier(certify, ctx, named(leafKeys.publicKey), attributes(enumeration(TAG.CertificateType, 2), subject('X'))));
  await refused(
    'InvalidField',
    /not that of/,
    identifier(certify, ctx, named(leafKeys.publicKey), attributes(link('CertificateLink', root), link('PrivateKeyLink', leafKeys.privateKey), subject('X'))),
  );
  await refused(
    'InvalidObjectType',
    /Certificate is needed/,
    identifier(
      certify,
      ctx,
      named(leafKeys.publicKey),
      attributes(link('CertificateLink', rootKeys.publicKey), link('PrivateKeyLink', rootKeys.privateKey), subject('X')),
    ),
  );
  const verifying = await pair(ctx, integer(TAG.CryptographicUsageMask, MASK.CryptographicUsageMask.Encrypt));
  await refused('IncompatibleCryptographicUsageMask', /usage mask/, identifier(certify, ctx, named(verifying.publicKey), attributes(subject('X'))));
  applyEvent(objectOf(ctx, root), 'compromise', NOW);
  await refused(
    'WrongKeyLifecycleState',
    /Compromised/,
    identifier(certify, ctx, named(leafKeys.publicKey), attributes(link('CertificateLink', root), subject('X'))),
  );
  applyEvent(objectOf(ctx, rootKeys.privateKey), 'destroy', NOW);
  await refused(
    'ObjectDestroyed',
    /destroyed/,
    identifier(certify, ctx, named(leafKeys.publicKey), attributes(link('PrivateKeyLink', rootKeys.privateKey), subject('X'))),
  );
  assert.equal(linkedTo(objectOf(ctx, leafKeys.publicKey), 'CertificateLink'), leaf);
});

test('a key that is destroyed while the certificate is signed certifies nothing', async () => {
  const ctx = new ObjectsInMemory([], { now: NOW });
  const keys = await pair(ctx);
  const destroyed = ctx.change(async (tx) => {
    const key = await tx.byId(keys.privateKey, 'Destroy');
    applyEvent(key, 'destroy', NOW);
    await tx.update(key);
  });
  await refused('ObjectDestroyed', /destroyed/, identifier(certify, ctx, named(keys.publicKey), attributes(subject('Late'))));
  await destroyed;
  assert.equal(ctx.objects.size, 2);
});

test('a renewed certificate replaces the old one', async () => {
  const name = structure(TAG.Name, [text(TAG.NameValue, 'site'), enumeration(TAG.NameType, ENUM.NameType.UninterpretedTextString)]);
  const { ctx, root, leaf, leafKeys } = await chain(extensions('subjectAltName=DNS:leaf.example\nbasicConstraints=CA:false\n'), name);
  const id = await identifier(reCertify, ctx, named(leaf));
  const [old, renewed] = [objectOf(ctx, leaf), objectOf(ctx, id)];
  assert.equal(renewed.state, State.Active);
  assert.equal(linkedTo(old, 'ReplacementObjectLink'), id);
  assert.equal(linkedTo(renewed, 'ReplacedObjectLink'), leaf);
  assert.equal(linkedTo(renewed, 'CertificateLink'), root);
  assert.equal(linkedTo(objectOf(ctx, leafKeys.publicKey), 'CertificateLink'), id);
  assert.equal(old.attributes.has(TAG.Name), false);
  assert.equal(renewed.attributes.all(TAG.Name).length, 1);
  assert.ok(read(ctx, id).publicKey.equals(read(ctx, leaf).publicKey));
  assert.equal(read(ctx, id).subject, read(ctx, leaf).subject);
  assert.equal(read(ctx, id).subjectAltName, 'DNS:leaf.example');
  assert.notEqual(read(ctx, id).serialNumber, read(ctx, leaf).serialNumber);
  assert.equal(renewed.attributes.all(TAG.CertificateSubjectCN).length, 1);
  assert.equal(seconds(read(ctx, id).validTo), NOW + YEAR);
  assert.equal(await verdict(ctx, named(root), named(id)), 'Valid');
});

test('an authority stays one when it is renewed', async () => {
  const { ctx, root } = await chain();
  assert.equal(read(ctx, await identifier(reCertify, ctx, named(root))).ca, true);
});

test('the Offset moves the dates of a renewed certificate', async () => {
  const { ctx, leaf } = await chain(dateTime(TAG.ActivationDate, NOW - 1_000), dateTime(TAG.DeactivationDate, NOW + 9_000));
  const id = await identifier(reCertify, ctx, named(leaf), interval(TAG.Offset, 86_400));
  assert.equal(objectOf(ctx, id).state, State.PreActive);
  assert.equal(objectOf(ctx, id).attributes.first(TAG.ActivationDate)?.value, NOW + 86_400);
  assert.equal(objectOf(ctx, id).attributes.first(TAG.DeactivationDate)?.value, NOW + 86_400 + 10_000);
  assert.equal(seconds(read(ctx, id).validFrom), NOW + 86_400);
  assert.equal(seconds(read(ctx, id).validTo), NOW + 86_400 + 10_000);
  const now = await chain();
  assert.equal(objectOf(now.ctx, await identifier(reCertify, now.ctx, named(now.leaf), interval(TAG.Offset, 0))).state, State.Active);
  await refused('InvalidObjectType', /ReCertify/, identifier(reCertify, now.ctx, named(now.leafKeys.publicKey)));
});

test('a chain is valid until a certificate of it is revoked, deactivated or has expired', async () => {
  const { ctx, root, leaf, rootKeys } = await chain();
  assert.equal(await verdict(ctx, named(leaf)), 'Valid', 'the issuer is found by its link');
  assert.equal(await verdict(ctx, named(leaf), dateTime(TAG.ValidityDate, NOW + YEAR + 1)), 'Invalid');
  assert.equal(await verdict(ctx, named(leaf), dateTime(TAG.ValidityDate, NOW - 1)), 'Invalid');
  const held = objectOf(ctx, leaf);
  held.attributes.set(dateTime(TAG.DeactivationDate, NOW + 100));
  for (const state of [State.PreActive, State.Active, State.Deactivated]) {
    held.attributes.set(dateTime(TAG.ActivationDate, NOW));
    held.state = state;
    assert.equal(await verdict(ctx, named(leaf), dateTime(TAG.ValidityDate, NOW + 99)), 'Valid', `${state}`);
    assert.equal(await verdict(ctx, named(leaf), dateTime(TAG.ValidityDate, NOW + 100)), 'Invalid', `${state}`);
  }
  for (const tag of [TAG.ActivationDate, TAG.DeactivationDate]) held.attributes.remove(tag);
  held.state = State.PreActive;
  const value = objectOf(ctx, leaf).content as Node;
  assert.equal(await verdict(ctx, value), 'Unknown', 'nothing leads from it to its issuer');
  assert.equal(await verdict(ctx, value, named(root)), 'Valid');
  const keys = await pair(ctx);
  const alone = await identifier(certify, ctx, named(keys.publicKey), attributes(subject('Alone')));
  assert.equal(await verdict(ctx, named(alone), named(leaf), named(root)), 'Invalid');
  // Signed by a certificate that is no authority.
  const below = await identifier(
    certify,
    ctx,
    named(rootKeys.publicKey),
    attributes(link('CertificateLink', alone), link('PrivateKeyLink', keys.privateKey), subject('Below')),
  );
  assert.equal(await verdict(ctx, named(below), named(alone)), 'Invalid');
  applyEvent(objectOf(ctx, root), 'compromise', NOW);
  assert.equal(await verdict(ctx, named(root), named(leaf)), 'Invalid');
  await refused('InvalidObjectType', /Validate/, validate.run(payload(named(keys.publicKey)), ctx));
  await refused('ObjectNotFound', /not found/, validate.run(payload(named('nothing')), ctx));
});

test('a certificate that its own key renews has no issuer any more, nor at the next renewal', async () => {
  const { ctx, leafKeys, leaf } = await chain();
  const own = await identifier(reCertify, ctx, named(leaf), attributes(link('PrivateKeyLink', leafKeys.privateKey)));
  assert.equal(linkedTo(objectOf(ctx, own), 'CertificateLink'), undefined);
  const again = read(ctx, await identifier(reCertify, ctx, named(own)));
  assert.equal(again.issuer, again.subject);
});

test('the replacements of a pair are in no certificate yet', async () => {
  const { ctx, rootKeys, root } = await chain();
  assert.equal(linkedTo(objectOf(ctx, rootKeys.publicKey), 'CertificateLink'), root);
  const made = payload(...(await rekeyKeyPair.run(payload(text(TAG.PrivateKeyUniqueIdentifier, rootKeys.privateKey)), ctx)));
  for (const tag of [TAG.PrivateKeyUniqueIdentifier, TAG.PublicKeyUniqueIdentifier])
    assert.equal(linkedTo(objectOf(ctx, textOf(made, tag) as string), 'CertificateLink'), undefined);
});

test.run();
