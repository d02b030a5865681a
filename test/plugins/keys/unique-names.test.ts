// Names are unique among the objects of an owner (KMIP 1.4 section 3.2, 2.1 section 4.32), over the whole server and on both databases.
import assert from 'node:assert/strict';
import { Agent } from 'undici';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { boolean, bytes, dateTime, enumeration, integer, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { children, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import { KmipClient, name, type Speech, textIn } from './kmip-client.ts';

let server: SecureServer;
const agents = new Map<string, Agent>();
test.before(async () => {
  server = await startSecureServer();
  for (const who of ['alice', 'bob']) {
    const { cert, key } = await server.client(who);
    agents.set(who, new Agent({ connect: { ca: server.authority.cert, cert, key } }));
  }
});
test.after(async () => {
  for (const agent of agents.values()) await agent.close();
  await server?.end();
});

const OLD = { major: 1, minor: 4, encoding: 'binary' } as const;
const NEW = { major: 2, minor: 1, encoding: 'json' } as const;
const as = (who: string, speech: Speech = OLD) => new KmipClient({ address: server.address, agent: agents.get(who) as Agent }, speech);
const { ObjectType, CryptographicAlgorithm } = ENUM;
const BIT = MASK.CryptographicUsageMask;
const ID = (id: string): Node => text(TAG.UniqueIdentifier, id);

const aes = (client: KmipClient, ...more: readonly Node[]): Node[] => [
  enumeration(TAG.ObjectType, ObjectType.SymmetricKey),
  client.attributes(
    enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.AES),
    integer(TAG.CryptographicLength, 128),
    integer(TAG.CryptographicUsageMask, BIT.Encrypt | BIT.Decrypt),
    ...more,
  ),
];
const created = async (client: KmipClient, ...more: readonly Node[]) => textIn(await client.do('Create', ...aes(client, ...more)), TAG.UniqueIdentifier);
const located = async (client: KmipClient, called: string) =>
  children(await client.do('Locate', ...client.conditions(name(called))), TAG.UniqueIdentifier).map(({ value }) => value);
const newAttribute = (client: KmipClient, node: Node): Node => (client.isOld ? client.attribute(node) : structure(TAG.NewAttribute, [node]));

for (const speech of [OLD, NEW]) {
  const version = `${speech.major}.${speech.minor}`;
  const called = (what: string) => `${what} ${version}`;

  test(`a name that is taken is refused by every operation that gives one: KMIP ${version}`, async () => {
    const alice = as('alice', speech);
    const taken = name(called('taken'));
    const first = await created(alice, taken);
    const ofNew = alice.isOld ? 'InvalidField' : 'NonUniqueNameAttribute';
    assert.equal(await alice.refused('Create', ...aes(alice, taken)), ofNew);
    const secret = structure(TAG.OpaqueObject, [enumeration(TAG.OpaqueDataType, 0x80000001), bytes(TAG.OpaqueDataValue, Buffer.from('x'))]);
    assert.equal(await alice.refused('Register', enumeration(TAG.ObjectType, ObjectType.OpaqueObject), alice.attributes(taken), secret), ofNew);
    const other = await created(alice, name(called('other')));
    const ofOld = alice.isOld ? 'IllegalOperation' : 'NonUniqueNameAttribute';
    assert.equal(await alice.refused('AddAttribute', ID(other), newAttribute(alice, taken)), ofOld);
    assert.equal(await alice.refused('ModifyAttribute', ID(other), newAttribute(alice, taken)), ofOld);
    if (!alice.isOld) assert.equal(await alice.refused('SetAttribute', ID(other), newAttribute(alice, taken)), ofOld);
    assert.deepEqual(await located(alice, called('taken')), [first]);
    assert.deepEqual(await located(alice, called('other')), [other]);
    // The owner is told which object has it; another owner has names of their own.
    const { item } = await alice.ask('Create', ...aes(alice, taken));
    assert.ok(textOf(item, TAG.ResultMessage)?.includes(first) && textOf(item, TAG.ResultMessage)?.includes(called('taken')));
    await created(as('bob', speech), taken);
  });

  test(`what is destroyed or renamed gives up its name, what is archived keeps it: KMIP ${version}`, async () => {
    const alice = as('alice', speech);
    const again = name(called('again'));
    const first = await created(alice, again);
    await alice.do('Archive', ID(first));
    await alice.refused('Create', ...aes(alice, again));
    await alice.do('Recover', ID(first));
    await alice.do('Destroy', ID(first));
    const second = await created(alice, again);
    await alice.do('ModifyAttribute', ID(second), newAttribute(alice, name(called('renamed'))));
    const third = await created(alice, again);
    assert.deepEqual(await located(alice, called('again')), [third]);
  });

  test(`a replacement takes the name over: KMIP ${version}`, async () => {
    const alice = as('alice', speech);
    const first = await created(alice, name(called('rotated')), dateTime(TAG.ActivationDate, 1));
    const second = textIn(await alice.do('ReKey', ID(first)), TAG.UniqueIdentifier);
    assert.deepEqual(await located(alice, called('rotated')), [second]);
    // A name in the request is added to those of the old key (1.4 table 173, 2.1 table 304).
    const third = textIn(await alice.do('ReKey', ID(second), alice.attributes(name(called('rotated')), name(called('further')))), TAG.UniqueIdentifier);
    for (const each of ['rotated', 'further']) assert.deepEqual(await located(alice, called(each)), [third]);
    // A request may not give the replacement the name of a third key.
    await created(alice, name(called('third')));
    assert.ok(await alice.refused('ReKey', ID(third), alice.attributes(name(called('third')))));
    assert.deepEqual(await located(alice, called('rotated')), [third]);
  });

  test(`the halves of a pair may have one name, another pair not, and rotate with it: KMIP ${version}`, async () => {
    const alice = as('alice', speech);
    const common = alice.isOld ? TAG.CommonTemplateAttribute : TAG.CommonAttributes;
    const template = (tag: number, ...nodes: Node[]) =>
      structure(
        tag,
        nodes.map((node) => alice.attribute(node)),
      );
    const [ofPrivate, ofPublic] = alice.isOld
      ? [TAG.PrivateKeyTemplateAttribute, TAG.PublicKeyTemplateAttribute]
      : [TAG.PrivateKeyAttributes, TAG.PublicKeyAttributes];
    const pair = [
      template(common, enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.EC), name(called('pair')), dateTime(TAG.ActivationDate, 1)),
      template(
        ofPrivate,
        integer(TAG.CryptographicUsageMask, BIT.Sign),
        structure(TAG.CryptographicDomainParameters, [enumeration(TAG.RecommendedCurve, ENUM.RecommendedCurve.P_256)]),
      ),
      template(ofPublic, integer(TAG.CryptographicUsageMask, BIT.Verify)),
    ];
    const made = await alice.do('CreateKeyPair', ...pair);
    assert.equal((await located(alice, called('pair'))).length, 2);
    assert.equal(await alice.refused('CreateKeyPair', ...pair), alice.isOld ? 'InvalidField' : 'NonUniqueNameAttribute');
    const next = await alice.do('ReKeyKeyPair', text(TAG.PrivateKeyUniqueIdentifier, textIn(made, TAG.PrivateKeyUniqueIdentifier)));
    const ids = [textIn(next, TAG.PublicKeyUniqueIdentifier), textIn(next, TAG.PrivateKeyUniqueIdentifier)];
    assert.deepEqual((await located(alice, called('pair'))).toSorted(), ids.toSorted());
  });
}

