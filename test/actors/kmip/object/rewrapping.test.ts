// Wrapped content: what is unwrapped, in both forms that clients register, and what the rotation of the wrapping key does to it.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { symmetricKey } from '../../../../actors/kmip/object/key-material.ts';
import type { Draft } from '../../../../actors/kmip/object/managed-object.ts';
import { rewrapDependants } from '../../../../actors/kmip/object/rewrapping.ts';
import { unwrapWith, wrapWith } from '../../../../actors/kmip/object/wrapping.ts';
import type { ObjectTransaction } from '../../../../actors/kmip/operations/operation.ts';
import { cipherFor } from '../../../../crypto/cipher/cipher.ts';
import { encodeBinary } from '../../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { bytes, enumeration, type Node, type Structure, structure, text } from '../../../../kmip/ttlv/node.ts';
import { required, structureOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { refused, secret } from '../../../fakes/keys.ts';
import { draft, ObjectsInMemory } from '../../../fakes/objects.ts';

const OLD = secret('old', new Uint8Array(32).fill(1));
const NEW = secret('new', new Uint8Array(32).fill(2));
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

test('wrapped bytes are the KeyValue, or the KeyMaterial in it', () => {
  for (const encoding of [NoEncoding, TTLVEncoding])
    assert.equal(written(unwrapWith(OLD, wrapWith(OLD, PLAIN, specification('old', encoding)))), written(PLAIN));
  const wrapped = wrapWith(OLD, PLAIN, specification('old', NoEncoding));
  assert.equal(written(wrapped), written(withKeyValue(wrapped, bytes(TAG.KeyValue, sealed))));
  const inside = withKeyValue(wrapped, structure(TAG.KeyValue, [bytes(TAG.KeyMaterial, sealed)]));
  assert.equal(written(unwrapWith(OLD, inside)), written(PLAIN));
});

test('a KeyValue of transparent members is no wrapped key', async () => {
  const wrapped = wrapWith(OLD, PLAIN, specification('old', NoEncoding));
  const wrong = withKeyValue(wrapped, structure(TAG.KeyValue, [structure(TAG.KeyMaterial, [bytes(TAG.Key, sealed)])]));
  await refused(
    Promise.resolve().then(() => unwrapWith(OLD, wrong)),
    'InvalidMessage',
  );
});

test('a rotation wraps anew what the old key opens, and leaves what it does not as it is', async () => {
  const wrapped = wrapWith(OLD, PLAIN, specification('old', NoEncoding));
  const fine = draft('fine', { content: wrapped });
  const broken = draft('broken', {
    content: withKeyValue(
      wrapped,
      bytes(
        TAG.KeyValue,
        sealed.map((byte) => byte ^ 1),
      ),
    ),
  });
  const updated: Draft[] = [];
  const read = async (id: string) => [fine, broken].find((each) => each.id === id);
  const tx = {
    wrappedBy: async () => ['fine', 'broken', 'gone'],
    readWhole: read,
    update: async (object: Draft) => void updated.push(object),
  } as unknown as ObjectTransaction;
  const before = broken.content;
  await rewrapDependants(tx, OLD, NEW, new ObjectsInMemory([]));
  assert.deepEqual(
    updated.map(({ id }) => id),
    ['fine'],
  );
  assert.equal(written(fine.content as Structure), written(wrapWith(NEW, PLAIN, specification('new', NoEncoding))));
  assert.equal(broken.content, before);
});

test.run();
