// Several objects under one tag: what is to be done decides which is meant, and what remains ambiguous is told with the identifiers.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { boolean, bytes, enumeration, integer, type Node, type Structure, structure, TYPE, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf, codeOf, required, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { caller } from './caller.ts';
import { type KmipClient, textIn } from './kmip-client.ts';

const alice = caller('alice');
const client = alice.client({ major: 2, minor: 1, encoding: 'json' });

const { CryptographicAlgorithm, PaddingMethod, RevocationReasonCode, State, WrappingMethod, BlockCipherMode, HashingAlgorithm } = ENUM;
const USE = MASK.CryptographicUsageMask;
const MESSAGE = Buffer.from('under one tag');
const ID = (id: string): Node => text(TAG.UniqueIdentifier, id);
const tagged = (...tags: string[]): Node => ID(JSON.stringify(tags));

const tagsNode = (...tags: string[]): Node =>
  structure(TAG.Attribute, [text(TAG.VendorIdentification, 'gatehouse'), text(TAG.AttributeName, 'tag'), text(TAG.AttributeValue, JSON.stringify(tags))]);
const active = (): Node => ({ tag: TAG.ActivationDate, type: TYPE.DateTime, value: 1 }) as Node;
const parameters = (...nodes: Node[]): Node => structure(TAG.CryptographicParameters, nodes);
const OAEP = parameters(enumeration(TAG.PaddingMethod, PaddingMethod.OAEP), enumeration(TAG.HashingAlgorithm, HashingAlgorithm.SHA_256));
const PSS = parameters(enumeration(TAG.PaddingMethod, PaddingMethod.PSS), enumeration(TAG.HashingAlgorithm, HashingAlgorithm.SHA_256));
const REASON = structure(TAG.RevocationReason, [enumeration(TAG.RevocationReasonCode, RevocationReasonCode.CessationOfOperation)]);

/** @param publicTag of the public key alone, where the halves do not share the first */
async function pair(tag: string, publicTag = tag): Promise<{ readonly privateKey: string; readonly publicKey: string }> {
  const common = [enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.RSA), integer(TAG.CryptographicLength, 2048), active()];
  const payload = await client.do(
    'CreateKeyPair',
    structure(TAG.CommonAttributes, common),
    structure(TAG.PrivateKeyAttributes, [integer(TAG.CryptographicUsageMask, USE.Sign | USE.Decrypt | USE.UnwrapKey), tagsNode(tag)]),
    structure(TAG.PublicKeyAttributes, [integer(TAG.CryptographicUsageMask, USE.Verify | USE.Encrypt | USE.WrapKey), tagsNode(publicTag)]),
  );
  return { privateKey: textIn(payload, TAG.PrivateKeyUniqueIdentifier), publicKey: textIn(payload, TAG.PublicKeyUniqueIdentifier) };
}

async function aes(...tags: string[]): Promise<string> {
  const attributes = [
    enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.AES),
    integer(TAG.CryptographicLength, 256),
    integer(TAG.CryptographicUsageMask, USE.Encrypt | USE.Decrypt),
    active(),
    tagsNode(...tags),
  ];
  return textIn(
    await client.do('Create', enumeration(TAG.ObjectType, ENUM.ObjectType.SymmetricKey), structure(TAG.Attributes, attributes)),
    TAG.UniqueIdentifier,
  );
}

async function stateOf(id: string): Promise<number> {
  return required(codeOf(structure(TAG.Attributes, [(await client.valueOf(id, TAG.State)) as Node]), TAG.State), TAG.State);
}

async function message(operation: Parameters<KmipClient['ask']>[0], ...payload: Node[]): Promise<string> {
  const { status, item } = await client.ask(operation, ...payload);
  assert.equal(status, 'OperationFailed', operation);
  return textIn(item, TAG.ResultMessage);
}

