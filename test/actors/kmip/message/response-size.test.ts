// Responses that must not become larger than MaximumResponseSize or than a response may be: what is told as failed was not done.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { serve } from '../../../../actors/kmip/message/serve.ts';
import { encodeBinary } from '../../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { enumeration, integer, type Node, text } from '../../../../kmip/ttlv/node.ts';
import { textOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { type Item, readAnswer } from '../../../fuzz/answer.ts';
import { ALICE, openFuzzedServer } from '../../../fuzz/key-server.ts';
import { attributes, code, id, name, opaque, pairOf } from '../../../fuzz/members.ts';
import { batchItem, requestMessage } from '../../../fuzz/objects.ts';

const world = await openFuzzedServer();
test.after(() => world.end());
const MIB = 1_048_576;
const GO_ON = enumeration(TAG.BatchErrorContinuationOption, ENUM.BatchErrorContinuationOption.Continue);
const LAST = { major: 2, minor: 1 };

interface Told {
  readonly items: readonly Item[];
  readonly size: number;
}

async function send(items: readonly Node[], maximum?: number): Promise<Told> {
  const limit = maximum === undefined ? [] : [integer(TAG.MaximumResponseSize, maximum)];
  const answer = await serve(await world.fresh(), encodeBinary(requestMessage(LAST, items, [...limit, GO_ON])), 'binary', 'any', ALICE);
  const { tree, items: told } = readAnswer(answer, 'binary');
  return { items: told, size: encodeBinary(tree).length };
}

const create = (...more: Node[]) => batchItem('Create', [code('ObjectType', 'SymmetricKey'), attributes(code('CryptographicAlgorithm', 'AES'), ...more)]);
const query = batchItem('Query', [enumeration(TAG.QueryFunction, ENUM.QueryFunction.QueryOperations)]);
const reasons = ({ items }: Told) => items.map(({ reason }) => reason);
const counted = async (value: string) => (await send([batchItem('Locate', [attributes(name(value))])])).items[0]?.payload?.value.length;

test('a change whose answer cannot have room is not started', async () => {
  for (const maximum of [0, 100, 200]) {
    const told = await send([create(name('small'))], maximum);
    assert.deepEqual(reasons(told), ['ResponseTooLarge']);
    assert.match(told.items[0]?.message ?? '', /^TOO_LARGE: .*; nothing was started$/);
    assert.equal(await counted('small'), 1, 'only LocatedItems');
  }
});

test('just enough room is enough, for one identifier and for two', async () => {
  const pair = batchItem('CreateKeyPair', [pairOf(code('CryptographicAlgorithm', 'Ed25519'))]);
  for (const item of [create(), pair]) {
    const { size, items } = await send([item]);
    assert.equal(items[0]?.reason, undefined, items[0]?.message);
    assert.deepEqual(reasons(await send([item], size)), [undefined]);
  }
  const { size } = await send([pair]);
  assert.match((await send([pair], size - 8)).items[0]?.message ?? '', /nothing was started/);
});

test('answers that only read give way to those of changes', async () => {
  const told = await send([create(name('kept')), query], 600);
  assert.deepEqual(reasons(told), [undefined, 'ResponseTooLarge']);
  assert.ok(told.size <= 600, String(told.size));
  assert.ok(textOf(told.items[0]?.payload as never, TAG.UniqueIdentifier));
  assert.deepEqual(reasons(await send([query], 600)), ['ResponseTooLarge']);
  // With still less room the messages that give the reasons become shorter too.
  const brief = await send([create(name('kept too')), query], told.size - 8);
  assert.deepEqual(reasons(brief), [undefined, 'ResponseTooLarge']);
  assert.ok(brief.size < told.size, String(brief.size));
  assert.ok(textOf(brief.items[0]?.payload as never, TAG.UniqueIdentifier));
});

test('a change with a longer answer than expected says that it was made', async () => {
  const long = 'x'.repeat(128);
  const { size } = await send([create(id('short'))]);
  const [item] = (await send([create(text(TAG.UniqueIdentifier, long))], size + 40)).items;
  assert.equal(item?.reason, 'ResponseTooLarge');
  assert.match(item?.message ?? '', /; the change was made$/);
});

test('a change at the end of the largest response is told', async () => {
  const register = (as: string, bytes: number) =>
    batchItem('Register', [code('ObjectType', 'OpaqueObject'), attributes(id(as)), opaque(new Uint8Array(bytes))]);
  // Five large ones and the rest leave room for 32 of the 40 bytes of the answer to Create.
  const rest = 4 * MIB - 6 * 72 - 32;
  assert.deepEqual(reasons(await send([register('large', 12 * MIB), register('rest', rest)])), [undefined, undefined]);
  const gets = ['large', 'large', 'large', 'large', 'large', 'rest'].map((each) => batchItem('Get', [id(each)]));
  // Too large for the reader of this test.
  const message = encodeBinary(requestMessage(LAST, [...gets, create(id('last')), create(id('later'))], [GO_ON]));
  const { outcomes } = await serve(await world.fresh(), message, 'binary', 'any', ALICE);
  assert.deepEqual(outcomes, [...gets.map(() => 'Get:Success'), 'Create:Success', 'Create:ResponseTooLarge']);
  const looks = ['last', 'later'].map((each) => batchItem('GetAttributeList', [id(each)]));
  assert.deepEqual(reasons(await send(looks)), [undefined, 'ObjectNotFound']);
});

test.run();
