// CreateSplitKey and JoinSplitKey: what is split comes back from enough of its parts, and from nothing else.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'uvu';
import { linkedTo } from '../../../../actors/kmip/object/create.ts';
import { applyEvent } from '../../../../actors/kmip/object/life/lifecycle.ts';
import type { Draft } from '../../../../actors/kmip/object/managed-object.ts';
import { createSplitKey } from '../../../../actors/kmip/operations/create-split-key.ts';
import { joinSplitKey } from '../../../../actors/kmip/operations/join-split-key.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../../kmip/ttlv/mask.ts';
import { bigInteger, boolean, dateTime, enumeration, integer, type Node, structure, text } from '../../../../kmip/ttlv/node.ts';
import { codeOf, integerOf, textOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { hex, pairKey, privateKey, refused, secret, secretBytes, secretData, utf8 } from '../../../fakes/keys.ts';
import { ObjectsInMemory } from '../../../fakes/objects.ts';

const { ObjectType, SplitKeyMethod } = ENUM;
const KEY = hex('000102030405060708090a0b0c0d0e0f');
/** A Mersenne prime, longer than any of the secrets by far. */
const PRIME = 2n ** 521n - 1n;

const payload = (...members: readonly Node[]) => structure(TAG.RequestPayload, members);
const aes = structure(TAG.Attributes, [enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES), integer(TAG.CryptographicLength, 256)]);

interface Split {
  readonly type?: number;
  readonly id?: string;
  readonly method?: keyof typeof SplitKeyMethod;
  readonly parts?: number;
  readonly threshold?: number;
  readonly more?: readonly Node[];
}

async function split(
  ctx: ObjectsInMemory,
  { type = ObjectType.SymmetricKey, id, method = 'PolynomialSharingGF28', parts = 3, threshold = 2, more = [aes] }: Split,
) {
  const answer = await createSplitKey.run(
    payload(
      enumeration(TAG.ObjectType, type),
      ...(id === undefined ? [] : [text(TAG.UniqueIdentifier, id)]),
      integer(TAG.SplitKeyParts, parts),
      integer(TAG.SplitKeyThreshold, threshold),
      enumeration(TAG.SplitKeyMethod, SplitKeyMethod[method]),
      ...more,
    ),
    ctx,
  );
  return answer.map(({ value }) => value as string);
}

async function join(ctx: ObjectsInMemory, ids: readonly string[], type: number = ObjectType.SymmetricKey, ...more: readonly Node[]): Promise<Draft> {
  const answer = await joinSplitKey.run(payload(enumeration(TAG.ObjectType, type), ...ids.map((id) => text(TAG.UniqueIdentifier, id)), ...more), ctx);
  return ctx.objects.get(textOf(payload(...answer), TAG.UniqueIdentifier) as string) as Draft;
}

const METHODS: readonly [keyof typeof SplitKeyMethod, number, readonly Node[]][] = [
  ['XOR', 3, []],
  ['PolynomialSharingGF28', 2, []],
  ['PolynomialSharingGF216', 2, []],
  ['PolynomialSharingPrimeField', 2, []],
  ['PolynomialSharingPrimeField', 2, [bigInteger(TAG.PrimeFieldSize, PRIME)]],
];

