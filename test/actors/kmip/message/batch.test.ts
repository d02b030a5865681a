// Batches: items that cannot be executed fail alone, and what an item leaves for the next ones as the ID placeholder.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { serve } from '../../../../actors/kmip/message/serve.ts';
import { encodeBinary } from '../../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../../kmip/ttlv/mask.ts';
import { boolean, bytes, enumeration, integer, interval, longInteger, type Node, type Structure, structure, TYPE, text } from '../../../../kmip/ttlv/node.ts';
import { bytesOf, child, children, codeOf, structureOf, textOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { readAnswer } from '../../../fuzz/answer.ts';
import { ALICE } from '../../../fuzz/key-server.ts';
import { ANY_USE, active, aes, attributes, code, data, id, mask, name } from '../../../fuzz/members.ts';
import { batchItem, requestMessage } from '../../../fuzz/objects.ts';
import { openWorld } from '../../../fuzz/operations.fuzz.ts';

const { fuzzed } = await openWorld();
const CONTINUE = enumeration(TAG.BatchErrorContinuationOption, ENUM.BatchErrorContinuationOption.Continue);
const V1_4 = { major: 1, minor: 4 };
const V2_1 = { major: 2, minor: 1 };
const STATE = enumeration(TAG.AttributeReference, TAG.State);

const keyset = (value: string) => structure(TAG.RotateName, [text(TAG.RotateNameValue, value), code('RotateNameType', 'UninterpretedTextString')]);
const query = batchItem('Query', [enumeration(TAG.QueryFunction, ENUM.QueryFunction.QueryObjects)]);
const state = batchItem('GetAttributes', [STATE]);
const key = (...given: Node[]) =>
  batchItem('Create', [
    code('ObjectType', 'SymmetricKey'),
    attributes(code('CryptographicAlgorithm', 'AES'), integer(TAG.CryptographicLength, 128), mask(ANY_USE), active, ...given),
  ]);

/** The items of the answer: operation, item identifier, and reason or identifier of the object. */
async function answered(items: readonly Node[], header: readonly Node[] = [CONTINUE], version = V2_1) {
  const answer = await serve(await fuzzed.fresh(), encodeBinary(requestMessage(version, items, header)), 'binary', 'any', ALICE);
  const { tree, items: read } = readAnswer(answer, 'binary');
  return children(tree, TAG.BatchItem).map((node, at) => {
    const item = node as Structure;
    const payload = structureOf(item, TAG.ResponsePayload);
    return {
      operation: codeOf(item, TAG.Operation),
      item: bytesOf(item, TAG.UniqueBatchItemID)?.[0],
      reason: read[at]?.reason,
      object: payload && textOf(structure(payload.tag, payload.value.filter(({ tag }) => tag === TAG.UniqueIdentifier).slice(0, 1)), TAG.UniqueIdentifier),
    };
  });
}

test('an unknown operation fails alone, and the answer repeats it with the identifier of its item', async () => {
  const unknown = structure(TAG.BatchItem, [
    enumeration(TAG.Operation, 0xfe),
    bytes(TAG.UniqueBatchItemID, new Uint8Array([7])),
    structure(TAG.RequestPayload, []),
  ]);
  const [first, second, third] = await answered([query, unknown, query]);
  assert.deepEqual([first?.reason, third?.reason], [undefined, undefined]);
  assert.deepEqual(second, { operation: 0xfe, item: 7, reason: 'OperationNotSupported', object: undefined });
  assert.equal((await answered([query, unknown, query], [])).length, 2);
});

test('an extension that is critical fails the whole message, one that is not does nothing', async () => {
  const extended = (critical: boolean) =>
    structure(TAG.BatchItem, [
      ...query.value,
      structure(TAG.MessageExtension, [
        text(TAG.VendorIdentification, 'vendor'),
        boolean(TAG.CriticalityIndicator, critical),
        structure(TAG.VendorExtension, []),
      ]),
    ]);
  const reasons = async (...items: Structure[]) => (await answered(items)).map(({ operation, reason }) => [operation, reason]);
  assert.deepEqual(await reasons(extended(false), query), [
    [ENUM.Operation.Query, undefined],
    [ENUM.Operation.Query, undefined],
  ]);
  // Also what stands before it, and what could be undone no more.
  const failed = [ENUM.Operation.Query, 'FeatureNotSupported'];
  assert.deepEqual(await reasons(query, extended(true), extended(false)), [failed, failed, failed]);
  assert.equal((await answered([query, extended(true)], [])).length, 1);
});

test('a denied Check ends the batch in KMIP 1.0, also with Continue, and in no later version', async () => {
  const denied = batchItem('Check', [id('aes'), interval(TAG.LeaseTime, 1_000_000)]);
  const reasons = async (minor: number, ...items: Structure[]) => (await answered(items, [CONTINUE], { major: 1, minor })).map(({ reason }) => reason);
  assert.deepEqual(await reasons(0, query, denied, query), [undefined, 'PermissionDenied']);
  assert.deepEqual(await reasons(1, query, denied, query), [undefined, 'PermissionDenied', undefined]);
  // An object that is not there is no denial.
  assert.deepEqual(await reasons(0, batchItem('Check', [id('nothing')]), query), ['ItemNotFound', undefined]);
});

test('a client that demands asynchronous answers gets them, one that permits them mostly not', async () => {
  const mandatory = enumeration(TAG.AsynchronousIndicator, ENUM.AsynchronousIndicator.Mandatory);
  const answer = await serve(await fuzzed.fresh(), encodeBinary(requestMessage(V2_1, [query, query], [mandatory])), 'binary', 'any', ALICE);
  assert.deepEqual([answer.outcomes, answer.submitted], [['Query:OperationPending', 'Query:OperationPending'], true]);
  assert.equal((await answered([query], [boolean(TAG.AsynchronousIndicator, true)], V1_4))[0]?.reason, undefined);
  assert.equal((await answered([query], [enumeration(TAG.AsynchronousIndicator, ENUM.AsynchronousIndicator.Optional)]))[0]?.reason, undefined);
});

/** The payload that Query answers. */
async function told(version: { major: number; minor: number }, ...functions: (keyof typeof ENUM.QueryFunction)[]): Promise<readonly Node[]> {
  const asked = batchItem(
    'Query',
    functions.map((each) => enumeration(TAG.QueryFunction, ENUM.QueryFunction[each])),
  );
  const answer = await serve(await fuzzed.fresh(), encodeBinary(requestMessage(version, [asked])), 'binary', 'any', ALICE);
  return readAnswer(answer, 'binary').items[0]?.payload?.value ?? [];
}

test('Query tells the storage masks that objects can be had with, to clients of KMIP 2.x', async () => {
  const software = [structure(TAG.ProtectionStorageMasks, [integer(TAG.ProtectionStorageMask, MASK.ProtectionStorageMask.Software)])];
  assert.deepEqual(await told(V2_1, 'QueryStorageProtectionMasks'), software);
  assert.deepEqual(await told(V1_4, 'QueryStorageProtectionMasks'), []);
});

test('Query tells the random number generator that the objects of the server name', async () => {
  const [generator] = await told(V2_1, 'QueryRNGs');
  const made = batchItem('GetAttributes', [enumeration(TAG.AttributeReference, TAG.RandomNumberGenerator)]);
  const answer = await serve(await fuzzed.fresh(), encodeBinary(requestMessage(V2_1, [key(), made])), 'binary', 'any', ALICE);
  const attribute = structureOf(readAnswer(answer, 'binary').items[1]?.payload as Structure, TAG.Attributes)?.value[0];
  assert.deepEqual((generator as Structure).value, (attribute as Structure).value);
});

test('Query names each extension once, with its type as the version has it', async () => {
  for (const version of [V1_4, V2_1]) {
    const map = await told(version, 'QueryExtensionMap');
    assert.deepEqual(await told(version, 'QueryExtensionList', 'QueryExtensionMap'), map);
    const types = map.map((node) => child(node as Structure, TAG.ExtensionType)?.type);
    assert.deepEqual([...new Set(types)], [version.major === 1 ? TYPE.Integer : TYPE.Enumeration]);
    assert.equal((await told(version, 'QueryExtensionList')).length, map.length);
  }
});

test('Query names every type of object that can be registered', async () => {
  const types = async (version: typeof V2_1) => (await told(version, 'QueryObjects')).map(({ value }) => value);
  const { CertificateRequest, Template, ...rest } = ENUM.ObjectType;
  // KMIP 3.0 has users, groups and credentials as objects, which this server does not keep.
  const { User, Group, PasswordCredential, DeviceCredential, OneTimePasswordCredential, HashedPasswordCredential, ...both } = rest;
  assert.deepEqual(new Set(await types(V2_1)), new Set([...Object.values(both), CertificateRequest]));
  assert.deepEqual(new Set(await types(V1_4)), new Set([...Object.values(both), Template]));
});

test('DiscoverVersions needs both numbers of each version', async () => {
  const major = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, 1)]);
  assert.equal((await answered([batchItem('DiscoverVersions', [major])]))[0]?.reason, 'InvalidMessage');
});

