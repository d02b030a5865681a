// DelegatedLogin: whoever has the ticket does in the name of its giver what the Rights say, as long and as often as they say, and nothing else.
import assert from 'node:assert/strict';
import { Agent } from 'undici';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { openStore } from '../../../kernel/store/open.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { encodeJson } from '../../../kmip/ttlv/json.ts';
import { bytes, enumeration, integer, interval, longInteger, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf, children, codeOf, nameOf, required, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { people } from '../../people.ts';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import { signInAdmin } from '../../server.ts';
import { testDatabases } from '../../stores.ts';
import { KmipClient } from './kmip-client.ts';

type OperationName = keyof typeof ENUM.Operation;

const databases = await testDatabases();
test.after(async () => void (await Promise.all(databases.map((database) => database.stop()))));

const ID = (id: string) => text(TAG.UniqueIdentifier, id);
const GCM = structure(TAG.CryptographicParameters, [enumeration(TAG.BlockCipherMode, ENUM.BlockCipherMode.GCM)]);
const DATA = bytes(TAG.Data, Buffer.from('told'));
const aes = (by: KmipClient, uses = 12, ...more: Node[]): Node[] => [
  enumeration(TAG.ObjectType, ENUM.ObjectType.SymmetricKey),
  by.attributes(
    enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES),
    integer(TAG.CryptographicLength, 256),
    integer(TAG.CryptographicUsageMask, uses),
    ...more,
  ),
];

interface Limits {
  readonly operations?: readonly OperationName[];
  readonly objects?: readonly string[];
  readonly groups?: readonly string[];
}

const right = ({ operations, objects, groups }: Limits): Structure =>
  structure(TAG.Right, [
    ...(operations
      ? [
          structure(
            TAG.Operations,
            operations.map((name) => enumeration(TAG.Operation, ENUM.Operation[name])),
          ),
        ]
      : []),
    ...(objects ? [structure(TAG.Objects, objects.map(ID))] : []),
    ...(groups
      ? [
          structure(
            TAG.ObjectGroups,
            groups.map((group) => text(TAG.ObjectGroup, group)),
          ),
        ]
      : []),
  ]);
const rights = (...all: readonly Limits[]): Structure => structure(TAG.Rights, all.map(right));

interface World {
  readonly server: SecureServer;
  readonly store: Store;
  readonly root: string;
  readonly alice: KmipClient;
  readonly bob: KmipClient;
  /** Of an active key of alice's. */
  key(uses?: number, ...more: Node[]): Promise<string>;
  ticket(given: Structure, ...terms: Node[]): Promise<Structure>;
  end(): Promise<void>;
}

async function world(url: string): Promise<World> {
  const server = await startSecureServer({ config: `[store]\nurl = "${url}"\n` });
  const store = await openStore(url.startsWith('sqlite:') ? `sqlite:${server.dataDir}/${url.slice(7)}` : url, { writer: 'test', clock: createClock() });
  const agents: Agent[] = [];
  const client = async (name: string) => {
    const { cert, key } = await server.client(name);
    const agent = new Agent({ connect: { ca: server.authority.cert, cert, key } });
    agents.push(agent);
    return new KmipClient({ address: server.address, agent }, { major: 2, minor: 1, encoding: 'binary' });
  };
  const [root, alice, bob] = [await signInAdmin(server), await client('alice'), await client('bob')];
  return {
    server,
    store,
    root,
    alice,
    bob,
    async key(uses, ...more) {
      const made = required(textOf(await alice.do('Create', ...aes(alice, uses, ...more)), TAG.UniqueIdentifier), TAG.UniqueIdentifier);
      await alice.do('Activate', ID(made));
      return made;
    },
    ticket: async (given, ...terms) => required(structureOf(await alice.do('DelegatedLogin', ...terms, given), TAG.Ticket), TAG.Ticket),
    async end() {
      for (const agent of agents) await agent.close();
      await store.close();
      await server.end();
    },
  };
}

const header = (ticket: Structure): Structure =>
  structure(TAG.Authentication, [
    structure(TAG.Credential, [enumeration(TAG.CredentialType, ENUM.CredentialType.Ticket), structure(TAG.CredentialValue, [ticket])]),
  ]);

