// The audit log of the key server: what each operation of KMIP, each call of the REST crypto API and each of /access writes when it succeeds, and when it is refused.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { OPERATIONS } from '../../actors/kmip/operations/index.ts';
import type { AuditRow } from '../../kernel/store/audit.ts';
import { fromThird } from '../../kmip/message/third-version.ts';
import type { OperationName } from '../../kmip/operation-name.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { decodeJson, encodeJson } from '../../kmip/ttlv/json.ts';
import { bytes, enumeration, integer, type Node, type Structure, structure, TYPE, text } from '../../kmip/ttlv/node.ts';
import { codeOf, nameOf, structureOf, textOf } from '../../kmip/ttlv/read.ts';
import { operationExists } from '../../kmip/ttlv/since.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { WORKING_VERSION } from '../../kmip/version.ts';
import { id } from '../fuzz/members.ts';
import { type AskFor, batchItem, made, makeThrough, requestMessage } from '../fuzz/objects.ts';
import { type Request, requestsOver } from '../fuzz/requests.ts';
import { type SecureServer, startSecureServer } from '../secure-server.ts';
import { type Answer, type Ask, signInAdmin } from '../server.ts';
import { type TestDatabase, testDatabases } from '../stores.ts';

/** What is in a row for the reader of the log, without time and place. */
type Row = Pick<AuditRow, 'event' | 'outcome' | 'target' | 'reason' | 'actor' | 'scheme' | 'source'>;
const told = ({ event, outcome, target, reason, actor, scheme, source }: AuditRow): Row => ({ event, outcome, target, reason, actor, scheme, source });

/** Rows of a success beside the one that is declared: of both keys of a pair. */
const TWICE: ReadonlySet<string> = new Set(['CreateKeyPair']);
/** What these do to no object of the server leaves no row; all others declare the event of theirs. */
const SILENT: readonly OperationName[] = [
  ...(['Cancel', 'Poll', 'Process', 'QueryAsynchronousRequests'] as const),
  ...([
    'Check',
    'Decrypt',
    'DiscoverVersions',
    'Encrypt',
    'Get',
    'GetAttributeList',
    'GetAttributes',
    'GetConstraints',
    'Hash',
    'Interop',
    'Locate',
    'Log',
    'Login',
    'Logout',
    'Ping',
  ] as const),
  ...(['MAC', 'MACVerify', 'ObtainLease', 'PKCS_11', 'Query', 'RNGRetrieve', 'RNGSeed', 'SetEndpointRole', 'Sign', 'SignatureVerify', 'Validate'] as const),
];

function eventsOf(operation: OperationName): readonly string[] {
  const event = OPERATIONS[operation]?.event;
  if (event === undefined) return [];
  return TWICE.has(operation) ? [event, event] : [event];
}

/** They succeed only for what was sent with an AsynchronousIndicator, which leaves the rows of what was asked for. */
const OF_LATER: ReadonlySet<string> = new Set(['Poll', 'Process']);

/** These take from the objects what the others need. */
const LAST: readonly OperationName[] = [
  ...(['DeleteAttribute', 'ReKey', 'ReKeyKeyPair', 'ReCertify', 'Recover', 'Deactivate', 'Revoke', 'Destroy', 'Obliterate', 'Archive'] as const),
];
/** The row names what was there before, and not what has been made of it. */
const NAMES_THE_OLD: ReadonlySet<string> = new Set(['DeleteAttribute', 'ReKey', 'ReKeyKeyPair', 'ReCertify', 'CreateSplitKey', 'Obliterate']);