test('a Locate that finds one leaves it for the next items, one that finds several or none leaves nothing', async () => {
  const group = (value: string) => text(TAG.ObjectGroup, value);
  const search = (value: string, ...more: Node[]) => batchItem('Locate', [...more, attributes(group(value))]);
  const made = await answered([key(group('twice')), key(group('twice')), key(group('once'))]);
  const ids = made.map(({ object }) => object);
  const [, one] = await answered([search('once'), state]);
  assert.equal(one?.object, ids[2]);
  for (const value of ['twice', 'never']) {
    const [, , after] = await answered([key(), search(value), state]);
    assert.deepEqual([after?.reason, after?.object], ['InvalidField', undefined]);
  }
  const [, limited] = await answered([search('twice', integer(TAG.MaximumItems, 1)), state]);
  assert.equal(limited?.object, ids[1]);
  const [, again] = await answered([search('twice'), batchItem('GetAttributes', [enumeration(TAG.UniqueIdentifier, ENUM.UniqueIdentifier.Locate), STATE])]);
  assert.equal(again?.reason, 'InvalidField');
});

test('Recover and Export leave the object for the next items, Get, Activate and Archive do not', async () => {
  const [made] = await answered([key()]);
  const named = id(made?.object ?? '');
  const after = async (operation: 'Archive' | 'Export' | 'Get' | 'Recover') => (await answered([batchItem(operation, [named]), state]))[1];
  assert.equal((await after('Export'))?.object, made?.object);
  for (const operation of ['Get', 'Archive'] as const) assert.equal((await after(operation))?.reason, 'InvalidField');
  assert.equal((await after('Recover'))?.object, made?.object);
});

