// Points of elliptic curves in every form of KeyCompressionType, out and in, over the whole server (KMIP 1.4 sections 2.1.3 and 9.1.3.2.2).
import assert from 'node:assert/strict';
import { createPublicKey, ECDH, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { bytes, dateTime, enumeration, integer, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf, codeOf, required, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { caller } from './caller.ts';
import { type KmipClient, textIn } from './kmip-client.ts';

const alice = caller('alice');

const { KeyFormatType, KeyCompressionType, RecommendedCurve, ObjectType, CryptographicAlgorithm } = ENUM;
const { ECPublicKeyTypeUncompressed, ECPublicKeyTypeX9_62CompressedPrime, ECPublicKeyTypeX9_62CompressedChar2, ECPublicKeyTypeX9_62Hybrid } =
  KeyCompressionType;
const ID = (id: string): Node => text(TAG.UniqueIdentifier, id);

const CURVES = [
  { openssl: 'prime256v1', kmip: RecommendedCurve.P_256, length: 256, own: ECPublicKeyTypeX9_62CompressedPrime, others: ECPublicKeyTypeX9_62CompressedChar2 },
  { openssl: 'sect283k1', kmip: RecommendedCurve.K_283, length: 283, own: ECPublicKeyTypeX9_62CompressedChar2, others: ECPublicKeyTypeX9_62CompressedPrime },
] as const;

const pointOf = (key: KeyObject) => (key as unknown as { export(options: object): Buffer }).export({ format: 'raw-public' });
const formed = (key: KeyObject, curve: string, form: 'compressed' | 'uncompressed' | 'hybrid') =>
  (ECDH.convertKey(pointOf(key), curve, undefined, undefined, form) as Buffer).toString('hex');

async function register(client: KmipClient, { kmip, length }: (typeof CURVES)[number], format: number, material: Node, ...more: Node[]): Promise<string> {
  const block = structure(TAG.KeyBlock, [
    enumeration(TAG.KeyFormatType, format),
    ...more,
    structure(TAG.KeyValue, [material]),
    // EC came with 1.4.
    enumeration(TAG.CryptographicAlgorithm, client.knows('1.4') ? CryptographicAlgorithm.EC : CryptographicAlgorithm.ECDSA),
    integer(TAG.CryptographicLength, length),
  ]);
  const attributes = client.attributes(
    integer(TAG.CryptographicUsageMask, MASK.CryptographicUsageMask.Verify),
    structure(TAG.CryptographicDomainParameters, [enumeration(TAG.RecommendedCurve, kmip)]),
    dateTime(TAG.ActivationDate, 1),
  );
  const type = enumeration(TAG.ObjectType, ObjectType.PublicKey);
  return textIn(await client.do('Register', type, attributes, structure(TAG.PublicKey, [block])), TAG.UniqueIdentifier);
}

async function got(client: KmipClient, id: string, ...asked: Node[]): Promise<{ block: Structure; value: Structure }> {
  const payload = await client.do('Get', ID(id), ...asked);
  const block = required(structureOf(required(structureOf(payload, TAG.PublicKey), TAG.PublicKey), TAG.KeyBlock), TAG.KeyBlock);
  return { block, value: required(structureOf(block, TAG.KeyValue), TAG.KeyValue) };
}

const hex = (given: Uint8Array | undefined) => Buffer.from(given ?? []).toString('hex');

for (const [major, minor] of [
  [1, 0],
  [1, 4],
  [2, 1],
] as const)
  for (const curve of CURVES)
    test(`a point of ${curve.openssl} is given out in each form of its field: KMIP ${major}.${minor}`, async () => {
      const client = alice.client({ major, minor, encoding: 'binary' });
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: curve.openssl });
      const spki = publicKey.export({ format: 'der', type: 'spki' });
      const id = await register(client, curve, KeyFormatType.X_509, bytes(TAG.KeyMaterial, new Uint8Array(spki)));
      const transparent = client.knows('1.4') ? KeyFormatType.TransparentECPublicKey : KeyFormatType.TransparentECDSAPublicKey;
      for (const [compression, form] of [
        [curve.own, 'compressed'],
        [ECPublicKeyTypeX9_62Hybrid, 'hybrid'],
        [ECPublicKeyTypeUncompressed, 'uncompressed'],
      ] as const) {
        const asked = enumeration(TAG.KeyCompressionType, compression);
        const point = formed(publicKey, curve.openssl, form);
        const inTransparent = await got(client, id, enumeration(TAG.KeyFormatType, transparent), asked);
        assert.equal(hex(bytesOf(required(structureOf(inTransparent.value, TAG.KeyMaterial), TAG.KeyMaterial), TAG.QString)), point, form);
        assert.equal(codeOf(inTransparent.block, TAG.KeyCompressionType), form === 'uncompressed' ? undefined : compression);
        const der = bytesOf((await got(client, id, asked)).value, TAG.KeyMaterial);
        assert.ok(hex(der).endsWith(point) && createPublicKey({ key: Buffer.from(der as Uint8Array), format: 'der', type: 'spki' }).equals(publicKey));
        assert.equal(hex(bytesOf((await got(client, id, enumeration(TAG.KeyFormatType, KeyFormatType.Raw), asked)).value, TAG.KeyMaterial)), point);
      }
      assert.equal(await client.refused('Get', ID(id), enumeration(TAG.KeyCompressionType, curve.others)), 'KeyCompressionTypeNotSupported');
    });

