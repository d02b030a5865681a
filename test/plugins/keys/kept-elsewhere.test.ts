// Keys that are kept elsewhere: objects without KeyValue, of which the server knows what the client says (KMIP 1.2 sections 3.41 and 3.42).
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { boolean, bytes, dateTime, enumeration, integer, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { children } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { caller } from './caller.ts';
import { type KmipClient, textIn } from './kmip-client.ts';
import { keyContent, newKey } from './operation-requests.ts';

const alice = caller('alice');

const { ObjectType, CryptographicAlgorithm, KeyFormatType } = ENUM;
const { Encrypt, Decrypt, WrapKey } = MASK.CryptographicUsageMask;
const ID = (id: string): Node => text(TAG.UniqueIdentifier, id);
const speaking = (major: number, minor: number) => alice.client({ major, minor, encoding: 'xml' });
const withoutValue = () => ['1.2', '1.3', '1.4', '2.0', '2.1'].map((version) => speaking(Number(version[0]), Number(version[2])));

const AES = enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.AES);
const LENGTH = integer(TAG.CryptographicLength, 128);
const LOCATION = structure(TAG.KeyValueLocation, [
  text(TAG.KeyValueLocationValue, 'HSM 12345'),
  enumeration(TAG.KeyValueLocationType, ENUM.KeyValueLocationType.UninterpretedTextString),
]);
const block = (...members: Node[]): Structure => structure(TAG.KeyBlock, [enumeration(TAG.KeyFormatType, KeyFormatType.Raw), ...members]);
const KEY = structure(TAG.SymmetricKey, [block(AES, LENGTH)]);

/** A Register of an active key that may do a lot. */
const registration = (client: KmipClient, content: Structure, type: number = ObjectType.SymmetricKey): Node[] => [
  enumeration(TAG.ObjectType, type),
  client.attributes(integer(TAG.CryptographicUsageMask, Encrypt | Decrypt | WrapKey), dateTime(TAG.ActivationDate, 1), LOCATION),
  content,
];
const registered = async (client: KmipClient, ...of: [Structure, number?]): Promise<string> =>
  textIn(await client.do('Register', ...registration(client, ...of)), TAG.UniqueIdentifier);

test('a key without KeyValue is registered, described and given back as it is', async () => {
  for (const client of withoutValue()) {
    const id = await registered(client, KEY);
    assert.deepEqual((await client.do('Get', ID(id))).value, [enumeration(TAG.ObjectType, ObjectType.SymmetricKey), ID(id), KEY]);
    assert.equal((await client.valueOf(id, TAG.KeyValuePresent))?.value, false);
    assert.deepEqual((await client.valueOf(id, TAG.KeyValueLocation))?.value, LOCATION.value);
    assert.equal((await client.valueOf(id, TAG.CryptographicLength))?.value, 128);
    // Nothing is there to digest, and the server does not know when the key was made.
    for (const tag of [TAG.Digest, TAG.OriginalCreationDate]) assert.equal(await client.valueOf(id, tag), undefined);
    const found = await client.do('Locate', ...client.conditions(boolean(TAG.KeyValuePresent, false)));
    assert.ok(children(found, TAG.UniqueIdentifier).some(({ value }) => value === id));
    const whole = await newKey(speaking(2, 1));
    assert.equal(await client.valueOf(whole, TAG.KeyValuePresent), undefined);
    assert.ok(!children(found, TAG.UniqueIdentifier).some(({ value }) => value === whole));
  }
});

test('every kind of key that may be elsewhere is taken, no other is', async () => {
  for (const client of withoutValue()) {
    const rsa = [enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.RSA), integer(TAG.CryptographicLength, 2048)];
    const password = structure(TAG.SecretData, [enumeration(TAG.SecretDataType, ENUM.SecretDataType.Password), block()]);
    const part = structure(TAG.SplitKey, [
      integer(TAG.SplitKeyParts, 3),
      integer(TAG.KeyPartIdentifier, 1),
      integer(TAG.SplitKeyThreshold, 2),
      enumeration(TAG.SplitKeyMethod, ENUM.SplitKeyMethod.PolynomialSharingGF28),
      block(AES, LENGTH),
    ]);
    await registered(client, structure(TAG.PrivateKey, [block(...rsa)]), ObjectType.PrivateKey);
    await registered(client, password, ObjectType.SecretData);
    await registered(client, part, ObjectType.SplitKey);
    const publicKey = structure(TAG.PublicKey, [block(...rsa)]);
    assert.equal(await client.refused('Register', ...registration(client, publicKey, ObjectType.PublicKey)), 'InvalidMessage');
    for (const members of [[AES], [LENGTH]])
      assert.equal(await client.refused('Register', ...registration(client, structure(TAG.SymmetricKey, [block(...members)]))), 'InvalidField');
  }
});

test('what needs the key itself is refused: it is not present', async () => {
  const data = bytes(TAG.Data, Buffer.alloc(16));
  for (const client of withoutValue()) {
    const [id, other] = [await registered(client, KEY), await newKey(speaking(2, 1))];
    const wrapping = (by: string) =>
      structure(TAG.KeyWrappingSpecification, [
        enumeration(TAG.WrappingMethod, ENUM.WrappingMethod.Encrypt),
        structure(TAG.EncryptionKeyInformation, [ID(by)]),
      ]);
    assert.equal(await client.refused('Encrypt', ID(id), data), 'KeyValueNotPresent');
    assert.equal(await client.refused('Get', ID(id), wrapping(other)), 'KeyValueNotPresent');
    assert.equal(await client.refused('Get', ID(other), wrapping(id)), 'KeyValueNotPresent');
    const transparent = enumeration(TAG.KeyFormatType, KeyFormatType.TransparentSymmetricKey);
    assert.equal(await client.refused('Get', ID(id), transparent), 'KeyValueNotPresent');
    assert.equal(await client.refused('ReKey', ID(id)), 'KeyValueNotPresent');
  }
});

test('before KMIP 1.2 every key has its KeyValue', async () => {
  const id = await registered(speaking(2, 1), KEY);
  for (const client of [speaking(1, 0), speaking(1, 1)]) {
    const mask = client.attributes(integer(TAG.CryptographicUsageMask, Encrypt));
    assert.equal(await client.refused('Register', enumeration(TAG.ObjectType, ObjectType.SymmetricKey), mask, KEY), 'InvalidMessage');
    assert.equal(await client.refused('Get', ID(id)), 'IllegalOperation');
  }
  // What is imported comes whole.
  const newest = speaking(2, 1);
  const type = enumeration(TAG.ObjectType, ObjectType.SymmetricKey);
  assert.equal(await newest.refused('Import', ID('kept elsewhere'), type, newest.attributes(), KEY), 'InvalidMessage');
  await newest.do('Import', ID('kept elsewhere'), type, newest.attributes(), keyContent());
});

test.run();
