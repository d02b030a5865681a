// Attributes of objects that the server makes itself: what it alone says of them, and what it does as a client demands or refuses (KMIP 2.1 sections 4.26, 4.38, 4.46).
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { OperationName } from '../../../kmip/operation-name.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { bytes, dateTime, enumeration, integer, type Node, type Structure, structure } from '../../../kmip/ttlv/node.ts';
import { bytesOf, codeOf, nameOf, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { caller } from './caller.ts';
import { type KmipClient, textIn } from './kmip-client.ts';
import { ID, keyContent } from './operation-requests.ts';

const alice = caller('alice');
const { ObjectType, CryptographicAlgorithm, RNGAlgorithm, DRBGAlgorithm } = ENUM;
const TYPE_OF_KEY = enumeration(TAG.ObjectType, ObjectType.SymmetricKey);
const AES = [
  enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.AES),
  integer(TAG.CryptographicLength, 128),
  integer(TAG.CryptographicUsageMask, 0xc),
];
const EC = [
  enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.ECDSA),
  structure(TAG.CryptographicDomainParameters, [enumeration(TAG.RecommendedCurve, ENUM.RecommendedCurve.P_256)]),
  integer(TAG.CryptographicUsageMask, 3),
];

const generator = (algorithm: keyof typeof RNGAlgorithm, ...members: readonly Node[]): Node =>
  structure(TAG.RandomNumberGenerator, [enumeration(TAG.RNGAlgorithm, RNGAlgorithm[algorithm]), ...members]);
const drbg = (of: keyof typeof DRBGAlgorithm): Node => generator('DRBG', enumeration(TAG.DRBGAlgorithm, DRBGAlgorithm[of]));

const common = (client: KmipClient, ...nodes: readonly Node[]): Structure => ({
  ...client.attributes(...nodes),
  tag: client.isOld ? TAG.CommonTemplateAttribute : TAG.CommonAttributes,
});

/** The operations that make keys. */
async function makings(client: KmipClient, ...more: readonly Node[]): Promise<(string | undefined)[]> {
  const old = textIn(await client.do('Create', TYPE_OF_KEY, client.attributes(...AES)), TAG.UniqueIdentifier);
  const pair = textIn(await client.do('CreateKeyPair', common(client, ...EC)), TAG.PrivateKeyUniqueIdentifier);
  const asked = [
    await client.ask('Create', TYPE_OF_KEY, client.attributes(...AES, ...more)),
    await client.ask('CreateKeyPair', common(client, ...EC, ...more)),
    await client.ask('ReKey', ID(old), client.attributes(...more)),
    await client.ask('ReKeyKeyPair', { ...ID(pair), tag: TAG.PrivateKeyUniqueIdentifier } as Node, common(client, ...more)),
  ];
  return asked.map(({ reason }) => reason);
}

for (const [major, minor] of [
  [1, 3],
  [1, 4],
  [2, 0],
  [2, 1],
] as const) {
  const client = alice.client({ major, minor, encoding: 'binary' });
  const refused = major === 1 ? 'InvalidField' : 'InvalidAttributeValue';

  test(`KMIP ${major}.${minor}: a generator that is not the server's is refused, its own and none in particular are taken`, async () => {
    for (const other of [drbg('Hash'), generator('FIPS186_2'), generator('ANSIX9_31')]) assert.deepEqual(await makings(client, other), Array(4).fill(refused));
    for (const met of [drbg('CTR'), generator('DRBG'), generator('Unspecified')]) assert.deepEqual(await makings(client, met), Array(4).fill(undefined));
    const id = textIn(await client.do('Register', TYPE_OF_KEY, client.attributes(...AES, drbg('Hash')), keyContent()), TAG.UniqueIdentifier);
    assert.deepEqual((await client.valueOf(id, TAG.RandomNumberGenerator))?.value, (drbg('Hash') as Structure).value);
  });

  test(`KMIP ${major}.${minor}: what the server makes is as old as it says`, async () => {
    const before = dateTime(TAG.OriginalCreationDate, 900_000_000);
    assert.deepEqual(await makings(client, before), Array(4).fill(refused));
    const made = textIn(await client.do('Create', TYPE_OF_KEY, client.attributes(...AES)), TAG.UniqueIdentifier);
    assert.equal((await client.valueOf(made, TAG.OriginalCreationDate))?.value, (await client.valueOf(made, TAG.InitialDate))?.value);
    const brought = textIn(await client.do('Register', TYPE_OF_KEY, client.attributes(...AES, before), keyContent()), TAG.UniqueIdentifier);
    assert.equal((await client.valueOf(brought, TAG.OriginalCreationDate))?.value, before.value);
  });
}

