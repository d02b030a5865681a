// Attributes that come with an object: Import sets them as they are given, those inside the KeyValue stay with the key material.
import assert from 'node:assert/strict';
import { createDecipheriv, createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { test } from 'uvu';
import { decodeBinary, encodeBinary } from '../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import {
  bigInteger,
  boolean,
  bytes,
  dateTime,
  enumeration,
  integer,
  interval,
  longInteger,
  type Node,
  type Structure,
  structure,
  text,
} from '../../../kmip/ttlv/node.ts';
import { bytesOf, children, codeOf, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { caller } from './caller.ts';
import { type KmipClient, tagsIn, textIn } from './kmip-client.ts';
import { ID, keyContent, newKey } from './operation-requests.ts';

const alice = caller('alice');

const speaking = (major: number, minor: number) => alice.client({ major, minor, encoding: 'binary' });
const { ObjectType, CryptographicAlgorithm, State } = ENUM;
const AES = enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.AES);
const LENGTH = integer(TAG.CryptographicLength, 128);
const MASK = integer(TAG.CryptographicUsageMask, 0xc);
const TYPE_OF_KEY = enumeration(TAG.ObjectType, ObjectType.SymmetricKey);
let count = 0;
const anId = () => `brought ${count++}`;

/** Attributes as Import of the version has them. */
const given = (client: KmipClient, ...nodes: readonly Node[]): Node[] => client.conditions(...nodes);

test('KMIP 1.4 imports without an Object Type: the object tells it', async () => {
  const client = speaking(1, 4);
  const block = structureOf(keyContent(), TAG.KeyBlock) as Structure;
  const secret = structure(TAG.SecretData, [enumeration(TAG.SecretDataType, ENUM.SecretDataType.Password), block]);
  const opaque = structure(TAG.OpaqueObject, [enumeration(TAG.OpaqueDataType, 0x80000001), bytes(TAG.OpaqueDataValue, Buffer.from('x'))]);
  for (const [content, type] of [
    [keyContent(), ObjectType.SymmetricKey],
    [secret, ObjectType.SecretData],
    [opaque, ObjectType.OpaqueObject],
  ] as const) {
    const id = anId();
    const answer = await client.do('Import', ID(id), ...given(client, AES, LENGTH, MASK), content);
    assert.deepEqual(answer.value, [ID(id)]);
    assert.equal((await client.valueOf(id, TAG.ObjectType))?.value, type);
  }
  const [bare] = await client.refusals('Import', [[ID(anId()), ...given(client, AES, LENGTH, MASK)]]);
  assert.deepEqual(bare, { reason: 'InvalidMessage', message: 'missing field: the object to import, for example a SymmetricKey' });
  // 2.x has the field.
  const newest = speaking(2, 1);
  assert.equal(await newest.refused('Import', ID(anId()), ...given(newest, AES, LENGTH, MASK), keyContent()), 'InvalidMessage');
  const other = enumeration(TAG.ObjectType, ObjectType.PrivateKey);
  assert.equal(await client.refused('Import', ID(anId()), ...given(client, AES, LENGTH, MASK, other), keyContent()), 'InvalidField');
});

/** What the server sets itself for other objects. */
const AS_GIVEN: readonly Node[] = [
  enumeration(TAG.State, State.Deactivated),
  dateTime(TAG.InitialDate, 1_000_000_000),
  dateTime(TAG.ActivationDate, 1_000_000_100),
  dateTime(TAG.DeactivationDate, 1_000_000_200),
  dateTime(TAG.LastChangeDate, 1_000_000_300),
  boolean(TAG.Fresh, false),
  interval(TAG.LeaseTime, 77),
  boolean(TAG.Sensitive, false),
  boolean(TAG.AlwaysSensitive, false),
  boolean(TAG.Extractable, true),
  boolean(TAG.NeverExtractable, false),
  dateTime(TAG.OriginalCreationDate, 900_000_000),
  structure(TAG.Digest, [
    enumeration(TAG.HashingAlgorithm, ENUM.HashingAlgorithm.SHA_512),
    bytes(TAG.DigestValue, new Uint8Array(64).fill(9)),
    enumeration(TAG.KeyFormatType, ENUM.KeyFormatType.Raw),
  ]),
];

