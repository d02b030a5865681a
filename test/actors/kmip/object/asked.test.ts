// What a payload says of the object it means: the type that it expects, and the format that it asks for.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { requireExpected } from '../../../../actors/kmip/object/finding/expected-type.ts';
import { askedFormat } from '../../../../actors/kmip/object/forms/format.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { enumeration, type Node, structure } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { refused, secret } from '../../../fakes/keys.ts';

const payload = (...members: Node[]) => structure(TAG.RequestPayload, members);

test('an object of another type than the expected one is refused in words that name both', async () => {
  const key = secret('k', new Uint8Array(16));
  const expecting = (code: number) => () => requireExpected(payload(enumeration(TAG.ExpectedObjectType, code)), key);
  requireExpected(payload(), key);
  expecting(ENUM.ObjectType.SymmetricKey)();
  const words = 'the object k is a SymmetricKey, but the request expects a Certificate';
  await refused(expecting(ENUM.ObjectType.Certificate), 'InvalidObjectType', words);
  await refused(expecting(0x7fff), 'InvalidField');
});

test('each format has its name; a number that is none is refused', async () => {
  const asked = (code: number) => askedFormat(payload(enumeration(TAG.KeyFormatType, code)));
  assert.equal(askedFormat(payload()), undefined);
  for (const [name, code] of Object.entries(ENUM.KeyFormatType)) assert.equal(asked(code), name);
  await refused(() => asked(0x7fff), 'KeyFormatTypeNotSupported', 'there is no key format type 0x00007fff');
});

test.run();
