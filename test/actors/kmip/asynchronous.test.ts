// Asynchronous requests on SQLite and PostgreSQL: what is pending, who runs it, what Poll, Cancel, Process and a stop make of it, and what is kept of it where.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { Principal } from '../../../actors/kmip/api.ts';
import type { OperationName } from '../../../kmip/operation-name.ts';
import { decodeBinary, encodeBinary } from '../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { boolean, bytes, enumeration, integer, interval, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf, child, children, codeOf, nameOf, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { ALICE } from '../../fakes/objects.ts';
import { until } from '../../runtime.ts';
import { testDatabases } from '../../stores.ts';
import { aesKey, type KeyServerUnderTest, named, startKeyServer } from './key-server.ts';

const BOB = { ...ALICE, user: 'acme/bob' };
/** Of the key server under test. */
const MOST = 6;
const LEASE_MS = 60_000;
const RESULT_MS = 600_000;
const databases = await testDatabases();

type Item = readonly [OperationName, readonly Node[]];

interface Manner {
  readonly indicator?: keyof typeof ENUM.AsynchronousIndicator;
  readonly onError?: keyof typeof ENUM.BatchErrorContinuationOption;
  readonly minor?: number;
  readonly caller?: Principal;
  readonly maximum?: number;
  /** A Ticket, which the header then carries. */
  readonly ticket?: Node | undefined;
}

interface Told {
  readonly operation: string;
  readonly status: string;
  readonly reason: string | undefined;
  readonly message: string;
  readonly value: Uint8Array | undefined;
  readonly payload: Structure | undefined;
}

const carrying = (ticket: Node): Structure =>
  structure(TAG.Authentication, [
    structure(TAG.Credential, [enumeration(TAG.CredentialType, ENUM.CredentialType.Ticket), structure(TAG.CredentialValue, [ticket])]),
  ]);

/** One message in binary TTLV. */
async function send(
  server: KeyServerUnderTest,
  items: readonly Item[],
  manner: Manner = {},
): Promise<readonly Told[] & { readonly labels: readonly string[] }> {
  const { indicator, onError, minor, caller = ALICE, maximum, ticket } = manner;
  const version = structure(TAG.ProtocolVersion, [
    integer(TAG.ProtocolVersionMajor, minor === undefined ? 2 : 1),
    integer(TAG.ProtocolVersionMinor, minor ?? 1),
  ]);
  const header = [
    version,
    ...(maximum === undefined ? [] : [integer(TAG.MaximumResponseSize, maximum)]),
    ...(ticket ? [carrying(ticket)] : []),
    ...(indicator === undefined
      ? []
      : [minor === undefined ? enumeration(TAG.AsynchronousIndicator, ENUM.AsynchronousIndicator[indicator]) : boolean(TAG.AsynchronousIndicator, true)]),
    ...(onError === undefined ? [] : [enumeration(TAG.BatchErrorContinuationOption, ENUM.BatchErrorContinuationOption[onError])]),
    integer(TAG.BatchCount, items.length),
  ];
  const batch = items.map(([operation, members], at) =>
    structure(TAG.BatchItem, [
      enumeration(TAG.Operation, ENUM.Operation[operation]),
      bytes(TAG.UniqueBatchItemID, new Uint8Array([at])),
      structure(TAG.RequestPayload, members),
    ]),
  );
  const message = encodeBinary(structure(TAG.RequestMessage, [structure(TAG.RequestHeader, header), ...batch]));
  const answer = await server.kmip.serve(message, 'binary', 'any', caller, ticket && { isTicket: true });
  const told = children(decodeBinary(answer.body as Uint8Array), TAG.BatchItem).map((item) => read(item as Structure));
  assert.equal(answer.submitted, told.some(({ status, operation }) => status === 'OperationPending' && operation !== 'Poll') || undefined);
  return Object.assign(told, { labels: answer.outcomes.filter((outcome) => outcome.includes(':')) });
}