/** @returns `Success`, or the reason of the refusal */
async function asks(by: KmipClient, ticket: Structure, operation: OperationName, ...payload: Node[]): Promise<string> {
  const { status, reason } = await by.askWith([header(ticket)], operation, ...payload);
  return reason ?? status;
}
const told = (items: readonly Structure[]): string[] =>
  items.map((item) => {
    const reason = codeOf(item, TAG.ResultReason);
    return reason === undefined ? nameOf('ResultStatus', required(codeOf(item, TAG.ResultStatus), TAG.ResultStatus)) : nameOf('ResultReason', reason);
  });

for (const database of databases) {
  let it: World;
  test.before(async () => {
    it = await world(database.dialect === 'sqlite' ? 'sqlite:gatehouse.db' : await database.url());
  });
  test.after(() => it.end());
  const on = (what: string, run: (it: World) => Promise<void>) => test(`${database.dialect}: ${what}`, () => run(it));

  on('the holder uses the keys that the Rights name, for the operations that they name', async ({ alice, bob, key, ticket }) => {
    const [one, other] = [await key(), await key()];
    const given = await ticket(rights({ operations: ['Encrypt', 'GetAttributes'], objects: [one] }, { operations: ['Ping'] }));
    assert.equal((await bob.ask('GetAttributes', ID(one))).reason, 'ObjectNotFound', 'bob himself knows nothing of it');
    for (const by of [bob, alice]) {
      assert.equal(await asks(by, given, 'Encrypt', ID(one), GCM, DATA), 'Success');
      assert.equal(await asks(by, given, 'GetAttributes', ID(one)), 'Success');
      assert.equal(await asks(by, given, 'Ping'), 'Success');
      assert.equal(await asks(by, given, 'Encrypt', ID(other), GCM, DATA), 'NotAuthorised');
      assert.equal(await asks(by, given, 'Encrypt', ID('nothing'), GCM, DATA), 'ItemNotFound');
      for (const operation of ['Get', 'Decrypt', 'Destroy', 'Revoke', 'Locate', 'Create'] as const)
        assert.equal(await asks(by, given, operation, ID(one)), 'NotAuthorised', operation);
    }
  });

  on('what an operation touches besides has to be permitted too: wrapping keys, and what earlier items of the batch have left', async (w) => {
    const [one, wrapping] = [await w.key(), await w.key(48)];
    const wrap = structure(TAG.KeyWrappingSpecification, [
      enumeration(TAG.WrappingMethod, ENUM.WrappingMethod.Encrypt),
      structure(TAG.EncryptionKeyInformation, [ID(wrapping)]),
    ]);
    const alone = await w.ticket(rights({ operations: ['Get'], objects: [one] }));
    assert.equal(await asks(w.bob, alone, 'Get', ID(one), wrap), 'NotAuthorised');
    assert.equal(await asks(w.bob, alone, 'Get', ID(one)), 'Success');
    const making = await w.ticket(rights({ operations: ['Create'] }, { operations: ['Get', 'Encrypt'], objects: [one] }));
    assert.deepEqual(told(await w.bob.askAll([header(making)], [['Create', ...aes(w.bob)], ['Get'], ['Get', ID(one)]])), [
      'Success',
      'NotAuthorised',
      'Success',
    ]);
  });

  on('a Right on ObjectGroups permits what is in one of them, and with Objects only what is both', async ({ bob, key, ticket }) => {
    const inGroup = (group: string) => key(12, text(TAG.ObjectGroup, group));
    const [red, blue, none] = [await inGroup('red'), await inGroup('blue'), await key()];
    const given = await ticket(
      rights({ operations: ['GetAttributes'], groups: ['red', 'green'] }, { operations: ['GetAttributes'], objects: [blue, none], groups: ['blue'] }),
    );
    const answers = [red, blue, none].map((id) => asks(bob, given, 'GetAttributes', ID(id)));
    assert.deepEqual(await Promise.all(answers), ['Success', 'Success', 'NotAuthorised']);
  });

  on('what the holder makes belongs to the giver, also what is answered later; the audit log names both', async ({ server, root, alice, bob, ticket }) => {
    const given = await ticket(rights({ operations: ['Create', 'Poll'] }));
    const made = await bob.askWith([header(given)], 'Create', ...aes(bob));
    const id = required(textOf(made.payload, TAG.UniqueIdentifier), TAG.UniqueIdentifier);
    assert.equal((await alice.ask('GetAttributes', ID(id))).status, 'Success');
    assert.equal((await bob.ask('GetAttributes', ID(id))).reason, 'ObjectNotFound');
    const later = enumeration(TAG.AsynchronousIndicator, ENUM.AsynchronousIndicator.Mandatory);
    const submitted = await bob.askWith([header(given), later], 'Create', ...aes(bob));
    const value = bytes(
      TAG.AsynchronousCorrelationValue,
      required(bytesOf(submitted.item, TAG.AsynchronousCorrelationValue), TAG.AsynchronousCorrelationValue),
    );
    let polled = await bob.askWith([header(given)], 'Poll', value);
    for (; polled.status === 'OperationPending'; polled = await bob.askWith([header(given)], 'Poll', value));
    assert.equal((await alice.ask('GetAttributes', ID(required(textOf(polled.payload, TAG.UniqueIdentifier), TAG.UniqueIdentifier)))).status, 'Success');
    const { body } = await server.ask('GET', '/audit?limit=1000', { cookie: root });
    const rows = body.events as Record<string, string>[];
    const creation = rows.find((row) => row['event'] === 'key.create' && row['target'] === id);
    assert.equal(creation?.['actor'], 'alice');
    const use = rows.find((row) => row['event'] === 'key.ticket' && row['request_id'] === creation?.['request_id']);
    assert.deepEqual([use?.['actor'], use?.['target'], use?.['outcome']], ['bob', 'alice', 'success']);
    assert.ok(rows.some((row) => row['event'] === 'key.delegate' && row['actor'] === 'alice'));
  });

  on('a ticket makes no tickets, and Query tells what it permits', async ({ bob, ticket, alice }) => {
    const operations = async (given: Structure) => {
      const { payload } = await bob.askWith([header(given)], 'Query', enumeration(TAG.QueryFunction, ENUM.QueryFunction.QueryOperations));
      return children(payload, TAG.Operation).map(({ value }) => nameOf('Operation', value as number));
    };
    assert.deepEqual((await operations(await ticket(rights({ operations: ['Query', 'Log', 'Interop'] })))).toSorted(), ['Interop', 'Log', 'Query']);
    const all = await ticket(rights({}));
    const served = await operations(all);
    assert.ok(served.includes('Create') && !served.includes('Login') && !served.includes('DelegatedLogin'));
    assert.equal(await asks(bob, all, 'Login'), 'NotAuthorised');
    assert.equal(await asks(bob, all, 'DelegatedLogin', rights({})), 'NotAuthorised');
    assert.equal(await alice.refused('DelegatedLogin', rights({ operations: ['Login'] })), 'InvalidField');
  });

  on('it ends with its lease, its count and Logout of its giver', async ({ server, alice, bob, ticket }) => {
    const ping = rights({ operations: ['Ping'] });
    const limits = structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, 2n), enumeration(TAG.UsageLimitsUnit, ENUM.UsageLimitsUnit.Object)]);
    const [counted, used] = [await ticket(ping, integer(TAG.RequestCount, 1)), await ticket(ping, limits)];
    assert.deepEqual([await asks(bob, counted, 'Ping'), await asks(bob, counted, 'Ping')], ['Success', 'UsageLimitExceeded']);
    assert.deepEqual(told(await bob.askAll([header(used)], [['Ping'], ['Get']])), ['Success', 'NotAuthorised']);
    assert.equal(await asks(bob, used, 'Ping'), 'UsageLimitExceeded');
    const [out, brief] = [await ticket(ping), await ticket(ping, interval(TAG.LeaseTime, 60))];
    assert.equal(await bob.refused('Logout', out), 'InvalidTicket', 'the holder does not end it');
    assert.equal((await alice.ask('Logout', out)).status, 'Success');
    assert.deepEqual([await asks(bob, out, 'Ping'), await asks(bob, brief, 'Ping')], ['InvalidTicket', 'Success']);
    await server.runtime.advance(61_000);
    assert.equal(await asks(bob, brief, 'Ping'), 'InvalidTicket');
  });

  on('it ends with the account of its giver, and is not the successor’s', async ({ server, root, bob }) => {
    const they = people(server, root);
    await they.realm('team');
    await they.user('team', 'ada', 'ada password');
    const cookie = await they.session('team', 'ada', 'ada password');
    const version = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, 2), integer(TAG.ProtocolVersionMinor, 1)]);
    const ask = structure(TAG.RequestMessage, [
      structure(TAG.RequestHeader, [version, integer(TAG.BatchCount, 1)]),
      structure(TAG.BatchItem, [enumeration(TAG.Operation, ENUM.Operation.DelegatedLogin), structure(TAG.RequestPayload, [rights({ operations: ['Ping'] })])]),
    ]);
    const { body } = await server.ask('POST', '/kmip', { cookie, body: Buffer.from(encodeJson(ask)).toString() });
    const value = JSON.stringify(body).match(/"TicketValue","type":"ByteString","value":"([0-9A-Fa-f]+)"/)?.[1];
    const given = structure(TAG.Ticket, [
      enumeration(TAG.TicketType, ENUM.TicketType.Login),
      bytes(TAG.TicketValue, new Uint8Array(Buffer.from(value ?? '', 'hex'))),
    ]);
    assert.equal(await asks(bob, given, 'Ping'), 'Success');
    assert.equal((await server.ask('DELETE', '/realms/team/userpass/ada', { cookie: root })).status, 204);
    assert.equal(await asks(bob, given, 'Ping'), 'InvalidTicket');
    await they.user('team', 'ada', 'another password');
    assert.equal(await asks(bob, given, 'Ping'), 'InvalidTicket');
  });

  on('whoever writes the database neither makes nor widens a ticket', async ({ server, root, store, bob, ticket, key }) => {
    const one = await key();
    const given = await ticket(rights({ operations: ['Ping'] }), interval(TAG.LeaseTime, 600));
    const write = (sql: string, ...params: string[]) => store.transaction((tx) => tx.run(sql, params));
    const wider = JSON.stringify([{ operations: ['Ping', 'Get'] }]);
    const [{ rights: before } = { rights: '' }] = await store.all<{ rights: string }>(
      'SELECT rights FROM kms_ticket WHERE rights IS NOT NULL ORDER BY issued_at DESC',
    );
    for (const [column, forged, genuine] of [
      ['rights', `'${wider}'`, `'${before}'`],
      ['owner', "'bob'", "'alice'"],
      ['ends_at', 'ends_at + 9999', 'ends_at - 9999'],
      ['mac', 'NULL', 'mac'],
    ] as const) {
      const where = `WHERE rights = '${before}' AND ends_at IS NOT NULL`;
      const forgedWhere = column === 'rights' ? `WHERE rights = '${wider}'` : where;
      assert.equal(await asks(bob, given, 'Ping'), 'Success', column);
      assert.equal(await write(`UPDATE kms_ticket SET ${column} = ${forged} ${where}`), 1);
      assert.equal(await asks(bob, given, 'Ping'), 'InvalidTicket', column);
      assert.equal(await asks(bob, given, 'Get', ID(one)), 'InvalidTicket', column);
      const { body } = await server.ask('GET', '/audit?event=key.forged', { cookie: root });
      assert.match(body.events[0]?.reason ?? '', /ticket was not written by the server/);
      if (column !== 'mac') await write(`UPDATE kms_ticket SET ${column} = ${genuine} ${forgedWhere}`);
    }
  });
}