/** What a refusal of each operation comes of, where it is not an object that is not there. */
const REFUSED: Readonly<Partial<Record<OperationName, readonly Node[]>>> = {
  Create: [],
  CreateKeyPair: [],
  CreateSplitKey: [],
  Register: [],
  Import: [],
  Hash: [],
  RNGRetrieve: [integer(TAG.DataLength, -1)],
  RNGSeed: [],
  Log: [],
  Interop: [],
  Cancel: [],
  Poll: [bytes(TAG.AsynchronousCorrelationValue, new Uint8Array(16))],
  Process: [bytes(TAG.AsynchronousCorrelationValue, new Uint8Array(16))],
  QueryAsynchronousRequests: [integer(TAG.Operations, 1)],
  Login: [integer(TAG.RequestCount, -1)],
  DelegatedLogin: [],
  Logout: [],
  PKCS_11: [],
  Ping: [integer(TAG.DataLength, 1)],
  DiscoverVersions: [structure(TAG.ProtocolVersion, [text(TAG.ProtocolVersionMajor, 'two')])],
  Locate: [integer(TAG.MaximumItems, -1)],
  Query: [text(TAG.QueryFunction, 'none')],
  SetEndpointRole: [enumeration(TAG.EndpointRole, 1)],
  GetConstraints: [integer(TAG.DataLength, 1)],
  SetConstraints: [integer(TAG.DataLength, 1)],
  SetDefaults: [integer(TAG.DataLength, 1)],
};
/** Only to be told from a request by an identifier that is not there. */
const NOTHING = 'nothing';

const databases = await testDatabases();
test.after(async () => void (await Promise.all(databases.map((database) => database.stop()))));

interface World {
  readonly server: SecureServer;
  readonly alice: Ask;
  readonly bob: Ask;
  /** Rows that the work has written, in their order. */
  during<T>(work: () => Promise<T>): Promise<{ value: T; rows: Row[] }>;
}

async function open({ dialect, url }: TestDatabase): Promise<World> {
  // A file of SQLite lies in the folder of the server.
  const store = dialect === 'sqlite' ? '' : `[store]\nurl = "${await url()}"\n`;
  const server = await startSecureServer({ config: `${store}[keys]\nrotation_check_seconds = 0\n` });
  const cookie = await signInAdmin(server);
  const [alice, bob] = [server.as(await server.client('alice')), server.as(await server.client('bob'))];
  const seen = new Set<string>();
  const fresh = async (): Promise<AuditRow[]> => {
    const found: AuditRow[] = [];
    for (let after = ''; ; ) {
      const { status, body, text: said } = await server.ask('GET', `/audit?limit=1000${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`, { cookie });
      assert.equal(status, 200, said);
      for (const row of body.events as AuditRow[]) {
        if (seen.has(`${row.stream} ${row.seq}`)) continue;
        seen.add(`${row.stream} ${row.seq}`);
        found.push(row);
      }
      if (!body.next) return found;
      after = body.next;
    }
  };
  return {
    server,
    alice,
    bob,
    async during(work) {
      await fresh();
      const value = await work();
      return { value, rows: (await fresh()).map(told) };
    },
  };
}

const as = (user: string) => ({ actor: user, scheme: 'cc', source: '127.0.0.1' });
const done = (user: string, event: string, target: string | null, reason: string | null = null): Row => ({
  event,
  outcome: 'success',
  target,
  reason,
  ...as(user),
});
const refusal = (user: string, event: string, target: string | null, reason: string): Row => ({ event, outcome: 'refused', target, reason, ...as(user) });
const byText = (rows: readonly Row[]) => rows.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort();

async function kmip(ask: Ask, operation: OperationName, payload: readonly Node[]): Promise<Answer> {
  if (!operationExists(ENUM.Operation[operation], WORKING_VERSION)) return inThird(ask, operation, payload);
  return ask('POST', '/kmip/2_1', { body: Buffer.from(encodeJson(structure(TAG.RequestPayload, payload), operation)).toString() });
}

/** An operation that 2.1 has not, in a message of KMIP 3.0, with an answer as that to a single operation. */
async function inThird(ask: Ask, operation: OperationName, payload: readonly Node[]): Promise<Answer> {
  const message = requestMessage({ major: 3, minor: 0 }, [batchItem(operation, payload)]);
  const answer = await ask('POST', '/kmip', { body: Buffer.from(encodeJson(message)).toString() });
  const item = structureOf(decodeJson(Buffer.from(answer.text)), TAG.BatchItem) as Structure;
  const reason = codeOf(item, TAG.ResultReason);
  if (reason !== undefined) return { ...answer, status: 422, body: { message: `${nameOf('ResultReason', reason)}: ${textOf(item, TAG.ResultMessage)}` } };
  const told = structure(TAG.ResponsePayload, fromThird(structureOf(item, TAG.ResponsePayload)?.value ?? []));
  return { ...answer, text: Buffer.from(encodeJson(told)).toString() };
}