function read(item: Structure): Told {
  const [operation, reason] = [codeOf(item, TAG.Operation), codeOf(item, TAG.ResultReason)];
  return {
    operation: operation === undefined ? '' : nameOf('Operation', operation),
    status: nameOf('ResultStatus', codeOf(item, TAG.ResultStatus) as number),
    reason: reason === undefined ? undefined : nameOf('ResultReason', reason),
    message: textOf(item, TAG.ResultMessage) ?? '',
    value: bytesOf(item, TAG.AsynchronousCorrelationValue),
    payload: structureOf(item, TAG.ResponsePayload),
  };
}

const LATER = { indicator: 'Mandatory' } as const;
const MAY = { indicator: 'Optional' } as const;
const correlation = (value: Uint8Array | undefined): Node[] => [bytes(TAG.AsynchronousCorrelationValue, value ?? new Uint8Array(16))];

/** Has the server begin what waits, and waits for the results. */
async function end(server: KeyServerUnderTest, ...values: readonly (Uint8Array | undefined)[]): Promise<readonly Told[]> {
  await server.kmip.runSubmitted();
  await until(async () => (await stages(server, values)).every((stage) => stage === 3) && (await isIdle(server)), 'asynchronous requests have ended');
  return Promise.all(values.map((value) => about(server, 'Poll', value)));
}

/** Whether nobody runs a batch. */
const isIdle = async ({ store }: KeyServerUnderTest) => (await store.get('SELECT id FROM kms_asynchronous WHERE runner IS NOT NULL')) === undefined;

async function stages({ store }: KeyServerUnderTest, values: readonly (Uint8Array | undefined)[]): Promise<number[]> {
  const rows = await store.all<{ id: string; stage: number }>('SELECT id, stage FROM kms_asynchronous');
  return values.map((value) => rows.find(({ id }) => id === Buffer.from(value ?? []).toString('hex'))?.stage ?? 0);
}

async function about(server: KeyServerUnderTest, operation: 'Poll' | 'Cancel' | 'Process', value: Uint8Array | undefined, manner: Manner = {}): Promise<Told> {
  return (await send(server, [[operation, correlation(value)]], manner))[0] as Told;
}

const canceled = ({ payload }: Told) => nameOf('CancellationResult', codeOf(payload as Structure, TAG.CancellationResult) as number);
const commented = (comment: string): Item => ['Create', aesKey(text(TAG.Comment, comment))];
const located = async (server: KeyServerUnderTest, comment: string) =>
  (await server.ask('Locate', [structure(TAG.Attributes, [text(TAG.Comment, comment)])])).ids.length;

const pair = (algorithm: keyof typeof ENUM.CryptographicAlgorithm, length: number): Item => [
  'CreateKeyPair',
  [
    structure(TAG.CommonAttributes, [
      enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[algorithm]),
      integer(TAG.CryptographicLength, length),
      integer(TAG.CryptographicUsageMask, 3),
    ]),
  ],
];
const RSA = pair('RSA', 2_048);
const EC = pair('ECDSA', 256);
const ABSENT: Item = ['Get', [named('nothing')]];
const SECRET = Buffer.from('sixteen bytes of');

const started = new Set<KeyServerUnderTest>();
test.after(async () => {
  for (const server of started) await server.end();
  for (const database of databases) await database.stop();
});