const { KeyFormatType } = ENUM;
const inFormat = (of: keyof typeof KeyFormatType): Node => enumeration(TAG.KeyFormatType, KeyFormatType[of]);
const RSA = [
  enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.RSA),
  integer(TAG.CryptographicLength, 2048),
  integer(TAG.CryptographicUsageMask, 3),
];
const PRESENT = dateTime(TAG.ActivationDate, 1);

const newest = alice.client({ major: 2, minor: 1, encoding: 'binary' });

/** The format of the KeyBlock that Get answers, and the attribute and the format of the Digest, which are the same. */
async function formatOf(id: string): Promise<string> {
  const { value: members } = await newest.do('Get', ID(id));
  const block = structureOf(members.at(-1) as Structure, TAG.KeyBlock) as Structure;
  const code = codeOf(block, TAG.KeyFormatType) as number;
  assert.equal((await newest.valueOf(id, TAG.KeyFormatType))?.value, code);
  const digest = await newest.valueOf(id, TAG.Digest);
  if (digest) assert.equal(codeOf(digest as Structure, TAG.KeyFormatType), code);
  return nameOf('KeyFormatType', code);
}

type Format = keyof typeof KeyFormatType;

async function pair(kind: readonly Node[], both?: Format, own?: { privateKey: Format; publicKey: Format }): Promise<{ privateKey: string; publicKey: string }> {
  const asked = (tag: number, format: Format | undefined) => (format ? [structure(tag, [inFormat(format)])] : []);
  const made = await newest.do(
    'CreateKeyPair',
    structure(TAG.CommonAttributes, [...kind, PRESENT, ...(both ? [inFormat(both)] : [])]),
    ...asked(TAG.PrivateKeyAttributes, own?.privateKey),
    ...asked(TAG.PublicKeyAttributes, own?.publicKey),
  );
  return { privateKey: textIn(made, TAG.PrivateKeyUniqueIdentifier), publicKey: textIn(made, TAG.PublicKeyUniqueIdentifier) };
}

const formatsOf = async ({ privateKey, publicKey }: { privateKey: string; publicKey: string }) => [await formatOf(privateKey), await formatOf(publicKey)];

test('a pair is made in the formats that the client asks for, signs, and is replaced in the same', async () => {
  const SIGN = structure(TAG.CryptographicParameters, [enumeration(TAG.HashingAlgorithm, ENUM.HashingAlgorithm.SHA_256)]);
  for (const [kind, own, replaced] of [
    [RSA, { privateKey: 'PKCS_8', publicKey: 'X_509' }, undefined],
    [RSA, { privateKey: 'TransparentRSAPrivateKey', publicKey: 'TransparentRSAPublicKey' }, undefined],
    [EC, { privateKey: 'ECPrivateKey', publicKey: 'X_509' }, undefined],
    [EC, { privateKey: 'Raw', publicKey: 'Raw' }, { privateKey: 'PKCS_8', publicKey: 'PKCS_8' }],
  ] as const) {
    const made = await pair(kind, undefined, own);
    assert.deepEqual(await formatsOf(made), Object.values(own));
    const data = bytes(TAG.Data, Buffer.from('to be signed'));
    const signed = await newest.do('Sign', ID(made.privateKey), SIGN, data);
    const verified = await newest.do(
      'SignatureVerify',
      ID(made.publicKey),
      SIGN,
      data,
      bytes(TAG.SignatureData, bytesOf(signed, TAG.SignatureData) as Uint8Array),
    );
    assert.equal(codeOf(verified, TAG.ValidityIndicator), ENUM.ValidityIndicator.Valid);
    const asked = replaced
      ? [structure(TAG.PrivateKeyAttributes, [inFormat(replaced.privateKey)]), structure(TAG.PublicKeyAttributes, [inFormat(replaced.publicKey)])]
      : [];
    const next = await newest.do('ReKeyKeyPair', { ...ID(made.privateKey), tag: TAG.PrivateKeyUniqueIdentifier } as Node, ...asked);
    const ids = { privateKey: textIn(next, TAG.PrivateKeyUniqueIdentifier), publicKey: textIn(next, TAG.PublicKeyUniqueIdentifier) };
    assert.deepEqual(await formatsOf(ids), Object.values(replaced ?? own));
  }
});

test('a format that a key of a pair cannot have leaves it in that of the specification', async () => {
  assert.deepEqual(await formatsOf(await pair(RSA)), ['PKCS_1', 'PKCS_1']);
  assert.deepEqual(await formatsOf(await pair(RSA, 'PKCS_8')), ['PKCS_8', 'PKCS_8']);
  assert.deepEqual(await formatsOf(await pair(RSA, 'TransparentRSAPrivateKey')), ['TransparentRSAPrivateKey', 'PKCS_1']);
  assert.deepEqual(await formatsOf(await pair(EC, 'ECPrivateKey')), ['ECPrivateKey', 'TransparentECPublicKey']);
});