/** Identifiers in an answer, or a request. */
function identifiers(nodes: readonly Node[]): string[] {
  return nodes.flatMap((node) =>
    node.type === TYPE.TextString && [TAG.UniqueIdentifier, TAG.PrivateKeyUniqueIdentifier, TAG.PublicKeyUniqueIdentifier].includes(node.tag as never)
      ? [node.value]
      : [],
  );
}

const answered = ({ text: body }: Answer): readonly Node[] =>
  (decodeJson(Buffer.from(body.replace(/^\{"tag":"\w+Response"/, '{"tag":"ResponsePayload"'))) as Structure).value;

/** The targets of the rows of a success. */
function targets({ operation, payload }: Request, answer: Answer): string[] {
  const [asked, told] = [identifiers(payload), identifiers(answered(answer))];
  if (operation === 'CreateSplitKey') return [asked[0] ?? (told[0] as string)];
  return NAMES_THE_OLD.has(operation) ? asked.slice(0, 1) : told;
}

for (const database of databases) {
  const name = (title: string) => `${database.dialect}: ${title}`;
  let world: World;
  let requests: readonly Request[];

  test(name('objects of every kind'), async () => {
    world = await open(database);
    const ask: AskFor = async (operation, payload, caller) => {
      const answer = await kmip(caller === undefined || caller.user.endsWith('alice') ? world.alice : world.bob, operation, payload);
      assert.equal(answer.status, 200, `${operation}: ${answer.text}`);
      return structure(TAG.ResponsePayload, [...answered(answer)]);
    };
    await makeThrough(ask);
    requests = requestsOver(await made(ask));
  });

  test(name('each operation of KMIP that succeeds'), async () => {
    const names = Object.keys(OPERATIONS) as OperationName[];
    assert.deepEqual(names.filter((each) => eventsOf(each).length === 0).toSorted(), SILENT.toSorted());
    for (const operation of [...names.filter((each) => !LAST.includes(each) && !OF_LATER.has(each)), ...LAST]) {
      const request = requests.find((each) => each.operation === operation && each.alone);
      assert.ok(request, `${operation} has no request`);
      // What has been activated is not destroyed.
      const payload = operation === 'Destroy' ? [id('revoked')] : request.payload;
      const { value: answer, rows } = await world.during(() => kmip(world.alice, operation, payload));
      assert.equal(answer.status, 200, `${operation}: ${answer.text}`);
      const events = eventsOf(operation);
      const of = events.length === 0 ? [] : targets(request, answer);
      assert.deepEqual(byText(rows), byText(events.map((event, at) => done('alice', event, of[at] ?? null))), operation);
    }
  });

  test(name('each operation of KMIP that is refused'), async () => {
    for (const operation of Object.keys(OPERATIONS) as OperationName[]) {
      const request = requests.find((each) => each.operation === operation && each.alone) as Request;
      let isNamed = false;
      const elsewhere = (node: Node): Node => {
        if (isNamed || node.type !== TYPE.TextString || !identifiers([node]).length) return node;
        isNamed = true;
        return { ...node, value: NOTHING };
      };
      const payload = REFUSED[operation] ?? request.payload.map(elsewhere);
      assert.ok(isNamed || REFUSED[operation], `${operation} names no object`);
      const { value: answer, rows } = await world.during(() => kmip(world.alice, operation, payload));
      assert.equal(answer.status, 422, `${operation}: ${answer.text}`);
      const reason = (answer.body.message as string).split(':')[0]?.replaceAll('_', '') as string;
      const target = payload.find(({ type }) => type === TYPE.TextString)?.value as string | undefined;
      assert.deepEqual(rows, [refusal('alice', `key.${operation}`, target ?? null, reason)], operation);
    }
    const { rows } = await world.during(() => kmip(world.alice, 'Get', [id('bobs')]));
    assert.deepEqual(rows, [refusal('alice', 'key.Get', 'bobs', 'ObjectNotFound')]);
  });

  test(name('each call of the REST crypto API'), async () => {
    const { alice } = world;
    const call = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) => alice(method, `/v1/crypto/${path}`, body === undefined ? {} : { body });
    const made = async (alg: string) => {
      const { value, rows } = await world.during(() => call('POST', 'keys', { kty: 'oct', alg }));
      assert.deepEqual(rows, [done('alice', 'key.create', value.body.kid)], value.text);
      return value.body.kid as string;
    };
    const [kid, mac, kek] = [await made('A256GCM'), await made('HS256'), await made('A256KW')];
    const quiet = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
      const { value, rows } = await world.during(() => call(method, path, body));
      assert.equal(value.status, 200, value.text);
      assert.deepEqual(rows, [], path);
      return value.body;
    };
    const sealed = await quiet('POST', 'encrypt', { kid, alg: 'dir', enc: 'A256GCM', data: 'aGVsbG8' });
    await quiet('POST', 'decrypt', sealed);
    await quiet('POST', 'mac', { kid: mac, alg: 'HS256', data: 'aGVsbG8' });
    await quiet('GET', `keys/${kid}/tags`);
    const carried = await quiet('POST', 'encrypt', { kid: kek, alg: 'A256KW', enc: 'A256GCM', data: 'aGVsbG8' });
    const rowsOf = async (method: 'POST' | 'DELETE', path: string, body?: unknown) => {
      const { value, rows } = await world.during(() => call(method, path, body));
      assert.ok(value.status < 300, value.text);
      return { rows, answer: value.body };
    };
    const unwrapped = await rowsOf('POST', 'keys/unwrap', { protected: carried.protected, encrypted_key: carried.encrypted_key });
    assert.deepEqual(unwrapped.rows, [done('alice', 'key.import', unwrapped.answer.kid)]);
    assert.deepEqual((await rowsOf('POST', `keys/${kid}/tags`, { tags: ['one'] })).rows, [done('alice', 'key.attribute', kid)]);
    assert.deepEqual((await rowsOf('DELETE', `keys/${kid}/tags`, { tags: ['one'] })).rows, [done('alice', 'key.attribute', kid)]);
    assert.deepEqual(byText((await rowsOf('DELETE', `keys/${kid}`)).rows), byText([done('alice', 'key.revoke', kid), done('alice', 'key.destroy', kid)]));
    const refusals: readonly (readonly [string, string | null, string, Promise<Answer> | (() => Promise<Answer>)])[] = [
      ['key.Encrypt', NOTHING, 'ItemNotFound', () => call('POST', 'encrypt', { kid: NOTHING, alg: 'dir', enc: 'A256GCM', data: 'aGVsbG8' })],
      ['key.Decrypt', kid, 'ItemNotFound', () => call('POST', 'decrypt', sealed)],
      ['key.Sign', NOTHING, 'ItemNotFound', () => call('POST', 'sign', { kid: NOTHING, alg: 'RS256', data: 'aGVsbG8' })],
      ['key.SignatureVerify', null, 'bad_request', () => call('POST', 'verify', { data: 'aGVsbG8' })],
      ['key.MAC', NOTHING, 'ObjectNotFound', () => call('POST', 'mac', { kid: NOTHING, alg: 'HS256', data: 'aGVsbG8' })],
      ['key.Create', null, 'bad_request', () => call('POST', 'keys', { kty: 'none' })],
      ['key.Import', null, 'bad_request', () => call('POST', 'keys/unwrap', {})],
      ['key.Destroy', NOTHING, 'ItemNotFound', () => call('DELETE', `keys/${NOTHING}`)],
      ['key.GetAttributes', NOTHING, 'ObjectNotFound', () => call('GET', `keys/${NOTHING}/tags`)],
      ['key.ModifyAttribute', NOTHING, 'ObjectNotFound', () => call('POST', `keys/${NOTHING}/tags`, { tags: ['one'] })],
      ['key.ModifyAttribute', NOTHING, 'ObjectNotFound', () => call('DELETE', `keys/${NOTHING}/tags`, { tags: ['one'] })],
      ['key.Encrypt', null, 'bad_request', () => call('POST', 'encrypt', 'no JSON')],
    ];
    for (const [event, target, reason, ask] of refusals) {
      const { value, rows } = await world.during(ask as () => Promise<Answer>);
      assert.ok(value.status >= 400 && value.status < 500, value.text);
      assert.deepEqual(
        rows.map((row) => ({ ...row, reason: row.reason === 'not_found' ? 'ItemNotFound' : row.reason })),
        [refusal('alice', event, target, reason)],
        event,
      );
    }
  });

  test(name('each call of /access'), async () => {
    const { alice, bob } = world;
    const key = 'hmac';
    const change = (ask: Ask, verb: 'grant' | 'revoke', object: string, user: string, operations = ['get', 'mac']) =>
      ask('POST', `/access/${verb}`, { body: { unique_identifier: object, user_id: user, operation_types: operations } });
    const rowsOf = async (ask: () => Promise<Answer>, status: number) => {
      const { value, rows } = await world.during(ask);
      assert.equal(value.status, status, value.text);
      return rows;
    };
    assert.deepEqual(await rowsOf(() => change(alice, 'grant', key, 'bob'), 200), [done('alice', 'key.grant', key, 'bob: get mac')]);
    assert.deepEqual(await rowsOf(() => change(bob, 'grant', key, 'carol'), 403), [refusal('bob', 'key.grant', key, 'KEYS_NOT_OWNER')]);
    assert.deepEqual(await rowsOf(() => change(bob, 'revoke', key, 'alice'), 403), [refusal('bob', 'key.grant.revoke', key, 'KEYS_NOT_OWNER')]);
    assert.deepEqual(await rowsOf(() => change(alice, 'grant', key, 'alice'), 403), [refusal('alice', 'key.grant', key, 'KEYS_GRANT_SELF')]);
    assert.deepEqual(await rowsOf(() => change(alice, 'grant', NOTHING, 'bob'), 404), [refusal('alice', 'key.grant', NOTHING, 'KEYS_OBJECT_NOT_FOUND')]);
    assert.deepEqual(await rowsOf(() => change(alice, 'grant', '*', 'bob', ['create']), 403), [refusal('alice', 'key.grant', '*', 'KEYS_NOT_PRIVILEGED')]);
    assert.deepEqual(await rowsOf(() => change(alice, 'grant', key, 'bob', ['create']), 422), [refusal('alice', 'key.grant', key, 'KEYS_REFUSED')]);
    assert.deepEqual(await rowsOf(() => change(alice, 'grant', key, 'bob', ['nonsense']), 400), [refusal('alice', 'key.grant', key, 'BAD_REQUEST')]);
    assert.deepEqual(await rowsOf(() => bob('GET', `/access/list/${key}`), 403), [refusal('bob', 'key.grant.list', key, 'KEYS_NOT_OWNER')]);
    const check = { unique_identifier: key, user_id: 'carol', operation_types: ['get'] };
    assert.deepEqual(await rowsOf(() => bob('POST', '/access/check', { body: check }), 403), [refusal('bob', 'key.grant.check', key, 'KEYS_NOT_OWNER')]);
    assert.deepEqual(await rowsOf(() => alice('GET', '/access/owned?after=nowhere'), 400), [refusal('alice', 'key.owned', null, 'BAD_REQUEST')]);
    assert.deepEqual(await rowsOf(() => alice('GET', '/access/obtained?after=nowhere'), 400), [refusal('alice', 'key.obtained', null, 'BAD_REQUEST')]);
    for (const path of ['owned', 'obtained', `list/${key}`, 'create', 'privileged'])
      assert.deepEqual(await rowsOf(() => alice('GET', `/access/${path}`), 200), []);
    assert.deepEqual(await rowsOf(() => change(alice, 'revoke', key, 'bob', ['mac']), 200), [done('alice', 'key.grant.revoke', key, 'bob: mac')]);
    // What is refused names what the client said, made readable.
    assert.deepEqual(await rowsOf(() => change(alice, 'grant', `a\u001b[2J${'x'.repeat(500)}`, 'bob'), 404), [
      refusal('alice', 'key.grant', `a\ufffd[2J${'x'.repeat(123)}`, 'KEYS_OBJECT_NOT_FOUND'),
    ]);
  });

  test(name('the server ends'), () => world.server.end());
}

test.run();