test('the halves of a pair: each operation takes the one that can do it', async () => {
  const { privateKey, publicKey } = await pair('halves');
  const encrypted = await client.do('Encrypt', tagged('halves'), OAEP, bytes(TAG.Data, MESSAGE));
  assert.equal(textOf(encrypted, TAG.UniqueIdentifier), publicKey);
  const decrypted = await client.do('Decrypt', tagged('halves'), OAEP, bytes(TAG.Data, bytesOf(encrypted, TAG.Data) as Uint8Array));
  assert.equal(textOf(decrypted, TAG.UniqueIdentifier), privateKey);
  assert.deepEqual(Buffer.from(bytesOf(decrypted, TAG.Data) as Uint8Array), MESSAGE);
  const signed = await client.do('Sign', tagged('halves'), PSS, bytes(TAG.Data, MESSAGE));
  assert.equal(textOf(signed, TAG.UniqueIdentifier), privateKey);
  const signature = bytes(TAG.SignatureData, bytesOf(signed, TAG.SignatureData) as Uint8Array);
  const verified = await client.do('SignatureVerify', tagged('halves'), PSS, bytes(TAG.Data, MESSAGE), signature);
  assert.equal(textOf(verified, TAG.UniqueIdentifier), publicKey);
  assert.equal(codeOf(verified, TAG.ValidityIndicator), ENUM.ValidityIndicator.Valid);
});

test('the public key wraps', async () => {
  const { publicKey } = await pair('wrapping');
  const key = await aes('to be wrapped');
  const information = structure(TAG.EncryptionKeyInformation, [tagged('wrapping'), OAEP]);
  const specification = structure(TAG.KeyWrappingSpecification, [enumeration(TAG.WrappingMethod, WrappingMethod.Encrypt), information]);
  const given = await client.do('Get', ID(key), specification);
  const block = structureOf(structureOf(given, TAG.SymmetricKey) as Structure, TAG.KeyBlock) as Structure;
  const told = structureOf(structureOf(block, TAG.KeyWrappingData) as Structure, TAG.EncryptionKeyInformation) as Structure;
  assert.equal(textOf(told, TAG.UniqueIdentifier), publicKey, 'tags may be those of another key tomorrow');
});

test('with Cascade a pair is revoked and destroyed by its tag, without it is told what the tag stands for', async () => {
  const { privateKey, publicKey } = await pair('cascade');
  for (const operation of ['Revoke', 'Destroy'] as const) {
    const text = await message(operation, tagged('cascade'), ...(operation === 'Revoke' ? [REASON] : []));
    for (const id of [privateKey, publicKey]) assert.ok(text.includes(id), text);
  }
  await client.do('Revoke', tagged('cascade'), REASON, boolean(TAG.Cascade, true));
  assert.deepEqual([await stateOf(privateKey), await stateOf(publicKey)], [State.Deactivated, State.Deactivated]);
  await client.do('Destroy', tagged('cascade'), boolean(TAG.Cascade, true));
  assert.deepEqual([await stateOf(privateKey), await stateOf(publicKey)], [State.Destroyed, State.Destroyed]);
});

test('halves of different pairs are not a pair', async () => {
  const [one, other] = [await pair('mixed', 'first public'), await pair('second private', 'mixed')];
  const refused = await message('Destroy', tagged('mixed'), boolean(TAG.Cascade, true));
  for (const id of [one.privateKey, other.publicKey]) assert.ok(refused.includes(id), refused);
});

test('what remains ambiguous is refused with the identifiers, of those alone that could do it', async () => {
  const keys = [await aes('ambiguous'), await aes('ambiguous')].sort();
  const { privateKey, publicKey } = await pair('ambiguous');
  const mode = parameters(enumeration(TAG.BlockCipherMode, BlockCipherMode.GCM));
  const refused = await message('Encrypt', tagged('ambiguous'), mode, bytes(TAG.Data, MESSAGE));
  for (const id of [...keys, publicKey]) assert.ok(refused.includes(id), refused);
  assert.ok(!refused.includes(privateKey), 'a private key encrypts nothing');
  const signed = await client.do('Sign', tagged('ambiguous'), PSS, bytes(TAG.Data, MESSAGE));
  assert.equal(textOf(signed, TAG.UniqueIdentifier), privateKey);
  const got = await message('Get', tagged('ambiguous'));
  for (const id of [...keys, privateKey, publicKey]) assert.ok(got.includes(id), got);
});

test('tags that UTF-8 cannot tell apart, or that no database stores, are refused, in every place', async () => {
  const id = await aes('sound');
  for (const tags of [['\ud800', '\ud801'], ['\udc00'], ['a\0']]) {
    const { item } = await client.ask('SetAttribute', ID(id), structure(TAG.NewAttribute, [tagsNode(...tags)]));
    assert.equal(codeOf(item, TAG.ResultReason), ENUM.ResultReason.InvalidAttributeValue, JSON.stringify(tags));
    const named = await client.ask('GetAttributes', tagged(...tags));
    assert.notEqual(codeOf(named.item, TAG.ResultReason), ENUM.ResultReason.GeneralFailure, JSON.stringify(tags));
  }
});

test.run();
