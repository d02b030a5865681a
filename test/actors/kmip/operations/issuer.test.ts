// Who may issue certificates: not a certificate that says itself that it is no authority.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { link } from '../../../../actors/kmip/object/create.ts';
import type { Operation } from '../../../../actors/kmip/operation.ts';
import { certify } from '../../../../actors/kmip/operations/certify.ts';
import { createKeyPair } from '../../../../actors/kmip/operations/create-key-pair.ts';
import { reCertify } from '../../../../actors/kmip/operations/re-certify.ts';
import { refusalOf } from '../../../../kmip/crypto-refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { bytes, enumeration, type Node, structure, text } from '../../../../kmip/ttlv/node.ts';
import { textOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { ObjectsInMemory } from '../../../fakes/objects.ts';

const payload = (...members: readonly Node[]) => structure(TAG.RequestPayload, members);
const attributes = (...members: readonly Node[]) => structure(TAG.Attributes, members);
const named = (id: string) => text(TAG.UniqueIdentifier, id);
const subject = (cn: string) => structure(TAG.CertificateAttributes, [text(TAG.CertificateSubjectCN, cn)]);
const extensions = (lines: string) =>
  structure(TAG.Attribute, [
    text(TAG.VendorIdentification, 'cosmian'),
    text(TAG.AttributeName, 'x509-extension'),
    bytes(TAG.AttributeValue, Buffer.from(lines)),
  ]);

const ctx = new ObjectsInMemory([], { now: 1_700_000_000 });

async function made(operation: Operation, tag: number, ...members: readonly Node[]): Promise<string> {
  return textOf(payload(...((await operation.run(payload(...members), ctx)) as Node[])), tag) as string;
}

const newKey = () =>
  made(
    createKeyPair,
    TAG.PublicKeyUniqueIdentifier,
    structure(TAG.CommonAttributes, [enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.EC)]),
  );
const certificate = async (key: string, ...more: Node[]) => made(certify, TAG.UniqueIdentifier, named(key), attributes(subject('a name'), ...more));
const rootWith = async (key: string, lines: string | undefined) => certificate(key, ...(lines === undefined ? [] : [extensions(lines)]));
const below = async (issuer: string) => certificate(await newKey(), link('CertificateLink', issuer));

async function refusal(work: Promise<unknown>): Promise<string | undefined> {
  return work.then(
    () => undefined,
    (error: unknown) => `${refusalOf(error)?.reason} ${refusalOf(error)?.message}`,
  );
}

test('authorities issue, and certificates that do not say what they are', async () => {
  const authority = 'basicConstraints=critical,CA:TRUE';
  for (const lines of [undefined, authority, `${authority}\nkeyUsage=critical,keyCertSign`, 'extendedKeyUsage=clientAuth'])
    assert.equal(await refusal(below(await rootWith(await newKey(), lines))), undefined, lines);
});

test('a certificate that denies to be an authority issues none', async () => {
  for (const [lines, why] of [
    ['basicConstraints=critical,CA:FALSE', /^InvalidField .*basicConstraints say/],
    ['basicConstraints=critical,CA:TRUE\nkeyUsage=critical,digitalSignature,cRLSign', /^InvalidField .*has no keyCertSign/],
    ['keyUsage=digitalSignature', /^InvalidField .*has no keyCertSign/],
  ] as const)
    assert.match((await refusal(below(await rootWith(await newKey(), lines)))) ?? '', why);
});

test('its own key renews it, and another certificate cannot be renewed below it', async () => {
  const key = await newKey();
  const own = await rootWith(key, 'basicConstraints=critical,CA:FALSE');
  assert.equal(await refusal(made(reCertify, TAG.UniqueIdentifier, named(own), attributes(link('CertificateLink', own)))), undefined);
  const authority = await rootWith(await newKey(), 'basicConstraints=critical,CA:TRUE');
  const leaf = await below(authority);
  const denied = await rootWith(await newKey(), 'basicConstraints=critical,CA:FALSE');
  const renewed = made(reCertify, TAG.UniqueIdentifier, named(leaf), attributes(link('CertificateLink', denied)));
  assert.match((await refusal(renewed)) ?? '', /^InvalidField Invalid ReCertify request: the certificate .* cannot issue others/);
});

test.run();
