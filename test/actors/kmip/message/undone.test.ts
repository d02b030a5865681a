// Batches with Undo: an item that was undone answers, but gives away no key and nothing that was made with one.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { serve } from '../../../../actors/kmip/message/serve.ts';
import type { KeyServer } from '../../../../actors/kmip/server.ts';
import { encodeBinary } from '../../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { boolean, enumeration, integer, longInteger, type Node, structure } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { type Item, readAnswer } from '../../../fuzz/answer.ts';
import { ALICE, openFuzzedServer } from '../../../fuzz/key-server.ts';
import { active, aes, code, data, id, pairOf } from '../../../fuzz/members.ts';
import { batchItem, requestMessage } from '../../../fuzz/objects.ts';

const { Success, OperationFailed, OperationUndone } = ENUM.ResultStatus;
const world = await openFuzzedServer();
test.after(() => world.end());

async function send(items: readonly Node[], onError: 'Undo' | 'Continue' = 'Continue', server?: KeyServer): Promise<readonly Item[]> {
  const option = enumeration(TAG.BatchErrorContinuationOption, ENUM.BatchErrorContinuationOption[onError]);
  const message = encodeBinary(requestMessage({ major: 2, minor: 1 }, items, [option]));
  return readAnswer(await serve(server ?? (await world.fresh()), message, 'binary', 'any', ALICE), 'binary').items;
}

const missing = batchItem('Get', [id('no such object')]);
const tagsOf = (item: Item | undefined) => item?.payload?.value.map(({ tag }) => tag);
const memberOf = (item: Item | undefined, tag: number): Node | undefined => item?.payload?.value.find((node) => node.tag === tag);
const create = (as: string, ...more: Node[]) => batchItem('Create', [code('ObjectType', 'SymmetricKey'), aes(128, active, id(as), ...more)]);
const look = (as: string, tag: number) => batchItem('GetAttributes', [id(as), enumeration(TAG.AttributeReference, tag)]);

test('a use that is given back to the usage limits leaves no result', async () => {
  const limits = [longInteger(TAG.UsageLimitsTotal, 1n), longInteger(TAG.UsageLimitsCount, 1n), code('UsageLimitsUnit', 'Object')];
  await send([create('limited', structure(TAG.UsageLimits, limits))]);
  const encrypt = batchItem('Encrypt', [id('limited'), data()]);
  const [undone] = await send([encrypt, missing], 'Undo');
  assert.equal(undone?.payload, undefined);
  const [first, second] = await send([encrypt, encrypt]);
  assert.ok(memberOf(first, TAG.Data));
  assert.equal(second?.reason, 'PermissionDenied');
});

test('a key whose mark as given out is undone was not given out', async () => {
  await send([create('fresh')]);
  const given = (['Get', 'Export'] as const).map((each) => batchItem(each, [id('fresh')]));
  assert.deepEqual(
    (await send([...given, missing], 'Undo')).map(({ payload }) => payload),
    [undefined, undefined, undefined],
  );
  const [still] = await send([look('fresh', TAG.Fresh)]);
  assert.deepEqual(memberOf(still, TAG.Attributes), structure(TAG.Attributes, [boolean(TAG.Fresh, true)]));
});

test('other answers are returned', async () => {
  const [pair, seen] = await send([batchItem('CreateKeyPair', [pairOf(code('CryptographicAlgorithm', 'Ed25519'))]), look('fresh', TAG.Fresh), missing], 'Undo');
  assert.deepEqual([pair, seen].map(tagsOf), [
    [TAG.PrivateKeyUniqueIdentifier, TAG.PublicKeyUniqueIdentifier],
    [TAG.UniqueIdentifier, TAG.Attributes],
  ]);
});

test('key pairs that take long are generated while others can write, each once', async () => {
  const rsa = (bits: number) => batchItem('CreateKeyPair', [pairOf(code('CryptographicAlgorithm', 'RSA'), integer(TAG.CryptographicLength, bits))]);
  const server = await world.fresh();
  const meanwhile: (Item | undefined)[] = [];
  const aside: KeyServer['aside'] = async (work) => {
    meanwhile.push((await send([create(`meanwhile ${meanwhile.length}`)]))[0]);
    return work();
  };
  const whole = (items: readonly Node[], monotonic = server.monotonic) => send(items, 'Undo', { ...server, aside, monotonic });
  const made = await whole([rsa(2048), create('between'), rsa(3072), rsa(2048)]);
  assert.deepEqual(
    [...made, ...meanwhile].map((item) => item?.status),
    Array.from({ length: 7 }, () => Success),
  );
  const publicKeys = [made[0], made[3]].map((item) => id(String(memberOf(item, TAG.PublicKeyUniqueIdentifier)?.value)));
  const [one, other] = await send(publicKeys.map((each) => batchItem('Get', [each])));
  assert.notDeepEqual(memberOf(one, TAG.PublicKey), memberOf(other, TAG.PublicKey));
  const undone = await whole([create('undone'), rsa(2048), missing]);
  assert.deepEqual(
    undone.map(({ status }) => status),
    [OperationUndone, OperationUndone, OperationFailed],
  );
  let seconds = 0;
  const [late] = await whole([rsa(2048)], () => ++seconds * 30_000);
  assert.equal(late?.reason, 'ServerLimitExceeded');
  const [gone, kept] = await send([look('undone', TAG.Fresh), look('between', TAG.Fresh)]);
  assert.deepEqual([gone?.reason, kept?.status], ['ObjectNotFound', Success]);
});

test('a batch without a failure is answered whole', async () => {
  await send([create('whole')]);
  const [sealed] = await send([batchItem('Encrypt', [id('whole'), data()])], 'Undo');
  assert.ok(memberOf(sealed, TAG.Data));
});

test.run();