for (const curve of CURVES)
  test(`a compressed point of ${curve.openssl} is taken, used, and given back in any form`, async () => {
    const client = alice.client({ major: 2, minor: 1, encoding: 'json' });
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: curve.openssl });
    const told = enumeration(TAG.KeyCompressionType, curve.own);
    const point = new Uint8Array(Buffer.from(formed(publicKey, curve.openssl, 'compressed'), 'hex'));
    const material = structure(TAG.KeyMaterial, [enumeration(TAG.RecommendedCurve, curve.kmip), bytes(TAG.QString, point)]);
    const compressed = await got(
      client,
      await register(client, curve, KeyFormatType.TransparentECPublicKey, material, told),
      told,
      enumeration(TAG.KeyFormatType, KeyFormatType.X_509),
    );
    const spki = required(bytesOf(compressed.value, TAG.KeyMaterial), TAG.KeyMaterial);
    const id = await register(client, curve, KeyFormatType.X_509, bytes(TAG.KeyMaterial, spki), told);
    // As it came, and whole where the format or the request asks for it.
    assert.equal(hex(bytesOf((await got(client, id)).value, TAG.KeyMaterial)), hex(spki));
    const whole = await got(client, id, enumeration(TAG.KeyCompressionType, ECPublicKeyTypeUncompressed));
    assert.ok(hex(bytesOf(whole.value, TAG.KeyMaterial)).endsWith(formed(publicKey, curve.openssl, 'uncompressed')));
    const raw = await got(client, id, enumeration(TAG.KeyFormatType, KeyFormatType.Raw));
    assert.deepEqual(
      [hex(bytesOf(raw.value, TAG.KeyMaterial)), codeOf(raw.block, TAG.KeyCompressionType)],
      [formed(publicKey, curve.openssl, 'uncompressed'), undefined],
    );
    const data = Buffer.from('signed');
    const verified = await client.do(
      'SignatureVerify',
      ID(id),
      structure(TAG.CryptographicParameters, [enumeration(TAG.DigitalSignatureAlgorithm, ENUM.DigitalSignatureAlgorithm.ECDSAWithSHA256)]),
      bytes(TAG.Data, data),
      bytes(TAG.SignatureData, new Uint8Array(sign('sha256', data, privateKey))),
    );
    assert.equal(codeOf(verified, TAG.ValidityIndicator), ENUM.ValidityIndicator.Valid);
  });

test('what has no point has no compression', async () => {
  const client = alice.client({ major: 1, minor: 4, encoding: 'xml' });
  const made = await client.do(
    'Create',
    enumeration(TAG.ObjectType, ObjectType.SymmetricKey),
    client.attributes(
      enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.AES),
      integer(TAG.CryptographicLength, 128),
      integer(TAG.CryptographicUsageMask, 4),
    ),
  );
  const asked = enumeration(TAG.KeyCompressionType, ECPublicKeyTypeUncompressed);
  assert.equal(await client.refused('Get', ID(textIn(made, TAG.UniqueIdentifier)), asked), 'KeyCompressionTypeNotSupported');
});

test.run();
