// Objects that are stored wrapped: used by whoever may unwrap with their wrapping key, and the reasons of what cannot be given out.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { Principal } from '../../../../actors/kmip/api.ts';
import { serve } from '../../../../actors/kmip/message/serve.ts';
import type { OperationName } from '../../../../kmip/operation-name.ts';
import { encodeBinary } from '../../../../kmip/ttlv/binary.ts';
import type { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { bytes, type Node, type Structure, structure } from '../../../../kmip/ttlv/node.ts';
import { bytesOf, required, structureOf, textOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { type Item, readAnswer } from '../../../fuzz/answer.ts';
import { ALICE, BOB } from '../../../fuzz/key-server.ts';
import { active, aes, attributes, code, DATA, data, id, mask, opaque, pairOf } from '../../../fuzz/members.ts';
import { batchItem, requestMessage } from '../../../fuzz/objects.ts';
import { openWorld } from '../../../fuzz/operations.fuzz.ts';

const { fuzzed } = await openWorld();
const server = await fuzzed.fresh();

async function ask(operation: OperationName, payload: readonly Node[], caller: Principal = ALICE): Promise<Item> {
  const message = encodeBinary(requestMessage({ major: 2, minor: 1 }, [batchItem(operation, payload)]));
  return readAnswer(await serve(server, message, 'binary', 'any', caller), 'binary').items[0] as Item;
}

async function done(operation: OperationName, payload: readonly Node[]): Promise<Structure> {
  const { payload: answer, message } = await ask(operation, payload);
  assert.ok(answer, message);
  return answer;
}

const made = async (operation: OperationName, payload: readonly Node[], tag: number = TAG.UniqueIdentifier) =>
  required(textOf(await done(operation, payload), tag), tag);
const newKey = () => made('Create', [code('ObjectType', 'SymmetricKey'), aes(256, active)]);
const wrappedBy = (wrapper: string) =>
  structure(TAG.KeyWrappingSpecification, [code('WrappingMethod', 'Encrypt'), structure(TAG.EncryptionKeyInformation, [id(wrapper)])]);

/** The same key once more, registered as it is given out wrapped. */
async function wrappedCopy(key: string, wrapper: string, type: 'SymmetricKey' | 'PrivateKey' = 'SymmetricKey', ...given: Node[]): Promise<string> {
  const content = required(structureOf(await done('Get', [id(key), wrappedBy(wrapper)]), TAG[type]), TAG[type]);
  return made('Register', [code('ObjectType', type), attributes(mask(0x200000), active, ...given), content]);
}

const revoked = (key: string) => done('Revoke', [id(key), structure(TAG.RevocationReason, [code('RevocationReasonCode', 'CessationOfOperation')])]);

test('a key that is stored wrapped encrypts, decrypts and signs as the one in clear, and stays wrapped', async () => {
  const [key, wrapper] = [await newKey(), await newKey()];
  const copy = await wrappedCopy(key, wrapper);
  for (const [by, other] of [
    [key, copy],
    [copy, key],
  ] as const) {
    const { value } = await done('Encrypt', [id(by), data()]);
    const decrypted = await done('Decrypt', [id(other), ...value.filter(({ tag }) => tag !== TAG.UniqueIdentifier)]);
    assert.deepEqual(bytesOf(decrypted, TAG.Data), DATA);
  }
  const pair = await done('CreateKeyPair', [pairOf(code('CryptographicAlgorithm', 'ECDSA'), active)]);
  const [privateKey, publicKey] = [TAG.PrivateKeyUniqueIdentifier, TAG.PublicKeyUniqueIdentifier].map((tag) => textOf(pair, tag) ?? '') as [string, string];
  const signer = await wrappedCopy(privateKey, wrapper, 'PrivateKey', code('CryptographicAlgorithm', 'ECDSA'));
  const signature = required(bytesOf(await done('Sign', [id(signer), data()]), TAG.SignatureData), TAG.SignatureData);
  const { value } = await done('SignatureVerify', [id(publicKey), data(), bytes(TAG.SignatureData, signature)]);
  assert.ok(value.some((node) => JSON.stringify(node) === JSON.stringify(code('ValidityIndicator', 'Valid'))));
  const stored = structureOf(await done('Get', [id(copy)]), TAG.SymmetricKey);
  assert.ok(structureOf(required(structureOf(stored as Structure, TAG.KeyBlock), TAG.KeyBlock), TAG.KeyWrappingData));
});

test('a key that comes with a MAC or a signature is kept as it is, and unwrapped by nobody', async () => {
  const [key, wrapper] = [await newKey(), await newKey()];
  const content = required(structureOf(await done('Get', [id(key), wrappedBy(wrapper)]), TAG.SymmetricKey), TAG.SymmetricKey);
  const [block] = content.value as [Structure];
  const changed = (change: (wrapping: readonly Node[]) => readonly Node[]) =>
    structure(content.tag, [
      structure(
        block.tag,
        block.value.map((member) => (member.tag === TAG.KeyWrappingData ? structure(member.tag, change((member as Structure).value)) : member)),
      ),
    ]);
  const others = (['MACSign', 'EncryptThenMACSign', 'MACSignThenEncrypt', 'TR_31'] as const).map((method) =>
    changed((wrapping) => wrapping.map((member) => (member.tag === TAG.WrappingMethod ? code('WrappingMethod', method) : member))),
  );
  const signed = changed((wrapping) => [...wrapping, bytes(TAG.MACSignature, new Uint8Array(32))]);
  const named = changed((wrapping) => [...wrapping, structure(TAG.MACSignatureKeyInformation, [id(wrapper)])]);
  for (const [at, given] of [...others, signed, named].entries()) {
    const wanted = [code('ObjectType', 'SymmetricKey'), code('KeyWrapType', 'NotWrapped'), attributes(mask(0x200000), active), given];
    assert.equal((await ask('Import', [id(`signed ${at}`), ...wanted])).reason, 'KeyWrapTypeNotSupported');
    const kept = await made('Register', [code('ObjectType', 'SymmetricKey'), attributes(mask(0x200000), active), given]);
    assert.equal((await ask('Encrypt', [id(kept), data()])).reason, 'KeyWrapTypeNotSupported');
    assert.deepEqual(structureOf(await done('Get', [id(kept)]), TAG.SymmetricKey), given);
  }
});

async function letBob(key: string, right: string): Promise<void> {
  const { rows, store } = server;
  const object = required(await rows.read(store, key), TAG.UniqueIdentifier);
  await store.transaction((tx) => rows.grants.write(tx, key, rows.markOf(object), BOB.user, new Set([right])));
}

test('whoever may use the wrapped key, but not its wrapping key, cannot use it', async () => {
  const wrapper = await newKey();
  const copy = await wrappedCopy(await newKey(), wrapper);
  await letBob(copy, 'encrypt');
  assert.equal((await ask('Encrypt', [id(copy), data()], BOB)).reason, 'WrappingObjectNotFound');
  await letBob(wrapper, 'decrypt');
  assert.equal((await ask('Encrypt', [id(copy), data()], BOB)).reason, undefined);
});

test('what is wrong with a wrapping key has reasons of its own', async () => {
  const [key, wrapper] = [await newKey(), await newKey()];
  const copy = await wrappedCopy(key, wrapper);
  const reasons = async () => [(await ask('Encrypt', [id(copy), data()])).reason, (await ask('Get', [id(key), wrappedBy(wrapper)])).reason];
  await done('Archive', [id(wrapper)]);
  assert.deepEqual(await reasons(), ['WrappingObjectArchived', 'WrappingObjectArchived']);
  await done('Recover', [id(wrapper)]);
  await revoked(wrapper);
  assert.deepEqual(await reasons(), [undefined, 'WrongKeyLifecycleState']);
  await done('Destroy', [id(wrapper)]);
  assert.deepEqual(await reasons(), ['WrappingObjectDestroyed', 'WrappingObjectDestroyed']);
  const document = await made('Register', [code('ObjectType', 'OpaqueObject'), attributes(), opaque(DATA)]);
  assert.equal((await ask('Get', [id(document), wrappedBy(await newKey())])).reason, 'InvalidObjectType');
});

test('points on prime curves are exported in the forms of these curves; other keys have no compression', async () => {
  const pair = await done('CreateKeyPair', [pairOf(code('CryptographicAlgorithm', 'ECDSA'), active)]);
  const [privateKey, publicKey] = [TAG.PrivateKeyUniqueIdentifier, TAG.PublicKeyUniqueIdentifier].map((tag) => textOf(pair, tag) ?? '') as [string, string];
  const reason = async (key: string, compression: keyof typeof ENUM.KeyCompressionType) =>
    (await ask('Get', [id(key), code('KeyCompressionType', compression)])).reason;
  assert.equal(await reason(publicKey, 'ECPublicKeyTypeUncompressed'), undefined);
  assert.equal(await reason(publicKey, 'ECPublicKeyTypeX9_62CompressedPrime'), undefined);
  assert.equal(await reason(publicKey, 'ECPublicKeyTypeX9_62CompressedChar2'), 'KeyCompressionTypeNotSupported');
  for (const key of [privateKey, await newKey()]) assert.equal(await reason(key, 'ECPublicKeyTypeUncompressed'), 'KeyCompressionTypeNotSupported');
});

test.after(() => fuzzed.end());

test.run();