test('Rights that say nothing, too much, or what cannot be counted are refused by name', async () => {
  const { alice, end } = await world('sqlite:gatehouse.db');
  try {
    const limits = structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, 2n), enumeration(TAG.UsageLimitsUnit, ENUM.UsageLimitsUnit.Object)]);
    const of = (...nodes: Node[]) => structure(TAG.Rights, [structure(TAG.Right, nodes)]);
    const reasons = await alice.refusals('DelegatedLogin', [
      [],
      [rights()],
      [rights(...Array<Limits>(65).fill({ operations: ['Ping'] }))],
      [rights({ objects: Array<string>(257).fill('a') })],
      [rights({ groups: ['a'.repeat(1_025)] })],
      [rights(...Array<Limits>(64).fill({ objects: Array<string>(256).fill('abcdefgh') }))],
      [of(limits)],
      [of(structure(TAG.Operations, [enumeration(TAG.Operation, 0x7777)]))],
      [of(structure(TAG.Operations, [integer(TAG.Operation, ENUM.Operation.Ping)]))],
      [of(structure(TAG.Objects, [integer(TAG.UniqueIdentifier, 1)]))],
      [of(text(TAG.ObjectGroup, 'bare'))],
      [structure(TAG.Rights, [integer(TAG.Right, 1)])],
      [rights({ operations: ['Ping'] }), integer(TAG.RequestCount, -1)],
    ]);
    assert.deepEqual(
      reasons.map((each) => each?.reason),
      [
        ...['InvalidMessage', 'InvalidField', 'InvalidField', 'InvalidField', 'InvalidField', 'InvalidField', 'FeatureNotSupported'],
        ...['InvalidField', 'InvalidMessage', 'InvalidMessage', 'InvalidField', 'InvalidMessage', 'InvalidField'],
      ],
      JSON.stringify(reasons),
    );
  } finally {
    await end();
  }
});

test.run();
