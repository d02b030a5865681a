// Usage limits: every operation that protects something with a key counts as its use, whatever it protects.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { serve } from '../../../../actors/kmip/message/serve.ts';
import { encodeBinary } from '../../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../../kmip/ttlv/mask.ts';
import { enumeration, integer, longInteger, type Node, type Structure, structure } from '../../../../kmip/ttlv/node.ts';
import { longOf, structureOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { type Item, readAnswer } from '../../../fuzz/answer.ts';
import { ALICE, openFuzzedServer } from '../../../fuzz/key-server.ts';
import { active, attributes, code, id, link, mask, reference, subject } from '../../../fuzz/members.ts';
import { batchItem, requestMessage } from '../../../fuzz/objects.ts';

const { CryptographicUsageMask: BIT } = MASK;
const world = await openFuzzedServer();
test.after(() => world.end());

async function send(...items: readonly Node[]): Promise<readonly Item[]> {
  const goOn = enumeration(TAG.BatchErrorContinuationOption, ENUM.BatchErrorContinuationOption.Continue);
  const message = encodeBinary(requestMessage({ major: 2, minor: 1 }, items, [goOn]));
  return readAnswer(await serve(await world.fresh(), message, 'binary', 'any', ALICE), 'binary').items;
}

const reasons = (items: readonly Item[]) => items.map(({ reason }) => reason);
const limits = (total: bigint, unit: keyof typeof ENUM.UsageLimitsUnit = 'Object') =>
  structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, total), longInteger(TAG.UsageLimitsCount, total), code('UsageLimitsUnit', unit)]);
const create = (as: string, uses: number, ...more: Node[]) =>
  batchItem('Create', [
    code('ObjectType', 'SymmetricKey'),
    attributes(code('CryptographicAlgorithm', 'AES'), integer(TAG.CryptographicLength, 128), mask(uses), active, id(as), ...more),
  ]);

async function leftOf(key: string): Promise<bigint | undefined> {
  const [item] = await send(batchItem('GetAttributes', [id(key), reference(TAG.UsageLimits)]));
  const found = structureOf(structureOf(item?.payload as Structure, TAG.Attributes) as Structure, TAG.UsageLimits);
  return found && longOf(found, TAG.UsageLimitsCount);
}

const wrapBy = (key: string, encoding: keyof typeof ENUM.EncodingOption = 'NoEncoding') =>
  structure(TAG.KeyWrappingSpecification, [
    code('WrappingMethod', 'Encrypt'),
    structure(TAG.EncryptionKeyInformation, [id(key), structure(TAG.CryptographicParameters, [code('BlockCipherMode', 'NISTKeyWrap')])]),
    code('EncodingOption', encoding),
  ]);

test('a key that wraps others with Get and Export', async () => {
  await send(create('wrapper', BIT.WrapKey, limits(2n)), create('wrapped', BIT.Encrypt));
  const wrap = (operation: 'Get' | 'Export') => batchItem(operation, [id('wrapped'), wrapBy('wrapper')]);
  assert.deepEqual(reasons(await send(wrap('Get'), wrap('Export'), wrap('Get'), wrap('Export'))), [
    undefined,
    undefined,
    'PermissionDenied',
    'PermissionDenied',
  ]);
  assert.equal(await leftOf('wrapper'), 0n);
});

test('the bytes of what is wrapped count where bytes are the unit', async () => {
  await send(create('wrapper of bytes', BIT.WrapKey, limits(24n, 'Byte')), create('sixteen', BIT.Encrypt));
  const wrap = batchItem('Get', [id('sixteen'), wrapBy('wrapper of bytes')]);
  assert.deepEqual(reasons(await send(wrap, wrap)), [undefined, 'PermissionDenied']);
  assert.equal(await leftOf('wrapper of bytes'), 8n);
});

test('a key without limits wraps as often as it likes', async () => {
  await send(create('free', BIT.WrapKey), create('often', BIT.Encrypt));
  const wrap = batchItem('Get', [id('often'), wrapBy('free')]);
  assert.deepEqual(reasons(await send(wrap, wrap, wrap)), [undefined, undefined, undefined]);
});

const pair = (as: string, ...more: Node[]) =>
  batchItem('CreateKeyPair', [
    structure(TAG.CommonAttributes, [code('CryptographicAlgorithm', 'Ed25519'), active]),
    structure(TAG.PrivateKeyAttributes, [id(as), mask(BIT.Sign), ...more]),
    structure(TAG.PublicKeyAttributes, [id(`${as}_pk`), mask(BIT.Verify)]),
  ]);

test('a key that signs certificates, its own, those of others and renewed ones', async () => {
  await send(pair('issuer', limits(3n)), pair('subject'));
  const own = batchItem('Certify', [id('issuer_pk'), attributes(subject('issuer'), id('own'))]);
  const other = batchItem('Certify', [id('subject_pk'), attributes(subject('subject'), link('PrivateKeyLink', 'issuer'))]);
  const renewed = batchItem('ReCertify', [id('own')]);
  assert.deepEqual(reasons(await send(own, other, renewed)), [undefined, undefined, undefined]);
  assert.equal(await leftOf('issuer'), 0n);
  const again = batchItem('Certify', [id('issuer_pk'), attributes(subject('issuer'))]);
  assert.deepEqual(reasons(await send(again, other)), ['PermissionDenied', 'PermissionDenied']);
});

test.run();
