// Every name that a keyset may have leads to its generations, in each form of address, over a real store.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { aesKey, encryption, named, startKeyServer } from './key-server.ts';

const { ask, made, end } = await startKeyServer({ threads: 1 });
test.after(() => end());

const LONG = `long ${'x'.repeat(200)}`;
const NAMES = ['plain', 'with space ', 'a::b', '::', '*', 'sp\u00e4t', 'e\u0301', '\u{1f511}', 'two\nlines', LONG];

const keyset = (name: string) =>
  structure(TAG.RotateName, [text(TAG.RotateNameValue, name), enumeration(TAG.RotateNameType, ENUM.NameType.UninterpretedTextString)]);

for (const name of NAMES)
  test(`a keyset with the name ${JSON.stringify(name.slice(0, 20))} of ${name.length} characters`, async () => {
    const first = await made('Create', aesKey(keyset(name)));
    const second = await made('ReKey', [named(name)]);
    const third = await made('ReKey', [named(`${name}@latest`)]);
    for (const [address, expected] of Object.entries({ '': third, '@latest': third, '@first': first, '@0': first, '@1': second, '@2': third })) {
      const { ok, ids, reason } = await ask('Encrypt', encryption(name + address));
      assert.ok(ok, `${address}: ${reason}`);
      assert.equal(ids[0], expected, address);
    }
    assert.match((await ask('Encrypt', encryption(`${name}@3`))).reason, /^Item_Not_Found/);
  });

test('a name with U+0000, of none or of more than 1024 characters is none that a new keyset may have', async () => {
  for (const name of ['a\0b', `${LONG}\0`, '', 'x'.repeat(1_025)])
    assert.match((await ask('Create', aesKey(keyset(name)))).reason, /^Invalid_Attribute_Value/, JSON.stringify(name.slice(0, 20)));
});

test.run();