for (const { dialect, url: newUrl } of databases) {
  let [one, other]: [KeyServerUnderTest, KeyServerUnderTest] = [undefined as never, undefined as never];
  let url = '';
  const start = async (threads: number, at = url): Promise<KeyServerUnderTest> => {
    const server = await startKeyServer({ threads, url: at });
    started.add(server);
    return server;
  };
  const on = (what: string, run: () => Promise<void>) =>
    test(`${dialect}: ${what}`, async () => {
      url ||= await newUrl();
      one ??= await start(2);
      // Of SQLite there is one node; its threads share the file.
      other ??= dialect === 'postgres' ? await start(1) : one;
      await one.store.transaction((tx) => tx.run('DELETE FROM kms_asynchronous'));
      await run();
      const errors = [one, other].flatMap(({ lines }) => lines.filter(({ level }) => level === 'error'));
      assert.deepEqual(errors, []);
    });

  on('a request is pending until a node has run it, and is then told as if answered at once', async () => {
    const [pending] = await send(one, [commented('later')], LATER);
    assert.deepEqual([pending?.operation, pending?.status, pending?.payload, pending?.value?.length], ['Create', 'OperationPending', undefined, 16]);
    assert.equal(await located(one, 'later'), 0);
    const polled = await send(other, [['Poll', correlation(pending?.value)]]);
    assert.deepEqual(
      [polled[0]?.operation, polled[0]?.status, polled[0]?.payload, polled.labels],
      ['Poll', 'OperationPending', undefined, ['Poll:OperationPending']],
    );
    assert.deepEqual(polled[0]?.value, pending?.value);
    await other.kmip.runSubmitted();
    await until(async () => (await stages(one, [pending?.value]))[0] === 3, 'the other node has run it');
    const first = await send(one, [['Poll', correlation(pending?.value)]]);
    const [again] = await send(other, [['Poll', correlation(pending?.value)]]);
    assert.deepEqual([first[0]?.operation, first[0]?.status, first.labels], ['Create', 'Success', ['Poll:Success', 'Create:Success']]);
    assert.deepEqual(again, first[0]);
    assert.equal(await located(one, 'later'), 1);
  });

  on('the items of a batch keep their order, the ID placeholder and what happens after a failure', async () => {
    const batch = await send(one, [commented('kept'), ['Get', []], ABSENT, commented('never')], LATER);
    const [made, got, absent, never] = await end(one, ...batch.map(({ value }) => value));
    assert.deepEqual([made?.status, got?.status, absent?.reason, never?.status], ['Success', 'Success', 'ObjectNotFound', 'OperationFailed']);
    assert.equal(textOf(got?.payload as Structure, TAG.UniqueIdentifier), textOf(made?.payload as Structure, TAG.UniqueIdentifier));
    assert.match(never?.message ?? '', /nothing was done/);
    assert.equal(await located(one, 'never'), 0);
    const goesOn = await send(one, [ABSENT, commented('goes on')], { ...LATER, onError: 'Continue' });
    assert.deepEqual(
      (await end(one, ...goesOn.map(({ value }) => value))).map(({ status }) => status),
      ['OperationFailed', 'Success'],
    );
    await send(
      one,
      goesOn.map(({ value }) => ['Poll', correlation(value)]),
    );
    const undone = await send(one, [commented('undone'), ABSENT], { ...LATER, onError: 'Undo' });
    assert.deepEqual(
      (await end(one, ...undone.map(({ value }) => value))).map(({ status }) => status),
      ['OperationUndone', 'OperationFailed'],
    );
    assert.equal(await located(one, 'undone'), 0);
  });

  on('pairs that take long, and what comes after them, are answered later if the server may choose', async () => {
    const batch = await send(one, [commented('before'), RSA, ['GetAttributes', []]], MAY);
    assert.deepEqual(
      batch.map(({ status }) => status),
      ['Success', 'OperationPending', 'OperationPending'],
    );
    assert.deepEqual(
      (await send(one, [EC], MAY)).map(({ status }) => status),
      ['Success'],
    );
    assert.deepEqual(
      (await send(one, [ABSENT, RSA], MAY)).map(({ reason }) => reason),
      ['ObjectNotFound'],
    );
    const [made, got] = await end(one, batch[1]?.value, batch[2]?.value);
    assert.equal(textOf(got?.payload as Structure, TAG.UniqueIdentifier), textOf(made?.payload as Structure, TAG.PrivateKeyUniqueIdentifier));
    for (const asked of [RSA, [commented('prohibited')][0] as Item])
      assert.equal((await send(one, [asked], { indicator: 'Prohibited' }))[0]?.status, 'Success');
  });

  on('clients of KMIP 1.x permit it by a Boolean, and are told by the reasons of their version', async () => {
    const old = { minor: 4, ...MAY };
    const attribute = (name: string, value: Node) => structure(TAG.Attribute, [text(TAG.AttributeName, name), value]);
    const template = structure(TAG.CommonTemplateAttribute, [
      attribute('Cryptographic Algorithm', enumeration(TAG.AttributeValue, ENUM.CryptographicAlgorithm.RSA)),
      attribute('Cryptographic Usage Mask', integer(TAG.AttributeValue, 3)),
      attribute('Cryptographic Length', integer(TAG.AttributeValue, 2_048)),
    ]);
    const [pending] = await send(one, [['CreateKeyPair', [template]]], old);
    assert.equal(pending?.status, 'OperationPending');
    const [made] = await end(one, pending?.value);
    assert.equal((await about(one, 'Poll', pending?.value, { minor: 0 })).status, 'Success');
    const denied: Item = ['Check', [named(textOf(made?.payload as Structure, TAG.PrivateKeyUniqueIdentifier) as string), interval(TAG.LeaseTime, 1_000_000)]];
    const first = { ...MAY, minor: 0, onError: 'Continue' } as const;
    const ended = await send(one, [denied, ['CreateKeyPair', [template]]], first);
    assert.deepEqual([ended.length, ended[0]?.reason], [1, 'PermissionDenied']);
    const later = await send(one, [['CreateKeyPair', [template]], denied, ['Query', [enumeration(TAG.QueryFunction, 1)]]], first);
    const [, , skipped] = await end(one, ...later.map(({ value }) => value));
    assert.match(skipped?.message ?? '', /nothing was done/);
    assert.equal((await about(one, 'Poll', undefined, { minor: 4 })).reason, 'ItemNotFound');
    assert.equal(canceled(await about(one, 'Cancel', undefined, { minor: 4 })), 'Unavailable');
    assert.equal((await about(one, 'Process', pending?.value, { minor: 4 })).reason, 'OperationNotSupported');
  });

  on('to everybody but who has asked, a request is not there', async () => {
    const [pending] = await send(one, [commented('of alice')], LATER);
    const bob = { caller: BOB };
    assert.deepEqual(await about(one, 'Poll', pending?.value, bob), await about(one, 'Poll', undefined, bob));
    assert.equal((await about(one, 'Process', pending?.value, bob)).reason, 'InvalidAsynchronousCorrelationValue');
    assert.equal(canceled(await about(one, 'Cancel', pending?.value, bob)), 'Unavailable');
    assert.deepEqual((await send(one, [['QueryAsynchronousRequests', []]], bob))[0]?.payload?.value, []);
    assert.equal((await end(one, pending?.value))[0]?.status, 'Success');
  });

  on('Cancel takes back what has not begun, and tells of all else how it is', async () => {
    const [first, second] = await send(one, [commented('canceled'), commented('runs')], { ...LATER, onError: 'Continue' });
    assert.equal(canceled(await about(one, 'Cancel', first?.value)), 'Canceled');
    assert.equal(canceled(await about(one, 'Cancel', first?.value)), 'Canceled');
    assert.equal((await about(one, 'Poll', first?.value)).reason, 'OperationCanceledByRequester');
    await end(one, second?.value);
    assert.equal(canceled(await about(one, 'Cancel', second?.value)), 'Completed');
    assert.deepEqual([await located(one, 'canceled'), await located(one, 'runs')], [0, 1]);
    const [absent, alone] = [(await send(one, [ABSENT], LATER))[0], (await send(one, [commented('alone')], LATER))[0]];
    assert.equal(canceled(await about(one, 'Cancel', alone?.value)), 'Canceled');
    await end(one, absent?.value);
    assert.equal(canceled(await about(one, 'Cancel', absent?.value)), 'Failed');
    assert.deepEqual(await one.store.all('SELECT id FROM kms_asynchronous WHERE job IS NOT NULL'), []);
  });

  on('Process executes it now, with what comes before it, and a list shows what was not told yet', async () => {
    const listed = async (...restricted: Node[]) =>
      ((await send(one, [['QueryAsynchronousRequests', restricted]]))[0]?.payload?.value ?? []).map((node) => {
        const of = node as Structure;
        return `${nameOf('Operation', codeOf(of, TAG.Operation) as number)} ${nameOf('ProcessingStage', codeOf(of, TAG.ProcessingStage) as number)}`;
      });
    const [made, got, rest] = await send(one, [commented('processed'), ['GetAttributes', []], commented('rest')], LATER);
    assert.equal((await about(one, 'Process', got?.value)).status, 'Success');
    assert.equal((await about(one, 'Process', got?.value)).reason, 'DuplicateProcessRequest');
    assert.equal((await about(one, 'Process', made?.value)).status, 'Success');
    assert.deepEqual(await listed(), ['Create Completed', 'GetAttributes Completed', 'Create Submitted']);
    assert.deepEqual(await listed(structure(TAG.AsynchronousCorrelationValues, correlation(got?.value))), ['GetAttributes Completed']);
    assert.deepEqual(await listed(structure(TAG.Operations, [enumeration(TAG.Operation, ENUM.Operation.Create)])), ['Create Completed', 'Create Submitted']);
    assert.equal((await about(one, 'Poll', got?.value)).status, 'Success');
    assert.deepEqual(await listed(), ['Create Completed', 'Create Submitted']);
    assert.equal((await end(one, rest?.value))[0]?.status, 'Success');
    const [waits] = await send(one, [commented('in a transaction')], LATER);
    const [undo] = await send(one, [['Process', correlation(waits?.value)]], { onError: 'Undo' });
    assert.equal(undo?.reason, 'FeatureNotSupported');
  });

  on('what is about asynchronous requests cannot be one, and nothing beside it is done', async () => {
    for (const operation of ['Poll', 'Cancel', 'Process', 'QueryAsynchronousRequests'] as const) {
      const members = operation === 'QueryAsynchronousRequests' ? [] : correlation(undefined);
      const refused = await send(one, [commented('beside'), [operation, members]], LATER);
      assert.deepEqual(
        refused.map(({ reason }) => reason),
        ['InvalidMessage'],
      );
    }
    assert.deepEqual(await one.store.all('SELECT id FROM kms_asynchronous'), []);
    assert.deepEqual(
      (await send(one, [RSA, ['Poll', correlation(undefined)]], { ...MAY, onError: 'Continue' })).map(({ status }) => status),
      ['Success', 'OperationFailed'],
    );
  });

  on('what is kept of a request and its result is sealed, and no longer than needed', async () => {
    const register: Item = [
      'Register',
      [
        enumeration(TAG.ObjectType, ENUM.ObjectType.SymmetricKey),
        structure(TAG.Attributes, [integer(TAG.CryptographicUsageMask, 4)]),
        structure(TAG.SymmetricKey, [
          structure(TAG.KeyBlock, [
            enumeration(TAG.KeyFormatType, ENUM.KeyFormatType.Raw),
            structure(TAG.KeyValue, [bytes(TAG.KeyMaterial, new Uint8Array(SECRET))]),
            enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES),
            integer(TAG.CryptographicLength, 128),
          ]),
        ]),
      ],
    ];
    const kept = async () => (await one.store.all<{ job: Uint8Array | null; result: Uint8Array | null }>('SELECT job, result FROM kms_asynchronous')) ?? [];
    const [made, got] = await send(one, [register, ['Get', []]], LATER);
    const [{ job } = { job: null }] = (await kept()).filter((row) => row.job);
    assert.ok(job && !Buffer.from(job).includes(SECRET));
    const [, answer] = await end(one, made?.value, got?.value);
    assert.ok(Buffer.from(encodeBinary(answer?.payload as Structure)).includes(SECRET));
    for (const row of await kept()) assert.ok(row.job === null && row.result && !Buffer.from(row.result).includes(SECRET));
    // Not the result of another request, whoever writes to the database.
    await one.store.transaction((tx) => tx.run('UPDATE kms_asynchronous SET owner = $1', [BOB.user]));
    assert.deepEqual([(await about(one, 'Poll', got?.value, { caller: BOB })).payload], [undefined]);
    await one.runtime.advance(RESULT_MS + 1_000);
    await one.kmip.tendAsynchronous();
    assert.deepEqual(await kept(), []);
  });

  on('there is room for so many of one caller, and a caller who has polled has room again', async () => {
    const all = await send(
      one,
      Array.from({ length: MOST }, () => commented('one of many')),
      LATER,
    );
    const [refused] = await send(one, [commented('too many')], LATER);
    assert.equal(refused?.reason, 'ServerLimitExceeded');
    assert.equal((await send(one, [commented('of another')], { ...LATER, caller: BOB }))[0]?.status, 'OperationPending');
    await end(one, ...all.map(({ value }) => value));
    assert.equal((await send(one, [commented('again')], LATER))[0]?.status, 'OperationPending');
    assert.equal((await send(one, [['Hash', [bytes(TAG.Data, new Uint8Array(1_100_000))]]], LATER))[0]?.reason, 'ServerLimitExceeded');
    const [small] = await send(one, [ABSENT], { ...LATER, maximum: 100 });
    assert.deepEqual([small?.reason, small?.value], ['ResponseTooLarge', undefined]);
  });

  on('of what ran when a thread was lost, a Poll says what is known', async () => {
    // None of its threads runs anything before it is told to.
    const fresh = await start(1, await newUrl());
    const batch = await send(fresh, [commented('ran'), commented('waited')], LATER);
    const [, , old] = [...batch, (await send(fresh, [commented('old')], LATER))[0]];
    const { store } = fresh;
    const id = Buffer.from(batch[0]?.value ?? []).toString('hex');
    await store.transaction((tx) =>
      tx.run("UPDATE kms_asynchronous SET stage = 2, runner = 'lost', leased_until = $2 WHERE id = $1", [id, fresh.clock.now() + LEASE_MS]),
    );
    assert.equal(canceled(await about(fresh, 'Cancel', batch[0]?.value)), 'UnableToCancel');
    await fresh.runtime.advance(RESULT_MS + 1_000);
    await fresh.kmip.tendAsynchronous();
    const [ran, waited] = [await about(fresh, 'Poll', batch[0]?.value), await about(fresh, 'Poll', batch[1]?.value)];
    assert.deepEqual([ran.reason, waited.reason], ['GeneralFailure', 'GeneralFailure']);
    assert.match(ran.message, /whether it was carried out is not known/);
    assert.match(waited.message, /nothing was done/);
    assert.match((await about(fresh, 'Poll', old?.value)).message, /in time: nothing was done/);
    assert.deepEqual(await Promise.all(['ran', 'waited', 'old'].map((comment) => located(fresh, comment))), [0, 0, 0]);
  });

  on('an account that ends while its batch runs ends the batch', async () => {
    const change = (sql: string) => one.store.transaction((tx) => tx.run(sql));
    // At the end of the first item.
    const ending = `INSERT INTO account (id, name, scope, held, ended_at) VALUES ('${ALICE.user}', '${ALICE.user}', 'acme/', 1, 1) ON CONFLICT (id) DO NOTHING;`;
    const when = 'TRIGGER gone AFTER UPDATE OF stage ON kms_asynchronous FOR EACH ROW WHEN (NEW.stage = 3)';
    if (dialect === 'postgres') await change(`CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${ending} RETURN NEW; END $$`);
    await change(dialect === 'postgres' ? `CREATE ${when} EXECUTE FUNCTION leave()` : `CREATE ${when} BEGIN ${ending} END`);
    for (const onError of ['Continue', 'Undo'] as const) {
      const [made, never] = await send(one, [commented(`before ${onError}`), commented(`after ${onError}`)], { ...LATER, onError });
      const told = await end(one, made?.value, never?.value);
      assert.deepEqual(
        told.map(({ status, reason }) => reason ?? status),
        onError === 'Continue' ? ['Success', 'PermissionDenied'] : ['PermissionDenied', 'PermissionDenied'],
      );
      assert.deepEqual(await Promise.all(['before', 'after'].map((when) => located(one, `${when} ${onError}`))), onError === 'Continue' ? [1, 0] : [0, 0]);
    }
    for (const sql of [`DROP TRIGGER gone${dialect === 'postgres' ? ' ON kms_asynchronous' : ''}`, `DELETE FROM account WHERE id = '${ALICE.user}'`])
      await change(sql);
  });

  on('what a ticket has asked for is done only while the ticket and the account of its holder last', async () => {
    const change = (sql: string) => one.store.transaction((tx) => tx.run(sql));
    const ended = `INSERT INTO account (id, name, scope, held, ended_at) VALUES ('${BOB.user}', '${BOB.user}', 'acme/', 1, 1)`;
    const ends: readonly [string, string | undefined, (ticket: Node) => Promise<unknown>][] = [
      ['nothing', undefined, async () => undefined],
      ['logout', 'InvalidTicket', (ticket) => send(one, [['Logout', [ticket]]])],
      ['lease', 'InvalidTicket', () => change('UPDATE kms_ticket SET ends_at = 1')],
      ['account', 'PermissionDenied', () => change(ended)],
    ];
    for (const [what, reason, finish] of ends) {
      const [login] = await send(one, [['DelegatedLogin', [structure(TAG.Rights, [structure(TAG.Right, [])]), integer(TAG.RequestCount, 1)]]]);
      const ticket = child(login?.payload as Structure, TAG.Ticket) as Node;
      const [made] = await send(one, [commented(`by ticket, ${what}`)], { ...LATER, caller: BOB, ticket });
      assert.equal(made?.status, 'OperationPending', made?.message);
      await finish(ticket);
      const [told] = await end(one, made?.value);
      assert.deepEqual([told?.reason, await located(one, `by ticket, ${what}`)], [reason, reason ? 0 : 1]);
    }
    await change(`DELETE FROM account WHERE id = '${BOB.user}'`);
  });

  if (dialect === 'postgres')
    for (const [stage, what] of [
      [2, 'an item begins'],
      [3, 'an item ends'],
    ] as const)
      on(`a database that is lost for a while as ${what} delays the results, and loses none`, async () => {
        const change = (sql: string) => one.store.transaction((tx) => tx.run(sql));
        // What a connection says that the server of the database has ended.
        await change('CREATE SEQUENCE refusals');
        await change(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM nextval('refusals'); RAISE EXCEPTION 'lost' USING ERRCODE = '57P01'; END $$`);
        await change(`CREATE TRIGGER lost BEFORE UPDATE OF stage ON kms_asynchronous FOR EACH ROW WHEN (NEW.stage = ${stage}) EXECUTE FUNCTION refuse()`);
        const [made, got] = await send(one, [commented(what), ['GetAttributes', []]], LATER);
        await one.kmip.runSubmitted();
        const refusals = () => one.store.get<{ n: number }>('SELECT last_value AS n FROM refusals WHERE is_called');
        await until(async () => (await refusals()) !== undefined, 'the database has refused');
        for (const sql of ['DROP TRIGGER lost ON kms_asynchronous', 'DROP FUNCTION refuse()', 'DROP SEQUENCE refusals']) await change(sql);
        const told = await end(one, made?.value, got?.value);
        assert.deepEqual(
          told.map(({ status }) => status),
          ['Success', 'Success'],
        );
        assert.equal(await located(one, what), 1);
      });

  on('what waits at a stop is executed after the next start', async () => {
    const [made, got] = await send(one, [commented('after the stop'), ['GetAttributes', []]], LATER);
    for (const server of new Set([one, other])) await server.runtime.stop();
    const next = await start(1);
    await next.kmip.tendAsynchronous();
    const told = await end(next, made?.value, got?.value);
    assert.deepEqual(
      told.map(({ status }) => status),
      ['Success', 'Success'],
    );
    assert.equal(await located(next, 'after the stop'), 1);
  });
}

test.run();