test('symmetric keys and secrets are made in the format that is asked for, or not at all', async () => {
  const base = textIn(await newest.do('Create', TYPE_OF_KEY, newest.attributes(...AES, PRESENT)), TAG.UniqueIdentifier);
  const deriving = textIn(
    await newest.do('Create', TYPE_OF_KEY, newest.attributes(...AES.slice(0, 2), integer(TAG.CryptographicUsageMask, 0x200), PRESENT)),
    TAG.UniqueIdentifier,
  );
  const type = (of: keyof typeof ObjectType) => enumeration(TAG.ObjectType, ObjectType[of]);
  const method = enumeration(TAG.DerivationMethod, ENUM.DerivationMethod.HMAC);
  const how = structure(TAG.DerivationParameters, [
    structure(TAG.CryptographicParameters, [enumeration(TAG.HashingAlgorithm, ENUM.HashingAlgorithm.SHA_256)]),
    bytes(TAG.DerivationData, Buffer.from('data')),
  ]);
  const size = integer(TAG.CryptographicLength, 128);
  const makers: readonly (readonly [(format: Node) => readonly [OperationName, ...Node[]], readonly Format[], Format])[] = [
    [(format) => ['Create', TYPE_OF_KEY, newest.attributes(...AES, format)], ['Raw', 'TransparentSymmetricKey'], 'PKCS_8'],
    [(format) => ['Create', type('SecretData'), newest.attributes(format)], ['Raw', 'Opaque'], 'TransparentSymmetricKey'],
    [(format) => ['DeriveKey', TYPE_OF_KEY, ID(deriving), method, how, newest.attributes(...AES, format)], ['Raw'], 'X_509'],
    [(format) => ['DeriveKey', type('SecretData'), ID(deriving), method, how, newest.attributes(size, format)], ['Raw', 'Opaque'], 'PKCS_1'],
  ];
  for (const [request, formats, other] of makers) {
    for (const format of formats) {
      const [operation, ...payload] = request(inFormat(format));
      assert.equal(await formatOf(textIn(await newest.do(operation, ...payload), TAG.UniqueIdentifier)), format);
    }
    const [operation, ...payload] = request(inFormat(other));
    assert.equal(await newest.refused(operation, ...payload), 'KeyFormatTypeNotSupported');
  }
  const next = textIn(await newest.do('ReKey', ID(base), newest.attributes(inFormat('TransparentSymmetricKey'))), TAG.UniqueIdentifier);
  assert.equal(await formatOf(next), 'TransparentSymmetricKey');
  assert.equal(await formatOf(textIn(await newest.do('ReKey', ID(next)), TAG.UniqueIdentifier)), 'TransparentSymmetricKey');
});

test('a replacement has the usage mask that is asked for, unrestricted or not, else that of the old key', async () => {
  const unrestricted = integer(TAG.CryptographicUsageMask, MASK.CryptographicUsageMask.Unrestricted);
  const maskOf = async (id: string) => (await newest.valueOf(id, TAG.CryptographicUsageMask))?.value;
  const key = textIn(await newest.do('Create', TYPE_OF_KEY, newest.attributes(...AES)), TAG.UniqueIdentifier);
  const free = textIn(await newest.do('ReKey', ID(key), newest.attributes(unrestricted)), TAG.UniqueIdentifier);
  assert.equal(await maskOf(free), unrestricted.value);
  const narrow = textIn(await newest.do('ReKey', ID(free), newest.attributes(integer(TAG.CryptographicUsageMask, 4))), TAG.UniqueIdentifier);
  assert.equal(await maskOf(textIn(await newest.do('ReKey', ID(narrow)), TAG.UniqueIdentifier)), 4);
  const pair = textIn(await newest.do('CreateKeyPair', common(newest, ...EC)), TAG.PrivateKeyUniqueIdentifier);
  const ofPrivateKey = { ...newest.attributes(unrestricted), tag: TAG.PrivateKeyAttributes };
  const next = await newest.do('ReKeyKeyPair', { ...ID(pair), tag: TAG.PrivateKeyUniqueIdentifier } as Node, ofPrivateKey);
  const masks = [TAG.PrivateKeyUniqueIdentifier, TAG.PublicKeyUniqueIdentifier].map((tag) => maskOf(textIn(next, tag)));
  assert.deepEqual(await Promise.all(masks), [unrestricted.value, 3]);
});

test.run();
