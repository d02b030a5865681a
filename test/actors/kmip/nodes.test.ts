// Two key servers that share a database: a life of keys on SQLite and PostgreSQL, and what one node takes away is refused by the other at once.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { encodeJson } from '../../../kmip/ttlv/json.ts';
import { boolean, dateTime, enumeration, integer, interval, type Node, structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { ALICE } from '../../fakes/objects.ts';
import { testDatabases } from '../../stores.ts';
import { type Answered, aesKey, decryption, encryption, type KeyServerUnderTest, named, revocation, startKeyServer } from './key-server.ts';

const BOB = { ...ALICE, user: 'acme/bob' };
const THREADS = 2;
const databases = await testDatabases();
test.after(() => Promise.all(databases.map((database) => database.stop())).then(() => {}));

const nameNode = (value: string) => structure(TAG.Name, [text(TAG.NameValue, value), enumeration(TAG.NameType, ENUM.NameType.UninterpretedTextString)]);
const tagsNode = (...tags: string[]) =>
  structure(TAG.Attribute, [text(TAG.VendorIdentification, 'gatehouse'), text(TAG.AttributeName, 'tag'), text(TAG.AttributeValue, JSON.stringify(tags))]);
const keyset = (name: string) => structure(TAG.RotateName, [text(TAG.RotateNameValue, name), enumeration(TAG.RotateNameType, 1)]);
const limits = (total: bigint) =>
  structure(TAG.UsageLimits, [
    { tag: TAG.UsageLimitsTotal, type: ENUM.ItemType.LongInteger, value: total },
    enumeration(TAG.UsageLimitsUnit, ENUM.UsageLimitsUnit.Object),
  ]);
const pair = (algorithm: number, length: number) => [
  structure(TAG.CommonAttributes, [
    enumeration(TAG.CryptographicAlgorithm, algorithm),
    integer(TAG.CryptographicLength, length),
    integer(TAG.CryptographicUsageMask, 0x03),
    dateTime(TAG.ActivationDate, 1),
  ]),
];

/** A message whose items are one transaction. @returns how each item ended */
async function undoable(server: KeyServerUnderTest, ...items: readonly (readonly [keyof typeof ENUM.Operation, readonly Node[]])[]) {
  const version = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, 2), integer(TAG.ProtocolVersionMinor, 1)]);
  const undo = enumeration(TAG.BatchErrorContinuationOption, ENUM.BatchErrorContinuationOption.Undo);
  const header = structure(TAG.RequestHeader, [version, undo, integer(TAG.BatchCount, items.length)]);
  const batch = items.map(([operation, members]) =>
    structure(TAG.BatchItem, [enumeration(TAG.Operation, ENUM.Operation[operation]), structure(TAG.RequestPayload, members)]),
  );
  const answer = await server.kmip.serve(encodeJson(structure(TAG.RequestMessage, [header, ...batch])), 'json', '2_1', ALICE);
  return { outcomes: answer.outcomes.filter((outcome) => outcome.includes(':')), body: Buffer.from(answer.body).toString() };
}

/** Longer than what an index keeps as it is. */
const contact = (length: number) => text(TAG.ContactInformation, 'x'.repeat(length));

const reasons = (answers: readonly Answered[]) => [...new Set(answers.filter(({ ok }) => !ok).map(({ reason }) => reason.split(':')[0]))];