for (const [method, threshold, more] of METHODS) {
  test(`${method}${more.length > 0 ? ' with a given prime' : ''}: a stored key comes back from its parts`, async () => {
    const ctx = new ObjectsInMemory([secret('key', KEY)]);
    const ids = await split(ctx, { id: 'key', method, threshold, more });
    assert.equal(ids.length, 3);
    const first = ctx.objects.get(ids[0] as string) as Draft;
    assert.equal(first.type, ObjectType.SplitKey);
    assert.equal(first.attributes.first(TAG.CryptographicAlgorithm)?.value, ENUM.CryptographicAlgorithm.AES);
    assert.equal(first.content && integerOf(first.content, TAG.KeyPartIdentifier), 1);
    assert.equal(linkedTo(first, 'ParentLink'), 'key');
    const joined = await join(ctx, ids.toReversed().slice(0, threshold));
    assert.deepEqual(new Uint8Array(secretBytes(joined)), KEY);
    assert.equal(joined.attributes.first(TAG.CryptographicLength)?.value, 128);
    await refused(join(ctx, ids.slice(0, threshold - 1)), 'CryptographicFailure', 'parts are needed');
    await refused(join(ctx, ids.slice(0, threshold).fill(ids[0] as string)), 'InvalidField', 'only once');
  });

  test(`${method}${more.length > 0 ? ' with a given prime' : ''}: secret data and private keys come back as well`, async () => {
    const pair = generateKeyPairSync('ed25519');
    const password = utf8('\0swordfish');
    const ctx = new ObjectsInMemory([secretData('password', password), privateKey('private', pair.privateKey, 'Ed25519')]);
    const words = await split(ctx, { id: 'password', type: ObjectType.SecretData, method, parts: threshold, threshold, more });
    assert.deepEqual(new Uint8Array(secretBytes(await join(ctx, words, ObjectType.SecretData))), password);
    const ids = await split(ctx, { id: 'private', type: ObjectType.SplitKey, method, parts: threshold, threshold, more });
    assert.ok(pairKey(await join(ctx, ids, ObjectType.PrivateKey)).equals(pair.privateKey));
    await refused(join(ctx, ids), 'InvalidObjectType', 'PKCS_8');
  });
}

test('a new key exists in its parts only', async () => {
  const ctx = new ObjectsInMemory([]);
  const ids = await split(ctx, { parts: 5, threshold: 3 });
  assert.equal(ctx.objects.size, 5);
  const [one, other] = [await join(ctx, ids.slice(0, 3)), await join(ctx, ids.slice(1))];
  assert.equal(secretBytes(one).length, 32);
  assert.deepEqual(secretBytes(one), secretBytes(other));
  const secretParts = await split(ctx, { type: ObjectType.SecretData, more: [structure(TAG.Attributes, [])] });
  const joined = await join(ctx, secretParts, ObjectType.SecretData, enumeration(TAG.SecretDataType, ENUM.SecretDataType.Password));
  assert.equal(joined.content && codeOf(joined.content, TAG.SecretDataType), ENUM.SecretDataType.Password);
});

test('parts of two keys are not joined', async () => {
  for (const [method, threshold] of [
    ['XOR', 3],
    ['PolynomialSharingGF28', 2],
  ] as const) {
    const ctx = new ObjectsInMemory([]);
    const [one, other] = [await split(ctx, { method, threshold }), await split(ctx, { method, threshold })];
    await refused(join(ctx, [...one.slice(0, threshold - 1), other[threshold - 1] as string]), 'InvalidField', 'belong together');
    const third = await split(ctx, { method, parts: 4, threshold: method === 'XOR' ? 4 : 2 });
    await refused(join(ctx, [...one.slice(0, 2), third[2] as string]), 'InvalidField', 'belong together');
  }
});

test('what is not to leave the server as a whole does not leave it joined', async () => {
  const kept = secret('kept', KEY, 'AES', { attributes: [boolean(TAG.Sensitive, true), boolean(TAG.Extractable, false)] });
  const ctx = new ObjectsInMemory([kept]);
  const ids = await split(ctx, { id: 'kept', more: [] });
  const part = ctx.objects.get(ids[0] as string) as Draft;
  const joined = await join(ctx, ids);
  for (const object of [part, joined]) {
    assert.equal(object.attributes.first(TAG.Sensitive)?.value, true);
    assert.equal(object.attributes.first(TAG.Extractable)?.value, false);
  }
});

test('a joined key is for what all its parts are for, unless the request says otherwise', async () => {
  const { Encrypt, Decrypt, Unrestricted } = MASK.CryptographicUsageMask;
  const mask = (value: number) => structure(TAG.Attributes, [integer(TAG.CryptographicUsageMask, value)]);
  const maskOf = ({ attributes }: Draft) => attributes.first(TAG.CryptographicUsageMask)?.value;
  const ctx = new ObjectsInMemory([]);
  const ids = await split(ctx, { more: [structure(TAG.Attributes, [...aes.value, integer(TAG.CryptographicUsageMask, Encrypt | Decrypt)])] });
  assert.equal(maskOf(await join(ctx, ids)), Encrypt | Decrypt);
  assert.equal(maskOf(await join(ctx, ids, ObjectType.SymmetricKey, mask(Encrypt))), Encrypt);
  const [first] = ids as [string, ...string[]];
  (ctx.objects.get(first) as Draft).attributes.set(integer(TAG.CryptographicUsageMask, Unrestricted));
  assert.equal(maskOf(await join(ctx, ids)), Encrypt | Decrypt);
  assert.equal(maskOf(await join(ctx, await split(ctx, {}))), Unrestricted);
});

