// The result reasons of every version over the whole server, as its tables of errors have them (KMIP 1.0 to 1.4 section 11, 2.x section 6.1).
import assert from 'node:assert/strict';
import { request } from 'undici';
import { test } from 'uvu';
import { decodeBinary, encodeBinary } from '../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { decodeJson } from '../../../kmip/ttlv/json.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { bytes, dateTime, enumeration, integer, interval, longInteger, type Node, type Structure, structure, TYPE, text } from '../../../kmip/ttlv/node.ts';
import { child, children, codeOf, integerOf, nameOf, required, structureOf } from '../../../kmip/ttlv/read.ts';
import { operationExists } from '../../../kmip/ttlv/since.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { decodeXml } from '../../../kmip/ttlv/xml.ts';
import { failureMessage } from '../../../plugins/keys/failure.ts';
import { until } from '../../runtime.ts';
import { caller } from './caller.ts';
import { inWords, type KmipClient, name, tagsIn, textIn } from './kmip-client.ts';
import { keyContent } from './operation-requests.ts';

const alice = caller('alice');

const VERSIONS = ['1.0', '1.1', '1.2', '1.3', '1.4', '2.0', '2.1'] as const;
const { ObjectType, CryptographicAlgorithm, RevocationReasonCode, BlockCipherMode } = ENUM;
const BIT = MASK.CryptographicUsageMask;
const ID = (id: string): Node => text(TAG.UniqueIdentifier, id);
const now = () => Math.floor(alice.server.clock.now() / 1000);

function speaking(version: string): KmipClient {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return alice.client({ major, minor, encoding: 'binary' });
}

function inEachVersion(title: string, work: (client: KmipClient, version: string) => Promise<void>): void {
  for (const version of VERSIONS) test(`${title}: KMIP ${version}`, () => work(speaking(version), version));
}

async function aesKey(client: KmipClient, ...more: readonly Node[]): Promise<string> {
  const given = [
    enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.AES),
    integer(TAG.CryptographicLength, 128),
    ...(more.some(({ tag }) => tag === TAG.CryptographicUsageMask) ? [] : [integer(TAG.CryptographicUsageMask, BIT.Encrypt | BIT.Decrypt)]),
    ...more,
  ];
  return textIn(await client.do('Create', enumeration(TAG.ObjectType, ObjectType.SymmetricKey), client.attributes(...given)), TAG.UniqueIdentifier);
}

async function opaque(client: KmipClient, ...more: readonly Node[]): Promise<string> {
  const content = structure(TAG.OpaqueObject, [enumeration(TAG.OpaqueDataType, 0x80000001), bytes(TAG.OpaqueDataValue, Buffer.from('what nobody reads'))]);
  return textIn(await client.do('Register', enumeration(TAG.ObjectType, ObjectType.OpaqueObject), client.attributes(...more), content), TAG.UniqueIdentifier);
}

const revocation = (code: keyof typeof RevocationReasonCode = 'CessationOfOperation') =>
  structure(TAG.RevocationReason, [enumeration(TAG.RevocationReasonCode, RevocationReasonCode[code])]);
const activeSince = (date: number): Node => dateTime(TAG.ActivationDate, date);
const limits = (total: bigint): Node =>
  structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, total), enumeration(TAG.UsageLimitsUnit, ENUM.UsageLimitsUnit.Object)]);
const GCM = structure(TAG.CryptographicParameters, [enumeration(TAG.BlockCipherMode, BlockCipherMode.GCM)]);

/** AddAttribute, ModifyAttribute as the version has their payload. */
const given = (client: KmipClient, node: Node): Node => (client.isOld ? client.attribute(node) : structure(TAG.NewAttribute, [node]));
const reference = (client: KmipClient, tag: number): Node => (client.isOld ? text(TAG.AttributeName, inWords(tag)) : enumeration(TAG.AttributeReference, tag));

const NOBODY = '00000000-0000-4000-8000-00000000dead';

