// Login and Logout: a ticket proves its owner in the headers of messages, as often and as long as was asked for, and nobody else.
import assert from 'node:assert/strict';
import { Agent } from 'undici';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { decodeJson, encodeJson } from '../../../kmip/ttlv/json.ts';
import { bytes, dateTime, enumeration, integer, interval, longInteger, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf, child, children, codeOf, nameOf, required, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import { signInAdmin } from '../../server.ts';
import { KmipClient } from './kmip-client.ts';

type Client = KmipClient;

let server: SecureServer;
let [root, alice, bob]: [string, Client, Client] = ['', undefined as never, undefined as never];
const agents: Agent[] = [];
test.before(async () => {
  server = await startSecureServer();
  root = await signInAdmin(server);
  [alice, bob] = [await client('alice'), await client('bob')];
});
test.after(async () => {
  for (const agent of agents) await agent.close();
  await server?.end();
});

async function client(name: string, minor = 1): Promise<Client> {
  const { cert, key } = await server.client(name);
  const agent = new Agent({ connect: { ca: server.authority.cert, cert, key } });
  agents.push(agent);
  return new KmipClient({ address: server.address, agent }, { major: 2, minor, encoding: 'binary' });
}

const login = async (by: Client, ...terms: Node[]): Promise<Structure> => required(structureOf(await by.do('Login', ...terms), TAG.Ticket), TAG.Ticket);
const secretOf = (ticket: Structure): Uint8Array => required(bytesOf(ticket, TAG.TicketValue), TAG.TicketValue);
const credential = (ticket: Structure): Structure =>
  structure(TAG.Credential, [enumeration(TAG.CredentialType, ENUM.CredentialType.Ticket), structure(TAG.CredentialValue, [ticket])]);
const header = (...tickets: Structure[]): Structure => structure(TAG.Authentication, tickets.map(credential));
const LOOK = ['Query', enumeration(TAG.QueryFunction, ENUM.QueryFunction.QueryOperations)] as const;

const limits = (total: bigint, unit: 'Object' | 'Byte' = 'Object'): Structure =>
  structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, total), enumeration(TAG.UsageLimitsUnit, ENUM.UsageLimitsUnit[unit])]);

/** @returns `Success`, or the reason of the refusal; */
async function asks(by: Client, ...tickets: Structure[]): Promise<string> {
  const { status, reason } = await by.askWith([header(...tickets)], ...LOOK);
  return reason ?? status;
}

for (const minor of [0, 1])
  test(`a ticket lets as many messages in as were asked for: KMIP 2.${minor}`, async () => {
    const by = await client('alice', minor);
    const ticket = await login(by, interval(TAG.LeaseTime, 0), integer(TAG.RequestCount, 2));
    assert.deepEqual([await asks(by, ticket), await asks(by, ticket), await asks(by, ticket)], ['Success', 'Success', 'UsageLimitExceeded']);
    assert.equal((await by.ask(...LOOK)).status, 'Success', 'without it the certificate counts');
  });

test('of many messages at the same moment a counting ticket lets in no more', async () => {
  const ticket = await login(alice, integer(TAG.RequestCount, 5));
  const told = await Promise.all(Array.from({ length: 20 }, () => asks(alice, ticket)));
  assert.equal(told.filter((each) => each === 'Success').length, 5);
  assert.equal(told.filter((each) => each === 'UsageLimitExceeded').length, 15);
});

test('UsageLimits of a ticket count operations; a message with more than are left does nothing', async () => {
  const ticket = await login(alice, limits(3n));
  const send = async (operations: number) => (await alice.askAll([header(ticket)], Array(operations).fill(['Ping']))).map(statusOf);
  assert.deepEqual(await send(2), ['Success', 'Success']);
  assert.deepEqual(await send(2), ['OperationFailed'], 'the message as a whole');
  assert.deepEqual([await asks(alice, ticket), await asks(alice, ticket)], ['Success', 'UsageLimitExceeded']);
});

test('a RequestCount of 0 is no limit, as a LeaseTime of 0', async () => {
  const ticket = await login(alice, integer(TAG.RequestCount, 0));
  assert.deepEqual([await asks(alice, ticket), await asks(alice, ticket)], ['Success', 'Success']);
});

test('Logout ends a ticket, and no message with it does anything; the answer names the operation', async () => {
  const [ticket, other] = [await login(alice), await login(alice)];
  assert.equal(await asks(alice, ticket), 'Success');
  assert.equal((await alice.askWith([header(ticket)], 'Logout', ticket)).status, 'Success');
  const { item, reason } = await alice.askWith([header(ticket)], 'RNGRetrieve', integer(TAG.DataLength, 8));
  assert.equal(reason, 'InvalidTicket');
  assert.equal(child(item, TAG.Operation)?.value, ENUM.Operation.RNGRetrieve);
  assert.equal(child(item, TAG.ResponsePayload), undefined);
  assert.equal(await alice.refused('Logout', ticket), 'InvalidTicket');
  assert.equal(await asks(alice, other), 'Success');
});