test('the parts of a split key may have one name', async () => {
  const alice = as('alice', NEW);
  const split = [
    ...aes(alice, name('in parts')),
    integer(TAG.SplitKeyParts, 4),
    integer(TAG.SplitKeyThreshold, 4),
    enumeration(TAG.SplitKeyMethod, ENUM.SplitKeyMethod.XOR),
  ];
  await alice.do('CreateSplitKey', ...split);
  assert.equal((await located(alice, 'in parts')).length, 4);
  assert.equal(await alice.refused('CreateSplitKey', ...split), 'NonUniqueNameAttribute');
});

test('an import that replaces an object keeps its name, and takes no other', async () => {
  const alice = as('alice', NEW);
  const key = (...nodes: Node[]): Structure[] => [
    structure(TAG.Attributes, [integer(TAG.CryptographicUsageMask, BIT.Encrypt), ...nodes]),
    structure(TAG.SymmetricKey, [
      structure(TAG.KeyBlock, [
        enumeration(TAG.KeyFormatType, ENUM.KeyFormatType.Raw),
        structure(TAG.KeyValue, [bytes(TAG.KeyMaterial, Buffer.alloc(16, 7))]),
        enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.AES),
        integer(TAG.CryptographicLength, 128),
      ]),
    ]),
  ];
  const imported = (id: string, ...nodes: Node[]): Node[] => [
    ID(id),
    enumeration(TAG.ObjectType, ObjectType.SymmetricKey),
    boolean(TAG.ReplaceExisting, true),
    ...key(...nodes),
  ];
  await alice.do('Import', ...imported('import one', name('imported')));
  await alice.do('Import', ...imported('import one', name('imported')));
  assert.equal(await alice.refused('Import', ...imported('import two', name('imported'))), 'NonUniqueNameAttribute');
  await alice.do('Import', ...imported('import two', name('imported two')));
  assert.equal(await alice.refused('Import', ...imported('import two', name('imported'))), 'NonUniqueNameAttribute');
  assert.deepEqual(await located(alice, 'imported'), ['import one']);
});

test('of many who ask for one name at once one has it', async () => {
  for (let round = 0; round < 5; round++) {
    const clients = Array.from({ length: 8 }, () => as('alice'));
    const called = name(`raced ${round}`);
    const answers = await Promise.all(clients.map((client) => client.ask('Create', ...aes(client, called))));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), ['Success', ...Array(7).fill('OperationFailed')].toSorted());
    for (const { status, reason } of answers) if (status !== 'Success') assert.equal(reason, 'InvalidField');
    assert.equal((await located(as('alice'), `raced ${round}`)).length, 1);
  }
});

test('of many renames to one name at once one is done', async () => {
  const client = as('bob', NEW);
  const ids = await Promise.all(Array.from({ length: 6 }, (_, at) => created(client, name(`before ${at}`))));
  const answers = await Promise.all(ids.map((id) => client.ask('ModifyAttribute', ID(id), newAttribute(client, name('after')))));
  assert.equal(answers.filter(({ status }) => status === 'Success').length, 1);
  assert.equal((await located(client, 'after')).length, 1);
});

test.run();