/** Every operation that names an object, with what it cannot be without. */
function namingOperations(client: KmipClient): [keyof typeof ENUM.Operation, Node[]][] {
  const id = ID(NOBODY);
  const data = bytes(TAG.Data, Buffer.alloc(16));
  const signature = bytes(TAG.SignatureData, Buffer.alloc(64));
  const derivation = structure(TAG.DerivationParameters, [bytes(TAG.InitializationVector, Buffer.alloc(16))]);
  const made = client.attributes(
    enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.AES),
    integer(TAG.CryptographicLength, 128),
    integer(TAG.CryptographicUsageMask, 4),
  );
  const contact = text(TAG.ContactInformation, 'somebody');
  return [
    ...(
      [
        'Get',
        'GetAttributes',
        'GetAttributeList',
        'Activate',
        'Destroy',
        'Check',
        'ObtainLease',
        'Archive',
        'Recover',
        'ReKey',
        'Validate',
        'ReCertify',
      ] as const
    ).map((operation): [typeof operation, Node[]] => [operation, [id]]),
    ['Export', [id]],
    ['ReKeyKeyPair', [text(TAG.PrivateKeyUniqueIdentifier, NOBODY)]],
    ['Revoke', [id, revocation()]],
    ['GetUsageAllocation', [id, longInteger(TAG.UsageLimitsCount, 1n)]],
    ['AddAttribute', [id, given(client, contact)]],
    ['ModifyAttribute', [id, given(client, contact)]],
    ['DeleteAttribute', [id, reference(client, TAG.ContactInformation)]],
    ['SetAttribute', [id, given(client, contact)]],
    ['AdjustAttribute', [id, reference(client, TAG.ContactInformation), enumeration(TAG.AdjustmentType, ENUM.AdjustmentType.Increment)]],
    ['Encrypt', [id, GCM, data]],
    ['Decrypt', [id, GCM, data]],
    ['Sign', [id, data]],
    ['SignatureVerify', [id, data, signature]],
    ['MAC', [id, data]],
    ['MACVerify', [id, data, bytes(TAG.MACData, Buffer.alloc(32))]],
    ['DeriveKey', [enumeration(TAG.ObjectType, ObjectType.SymmetricKey), id, enumeration(TAG.DerivationMethod, ENUM.DerivationMethod.HMAC), derivation, made]],
    ['JoinSplitKey', [enumeration(TAG.ObjectType, ObjectType.SymmetricKey), id, ID(`${NOBODY}2`), made]],
  ];
}

inEachVersion('an object that is not there has one reason from every operation', async (client) => {
  const told = new Map<string, string | undefined>();
  for (const [operation, payload] of namingOperations(client))
    if (operationExists(ENUM.Operation[operation], client.speech)) told.set(operation, await client.refused(operation, ...payload));
  // Clients of other servers of 2.x expect the older reason from these.
  const older: readonly string[] = ['Encrypt', 'Decrypt', 'Sign', 'SignatureVerify', 'Revoke', 'Destroy'];
  const expected = (operation: string) => (client.isOld || older.includes(operation) ? 'ItemNotFound' : 'ObjectNotFound');
  assert.deepEqual(Object.fromEntries(told), Object.fromEntries([...told.keys()].map((operation) => [operation, expected(operation)])));
  // Section 6.1.6.1 of 2.1 lists no other.
  assert.equal(await client.refused('Certify', ID(NOBODY)), 'ItemNotFound');
});

inEachVersion('what is destroyed is refused as such, not as missing', async (client) => {
  const id = await aesKey(client);
  await client.do('Destroy', ID(id));
  assert.equal(await client.refused('Destroy', ID(id)), client.isOld ? 'PermissionDenied' : 'ObjectDestroyed');
  assert.equal(await client.refused('Get', ID(id)), client.isOld ? 'ItemNotFound' : 'ObjectDestroyed');
  if (client.knows('1.2'))
    assert.equal(await client.refused('Encrypt', ID(id), GCM, bytes(TAG.Data, Buffer.alloc(3))), client.isOld ? 'PermissionDenied' : 'ObjectDestroyed');
  assert.equal(await client.refused('Activate', ID(id)), client.isOld ? 'PermissionDenied' : 'WrongKeyLifecycleState');
});

inEachVersion('what is compromised is there, and cannot be revoked again', async (client) => {
  const id = await aesKey(client);
  await client.do('Revoke', ID(id), revocation('KeyCompromise'));
  assert.equal(await client.refused('Revoke', ID(id), revocation()), client.isOld ? 'PermissionDenied' : 'WrongKeyLifecycleState');
});