test('a ticket is good for its owner alone: others neither use nor end it, and no log has it', async () => {
  const ticket = await login(alice);
  assert.equal(await asks(bob, ticket), 'InvalidTicket');
  assert.equal(await bob.refused('Logout', ticket), 'InvalidTicket');
  assert.equal(await asks(alice, ticket), 'Success');
  const made = structure(TAG.Ticket, [enumeration(TAG.TicketType, 1), bytes(TAG.TicketValue, new Uint8Array(32))]);
  assert.equal(await asks(alice, made), 'InvalidTicket');
  const { text: rows } = await server.ask('GET', '/audit?limit=1000&event=key.ticket', { cookie: root });
  assert.match(rows, /"actor":\s*"bob"[^}]*"reason":\s*"InvalidTicket"/);
  const secret = Buffer.from(secretOf(ticket));
  for (const form of ['hex', 'base64', 'base64url'] as const)
    assert.ok(![rows, ...server.lines].join('\n').toLowerCase().includes(secret.toString(form).toLowerCase()));
});

test('a ticket ends with its lease', async () => {
  const now = Math.floor(Date.now() / 1000);
  const [brief, dated, long] = [
    await login(alice, interval(TAG.LeaseTime, 60)),
    await login(alice, dateTime(TAG.LeaseTime, now + 60)),
    await login(alice, interval(TAG.LeaseTime, 4_000_000)),
  ];
  assert.deepEqual([await asks(alice, brief), await asks(alice, dated)], ['Success', 'Success']);
  await server.runtime.advance(61_000);
  assert.deepEqual([await asks(alice, brief), await asks(alice, dated), await asks(alice, long)], ['InvalidTicket', 'InvalidTicket', 'Success']);
});

test('terms that no ticket can have are refused by name', async () => {
  assert.equal(await alice.refused('Login', integer(TAG.RequestCount, -1)), 'InvalidField');
  assert.equal(await alice.refused('Login', dateTime(TAG.LeaseTime, 1)), 'InvalidField');
  assert.equal(await alice.refused('Login', limits(0n)), 'InvalidField');
  assert.equal(await alice.refused('Login', limits(2n ** 53n)), 'InvalidField');
  assert.equal(await alice.refused('Login', limits(5n, 'Byte')), 'FeatureNotSupported');
  assert.equal(await asks(alice, await login(alice), await login(alice)), 'AuthenticationNotSuccessful');
});

/** The answers to several operations in one message, which is undone as a whole if one of them fails. */
async function batch(by: string, ...items: readonly (readonly [keyof typeof ENUM.Operation, ...Node[]])[]): Promise<Structure[]> {
  const version = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, 2), integer(TAG.ProtocolVersionMinor, 1)]);
  const undo = enumeration(TAG.BatchErrorContinuationOption, ENUM.BatchErrorContinuationOption.Undo);
  const message = structure(TAG.RequestMessage, [
    structure(TAG.RequestHeader, [version, undo, integer(TAG.BatchCount, items.length)]),
    ...items.map(([operation, ...payload], at) =>
      structure(TAG.BatchItem, [
        enumeration(TAG.Operation, ENUM.Operation[operation]),
        bytes(TAG.UniqueBatchItemID, Buffer.from(String(at))),
        structure(TAG.RequestPayload, payload),
      ]),
    ),
  ]);
  const { status, text } = await server.as(await server.client(by))('POST', '/kmip', { body: Buffer.from(encodeJson(message)).toString() });
  assert.equal(status, 200, text);
  return children(decodeJson(Buffer.from(text)) as Structure, TAG.BatchItem) as Structure[];
}
const statusOf = (item: Structure | undefined) => item && nameOf('ResultStatus', required(codeOf(item, TAG.ResultStatus), TAG.ResultStatus));

test('in a message that is undone no ticket is made, and none ends', async () => {
  const before = await login(alice);
  const [out, within] = await batch('alice', ['Logout', before], ['Login'], ['Get', text(TAG.UniqueIdentifier, 'nothing')]);
  assert.deepEqual([statusOf(out), statusOf(within)], ['OperationUndone', 'OperationUndone']);
  const made = structureOf(required(structureOf(within as Structure, TAG.ResponsePayload), TAG.ResponsePayload), TAG.Ticket) as Structure;
  assert.deepEqual([await asks(alice, before), await asks(alice, made)], ['Success', 'InvalidTicket']);
});

test('of the tickets of one caller the newest hundred count', async () => {
  const carol = await client('carol');
  const [first, second] = [await login(carol), await login(carol)];
  await server.runtime.advance(1_000);
  for (let at = 0; at < 98; at++) await login(carol, interval(TAG.LeaseTime, 30));
  assert.deepEqual([await asks(carol, first), await asks(carol, second)], ['Success', 'Success']);
  await login(carol);
  const told = [await asks(carol, first), await asks(carol, second)];
  assert.deepEqual(told.toSorted(), ['InvalidTicket', 'Success']);
  await server.runtime.advance(31_000);
  await login(carol);
  assert.deepEqual([await asks(carol, first), await asks(carol, second)], told, 'those that have ended make room');
  assert.equal(await asks(bob, await login(bob)), 'Success');
});

test.run();
