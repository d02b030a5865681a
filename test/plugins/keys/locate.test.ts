// Locate finds an object of any type by each attribute that GetAttributes shows of it, and in each form in which a client may give that.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { boolean, bytes, dateTime, enumeration, integer, interval, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { required, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { caller } from './caller.ts';
import { type KmipClient, textIn } from './kmip-client.ts';
import { ID, keyContent, newCertificate, newKey, newPair } from './operation-requests.ts';

const alice = caller('alice');
const newest = alice.client({ major: 2, minor: 1, encoding: 'binary' });
const { ObjectType } = ENUM;

const register = async (type: keyof typeof ObjectType, content: Structure) =>
  textIn(
    await newest.do('Register', enumeration(TAG.ObjectType, ObjectType[type]), structure(TAG.Attributes, [text(TAG.Comment, 'x')]), content),
    TAG.UniqueIdentifier,
  );
const block = () => structureOf(keyContent(), TAG.KeyBlock) as Structure;

const MAKERS: Readonly<Record<string, () => Promise<string>>> = {
  'symmetric key': () => newKey(newest, boolean(TAG.Sensitive, true), text(TAG.Comment, 'x')),
  'private key': async () => (await newPair(newest)).privateKey,
  'public key': async () => (await newPair(newest)).publicKey,
  certificate: () => newCertificate(newest),
  'secret data': () => register('SecretData', structure(TAG.SecretData, [enumeration(TAG.SecretDataType, ENUM.SecretDataType.Password), block()])),
  'opaque object': () =>
    register('OpaqueObject', structure(TAG.OpaqueObject, [enumeration(TAG.OpaqueDataType, 0x80000001), bytes(TAG.OpaqueDataValue, Buffer.from('x'))])),
};

async function found(client: KmipClient, ...conditions: readonly Node[]): Promise<readonly unknown[]> {
  const { value } = await client.do('Locate', ...client.conditions(...conditions));
  return value.filter(({ tag }) => tag === TAG.UniqueIdentifier).map((node) => node.value);
}

for (const minor of [1, 4])
  for (const [type, make] of Object.entries(MAKERS))
    test(`a ${type} is found by each of its attributes, in KMIP ${minor === 1 ? '2.1' : '1.4'}`, async () => {
      const client = alice.client({ major: minor === 1 ? 2 : 1, minor, encoding: 'binary' });
      const id = await make();
      const shown = required(structureOf(await newest.do('GetAttributes', ID(id)), TAG.Attributes), TAG.Attributes).value;
      assert.ok(shown.length > 12);
      for (const node of shown) {
        // What could be guessed from its digest has none in the store.
        if (node.tag === TAG.Digest && ['secret data', 'opaque object'].includes(type)) continue;
        if (client.isOld && (await client.valueOf(id, node.tag).catch(() => undefined)) === undefined) continue;
        const asShown = client.isOld && node.tag === TAG.CryptographicUsageMask ? integer(node.tag, Number((await client.valueOf(id, node.tag))?.value)) : node;
        assert.ok((await found(client, asShown)).includes(id), `by ${node.tag.toString(16)}`);
        if (node.type !== ENUM.ItemType.Boolean) continue;
        assert.ok(!(await found(client, boolean(node.tag, !node.value))).includes(id), `by another ${node.tag.toString(16)}`);
      }
    });

test('a condition may have any form in which the attribute can be given', async () => {
  const id = await newKey(
    newest,
    interval(TAG.RotateInterval, 77),
    structure(TAG.RotateName, [text(TAG.RotateNameValue, 'set'), enumeration(TAG.RotateNameType, 1)]),
  );
  assert.deepEqual(await found(newest, integer(TAG.RotateInterval, 77)), [id]);
  assert.deepEqual(await found(newest, text(TAG.RotateName, 'set')), [id]);
});

test('clients of KMIP 1.0 may ask for further pages, as libkmip does', async () => {
  const group = text(TAG.ObjectGroup, 'paged');
  const ids = [await newKey(newest, group), await newKey(newest, group), await newKey(newest, group)];
  const oldest = alice.client({ major: 1, minor: 0, encoding: 'binary' });
  const page = async (offset: number) => {
    const { value } = await oldest.do('Locate', integer(TAG.MaximumItems, 2), integer(TAG.OffsetItems, offset), ...oldest.conditions(group));
    return value.map((node) => node.value);
  };
  assert.deepEqual([await page(0), await page(2), await page(3)], [[ids[2], ids[1]], [ids[0]], []]);
});

test('a condition of another type is refused, instead of finding nothing', async () => {
  for (const client of [newest, alice.client({ major: 1, minor: 4, encoding: 'binary' })])
    for (const odd of [integer(TAG.ObjectGroup, 5), text(TAG.State, 'Active'), structure(TAG.CryptographicLength, []), integer(TAG.Name, 1)])
      assert.equal(await client.refused('Locate', ...client.conditions(odd)), 'InvalidField', odd.tag.toString(16));
});

test('a custom attribute of 1.x called tag is found by its value, also if that looks like a list of tags', async () => {
  const custom = structure(TAG.Attribute, [text(TAG.VendorIdentification, 'x'), text(TAG.AttributeName, 'tag'), text(TAG.AttributeValue, '["custom"]')]);
  const id = await newKey(newest, custom);
  assert.deepEqual(await found(newest, custom), [id]);
});

test('an unknown kind of storage is refused', async () => {
  for (const mask of [8, 9, -1]) assert.equal(await newest.refused('Locate', integer(TAG.StorageStatusMask, mask)), 'InvalidField');
  await newest.do('Locate', integer(TAG.StorageStatusMask, 7));
  // Destroyed storage came with 2.0.
  const oldest = alice.client({ major: 1, minor: 4, encoding: 'binary' });
  await oldest.do('Locate', integer(TAG.StorageStatusMask, 3));
  for (const mask of [4, 7]) assert.equal(await oldest.refused('Locate', integer(TAG.StorageStatusMask, mask)), 'InvalidField');
});

/** The largest DateTime, which every encoding carries as 2^63 - 1. */
const NEVER = Number.MAX_SAFE_INTEGER;

for (const [major, minor] of [
  [1, 0],
  [1, 4],
  [2, 1],
] as const)
  for (const encoding of ['json', 'binary', 'xml'] as const)
    test(`KMIP ${major}.${minor} in ${encoding}: the largest date finds objects without the date, and a range up to it those too`, async () => {
      const client = alice.client({ major, minor, encoding });
      const group = text(TAG.ObjectGroup, `dates of ${major}.${minor} in ${encoding}`);
      // A date with a column of its own in the database, and one without.
      for (const tag of [TAG.DeactivationDate, TAG.ProtectStopDate]) {
        const among = text(TAG.ObjectGroup, `${group.value} ${tag}`);
        const without = await newKey(newest, among);
        const [early, late] = [await newKey(newest, among, dateTime(tag, 4_000_000_000)), await newKey(newest, among, dateTime(tag, 5_000_000_000))];
        const search = (...ends: readonly number[]) => found(client, among, ...ends.map((end) => dateTime(tag, end)));
        assert.deepEqual(await search(NEVER), [without]);
        assert.deepEqual(await search(4_500_000_000, NEVER), [late, without]);
        assert.deepEqual(await search(NEVER, 0), [late, early, without]);
        assert.deepEqual(await search(0, 4_500_000_000), [early]);
      }
    });

test.run();