inEachVersion('usage limits have their count from the start, in the order of their table', async (client) => {
  const count = async (id: string) => {
    const value = await client.valueOf(id, TAG.UsageLimits);
    assert.ok(value?.type === TYPE.Structure);
    assert.deepEqual(tagsIn(value), [TAG.UsageLimitsTotal, TAG.UsageLimitsCount, TAG.UsageLimitsUnit]);
    return value.value[1]?.value;
  };
  const id = await aesKey(client, limits(10n), activeSince(1));
  assert.equal(await count(id), 10n);
  await client.do('GetUsageAllocation', ID(id), longInteger(TAG.UsageLimitsCount, 3n));
  assert.equal(await count(id), 7n);
  assert.equal(
    await client.refused('GetUsageAllocation', ID(id), longInteger(TAG.UsageLimitsCount, 8n)),
    client.isOld ? 'PermissionDenied' : 'UsageLimitExceeded',
  );
  assert.equal(await count(textIn(await client.do('ReKey', ID(id)), TAG.UniqueIdentifier)), 10n);
  // The client may leave the unit to the server (table 102), and its count is not looked at.
  assert.equal(
    await count(await aesKey(client, structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsCount, 1n), longInteger(TAG.UsageLimitsTotal, 5n)]))),
    5n,
  );
});

inEachVersion('there is nothing to allocate from a key without limits, or one that does not protect', async (client) => {
  const ask = async (...attributes: Node[]) =>
    client.refused('GetUsageAllocation', ID(await aesKey(client, ...attributes)), longInteger(TAG.UsageLimitsCount, 1n));
  assert.equal(await ask(activeSince(1)), client.isOld ? 'IllegalOperation' : 'AttributeNotFound');
  assert.equal(await ask(limits(5n)), client.isOld ? 'IllegalOperation' : 'WrongKeyLifecycleState');
  const decrypting = integer(TAG.CryptographicUsageMask, BIT.Decrypt);
  assert.equal(await ask(limits(5n), activeSince(1), decrypting), client.isOld ? 'IllegalOperation' : 'IncompatibleCryptographicUsageMask');
});

inEachVersion('attributes are added, changed and taken away with the reasons of their tables', async (client) => {
  const id = await aesKey(client);
  const contact = text(TAG.ContactInformation, 'somebody');
  assert.equal(await client.refused('ModifyAttribute', ID(id), given(client, contact)), client.isOld ? 'InvalidField' : 'AttributeNotFound');
  assert.equal(await client.refused('DeleteAttribute', ID(id), reference(client, TAG.ContactInformation)), client.isOld ? 'ItemNotFound' : 'AttributeNotFound');
  await client.do('AddAttribute', ID(id), given(client, contact));
  assert.equal(await client.refused('AddAttribute', ID(id), given(client, contact)), client.isOld ? 'IllegalOperation' : 'AttributeSingleValued');
  const state = enumeration(TAG.State, ENUM.State.Active);
  for (const [operation, ...payload] of [
    ['AddAttribute', given(client, state)],
    ['ModifyAttribute', given(client, state)],
    ['DeleteAttribute', reference(client, TAG.State)],
    ...(client.isOld
      ? []
      : ([
          ['SetAttribute', given(client, state)],
          ['AdjustAttribute', reference(client, TAG.State), enumeration(TAG.AdjustmentType, ENUM.AdjustmentType.Increment)],
        ] as const)),
  ] as const) {
    const isOther = operation === 'ModifyAttribute' || operation === 'DeleteAttribute';
    const told = client.isOld ? 'PermissionDenied' : isOther ? 'AttributeReadOnly' : 'ReadOnlyAttribute';
    assert.equal(await client.refused(operation, ID(id), ...payload), told, operation);
  }
  // Of certificates only.
  const kind = enumeration(TAG.CertificateType, ENUM.CertificateType.X_509);
  assert.equal(await client.refused('AddAttribute', ID(id), given(client, kind)), client.isOld ? 'PermissionDenied' : 'InvalidAttribute');
});