for (const [major, minor] of [
  [1, 4],
  [2, 0],
  [2, 1],
] as const)
  test(`KMIP ${major}.${minor}: Import sets every attribute as it is given, and Export shows it so`, async () => {
    const client = speaking(major, minor);
    const id = anId();
    const type = client.isOld ? [] : [TYPE_OF_KEY];
    await client.do('Import', ID(id), ...type, ...given(client, AES, LENGTH, MASK, ...AS_GIVEN), keyContent());
    for (const node of AS_GIVEN) {
      const shown = await client.valueOf(id, node.tag);
      assert.deepEqual(shown?.value, node.value, `${Object.entries(TAG).find(([, tag]) => tag === node.tag)?.[0]}`);
    }
    // Read from the database again, and searched for there.
    const located = await client.do('Locate', ...client.conditions(dateTime(TAG.InitialDate, 1_000_000_000), enumeration(TAG.State, State.Deactivated)));
    assert.ok(children(located, TAG.UniqueIdentifier).some(({ value }) => value === id));
  });

test('what is registered as served before is not fresh, since KMIP 2.0; what the server makes always is', async () => {
  const fresh = async (client: KmipClient, told: boolean, operation: 'Create' | 'Register') => {
    const content = operation === 'Register' ? [keyContent()] : [];
    const made = await client.do(operation, TYPE_OF_KEY, client.attributes(AES, LENGTH, MASK, boolean(TAG.Fresh, told)), ...content);
    return (await client.valueOf(textIn(made, TAG.UniqueIdentifier), TAG.Fresh))?.value;
  };
  for (const [major, minor, kept] of [
    [1, 4, true],
    [2, 0, false],
    [2, 1, false],
  ] as const) {
    const client = speaking(major, minor);
    assert.equal(await fresh(client, false, 'Register'), kept);
    assert.equal(await fresh(client, true, 'Register'), true);
    assert.equal(await fresh(client, false, 'Create'), true);
  }
});

test('Import takes no part of what is archived or destroyed elsewhere', async () => {
  const client = speaking(2, 1);
  const bring = (id: string, ...nodes: Node[]) => [ID(id), TYPE_OF_KEY, client.attributes(AES, LENGTH, MASK, ...nodes), keyContent()];
  const id = anId();
  await client.do('Import', ...bring(id, dateTime(TAG.ArchiveDate, 1_000_000_000)));
  assert.equal(await client.valueOf(id, TAG.ArchiveDate), undefined);
  await client.do('Get', ID(id));
  for (const over of [dateTime(TAG.DestroyDate, 1_000_000_000), enumeration(TAG.State, State.Destroyed), enumeration(TAG.State, State.DestroyedCompromised)])
    assert.equal(await client.refused('Import', ...bring(anId(), over)), 'InvalidField');
});

test('an object that is imported as deactivated is found by its state, also if nobody says since when', async () => {
  const client = speaking(2, 1);
  const id = anId();
  const stop = dateTime(TAG.ProtectStopDate, 4_000_000_000);
  const told = [enumeration(TAG.State, State.Deactivated), stop, boolean(TAG.KeyValuePresent, false)];
  await client.do('Import', ID(id), TYPE_OF_KEY, client.attributes(AES, LENGTH, MASK, ...told), keyContent());
  const located = await client.do('Locate', ...client.conditions(ID(id), enumeration(TAG.State, State.Deactivated)));
  assert.deepEqual(children(located, TAG.UniqueIdentifier), [ID(id)]);
  // Its other attributes may still be changed.
  await client.do('AddAttribute', ID(id), structure(TAG.NewAttribute, [text(TAG.Comment, 'from elsewhere')]));
  // The key is there, whatever was the case elsewhere.
  assert.equal(await client.valueOf(id, TAG.KeyValuePresent), undefined);
});

