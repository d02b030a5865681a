// Attributes of objects that the server makes itself: what it alone says of them, and what it does as a client demands or refuses (KMIP 2.1 sections 4.26, 4.38, 4.46).
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { dateTime, enumeration, integer, type Node, type Structure, structure } from '../../../kmip/ttlv/node.ts';
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

test.run();