inEachVersion('an attribute of one value is given to a new object once', async (client) => {
  const twice = [
    enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.AES),
    integer(TAG.CryptographicLength, 128),
    integer(TAG.CryptographicUsageMask, BIT.Encrypt),
    ...['somebody', 'somebody else'].map((each) => text(TAG.ContactInformation, each)),
  ];
  const symmetric = enumeration(TAG.ObjectType, ObjectType.SymmetricKey);
  const expected = client.isOld ? 'InvalidField' : 'AttributeSingleValued';
  assert.equal(await client.refused('Create', symmetric, client.attributes(...twice)), expected);
  assert.equal(await client.refused('Register', symmetric, client.attributes(...twice), keyContent()), expected);
  const common = { ...client.attributes(...twice), tag: client.isOld ? TAG.CommonTemplateAttribute : TAG.CommonAttributes };
  assert.equal(await client.refused('CreateKeyPair', common), expected);
});

inEachVersion('Validate needs a certificate', async (client) => {
  assert.equal(await client.refused('Validate'), 'InvalidMessage');
});

inEachVersion('what is archived is told as archived', async (client) => {
  const id = await aesKey(client, limits(3n));
  await client.do('Archive', ID(id));
  const operations: [keyof typeof ENUM.Operation, Node[]][] = [
    ['Get', [ID(id)]],
    ['Archive', [ID(id)]],
    ['ReKey', [ID(id)]],
    ['AddAttribute', [ID(id), given(client, text(TAG.ContactInformation, 'somebody'))]],
    ...(['Activate', 'Destroy', 'Check', 'ObtainLease'] as const).map((each): [typeof each, Node[]] => [each, [ID(id)]]),
    ['Revoke', [ID(id), revocation()]],
    ['GetUsageAllocation', [ID(id), longInteger(TAG.UsageLimitsCount, 1n)]],
  ];
  for (const [operation, payload] of operations) assert.equal(await client.refused(operation, ...payload), 'ObjectArchived', operation);
  // In 2.x the tables of these have no such error, and there is no other way to read ArchiveDate.
  for (const operation of ['GetAttributes', 'GetAttributeList'] as const)
    if (client.isOld) assert.equal(await client.refused(operation, ID(id)), 'ObjectArchived', operation);
    else await client.do(operation, ID(id));
  await client.do('Recover', ID(id));
  await client.do('Destroy', ID(id));
});

inEachVersion('a pre-active key is re-keyed, and its replacement waits as it does', async (client) => {
  const id = await aesKey(client);
  const next = textIn(await client.do('ReKey', ID(id)), TAG.UniqueIdentifier);
  assert.equal((await client.valueOf(next, TAG.State))?.value, ENUM.State.PreActive);
  assert.equal((await client.valueOf(next, TAG.ActivationDate))?.value, undefined);
  const later = textIn(await client.do('ReKey', ID(next), interval(TAG.Offset, 600)), TAG.UniqueIdentifier);
  assert.equal((await client.valueOf(later, TAG.State))?.value, ENUM.State.PreActive);
  const activation = (await client.valueOf(later, TAG.ActivationDate))?.value as number;
  assert.ok(Math.abs(activation - now() - 600) < 30, String(activation));
});

inEachVersion('an offset goes with no dates, and moves none without an activation', async (client) => {
  const offset = interval(TAG.Offset, 600);
  const id = await aesKey(client, activeSince(1));
  assert.equal(await client.refused('ReKey', ID(id), offset, client.attributes(activeSince(now()))), 'InvalidMessage');
  const ending = await aesKey(client, dateTime(TAG.DeactivationDate, now() + 9_000));
  assert.equal(await client.refused('ReKey', ID(ending), offset), client.isOld ? 'IllegalOperation' : 'InvalidField');
});

inEachVersion('a DeactivationDate in the past ends the life of a key', async (client) => {
  const id = await aesKey(client);
  await client.do('Activate', ID(id));
  await client.do('AddAttribute', ID(id), given(client, dateTime(TAG.DeactivationDate, now() - 3_600)));
  assert.equal((await client.valueOf(id, TAG.State))?.value, ENUM.State.Deactivated);
  const other = await aesKey(client, activeSince(now() - 60), dateTime(TAG.DeactivationDate, now() + 9_000));
  await client.do('ModifyAttribute', ID(other), given(client, dateTime(TAG.DeactivationDate, now() - 3_600)));
  assert.equal((await client.valueOf(other, TAG.State))?.value, ENUM.State.Deactivated);
});