test('Locate compares usage limits by size, knows computed attributes, and refuses unknown attributes', async () => {
  const limits = (total: bigint, count: bigint) =>
    structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, total), longInteger(TAG.UsageLimitsCount, count), code('UsageLimitsUnit', 'Byte')]);
  const [few, many] = await answered([key(name('limits'), limits(10n, 10n)), key(name('limits'), limits(20n, 20n))]);
  const found = async (...conditions: Node[]) => (await answered([batchItem('Locate', [attributes(name('limits'), ...conditions)]), state]))[1]?.object;
  assert.equal(await found(limits(15n, 15n)), many?.object);
  assert.equal(await found(limits(15n, 25n)), undefined);
  assert.equal(await found(structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, 11n)])), many?.object);
  assert.equal(await found(limits(5n, 5n), interval(TAG.LeaseTime, 3600), id(few?.object ?? '')), few?.object);
  assert.equal(await found(id(few?.object ?? ''), interval(TAG.LeaseTime, 1)), undefined);
  assert.equal((await answered([batchItem('Locate', [attributes(bytes(TAG.KeyMaterial, new Uint8Array(1)))])]))[0]?.reason, 'InvalidAttribute');
});

test('what is archived is not archived again', async () => {
  const [made] = await answered([key()]);
  const archive = batchItem('Archive', [id(made?.object ?? '')]);
  assert.deepEqual(
    (await answered([archive, archive])).map(({ reason }) => reason),
    [undefined, 'ObjectArchived'],
  );
});

test('a keyset name means its newest generation, even a revoked one; not a future or destroyed one', async () => {
  const ready = batchItem('Create', [code('ObjectType', 'SymmetricKey'), aes(128, active, keyset('set of three'))]);
  const rekey = (...more: Node[]) => batchItem('ReKey', [id('set of three'), ...more]);
  const meant = async () => (await answered([batchItem('GetAttributes', [id('set of three'), STATE])]))[0]?.object;
  const encrypted = async () => (await answered([batchItem('Encrypt', [id('set of three'), data()])]))[0];
  const [first, second] = await answered([ready, rekey()]);
  assert.equal(await meant(), second?.object);
  const [third] = await answered([rekey(interval(TAG.Offset, 1000))]);
  assert.equal((await encrypted())?.object, second?.object);
  const revoke = structure(TAG.RevocationReason, [code('RevocationReasonCode', 'CessationOfOperation')]);
  await answered([batchItem('Revoke', [id(second?.object ?? ''), revoke])]);
  assert.equal(await meant(), second?.object);
  assert.equal((await encrypted())?.reason, 'WrongKeyLifecycleState');
  await answered([batchItem('Destroy', [id(second?.object ?? '')])]);
  assert.equal((await encrypted())?.object, first?.object);
  assert.ok(third?.object);
});

test('attributes accept codes of their enumeration and extensions only; managed ones cannot be adjusted', async () => {
  const [made] = await answered([key()]);
  const set = (node: Node) => batchItem('SetAttribute', [id(made?.object ?? ''), structure(TAG.NewAttribute, [node])]);
  const level = (value: number) => set(enumeration(TAG.ProtectionLevel, value));
  const named = (type: number) => set(structure(TAG.Name, [text(TAG.NameValue, 'coded'), enumeration(TAG.NameType, type)]));
  const adjust = (tag: number) =>
    batchItem('AdjustAttribute', [id(made?.object ?? ''), enumeration(TAG.AttributeReference, tag), code('AdjustmentType', 'Increment')]);
  assert.deepEqual(
    (await answered([level(0x99), level(0x80000001), named(0x99), named(1), adjust(TAG.State), adjust(TAG.RotateInterval)])).map(({ reason }) => reason),
    ['InvalidAttributeValue', undefined, 'InvalidAttributeValue', undefined, 'ReadOnlyAttribute', undefined],
  );
});

test.after(() => fuzzed.end());

test.run();