test('a joined key is older than its object: the request says since when and how it was made, or nothing', async () => {
  const ctx = new ObjectsInMemory([]);
  const [first, second] = await split(ctx, {});
  const untold = await join(ctx, [first as string, second as string]);
  for (const tag of [TAG.OriginalCreationDate, TAG.RandomNumberGenerator]) assert.equal(untold.attributes.first(tag), undefined);
  const since = dateTime(TAG.OriginalCreationDate, 900_000_000);
  const joined = await join(ctx, [first as string, second as string], ObjectType.SymmetricKey, structure(TAG.Attributes, [since]));
  assert.deepEqual(joined.attributes.first(TAG.OriginalCreationDate), since);
});

test('what cannot be split or joined is refused', async () => {
  const ctx = new ObjectsInMemory([secret('key', KEY)]);
  await refused(split(ctx, { id: 'key', type: ObjectType.SecretData }), 'InvalidObjectType', 'key');
  await refused(split(ctx, { type: ObjectType.PrivateKey }), 'InvalidObjectType', 'PrivateKey');
  await refused(split(ctx, { more: [] }), 'InvalidField', 'algorithm');
  await refused(split(ctx, { threshold: 4 }), 'InvalidField', 'threshold');
  await refused(split(ctx, { method: 'XOR' }), 'InvalidField', 'threshold');
  await refused(split(ctx, { id: 'absent' }), 'ObjectNotFound', 'not found');
  await refused(join(ctx, ['key', 'key']), 'InvalidObjectType', 'split key');
  await refused(join(ctx, []), 'InvalidMessage', 'UniqueIdentifier');
  const ids = await split(ctx, {});
  await refused(join(ctx, ids, ObjectType.Certificate), 'InvalidObjectType', 'Certificate');
  applyEvent(ctx.objects.get(ids[0] as string) as Draft, 'destroy', ctx.now);
  await refused(join(ctx, ids), 'ObjectDestroyed', 'destroyed');
  assert.equal(ctx.objects.size, 4);
});

test('the type of secret data that is joined is one that there is, and is given for nothing else', async () => {
  const ctx = new ObjectsInMemory([secret('key', KEY)]);
  const ids = (await split(ctx, { id: 'key', more: [] })).slice(0, 2);
  const kind = (code: number) => enumeration(TAG.SecretDataType, code);
  const kindOf = ({ content }: Draft) => content && codeOf(content, TAG.SecretDataType);
  for (const code of [ENUM.SecretDataType.Password, 0x80000001]) assert.equal(kindOf(await join(ctx, ids, ObjectType.SecretData, kind(code))), code);
  assert.equal(kindOf(await join(ctx, ids, ObjectType.SecretData)), ENUM.SecretDataType.Seed);
  await refused(join(ctx, ids, ObjectType.SecretData, kind(99)), 'InvalidField', 'SecretDataType has no value 0x00000063');
  await refused(join(ctx, ids, ObjectType.SymmetricKey, kind(ENUM.SecretDataType.Password)), 'InvalidField', 'SecretDataType');
});

test('all parts are needed with XOR, even if those of another server say that fewer are', async () => {
  const ctx = new ObjectsInMemory([secret('key', KEY)]);
  const ids = await split(ctx, { id: 'key', method: 'XOR', threshold: 3, more: [] });
  for (const id of ids) {
    const part = ctx.objects.get(id) as Draft;
    const members = (part.content?.value ?? []).map((each) => (each.tag === TAG.SplitKeyThreshold ? integer(each.tag, 2) : each));
    part.content = structure(TAG.SplitKey, members);
  }
  await refused(join(ctx, ids.slice(0, 2)), 'CryptographicFailure', '3 parts are needed');
  assert.deepEqual(secretBytes(await join(ctx, ids)), KEY);
});

test.run();