inEachVersion('a new object does not end before it begins, unless both are over', async (client) => {
  const make = (begin: number, end: number) => aesKey(client, dateTime(TAG.ActivationDate, now() + begin), dateTime(TAG.DeactivationDate, now() + end));
  await assert.rejects(make(9_000, 6_000), /DeactivationDate must not be before ActivationDate/);
  assert.equal((await client.valueOf(await make(6_000, 9_000), TAG.State))?.value, ENUM.State.PreActive);
  assert.equal((await client.valueOf(await make(-6_000, -3_000), TAG.State))?.value, ENUM.State.Deactivated);
});

inEachVersion('an opaque object has a State since KMIP 2.0', async (client) => {
  const id = await opaque(client, name(`opaque ${client.speech.major}.${client.speech.minor}`));
  assert.equal((await client.valueOf(id, TAG.State))?.value, client.isOld ? undefined : ENUM.State.PreActive);
  const list = await client.do('GetAttributeList', ID(id));
  assert.equal(
    list.value.some(({ value }) => value === 'State' || value === TAG.State),
    !client.isOld,
  );
  assert.equal(await isFound(client, id, ENUM.State.PreActive), !client.isOld);
  if (client.isOld) assert.equal(await client.refused('Activate', ID(id)), 'IllegalOperation');
  else await client.do('Activate', ID(id));
  assert.equal(await isFound(client, id, ENUM.State.Active), !client.isOld);
  await client.do('Revoke', ID(id), revocation('KeyCompromise'));
  assert.ok((await client.valueOf(id, TAG.CompromiseDate))?.value);
  await client.do('Destroy', ID(id));
});

inEachVersion('an opaque object that its date has activated is destroyed at once before KMIP 2.0, and once it is revoked since then', async (client) => {
  const id = await opaque(client, activeSince(1));
  assert.equal((await client.valueOf(id, TAG.State))?.value, client.isOld ? undefined : ENUM.State.Active);
  if (!client.isOld) {
    assert.equal(await client.refused('Destroy', ID(id)), 'WrongKeyLifecycleState');
    await client.do('Revoke', ID(id), revocation('CessationOfOperation'));
  }
  await client.do('Destroy', ID(id));
});

async function isFound(client: KmipClient, id: string, state: number): Promise<boolean> {
  const conditions = client.conditions(enumeration(TAG.ObjectType, ObjectType.OpaqueObject), enumeration(TAG.State, state));
  const found = await client.do('Locate', ...conditions);
  return found.value.some(({ value }) => value === id);
}

const USES = ['Encrypt', 'Decrypt', 'Sign', 'SignatureVerify', 'MAC', 'MACVerify', 'DeriveKey'];

inEachVersion('an opaque object is no key, whatever it is used for', async (client) => {
  const id = await opaque(client);
  for (const [operation, payload] of namingOperations(client)) {
    if (!USES.includes(operation) || !operationExists(ENUM.Operation[operation], client.speech)) continue;
    const given = payload.map((node) => (node.tag === TAG.UniqueIdentifier ? ID(id) : node));
    const expected = client.isOld ? (operation === 'DeriveKey' ? 'InvalidField' : 'PermissionDenied') : 'InvalidObjectType';
    assert.equal(await client.refused(operation, ...given), expected, operation);
  }
  const specification = structure(TAG.KeyWrappingSpecification, [
    enumeration(TAG.WrappingMethod, ENUM.WrappingMethod.Encrypt),
    structure(TAG.EncryptionKeyInformation, [ID(id)]),
  ]);
  const expected = client.isOld ? 'IllegalOperation' : 'InvalidObjectType';
  assert.equal(await client.refused('Get', ID(await aesKey(client)), specification), expected);
});

