// Keys of elliptic curves before KMIP 1.3, which brought the key formats that the server keeps them in (KMIP 1.2 sections 2.1.7 and 9.1.3.2.3).
import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { enumeration, integer, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf, child, codeOf, required, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { caller } from './caller.ts';
import { type KmipClient, tagsIn, textIn } from './kmip-client.ts';
import { newKey } from './operation-requests.ts';

const alice = caller('alice');

const { CryptographicAlgorithm, KeyFormatType, RecommendedCurve } = ENUM;
const { Sign, Verify } = MASK.CryptographicUsageMask;
const ID = (id: string): Node => text(TAG.UniqueIdentifier, id);
const speaking = (major: number, minor: number) => alice.client({ major, minor, encoding: 'binary' });

interface Pair {
  readonly privateKey: string;
  readonly publicKey: string;
}

async function pairOf(client: KmipClient, algorithm: number, curve: number): Promise<Pair> {
  const half = (old: number, tag: number, ...nodes: Node[]): Structure =>
    structure(
      client.isOld ? old : tag,
      nodes.map((node) => client.attribute(node)),
    );
  const domain = structure(TAG.CryptographicDomainParameters, [enumeration(TAG.RecommendedCurve, curve)]);
  const made = await client.do(
    'CreateKeyPair',
    half(TAG.CommonTemplateAttribute, TAG.CommonAttributes, enumeration(TAG.CryptographicAlgorithm, algorithm), domain),
    half(TAG.PrivateKeyTemplateAttribute, TAG.PrivateKeyAttributes, integer(TAG.CryptographicUsageMask, Sign)),
    half(TAG.PublicKeyTemplateAttribute, TAG.PublicKeyAttributes, integer(TAG.CryptographicUsageMask, Verify)),
  );
  return { privateKey: textIn(made, TAG.PrivateKeyUniqueIdentifier), publicKey: textIn(made, TAG.PublicKeyUniqueIdentifier) };
}

/** The KeyBlock that Get gives. */
async function blockOf(client: KmipClient, id: string, ...asked: Node[]): Promise<Structure> {
  const payload = await client.do('Get', ID(id), ...asked);
  const object = required(structureOf(payload, TAG.PrivateKey) ?? structureOf(payload, TAG.PublicKey), TAG.PrivateKey);
  return required(structureOf(object, TAG.KeyBlock), TAG.KeyBlock);
}

const valueIn = (block: Structure): Structure => required(structureOf(block, TAG.KeyValue), TAG.KeyValue);
const der = (block: Structure): Buffer => Buffer.from(required(bytesOf(valueIn(block), TAG.KeyMaterial), TAG.KeyMaterial));
const publicOf = (block: Structure): KeyObject => createPublicKey({ key: der(block), format: 'der', type: 'spki' });
const pem = (key: KeyObject): string => String(key.export({ format: 'pem', type: 'spki' }));

for (const minor of [0, 1, 2])
  test(`KMIP 1.${minor} is given a pair of ECDSA as ECPrivateKey and X_509`, async () => {
    const client = speaking(1, minor);
    for (const curve of [RecommendedCurve.P_256, RecommendedCurve.P_384, RecommendedCurve.P_521]) {
      const pair = await pairOf(client, CryptographicAlgorithm.ECDSA, curve);
      const [priv, pub] = [await blockOf(client, pair.privateKey), await blockOf(client, pair.publicKey)];
      assert.equal(codeOf(priv, TAG.KeyFormatType), KeyFormatType.ECPrivateKey);
      assert.equal(codeOf(pub, TAG.KeyFormatType), KeyFormatType.X_509);
      assert.equal(codeOf(priv, TAG.CryptographicAlgorithm), CryptographicAlgorithm.ECDSA);
      assert.equal(pem(createPublicKey(createPrivateKey({ key: der(priv), format: 'der', type: 'sec1' }))), pem(publicOf(pub)));
    }
  });

test('KMIP 1.2 has the transparent structures of ECDSA when it asks for them', async () => {
  const client = speaking(1, 2);
  const pair = await pairOf(client, CryptographicAlgorithm.ECDSA, RecommendedCurve.P_256);
  for (const [id, format, member] of [
    [pair.privateKey, KeyFormatType.TransparentECDSAPrivateKey, TAG.D],
    [pair.publicKey, KeyFormatType.TransparentECDSAPublicKey, TAG.QString],
  ] as const) {
    const block = await blockOf(client, id, enumeration(TAG.KeyFormatType, format));
    assert.equal(codeOf(block, TAG.KeyFormatType), format);
    assert.deepEqual(tagsIn(required(structureOf(valueIn(block), TAG.KeyMaterial), TAG.KeyMaterial)), [TAG.RecommendedCurve, member]);
  }
});

test('an elliptic key that a client of 2.1 made is given to one of 1.0, in clear and wrapped', async () => {
  const [newest, oldest] = [speaking(2, 1), speaking(1, 0)];
  for (const [algorithm, curve, format] of [
    [CryptographicAlgorithm.EC, RecommendedCurve.P_256, KeyFormatType.ECPrivateKey],
    // A curve that 1.0 knows nothing of has no ECPrivateKey.
    [CryptographicAlgorithm.ECDH, RecommendedCurve.CURVE25519, KeyFormatType.PKCS_8],
  ] as const) {
    const pair = await pairOf(newest, algorithm, curve);
    assert.equal(codeOf(await blockOf(oldest, pair.privateKey), TAG.KeyFormatType), format);
    assert.ok(publicOf(await blockOf(oldest, pair.publicKey)));
    const wrapping = structure(TAG.KeyWrappingSpecification, [
      enumeration(TAG.WrappingMethod, ENUM.WrappingMethod.Encrypt),
      structure(TAG.EncryptionKeyInformation, [
        ID(await newKey(newest)),
        structure(TAG.CryptographicParameters, [enumeration(TAG.BlockCipherMode, ENUM.BlockCipherMode.NISTKeyWrap)]),
      ]),
    ]);
    const wrapped = await blockOf(oldest, pair.privateKey, wrapping);
    assert.equal(codeOf(wrapped, TAG.KeyFormatType), format);
    assert.ok(child(wrapped, TAG.KeyWrappingData));
  }
});

test.run();