test('Import refuses what no object can have, and completes the limits of use', async () => {
  const client = speaking(2, 1);
  const bring = (id: string, ...nodes: Node[]) => [ID(id), TYPE_OF_KEY, client.attributes(AES, LENGTH, MASK, ...nodes), keyContent()];
  const limits = (total: bigint, count: bigint, ...unit: Node[]) =>
    structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, total), longInteger(TAG.UsageLimitsCount, count), ...unit]);
  const odd: readonly Node[] = [
    limits(5n, 6n),
    limits(5n, -1n),
    integer(TAG.RotateGeneration, -1),
    structure(TAG.RevocationReason, []),
    structure(TAG.RevocationReason, [integer(TAG.RevocationReasonCode, 1)]),
    structure(TAG.Digest, [bytes(TAG.DigestValue, new Uint8Array(32))]),
  ];
  for (const node of odd) assert.equal(await client.refused('Import', ...bring(anId(), node)), 'InvalidAttributeValue');
  const id = anId();
  await client.do('Import', ...bring(id, limits(5n, 0n)));
  assert.deepEqual(await client.valueOf(id, TAG.UsageLimits), limits(5n, 0n, enumeration(TAG.UsageLimitsUnit, ENUM.UsageLimitsUnit.Object)));
});

test('a key of the last generation that there is cannot be rotated again', async () => {
  const client = speaking(2, 1);
  const id = anId();
  await client.do('Import', ID(id), TYPE_OF_KEY, client.attributes(AES, LENGTH, MASK, integer(TAG.RotateGeneration, 2 ** 31 - 2)), keyContent());
  const last = textIn(await client.do('ReKey', ID(id)), TAG.UniqueIdentifier);
  assert.equal((await client.valueOf(last, TAG.RotateGeneration))?.value, 2 ** 31 - 1);
  const [refusal] = await client.refusals('ReKey', [[ID(last)]]);
  assert.deepEqual(refusal, { reason: 'ServerLimitExceeded', message: 'RotateGeneration is 2147483647; the object cannot be rotated again' });
});

test('a state or a unit of use that only others know is refused', async () => {
  const client = speaking(2, 1);
  const [extension, total] = [0x80000001, longInteger(TAG.UsageLimitsTotal, 5n)];
  const limits = structure(TAG.UsageLimits, [total, enumeration(TAG.UsageLimitsUnit, extension)]);
  const bring = (node: Node) => client.refused('Import', ID(anId()), TYPE_OF_KEY, client.attributes(AES, LENGTH, MASK, node), keyContent());
  for (const node of [enumeration(TAG.State, extension), limits]) assert.equal(await bring(node), 'InvalidField');
  assert.equal(await client.refused('AddAttribute', ID(await newKey(client)), structure(TAG.NewAttribute, [limits])), 'InvalidField');
});

const inside = (client: KmipClient, ...nodes: readonly Node[]): Node[] =>
  client.isOld ? nodes.map((node) => client.attribute(node)) : [structure(TAG.Attributes, nodes)];
const keyValueOf = (payload: Structure): Structure =>
  structureOf(structureOf(structureOf(payload, TAG.SymmetricKey) as Structure, TAG.KeyBlock) as Structure, TAG.KeyValue) as Structure;