for (const version of VERSIONS)
  test(`a client that would wait is served at once: KMIP ${version}`, async () => {
    const client = speaking(version);
    const indicator: Node = client.isOld
      ? { tag: TAG.AsynchronousIndicator, type: TYPE.Boolean, value: true }
      : enumeration(TAG.AsynchronousIndicator, ENUM.AsynchronousIndicator.Optional);
    const { item } = await client.askWith([indicator], 'Query', enumeration(TAG.QueryFunction, ENUM.QueryFunction.QueryOperations));
    assert.ok(structureOf(item, TAG.ResponsePayload));
  });

for (const version of ['1.0', '1.4', '2.1'] as const)
  test(`a pair that takes long is answered later to a client that would wait: KMIP ${version}`, async () => {
    const client = speaking(version);
    const indicator: Node = client.isOld
      ? { tag: TAG.AsynchronousIndicator, type: TYPE.Boolean, value: true }
      : enumeration(TAG.AsynchronousIndicator, ENUM.AsynchronousIndicator.Optional);
    const described = [
      enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.RSA),
      integer(TAG.CryptographicLength, 2_048),
      integer(TAG.CryptographicUsageMask, 3),
    ].map((node) => client.attribute(node));
    const { item, status } = await client.askWith(
      [indicator],
      'CreateKeyPair',
      structure(client.isOld ? TAG.CommonTemplateAttribute : TAG.CommonAttributes, described),
    );
    assert.equal(status, 'OperationPending');
    const value = children(item, TAG.AsynchronousCorrelationValue);
    await until(async () => (await client.ask('Poll', ...value)).status !== 'OperationPending', 'the pair is made');
    const told = await client.ask('Poll', ...value);
    assert.equal(child(told.item, TAG.Operation)?.value, ENUM.Operation.CreateKeyPair);
    await client.do('Get', { ...child(told.payload, TAG.PublicKeyUniqueIdentifier), tag: TAG.UniqueIdentifier } as Node);
    const capability = await client.do('Query', enumeration(TAG.QueryFunction, ENUM.QueryFunction.QueryOperations));
    const operations = children(capability, TAG.Operation).map((node) => node.value);
    const { Poll, Cancel, Process, QueryAsynchronousRequests } = ENUM.Operation;
    assert.deepEqual(
      [Poll, Cancel, Process, QueryAsynchronousRequests].map((each) => operations.includes(each)),
      [true, true, version === '2.1', version === '2.1'],
    );
  });

/** The version, and the reason, of the answer to a Query in a version. @param more bytes behind the message, with which it cannot be decoded */
async function answeredIn(major: number, minor: number, more = 0): Promise<[string, string]> {
  const version = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, major), integer(TAG.ProtocolVersionMinor, minor)]);
  const asked = enumeration(TAG.QueryFunction, ENUM.QueryFunction.QueryOperations);
  const message = structure(TAG.RequestMessage, [
    structure(TAG.RequestHeader, [version, integer(TAG.BatchCount, 1)]),
    structure(TAG.BatchItem, [enumeration(TAG.Operation, ENUM.Operation.Query), structure(TAG.RequestPayload, [asked])]),
  ]);
  const { body } = await request(`${alice.address}/kmip`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: Buffer.concat([encodeBinary(message), Buffer.alloc(more)]),
    dispatcher: alice.agent,
  });
  const answer = decodeBinary(new Uint8Array(await body.arrayBuffer()));
  const item = required(structureOf(answer, TAG.BatchItem), TAG.BatchItem);
  const reason = codeOf(item, TAG.ResultReason);
  return [versionIn(answer), reason === undefined ? 'Success' : nameOf('ResultReason', reason)];
}

function versionIn(answer: Structure): string {
  const header = required(structureOf(answer, TAG.ResponseHeader), TAG.ResponseHeader);
  const version = required(structureOf(header, TAG.ProtocolVersion), TAG.ProtocolVersion);
  return `${integerOf(version, TAG.ProtocolVersionMajor)}.${integerOf(version, TAG.ProtocolVersionMinor)}`;
}

