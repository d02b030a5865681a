// Attributes that came with a later version than that of the message: clients would neither see nor change back what they set with them.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { boolean, enumeration, integer, interval, type Node, structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { caller } from './caller.ts';
import { inWords, type KmipClient, textIn, VERSIONS } from './kmip-client.ts';

const alice = caller('alice');
const ID = (id: string): Node => text(TAG.UniqueIdentifier, id);

const creation = (client: KmipClient, ...more: readonly Node[]) =>
  [
    enumeration(TAG.ObjectType, ENUM.ObjectType.SymmetricKey),
    client.attributes(
      enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES),
      integer(TAG.CryptographicLength, 128),
      integer(TAG.CryptographicUsageMask, 4),
      ...more,
    ),
  ] as const;

test('KMIP 1.x: an attribute of a later version is refused, as one is that no version has', async () => {
  for (const version of VERSIONS.filter(({ major }) => major === 1)) {
    const client = alice.client({ ...version, encoding: 'binary' });
    const id = textIn(await client.do('Create', ...creation(client)), TAG.UniqueIdentifier);
    for (const [attribute, since] of [
      [text(TAG.Comment, 'a note'), '1.4'],
      [boolean(TAG.Sensitive, true), '1.4'],
      [boolean(TAG.Fresh, true), '1.1'],
    ] as const) {
      const has = client.knows(since);
      assert.equal((await client.ask('Create', ...creation(client, attribute))).reason, has ? undefined : 'InvalidField');
      assert.equal((await client.ask('Locate', ...client.conditions(attribute))).reason, has ? undefined : 'InvalidField');
      if (!has) assert.equal(await client.refused('ModifyAttribute', ID(id), client.attribute(attribute)), 'InvalidField');
    }
    const added = await client.ask('AddAttribute', ID(id), client.attribute(text(TAG.Comment, 'a note')));
    assert.equal(added.reason, client.knows('1.4') ? undefined : 'InvalidField');
    if (client.knows('1.4')) continue;
    await alice.client({ major: 2, minor: 1, encoding: 'binary' }).do('AddAttribute', ID(id), structure(TAG.NewAttribute, [text(TAG.Comment, 'of another')]));
    assert.equal(await client.refused('DeleteAttribute', ID(id), text(TAG.AttributeName, inWords(TAG.Comment))), 'ItemNotFound');
  }
});

test('KMIP 2.0: what it cannot show of the rotation of a key, it neither adjusts nor deletes', async () => {
  const [before, after] = [0, 1].map((minor) => alice.client({ major: 2, minor, encoding: 'binary' })) as [KmipClient, KmipClient];
  const id = textIn(await after.do('Create', ...creation(after, interval(TAG.RotateInterval, 100_000))), TAG.UniqueIdentifier);
  const reference = (tag: number) => enumeration(TAG.AttributeReference, tag);
  const increment = enumeration(TAG.AdjustmentType, ENUM.AdjustmentType.Increment);
  assert.equal(await before.refused('AdjustAttribute', ID(id), reference(TAG.RotateInterval), increment), 'UnsupportedAttribute');
  await after.do('AdjustAttribute', ID(id), reference(TAG.RotateInterval), increment);
  assert.equal((await after.valueOf(id, TAG.RotateInterval))?.value, 100_001);
  const rotateName = structure(TAG.RotateName, [
    text(TAG.RotateNameValue, 'set of a later version'),
    enumeration(TAG.RotateNameType, ENUM.RotateNameType.UninterpretedTextString),
  ]);
  await after.do('AddAttribute', ID(id), structure(TAG.NewAttribute, [rotateName]));
  assert.equal(await before.refused('DeleteAttribute', ID(id), reference(TAG.RotateName)), 'InvalidAttribute');
  await after.do('DeleteAttribute', ID(id), reference(TAG.RotateName));
});

test.run();