for (const [major, minor] of [
  [1, 0],
  [1, 4],
  [2, 1],
] as const)
  test(`KMIP ${major}.${minor}: attributes inside the KeyValue are the object's, and come back with it`, async () => {
    const client = speaking(major, minor);
    const group = text(TAG.ObjectGroup, `group of ${major}.${minor}`);
    const contact = text(TAG.ContactInformation, 'inside');
    const content = keyContent(...inside(client, group, contact, MASK));
    const outside = client.attributes(AES, LENGTH, text(TAG.ContactInformation, 'outside'));
    const id = textIn(await client.do('Register', TYPE_OF_KEY, outside, content), TAG.UniqueIdentifier);
    assert.equal((await client.valueOf(id, TAG.ObjectGroup))?.value, group.value);
    assert.equal((await client.valueOf(id, TAG.CryptographicUsageMask))?.value, 0xc);
    // What the request says beside it goes first.
    assert.equal((await client.valueOf(id, TAG.ContactInformation))?.value, 'outside');
    assert.deepEqual(await client.do('Get', ID(id)).then((got) => structureOf(got, TAG.SymmetricKey)), content);
    // In another format they are there as well; in a version that has not the one or the other, it is left out.
    const transparent = await client.do('Get', ID(id), enumeration(TAG.KeyFormatType, ENUM.KeyFormatType.TransparentSymmetricKey));
    assert.equal(keyValueOf(transparent).value.length, keyValueOf(structure(TAG.ResponsePayload, [content])).value.length);
  });

test('what a newer version knows inside the KeyValue is not shown to an older one', async () => {
  const newest = speaking(2, 1);
  const content = keyContent(structure(TAG.Attributes, [text(TAG.Comment, 'of 1.4'), text(TAG.ObjectGroup, 'of 1.0'), boolean(TAG.QuantumSafe, true)]));
  const id = textIn(await newest.do('Register', TYPE_OF_KEY, newest.attributes(AES, LENGTH, MASK), content), TAG.UniqueIdentifier);
  const names = async (minor: number) =>
    children(keyValueOf(await speaking(1, minor).do('Get', ID(id))), TAG.Attribute).map((each) => textOf(each as Structure, TAG.AttributeName));
  assert.deepEqual(await names(0), ['Object Group']);
  assert.deepEqual(await names(4), ['Comment', 'Object Group']);
});

for (const [major, minor] of [
  [1, 4],
  [2, 1],
] as const)
  test(`KMIP ${major}.${minor}: attributes that a client names are wrapped with the key, in the form of its version`, async () => {
    const client = speaking(major, minor);
    const kek = textIn(
      await client.do(
        'Register',
        TYPE_OF_KEY,
        client.attributes(AES, LENGTH, integer(TAG.CryptographicUsageMask, 0x30), dateTime(TAG.ActivationDate, 1)),
        keyContent(),
      ),
      TAG.UniqueIdentifier,
    );
    const id = await newKey(speaking(2, 1), text(TAG.ObjectGroup, 'to be wrapped'));
    const wrapping = (...names: string[]) => [
      ID(id),
      structure(TAG.KeyWrappingSpecification, [
        enumeration(TAG.WrappingMethod, ENUM.WrappingMethod.Encrypt),
        structure(TAG.EncryptionKeyInformation, [
          ID(kek),
          structure(TAG.CryptographicParameters, [enumeration(TAG.BlockCipherMode, ENUM.BlockCipherMode.AESKeyWrapPadding)]),
        ]),
        ...names.map((each) => text(TAG.AttributeName, each)),
      ]),
    ];
    const got = await client.do('Get', ...wrapping('Object Group'));
    const block = structureOf(structureOf(got, TAG.SymmetricKey) as Structure, TAG.KeyBlock) as Structure;
    const decipher = createDecipheriv('id-aes128-wrap-pad' as 'aes128', Buffer.alloc(16, 7), Buffer.from('a65959a6', 'hex'));
    const plain = decodeBinary(new Uint8Array(Buffer.concat([decipher.update(bytesOf(block, TAG.KeyValue) as Uint8Array), decipher.final()])));
    const group = text(TAG.ObjectGroup, 'to be wrapped');
    assert.deepEqual(tagsIn(plain), [TAG.KeyMaterial, client.isOld ? TAG.Attribute : TAG.Attributes]);
    assert.deepEqual(plain.value[1], client.isOld ? client.attribute(group) : structure(TAG.Attributes, [group]));
    // Wrapped so it is brought back, with its attributes.
    const back = anId();
    const unwrapped = enumeration(TAG.KeyWrapType, 1);
    const type = client.isOld ? [] : [TYPE_OF_KEY];
    await speaking(major, minor).do(
      'Import',
      ID(back),
      ...type,
      unwrapped,
      ...given(client, AES, LENGTH, MASK),
      structureOf(got, TAG.SymmetricKey) as Structure,
    );
    assert.equal((await client.valueOf(back, TAG.ObjectGroup))?.value, 'to be wrapped');
    const [missing] = await client.refusals('Get', [wrapping('Contact Information')]);
    assert.match(missing?.message ?? '', /no attribute Contact Information/);
    assert.equal(codeOf(block, TAG.KeyFormatType), ENUM.KeyFormatType.Raw);
  });

