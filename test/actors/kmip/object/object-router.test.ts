// Whose an identifier is, and that a second place for objects is one more source: operations, searches and new objects go there by the identifier alone.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { createAccess } from '../../../../actors/kmip/access.ts';
import { serve } from '../../../../actors/kmip/message/serve.ts';
import { ObjectRouter } from '../../../../actors/kmip/object/object-router.ts';
import { unconfiguredHsm } from '../../../../actors/kmip/object/unconfigured-hsm.ts';
import type { KeyServer } from '../../../../actors/kmip/server.ts';
import { encodeBinary } from '../../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { bytes, integer, type Node, structure, text } from '../../../../kmip/ttlv/node.ts';
import { children, textOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { UNREAD } from '../../../fakes/objects.ts';
import { tray } from '../../../fakes/tray.ts';
import { type Item, readAnswer } from '../../../fuzz/answer.ts';
import { ALICE, BOB, openFuzzedServer } from '../../../fuzz/key-server.ts';
import { active, attributes, code, id, newAttribute } from '../../../fuzz/members.ts';
import { batchItem, requestMessage } from '../../../fuzz/objects.ts';

test('the longest prefix that ends at a border has an identifier, whatever the order of the sources', () => {
  const [one, second, slot] = [tray('hsm::soft_hsm'), tray('hsm::soft_hsm_1'), tray('hsm::soft_hsm::7')];
  for (const others of [
    [one, second, slot, unconfiguredHsm],
    [unconfiguredHsm, slot, second, one],
  ]) {
    const router = new ObjectRouter(UNREAD, others);
    for (const [name, source] of [
      ['hsm::soft_hsm::0::k', one],
      ['hsm::soft_hsm::7::k', slot],
      ['hsm::soft_hsm::77::k', one],
      ['hsm::soft_hsm_1::0::k', second],
      ['hsm::soft_hsm_2::0::k', unconfiguredHsm],
      ['hsm::soft_hsm', unconfiguredHsm],
      ['hsm::', unconfiguredHsm],
      ['hsm', UNREAD],
      ['hsm:soft_hsm::0::k', UNREAD],
      ['a::hsm::soft_hsm::0::k', UNREAD],
      ['a plain name', UNREAD],
      ['', UNREAD],
    ] as const)
      assert.equal(router.sourceOf(name), source, name);
  }
});

test('two sources of one prefix, or one without, are a mistake', () => {
  assert.throws(() => new ObjectRouter(UNREAD, [tray('hsm'), unconfiguredHsm]), /its own prefix/);
  assert.throws(() => new ObjectRouter(UNREAD, [UNREAD]), /its own prefix/);
});

test('no other file of the key server knows how identifiers of HSM objects begin', () => {
  const root = new URL('../../../../', import.meta.url).pathname;
  const naming = globSync('{actors/kmip,kmip}/**/*.ts', { cwd: root }).filter((file) => /'hsm::|No HSM/.test(readFileSync(join(root, file), 'utf8')));
  assert.deepEqual(naming, ['actors/kmip/object/unconfigured-hsm.ts']);
});

const world = await openFuzzedServer();
world.keep();
test.after(() => world.end());

async function send(server: KeyServer, operation: keyof typeof ENUM.Operation, payload: readonly Node[], caller = ALICE): Promise<Item> {
  const message = encodeBinary(requestMessage({ major: 2, minor: 1 }, [batchItem(operation as never, payload)]));
  const [item] = readAnswer(await serve(server, message, 'binary', 'any', caller), 'binary').items;
  return item as Item;
}

const newKey = (...more: Node[]) => [
  code('ObjectType', 'SymmetricKey'),
  attributes(code('CryptographicAlgorithm', 'AES'), integer(TAG.CryptographicLength, 256), integer(TAG.CryptographicUsageMask, 12), active, ...more),
];
const revoked = structure(TAG.RevocationReason, [code('RevocationReasonCode', 'CessationOfOperation')]);
const statusOf = ({ status, reason, message }: Item) => (status === ENUM.ResultStatus.Success ? 'Success' : `${reason}: ${message}`);

test('a key in another place is used, described, kept from others and destroyed there alone', async () => {
  const place = tray('tray');
  const server = await world.fresh(place);
  assert.equal(statusOf(await send(server, 'Create', newKey(id('tray::1::key')))), 'Success');
  assert.equal(statusOf(await send(server, 'Create', newKey(id('beside')))), 'Success');
  assert.deepEqual([...place.objects.keys()], ['tray::1::key']);
  const inDatabase = async (name: string) => (await server.rows.describe(server.store, name)) !== undefined;
  assert.deepEqual([await inDatabase('tray::1::key'), await inDatabase('beside')], [false, true]);
  const plaintext = bytes(TAG.Data, Buffer.from('hello'));
  for (const [operation, payload] of [
    ['Encrypt', [id('tray::1::key'), plaintext]],
    ['Get', [id('tray::1::key')]],
    ['GetAttributes', [id('tray::1::key')]],
    ['SetAttribute', [id('tray::1::key'), newAttribute(text(TAG.Comment, 'x'))]],
  ] as const) {
    assert.equal(statusOf(await send(server, operation, payload)), 'Success', operation);
    assert.match(statusOf(await send(server, operation, payload, BOB)), /^(Object|Item)NotFound: tray::1::key is not in the tray$/, operation);
  }
  const access = createAccess(server);
  assert.deepEqual(await access.check('tray::1::key', undefined, ['get'], ALICE), { get: true });
  assert.deepEqual(await access.check('tray::1::key', undefined, ['get'], BOB), { get: false });
  assert.equal(statusOf(await send(server, 'Revoke', [id('tray::1::key'), revoked])), 'Success');
  assert.equal(statusOf(await send(server, 'Destroy', [id('tray::1::key')])), 'Success');
  assert.equal(place.objects.get('tray::1::key')?.content, undefined);
  assert.equal(place.objects.get('tray::1::key')?.state, ENUM.State.Destroyed);
});

test('Locate goes through all places with one offset and one limit', async () => {
  world.reset();
  const place = tray('tray');
  const server = await world.fresh(place);
  for (const name of ['a', 'b', 'tray::c', 'tray::d', 'tray::e']) assert.equal(statusOf(await send(server, 'Create', newKey(id(name)))), 'Success', name);
  const locate = async (offset: number, maximum: number) => {
    const { payload } = await send(server, 'Locate', [
      integer(TAG.MaximumItems, maximum),
      integer(TAG.OffsetItems, offset),
      attributes(code('ObjectType', 'SymmetricKey')),
    ]);
    assert.ok(payload);
    return children(payload, TAG.UniqueIdentifier).map(({ value }) => value);
  };
  const all = ['b', 'a', 'tray::c', 'tray::d', 'tray::e'];
  for (let offset = 0; offset <= all.length; offset++)
    for (const maximum of [1, 2, 3, 5]) assert.deepEqual(await locate(offset, maximum), all.slice(offset, offset + maximum), `${offset}, ${maximum}`);
});

test('a place is asked for what it takes, and the replacement of a key lies where the key lay', async () => {
  world.reset();
  const place = tray('tray');
  const server = await world.fresh(place);
  const opaque = [code('ObjectType', 'SecretData'), attributes(id('tray::secret'), integer(TAG.CryptographicLength, 64))];
  assert.equal(statusOf(await send(server, 'Create', opaque)), 'Success');
  const pair = [structure(TAG.CommonAttributes, [code('CryptographicAlgorithm', 'Ed25519'), id('tray::pair')])];
  assert.equal(statusOf(await send(server, 'CreateKeyPair', pair)), 'InvalidField: tray::pair: the tray takes no such object');
  assert.match(
    statusOf(await send(server, 'Create', newKey(id('hsm::soft_hsm::0::k')))),
    /^InvalidField: hsm::soft_hsm::0::k cannot be made: No HSM is configured$/,
  );
  assert.match(statusOf(await send(server, 'Get', [id('hsm::soft_hsm::0::k')])), /^ObjectNotFound: hsm::soft_hsm::0::k not found: No HSM is configured$/);
  assert.match(statusOf(await send(server, 'Destroy', [id('hsm::soft_hsm::0::k')])), /^ItemNotFound: hsm::soft_hsm::0::k not found: No HSM is configured$/);
  assert.equal(statusOf(await send(server, 'Create', newKey(id('tray::old')))), 'Success');
  const replacement = (await send(server, 'ReKey', [id('tray::old')])).payload;
  assert.equal(replacement && textOf(replacement, TAG.UniqueIdentifier), 'tray::made 1');
  assert.ok(place.objects.get('tray::made 1')?.content);
  assert.equal(statusOf(await send(server, 'Create', newKey(id('plain')))), 'Success');
  const other = (await send(server, 'ReKey', [id('plain')])).payload;
  assert.match(String(other && textOf(other, TAG.UniqueIdentifier)), /^[0-9a-f-]{36}$/, 'what lay in the database has its replacement there');
});

test.run();
