// Wrapped content: what is unwrapped, in both forms that clients register, and what the rotation of the wrapping key does to it.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { keyOf } from '../../../../actors/kmip/object/key.ts';
import type { Draft } from '../../../../actors/kmip/object/managed-object.ts';
import { withOutside } from '../../../../actors/kmip/object/outside.ts';
import { findDependants, rewrapLeft, updateDependants } from '../../../../actors/kmip/object/wrapping/rewrapping.ts';
import { unwrapWith, wrapWith } from '../../../../actors/kmip/object/wrapping/wrapping.ts';
import type { ObjectTransaction, OperationContext } from '../../../../actors/kmip/operation-context.ts';
import { cipherFor } from '../../../../crypto/cipher/cipher.ts';
import { symmetricKey } from '../../../../kmip/key-block.ts';
import { encodeBinary } from '../../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { bytes, enumeration, type Node, type Structure, structure, text } from '../../../../kmip/ttlv/node.ts';
import { required, structureOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { refused, secret } from '../../../fakes/keys.ts';
import { draft, ObjectsInMemory } from '../../../fakes/objects.ts';

const OLD_OBJECT = secret('old', new Uint8Array(32).fill(1));
const NEW_OBJECT = secret('new', new Uint8Array(32).fill(2));
const KEYS = { old: OLD_OBJECT, replacement: NEW_OBJECT };
const IDS = ['fine', 'broken', 'gone'];
const CONTEXT = new ObjectsInMemory([]);
const OLD = keyOf(OLD_OBJECT, CONTEXT);
const NEW = keyOf(NEW_OBJECT, CONTEXT);
const PLAIN = symmetricKey(new Uint8Array(16).fill(3), 'AES');

const specification = (id: string, encoding: number) =>
  structure(TAG.KeyWrappingSpecification, [
    enumeration(TAG.WrappingMethod, ENUM.WrappingMethod.Encrypt),
    structure(TAG.EncryptionKeyInformation, [
      text(TAG.UniqueIdentifier, id),
      structure(TAG.CryptographicParameters, [enumeration(TAG.BlockCipherMode, ENUM.BlockCipherMode.NISTKeyWrap)]),
    ]),
    enumeration(TAG.EncodingOption, encoding),
  ]);

const { NoEncoding, TTLVEncoding } = ENUM.EncodingOption;
const sealed = cipherFor('AES', { blockCipherMode: 'NISTKeyWrap' }, 32).encrypt(new Uint8Array(32).fill(1), { data: new Uint8Array(16).fill(3) }).data;

const written = (content: Structure): string => Buffer.from(encodeBinary(content)).toString('hex');

/** The same content with another KeyValue. */
function withKeyValue(content: Structure, value: Node): Structure {
  const block = required(structureOf(content, TAG.KeyBlock), TAG.KeyBlock);
  const members = block.value.map((member) => (member.tag === TAG.KeyValue ? value : member));
  return structure(content.tag, [structure(TAG.KeyBlock, members)]);
}

test('wrapped bytes are the KeyValue, or the KeyMaterial in it', async () => {
  for (const encoding of [NoEncoding, TTLVEncoding])
    assert.equal(written(await unwrapWith(OLD, await wrapWith(OLD, PLAIN, specification('old', encoding)))), written(PLAIN));
  const wrapped = await wrapWith(OLD, PLAIN, specification('old', NoEncoding));
  assert.equal(written(wrapped), written(withKeyValue(wrapped, bytes(TAG.KeyValue, sealed))));
  const inside = withKeyValue(wrapped, structure(TAG.KeyValue, [bytes(TAG.KeyMaterial, sealed)]));
  assert.equal(written(await unwrapWith(OLD, inside)), written(PLAIN));
});

test('a KeyValue of transparent members is no wrapped key', async () => {
  const wrapped = await wrapWith(OLD, PLAIN, specification('old', NoEncoding));
  const wrong = withKeyValue(wrapped, structure(TAG.KeyValue, [structure(TAG.KeyMaterial, [bytes(TAG.Key, sealed)])]));
  await refused(unwrapWith(OLD, wrong), 'InvalidMessage');
});

const spoiled = (content: Structure): Structure =>
  withKeyValue(
    content,
    bytes(
      TAG.KeyValue,
      sealed.map((byte) => byte ^ 1),
    ),
  );

/** A transaction over objects that the test holds, and what it writes. */
function world(objects: () => readonly Draft[]) {
  const updated: Draft[] = [];
  const tx = {
    readWhole: async (id: string) => objects().find((each) => each.id === id),
    update: async (object: Draft) => void updated.push(object),
  } as unknown as ObjectTransaction;
  return { updated, tx };
}

test('a rotation wraps anew what the old key opens, and leaves what it does not as it is', async () => {
  const wrapped = await wrapWith(OLD, PLAIN, specification('old', NoEncoding));
  const fine = draft('fine', { content: wrapped });
  const broken = draft('broken', { content: spoiled(wrapped) });
  const before = broken.content;
  const { tx, updated } = world(() => [fine, broken]);
  await withOutside(async (outside) => {
    const dependants = await findDependants(tx, IDS, KEYS, CONTEXT, outside);
    await updateDependants(tx, dependants, NEW_OBJECT, CONTEXT.now);
  });
  assert.deepEqual(
    updated.map(({ id }) => id),
    ['fine'],
  );
  assert.equal(written(fine.content as Structure), written(await wrapWith(NEW, PLAIN, specification('new', NoEncoding))));
  assert.equal(broken.content, before);
});

test('nothing is wrapped while a transaction runs, and what changes meanwhile is wrapped as it is then', async () => {
  const other = symmetricKey(new Uint8Array(16).fill(4), 'AES');
  const contents = [await wrapWith(OLD, PLAIN, specification('old', NoEncoding)), await wrapWith(OLD, other, specification('old', NoEncoding))];
  const later = draft('broken', { content: await wrapWith(OLD, PLAIN, specification('old', TTLVEncoding)) });
  let run = 0;
  let isRunning = false;
  // The first run sees one object; before the second it is registered anew under its identifier, and before the third another one comes.
  const { tx, updated } = world(() => [draft('fine', { content: contents[Math.min(run, 2) - 1] as Structure }), ...(run > 2 ? [later] : [])]);
  const witnessed = (key: typeof OLD) =>
    new Proxy(key, {
      get(target, name) {
        if (name === 'wrap' || name === 'unwrap') assert.equal(isRunning, false, `${name} in a transaction`);
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  const keyKinds = [{ holds: () => true, open: (object: Draft) => witnessed(keyOf(object, CONTEXT)) }];
  const ctx = new ObjectsInMemory([], { keyKinds: keyKinds as never });
  await withOutside(async (outside) => {
    run += 1;
    isRunning = true;
    try {
      const dependants = await findDependants(tx, IDS, KEYS, ctx, outside);
      await updateDependants(tx, dependants, NEW_OBJECT, ctx.now);
    } finally {
      isRunning = false;
    }
  });
  assert.equal(run, 4);
  const clear = await Promise.all(updated.map(async ({ id, content }) => [id, written(await unwrapWith(NEW, content as Structure))]));
  assert.deepEqual(clear, [
    ['fine', written(other)],
    ['broken', written(PLAIN)],
  ]);
});

test('a transaction rewraps 50 objects at most, and one that fails leaves the rest to the old key', async () => {
  const wrapped = await wrapWith(OLD, PLAIN, specification('old', NoEncoding));
  for (const failing of [undefined, 1]) {
    const ids = Array.from({ length: 120 }, (_, at) => `object ${at}`);
    const warned: unknown[] = [];
    const log = { debug() {}, info() {}, warn: ({ object, left }: { object: string; left: number }) => void warned.push([object, left]), error() {} };
    const objects = new ObjectsInMemory(ids.map((id) => draft(id, { content: wrapped })));
    const sizes: number[] = [];
    const change: OperationContext['change'] = (work) =>
      objects.change(async (tx) => {
        const updated: string[] = [];
        const done = await work(
          Object.create(tx, {
            tx: { value: { run: async () => 1 } },
            update: { value: (object: Draft) => tx.update(object).finally(() => updated.push(object.id)) },
          }),
        );
        if (sizes.length === failing) throw new Error('the disk is full');
        sizes.push(updated.length);
        return done;
      });
    const store = {};
    const server = { log, store, keyKinds: objects.server.keyKinds, now: () => 0 };
    await rewrapLeft({ change, server, reader: store, caller: objects.caller, now: objects.now } as unknown as OperationContext, { ...KEYS, left: ids });
    assert.deepEqual(sizes, failing === undefined ? [50, 50, 20] : [50]);
    assert.deepEqual(warned, failing === undefined ? [] : [['old', 70]]);
    for (const [at, id] of ids.entries()) await unwrapWith(failing !== undefined && at >= 50 ? OLD : NEW, objects.objects.get(id)?.content as Structure);
  }
});

test('an object that is given out wrapped names the new key, and keeps its other vendor attributes', async () => {
  const vendor = (party: string, called: string, value: string): Node =>
    structure(TAG.Attribute, [text(TAG.VendorIdentification, party), text(TAG.AttributeName, called), text(TAG.AttributeValue, value)]);
  const others = [vendor('x', 'ID', '1'), vendor('gatehouse', 'tag', '["a"]'), vendor('x', 'ID', '2')];
  const object = draft('fine', { content: PLAIN, attributes: [...others, vendor('gatehouse', 'wrapping_key_id', 'old')] });
  const { tx } = world(() => [object]);
  await withOutside(async (outside) => updateDependants(tx, await findDependants(tx, IDS, KEYS, CONTEXT, outside), NEW_OBJECT, CONTEXT.now));
  assert.deepEqual(
    object.attributes.all(TAG.Attribute).map(({ node }) => node),
    [...others, vendor('gatehouse', 'wrapping_key_id', 'new')],
  );
});

test.run();
