// A wrapping key with CryptographicParameters wraps and unwraps by them where nothing else is said (KMIP 2.1 section 3.3).
import assert from 'node:assert/strict';
import { createCipheriv, randomBytes } from 'node:crypto';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { bytes, integer, type Node, type Structure, structure } from '../../../kmip/ttlv/node.ts';
import { bytesOf, codeOf, required, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { active, attributes, code, id, mask, parameters, symmetricKey } from '../../fuzz/members.ts';
import { caller } from './caller.ts';
import { type KmipClient, textIn } from './kmip-client.ts';

const alice = caller('alice').client({ major: 2, minor: 1, encoding: 'binary' });
const { Encrypt, WrapKey, UnwrapKey } = MASK.CryptographicUsageMask;
const KEK = new Uint8Array(randomBytes(32));
const noEncoding = code('EncodingOption', 'NoEncoding');
const notWrapped = code('KeyWrapType', 'NotWrapped');

const register = async (client: KmipClient, content: Structure, ...more: readonly Node[]) =>
  textIn(await client.do('Register', code('ObjectType', 'SymmetricKey'), attributes(active, ...more), content), TAG.UniqueIdentifier);
const wrapper = () => register(alice, symmetricKey(KEK), mask(WrapKey | UnwrapKey), parameters(code('BlockCipherMode', 'NISTKeyWrap')));

/** By OpenSSL: RFC 3394, and RFC 5649. */
function wrappedBy(mode: 'id-aes256-wrap' | 'id-aes256-wrap-pad', material: Uint8Array): Uint8Array {
  const cipher = createCipheriv(mode, KEK, mode === 'id-aes256-wrap' ? Buffer.alloc(8, 0xa6) : Buffer.from('a65959a6', 'hex'));
  return new Uint8Array(Buffer.concat([cipher.update(material), cipher.final()]));
}

const asWrapped = (by: string, data: Uint8Array) =>
  structure(TAG.SymmetricKey, [
    structure(TAG.KeyBlock, [
      code('KeyFormatType', 'Raw'),
      bytes(TAG.KeyValue, data),
      code('CryptographicAlgorithm', 'AES'),
      integer(TAG.CryptographicLength, 128),
      structure(TAG.KeyWrappingData, [code('WrappingMethod', 'Encrypt'), structure(TAG.EncryptionKeyInformation, [id(by)]), noEncoding]),
    ]),
  ]);

const blockOf = (answer: Structure) => required(structureOf(answer.value.at(-1) as Structure, TAG.KeyBlock), TAG.KeyBlock);

async function inClear(key: string): Promise<Uint8Array | undefined> {
  return bytesOf(required(structureOf(blockOf(await alice.do('Get', id(key), notWrapped)), TAG.KeyValue), TAG.KeyValue), TAG.KeyMaterial);
}

test('what is wrapped without a word on how is wrapped by the parameters of the key, and says so', async () => {
  const [by, material] = [await wrapper(), new Uint8Array(randomBytes(16))];
  const key = await register(alice, symmetricKey(material), mask(Encrypt));
  const specification = structure(TAG.KeyWrappingSpecification, [
    code('WrappingMethod', 'Encrypt'),
    structure(TAG.EncryptionKeyInformation, [id(by)]),
    noEncoding,
  ]);
  const answer = await alice.do('Get', id(key), specification);
  assert.deepEqual(bytesOf(blockOf(answer), TAG.KeyValue), wrappedBy('id-aes256-wrap', material));
  const said = structureOf(required(structureOf(blockOf(answer), TAG.KeyWrappingData), TAG.KeyWrappingData), TAG.EncryptionKeyInformation);
  const how = required(structureOf(said as Structure, TAG.CryptographicParameters), TAG.CryptographicParameters);
  assert.equal(codeOf(how, TAG.BlockCipherMode), ENUM.BlockCipherMode.NISTKeyWrap);
  assert.deepEqual(await inClear(await register(alice, answer.value.at(-1) as Structure, mask(Encrypt))), material);
});

test('what others have wrapped so is unwrapped, as is what the server wrapped in its default mode', async () => {
  const [by, material] = [await wrapper(), new Uint8Array(randomBytes(16))];
  const kept: string[] = [];
  for (const mode of ['id-aes256-wrap', 'id-aes256-wrap-pad'] as const) {
    const key = await register(alice, asWrapped(by, wrappedBy(mode, material)), mask(Encrypt));
    assert.deepEqual(await inClear(key), material);
    await alice.do('Encrypt', id(key), bytes(TAG.Data, material));
    kept.push(key);
  }
  // The next generation of the wrapping key rewraps both, and the old one is no longer needed.
  await alice.do('ReKey', id(by));
  await alice.do('Revoke', id(by), structure(TAG.RevocationReason, [code('RevocationReasonCode', 'KeyCompromise')]));
  await alice.do('Destroy', id(by));
  for (const key of kept) assert.deepEqual(await inClear(key), material);
  const broken = await register(alice, asWrapped(await wrapper(), new Uint8Array(24)), mask(Encrypt));
  assert.equal(await alice.refused('Get', id(broken), notWrapped), 'CryptographicFailure');
});

test.run();