test('the Digest is there for the format of the key, and for the default one of its kind', async () => {
  const sha256 = (value: Uint8Array) => createHash('sha256').update(value).digest('hex');
  const { PKCS_1, PKCS_8, X_509, Raw, TransparentSymmetricKey, TransparentECPrivateKey } = ENUM.KeyFormatType;
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const [scalar, secret] = [Buffer.from(curve.privateKey.export({ format: 'jwk' }).d as string, 'base64url'), Buffer.alloc(16, 7)];
  const transparent = structure(TAG.KeyMaterial, [
    enumeration(TAG.RecommendedCurve, ENUM.RecommendedCurve.P_256),
    bigInteger(TAG.D, BigInt(`0x${scalar.toString('hex')}`)),
  ]);
  const der = (key: KeyObject, type: 'pkcs1' | 'pkcs8' | 'spki') => key.export({ format: 'der', type: type as 'pkcs1' });
  const inStructure = structure(TAG.KeyMaterial, [bytes(TAG.Key, secret)]);
  const client = speaking(2, 1);
  for (const [tag, type, algorithm, bits, material, format, usual, value] of [
    ['PrivateKey', ObjectType.PrivateKey, 'RSA', 2048, der(pair.privateKey, 'pkcs8'), PKCS_8, PKCS_1, der(pair.privateKey, 'pkcs1')],
    ['PublicKey', ObjectType.PublicKey, 'RSA', 2048, der(pair.publicKey, 'spki'), X_509, PKCS_1, der(pair.publicKey, 'pkcs1')],
    ['PrivateKey', ObjectType.PrivateKey, 'EC', 256, der(curve.privateKey, 'pkcs8'), PKCS_8, TransparentECPrivateKey, encodeBinary(transparent)],
    ['SymmetricKey', ObjectType.SymmetricKey, 'AES', 128, inStructure, TransparentSymmetricKey, Raw, secret],
    ['SymmetricKey', ObjectType.SymmetricKey, 'AES', 128, secret, Raw, undefined, secret],
  ] as const) {
    const block = structure(TAG.KeyBlock, [
      enumeration(TAG.KeyFormatType, format),
      structure(TAG.KeyValue, [material instanceof Uint8Array ? bytes(TAG.KeyMaterial, material) : material]),
      enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm[algorithm]),
      integer(TAG.CryptographicLength, bits),
    ]);
    const made = await client.do('Register', enumeration(TAG.ObjectType, type), client.attributes(MASK), structure(TAG[tag], [block]));
    const asked = enumeration(TAG.AttributeReference, TAG.Digest);
    const told = structureOf(await client.do('GetAttributes', ID(textIn(made, TAG.UniqueIdentifier)), asked), TAG.Attributes) as Structure;
    const own = sha256(material instanceof Uint8Array ? material : encodeBinary(material));
    assert.deepEqual(
      told.value.map((node) => [codeOf(node as Structure, TAG.KeyFormatType), Buffer.from(bytesOf(node as Structure, TAG.DigestValue) ?? []).toString('hex')]),
      [[format, own], ...(usual === undefined ? [] : [[usual, sha256(value)]])],
    );
  }
});

test.run();
