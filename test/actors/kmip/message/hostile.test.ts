// Requests that once failed inside the server: each is answered, or refused with what is wrong.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { serve } from '../../../../actors/kmip/message/serve.ts';
import type { OperationName } from '../../../../kmip/operation-name.ts';
import type { ResultReason } from '../../../../kmip/refusal.ts';
import { encodeBinary } from '../../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { compactCodeName, enumerationNames } from '../../../../kmip/ttlv/enumeration-of.ts';
import { encodeJson } from '../../../../kmip/ttlv/json.ts';
import { dateTime, enumeration, integer, longInteger, type Node, structure, text } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { type Item, readAnswer } from '../../../fuzz/answer.ts';
import { ALICE } from '../../../fuzz/key-server.ts';
import { attributes, code, id } from '../../../fuzz/members.ts';
import { batchItem, requestMessage } from '../../../fuzz/objects.ts';
import { openWorld } from '../../../fuzz/operations.fuzz.ts';

const { fuzzed } = await openWorld();
const LAST = { major: 2, minor: 1 };

async function ask(operation: OperationName, payload: readonly Node[], version = LAST): Promise<Item> {
  const message = encodeBinary(requestMessage(version, [batchItem(operation, payload)]));
  const { items } = readAnswer(await serve(await fuzzed.fresh(), message, 'binary', 'any', ALICE), 'binary');
  assert.deepEqual(fuzzed.errors(), []);
  return items[0] as Item;
}

const tags = (count: number): string => JSON.stringify(Array.from({ length: count }, (_, at) => `tag ${at}`));

test('very many tags as an identifier, and very many conditions of a search', async () => {
  assert.equal((await ask('Get', [id(tags(100))])).reason, 'ObjectNotFound');
  assert.equal((await ask('Get', [id(tags(1_500))])).reason, 'InvalidField');
  assert.equal((await ask('Get', [id('["blue"]')])).reason, undefined);
  for (const condition of [id('aes'), code('ObjectType', 'SymmetricKey'), code('State', 'Active'), text(TAG.ObjectGroup, 'group')]) {
    assert.equal((await ask('Locate', [attributes(...Array<Node>(2_000).fill(condition))])).reason, 'InvalidField');
    assert.equal((await ask('Locate', [attributes(condition, condition)])).reason, undefined);
  }
});

test('a query function that is no enumeration', async () => {
  for (const node of [text(TAG.QueryFunction, 'constructor'), text(TAG.QueryFunction, 'toString'), longInteger(TAG.QueryFunction, 1n)])
    assert.equal((await ask('Query', [node])).reason, 'InvalidMessage');
});

test('a group member that nobody knows', async () => {
  for (const code of [0, 0xfe, 0x80000001]) assert.equal((await ask('Locate', [enumeration(TAG.ObjectGroupMember, code)])).reason, 'InvalidField');
});

test('masks and dates of other types are no conditions', async () => {
  assert.equal((await ask('Locate', [attributes(longInteger(TAG.CryptographicUsageMask, 4n))])).reason, 'InvalidField');
  for (const tag of [TAG.InitialDate, TAG.ProcessStartDate])
    assert.equal((await ask('Locate', [attributes(dateTime(tag, 0), longInteger(tag, 4n), integer(tag, 1))])).reason, 'InvalidField');
});

test('an answer has no members that its version has not, however deep', async () => {
  const version = { major: 1, minor: 3 };
  assert.equal((await ask('Query', [enumeration(TAG.QueryFunction, ENUM.QueryFunction.QueryCapabilities)], version)).reason, undefined);
});

test('a single operation that cannot be read is refused with 422, in whatever spelling and order', async () => {
  const refused = async (body: string | Uint8Array) => {
    const answer = await serve(await fuzzed.fresh(), new Uint8Array(Buffer.from(body)), 'json', 'any', ALICE);
    return [answer.status, answer.outcomes];
  };
  for (const name of ['Create', 'create', 'CREATE', '\\u0043reate'])
    for (const value of ['5', '[{"tag":"Nope","type":"Integer","value":1}]', '[{"tag":"ObjectType"}]'])
      for (const body of [
        `{"tag":"${name}","value":${value}}`,
        `{"value":${value},"tag":"${name}"}`,
        `{ "type" : "Structure", "tag":"${name}","value":${value}}`,
      ])
        assert.deepEqual(await refused(body), [422, ['Create:InvalidMessage']], body);
  for (const name of ['PKCS_11', 'PKCS11']) assert.deepEqual(await refused(`{"tag":"${name}","value":5}`), [422, ['PKCS_11:InvalidMessage']]);
  for (const begun of ['{"tag":"re-key","value":[', '{"tag":"Re_Key","value":"\xff"}'])
    assert.deepEqual(await refused(Buffer.from(begun, 'latin1')), [422, ['ReKey:InvalidMessage']], begun);
  // A message is answered by a message.
  for (const name of ['RequestMessage', 'requestmessage', 'Request-Message', '0x420078'])
    for (const body of [`{"tag":"${name}","value":[]}`, `{"value":[],"tag":"${name}"}`])
      assert.deepEqual(await refused(body), [200, ['?:InvalidMessage']], body);
});

test('a single operation is refused with the reason that a message gets', async () => {
  for (const [operation, endpoint, version, node] of [
    ['Get', '2_1', LAST, id('missing')],
    ['GetAttributeList', '2_1', LAST, id('missing')],
    ['PKCS_11', '2_1', LAST, text(TAG.PKCS_11Interface, 'x')],
    ['Get', '1_4', { major: 1, minor: 4 }, id('missing')],
    ['Decrypt', '1_4', { major: 1, minor: 4 }, id('missing')],
    ['Obliterate', '2_1', LAST, id('missing')],
  ] as const) {
    const single = encodeJson(structure(TAG.RequestPayload, [node]), operation);
    const { status, body } = await serve(await fuzzed.fresh(), single, 'json', endpoint, ALICE);
    const { reason, message } = await ask(operation, [node], version);
    const spelled = compactCodeName(ENUM.ResultReason[reason as ResultReason], enumerationNames(TAG.ResultReason));
    assert.deepEqual([status, JSON.parse(String(body)).message], [422, `${spelled}: ${message}`]);
  }
});

test.after(() => fuzzed.end());

test.run();
