// Keys that are stored wrapped, for those who ask for them unwrapped: in the format and with the attributes that their version has.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { integer, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { codeOf, required, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { active, attributes, code, id, mask } from '../../fuzz/members.ts';
import { caller } from './caller.ts';
import { inWords, tagsIn, textIn } from './kmip-client.ts';

const alice = caller('alice');
const [before, after] = [
  { major: 1, minor: 4 },
  { major: 2, minor: 1 },
].map((version) => alice.client({ ...version, encoding: 'binary' })) as [ReturnType<typeof alice.client>, ReturnType<typeof alice.client>];

const { Sign, Verify, Encrypt, WrapKey, UnwrapKey } = MASK.CryptographicUsageMask;
const format = (name: keyof typeof ENUM.KeyFormatType) => code('KeyFormatType', name);
const notWrapped = code('KeyWrapType', 'NotWrapped');
const wrappedBy = (wrapper: string, ...more: readonly Node[]) =>
  structure(TAG.KeyWrappingSpecification, [code('WrappingMethod', 'Encrypt'), structure(TAG.EncryptionKeyInformation, [id(wrapper)]), ...more]);

async function symmetric(usage: number): Promise<string> {
  return textIn(
    await after.do(
      'Create',
      code('ObjectType', 'SymmetricKey'),
      attributes(code('CryptographicAlgorithm', 'AES'), integer(TAG.CryptographicLength, 256), mask(usage), active),
    ),
    TAG.UniqueIdentifier,
  );
}

const contentOf = (answer: Structure) => required(answer.value.at(-1), TAG.KeyBlock) as Structure;
const blockOf = (answer: Structure) => required(structureOf(contentOf(answer), TAG.KeyBlock), TAG.KeyBlock);
const keyValueIn = (answer: Structure) => required(structureOf(blockOf(answer), TAG.KeyValue), TAG.KeyValue);

test('a key is given out unwrapped in another format than the one in which it was wrapped', async () => {
  const wrapper = await symmetric(WrapKey | UnwrapKey);
  const pair = await after.do(
    'CreateKeyPair',
    structure(TAG.CommonAttributes, [code('CryptographicAlgorithm', 'RSA'), integer(TAG.CryptographicLength, 2048)]),
    structure(TAG.PrivateKeyAttributes, [mask(Sign)]),
    structure(TAG.PublicKeyAttributes, [mask(Verify)]),
  );
  const made = id(textIn(pair, TAG.PrivateKeyUniqueIdentifier));
  const wrapped = contentOf(await after.do('Get', made, format('TransparentRSAPrivateKey'), wrappedBy(wrapper)));
  const kept = id(textIn(await after.do('Register', code('ObjectType', 'PrivateKey'), attributes(mask(Sign)), wrapped), TAG.UniqueIdentifier));
  for (const name of ['PKCS_1', 'PKCS_8'] as const) {
    const given = await after.do('Get', kept, notWrapped, format(name));
    assert.equal(codeOf(blockOf(given), TAG.KeyFormatType), ENUM.KeyFormatType[name]);
    assert.deepEqual(keyValueIn(given), keyValueIn(await after.do('Get', made, format(name))));
  }
  assert.equal(await after.refused('Get', kept, format('PKCS_1')), 'KeyFormatTypeNotSupported');
  // Without encoding there are bytes to wrap only in such a format.
  await after.do('Get', kept, notWrapped, wrappedBy(wrapper, code('EncodingOption', 'NoEncoding')));
});

test('attributes that a client of KMIP 1.x wrapped with a key are told as the version has them', async () => {
  const wrapper = await symmetric(WrapKey | UnwrapKey);
  const named = text(TAG.AttributeName, inWords(TAG.CryptographicUsageMask));
  const wrapped = contentOf(await before.do('Get', id(await symmetric(Encrypt)), wrappedBy(wrapper, named)));
  const kept = id(textIn(await after.do('Register', code('ObjectType', 'SymmetricKey'), attributes(mask(Encrypt)), wrapped), TAG.UniqueIdentifier));
  assert.deepEqual(tagsIn(keyValueIn(await before.do('Get', kept, notWrapped))), [TAG.KeyMaterial, TAG.Attribute]);
  const { value } = keyValueIn(await after.do('Get', kept, notWrapped));
  assert.deepEqual(value.slice(1), [attributes(mask(Encrypt))]);
});

test.run();