test('a version that is not served is answered in the newest of its major number', async () => {
  assert.deepEqual(await answeredIn(1, 4), ['1.4', 'Success']);
  assert.deepEqual(await answeredIn(1, 5), ['1.4', 'InvalidMessage']);
  assert.deepEqual(await answeredIn(1, -1), ['1.4', 'InvalidMessage']);
  assert.deepEqual(await answeredIn(2, 2), ['2.1', 'UnsupportedProtocolVersion']);
  assert.deepEqual(await answeredIn(3, 0), ['3.0', 'Success']);
  assert.deepEqual(await answeredIn(3, 1), ['3.0', 'UnsupportedProtocolVersion']);
  assert.deepEqual(await answeredIn(4, 0), ['2.1', 'UnsupportedProtocolVersion']);
  assert.deepEqual(await answeredIn(0, 9), ['2.1', 'UnsupportedProtocolVersion']);
});

test('a binary message that cannot be decoded is answered in its version too', async () => {
  for (const [major, minor] of [
    [1, 0],
    [1, 2],
    [2, 0],
    [3, 0],
  ] as const)
    assert.deepEqual(await answeredIn(major, minor, 8), [`${major}.${minor}`, 'InvalidMessage']);
  assert.deepEqual([await answeredIn(1, 5, 8), await answeredIn(4, 0, 8)].flat(), ['1.4', 'InvalidMessage', '2.1', 'InvalidMessage']);
});

test('so is one in XML or JSON, as far as its version can be read', async () => {
  const answered = async (type: string, body: string, path = 'kmip') => {
    const answer = await request(`${alice.address}/${path}`, { method: 'POST', headers: { 'content-type': type }, body, dispatcher: alice.agent });
    const told = new Uint8Array(await answer.body.arrayBuffer());
    return versionIn(type === 'text/xml' ? decodeXml(told) : decodeJson(told));
  };
  const xml = (header: string, rest: string) => answered('text/xml', `<RequestMessage><RequestHeader>${header}</RequestHeader>${rest}`);
  const number = (name: string, value: string) => `<ProtocolVersion${name} type="Integer" value="${value}"/>`;
  const versionInXml = (major: string, minor: string) => `<ProtocolVersion>${number('Major', major)}${number('Minor', minor)}</ProtocolVersion>`;
  const json = (header: string, rest: string, path?: string) =>
    answered('application/json', `{"tag":"RequestMessage","value":[{"tag":"RequestHeader","value":[${header}]}${rest}`, path);
  const versionInJson = (major: string, minor: string) =>
    `{"tag":"ProtocolVersion","value":[{"tag":"ProtocolVersionMajor","type":"Integer","value":${major}},{"value":${minor},"type":"Integer","tag":"protocol_version_minor"}]}`;
  for (const [major, minor, expected] of [
    ['1', '0', '1.0'],
    ['1', '2', '1.2'],
    ['2', '0', '2.0'],
    ['3', '0', '3.0'],
    ['1', '5', '1.4'],
    ['4', '0', '2.1'],
  ] as const) {
    for (const rest of ['<NoSuchTag/></RequestMessage>', '<BatchItem>', '']) assert.equal(await xml(versionInXml(major, minor), rest), expected);
    for (const rest of [',{"tag":"NoSuchTag","value":[]}]}', ',{"tag":', '']) assert.equal(await json(versionInJson(major, minor), rest), expected);
    assert.equal(await json(versionInJson(major, minor), ',', 'kmip/2_1'), expected);
  }
  for (const wrong of ['"one"', '1.5', '{}']) assert.equal(await json(versionInJson('1', wrong), ''), '2.1');
  assert.equal(await json('', '', 'kmip/1_4'), '1.4');
  assert.equal(await xml(versionInXml('one', '0'), ''), '2.1');
  assert.equal(await xml('', ''), '2.1');
});

test('so is a message that is not worked on', () => {
  const told = (major: number, minor: number) => {
    const version = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, major), integer(TAG.ProtocolVersionMinor, minor)]);
    const message = encodeBinary(structure(TAG.RequestMessage, [structure(TAG.RequestHeader, [version, integer(TAG.BatchCount, 1)])]));
    return versionIn(decodeBinary(new Uint8Array(failureMessage(message, 'OVERLOADED', 0))));
  };
  assert.deepEqual([told(1, 2), told(1, 5), told(2, 0), told(2, 9), told(3, 2), told(4, 0)], ['1.2', '1.4', '2.0', '2.1', '3.0', '2.1']);
});

test.run();