for (const database of databases) {
  const on = (what: string, run: (one: KeyServerUnderTest, other: KeyServerUnderTest) => Promise<void>) =>
    test(`${database.dialect}: ${what}`, async () => {
      const url = await database.url();
      const one = await startKeyServer({ threads: THREADS, url });
      // Of SQLite there is one node; its threads share the file.
      const other = database.dialect === 'postgres' ? await startKeyServer({ threads: THREADS, url }) : one;
      try {
        await run(one, other);
        for (const { lines } of new Set([one, other]))
          assert.deepEqual(
            lines.filter(({ level }) => level === 'error'),
            [],
          );
      } finally {
        await other.end();
        if (other !== one) await one.end();
      }
    });

  on('a life of keys, each step on the other node', async (one, other) => {
    const id = await one.made('Create', aesKey(nameNode('first'), tagsNode('life', 'x'.repeat(255)), contact(5_000)));
    const sealed = await other.ask('Encrypt', encryption(id));
    assert.ok((await one.ask('Decrypt', decryption(id, sealed))).ok);
    const next = await other.made('ReKey', [named(id)]);
    const ids = async (...attributes: Node[]) => (await one.ask('Locate', [structure(TAG.Attributes, attributes)])).ids;
    assert.deepEqual(await ids(nameNode('first')), [next]);
    assert.deepEqual(await ids(tagsNode('life')), [next, id]);
    assert.deepEqual(await ids(tagsNode('x'.repeat(255))), [next, id]);
    assert.deepEqual(await ids(contact(5_000)), [next, id]);
    assert.deepEqual(await ids(contact(4_999)), []);
    assert.deepEqual(await ids(dateTime(TAG.ActivationDate, 0), dateTime(TAG.ActivationDate, 2), enumeration(TAG.State, ENUM.State.Active)), [next, id]);
    assert.deepEqual(await ids(integer(TAG.CryptographicUsageMask, 0x04), enumeration(TAG.ObjectType, ENUM.ObjectType.SymmetricKey)), [next, id]);
    assert.deepEqual(await ids(structure(TAG.Link, [enumeration(TAG.LinkType, ENUM.LinkType.ReplacedObjectLink), text(TAG.LinkedObjectIdentifier, id)])), [
      next,
    ]);
    const page = await other.ask('Locate', [integer(TAG.MaximumItems, 1), integer(TAG.OffsetItems, 1)]);
    assert.deepEqual([page.members['LocatedItems'], page.ids], [2, [id]]);
    assert.ok((await one.ask('Decrypt', decryption(id, sealed))).ok, 'the old key opens what it has sealed');
    for (const operation of ['Archive', 'Recover'] as const) assert.ok((await other.ask(operation, [named(id)])).ok);
    assert.ok((await one.ask('Revoke', revocation(id))).ok);
    assert.match((await other.ask('Encrypt', encryption(id))).reason, /^Wrong_Key_Lifecycle_State/);
    assert.ok((await one.ask('Destroy', [named(id)])).ok);
    assert.match((await other.ask('Decrypt', decryption(id, sealed))).reason, /^Object_Destroyed/);
    assert.deepEqual(await ids(tagsNode('life')), [next]);
  });

  on('what one node takes away is refused by the other, whatever is in flight', async (one, other) => {
    const id = await one.made('Create', aesKey());
    await one.kmip.grant(id, BOB.user, ['encrypt'], ALICE);
    for (const [caller, change] of [
      [BOB, () => one.kmip.revoke(id, BOB.user, ['encrypt'], ALICE)],
      [ALICE, () => one.made('Revoke', revocation(id))],
    ] as const) {
      let isDone = false;
      const seen = { before: [] as Answered[], after: [] as Answered[] };
      const workers = Array.from({ length: 8 }, async () => {
        while (seen.after.length < 40) {
          const list = isDone ? seen.after : seen.before;
          list.push(await other.ask('Encrypt', encryption(id), caller));
        }
      });
      while (seen.before.length < 40) await one.ask('GetAttributes', [named(id)]);
      await change();
      isDone = true;
      await Promise.all(workers);
      assert.equal(seen.after.filter(({ ok }) => ok).length, 0);
      assert.ok(seen.before.some(({ ok }) => ok));
    }
  });

  on('a batch that is one transaction is done whole or not at all, and sees its own changes', async (one, other) => {
    const found = [structure(TAG.Attributes, [nameNode('batch')])];
    const done = await undoable(one, ['Create', aesKey(nameNode('batch'))], ['Locate', found], ['Activate', []]);
    assert.deepEqual(done.outcomes, ['Create:OperationUndone', 'Locate:OperationUndone', 'Activate:WrongKeyLifecycleState'], done.body);
    // The key is active already: the third item fails, and nothing of the batch is there.
    assert.deepEqual((await other.ask('Locate', found)).ids, []);
    const kept = await undoable(one, ['Create', aesKey(nameNode('batch'))], ['Locate', found], ['Get', []]);
    assert.deepEqual(kept.outcomes, ['Create:Success', 'Locate:Success', 'Get:Success'], kept.body);
    assert.equal((await other.ask('Locate', found)).ids.length, 1);
  });

  on('changes of one key from both nodes at once are all made, in batches as well', async (one, other) => {
    const id = await one.made('Create', aesKey(limits(1_000n)));
    const allocation = [named(id), { tag: TAG.UsageLimitsCount, type: ENUM.ItemType.LongInteger, value: 10n } as const];
    const work = Array.from({ length: 12 }, (_, at) => {
      const server = at % 2 === 0 ? one : other;
      if (at % 3 > 0) return server.ask('GetUsageAllocation', allocation).then(({ ok }) => ok);
      return undoable(server, ['GetUsageAllocation', allocation], ['GetUsageAllocation', allocation]).then(({ outcomes }) =>
        outcomes.every((each) => each.endsWith(':Success')),
      );
    });
    assert.deepEqual(
      await Promise.all(work),
      work.map(() => true),
    );
    const rest = await one.ask('GetAttributes', [named(id), enumeration(TAG.AttributeReference, TAG.UsageLimits)]);
    assert.match(JSON.stringify(rest.members), new RegExp(`UsageLimitsCount","type":"LongInteger","value":"0x0*${(1_000 - 160).toString(16)}"`));
  });

  on('usage limits hold over both nodes', async (one, other) => {
    const id = await one.made('Create', aesKey(limits(10n)));
    const answers = await Promise.all(Array.from({ length: 16 }, (_, at) => (at % 2 === 0 ? one : other).ask('Encrypt', encryption(id))));
    assert.equal(answers.filter(({ ok }) => ok).length, 10, reasons(answers).join());
    assert.deepEqual(reasons(answers), ['Permission_Denied']);
  });

  on('both nodes rotate what is due: once', async (one, other) => {
    const keys = [];
    for (let at = 0; at < 3; at++)
      keys.push(await one.made('Create', aesKey(keyset(`auto ${at}`), interval(TAG.RotateInterval, 1), boolean(TAG.RotateAutomatic, true))));
    keys.push(await one.made('CreateKeyPair', pair(ENUM.CryptographicAlgorithm.RSA, 2048)));
    assert.ok((await one.ask('ReKeyKeyPair', [text(TAG.PrivateKeyUniqueIdentifier, keys[3] as string)])).ok);
    for (const { runtime } of new Set([one, other])) await runtime.advance(1_500);
    await Promise.all([one, other, one, other].map((server) => server.kmip.rotateDue()));
    for (let at = 0; at < 3; at++) {
      const first = await other.ask('Encrypt', encryption(`auto ${at}@first`));
      const latest = await one.ask('Encrypt', encryption(`auto ${at}@latest`));
      assert.deepEqual(first.ids, [keys[at]]);
      assert.ok(latest.ok && latest.ids[0] !== keys[at], latest.reason);
      assert.match((await one.ask('Encrypt', encryption(`auto ${at}@2`))).reason, /Not_Found/);
    }
  });
}

test.run();
