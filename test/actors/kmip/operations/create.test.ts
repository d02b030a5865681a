// Create of secret data: as many bits as asked for, within bounds, and other ones each time.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { Draft } from '../../../../actors/kmip/object/managed-object.ts';
import { create } from '../../../../actors/kmip/operations/create.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../../kmip/ttlv/mask.ts';
import { enumeration, integer, structure } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { refused, secretBytes } from '../../../fakes/keys.ts';
import { ObjectsInMemory } from '../../../fakes/objects.ts';

const made = async (bits?: number): Promise<Uint8Array> => {
  const ctx = new ObjectsInMemory([]);
  const attributes = structure(TAG.Attributes, [
    integer(TAG.CryptographicUsageMask, MASK.CryptographicUsageMask.DeriveKey),
    ...(bits === undefined ? [] : [integer(TAG.CryptographicLength, bits)]),
  ]);
  await create.run(structure(TAG.RequestPayload, [enumeration(TAG.ObjectType, ENUM.ObjectType.SecretData), attributes]), ctx);
  return secretBytes([...ctx.objects.values()][0] as Draft);
};

test('secret data has as many bits as asked for, from 8 to 65536 in whole bytes; 256 unless said', async () => {
  for (const bits of [8, 16, 65_536]) assert.equal((await made(bits)).length, bits / 8);
  const [one, other] = [await made(), await made()];
  assert.equal(one.length, 32);
  assert.notDeepEqual(new Uint8Array(one), new Uint8Array(other));
  for (const bits of [0, 7, 12, 65_537, 65_544]) await refused(made(bits), 'InvalidField', `must be a multiple of 8 from 8 to 65536, not ${bits}`);
});

test.run();
