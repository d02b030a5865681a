// KMIP 3.0 as a client writes and reads it: types for what names objects, links that are attributes, names that are texts, and no count of items.
import assert from 'node:assert/strict';
import { createPublicKey, encapsulate, type KeyObject } from 'node:crypto';
import { request } from 'undici';
import { test } from 'uvu';
import { caller } from './caller.ts';

const alice = caller('alice');

/** `Tag:Type=value`, and `Tag` with members. The JSON of the profile is written and read as it is on the wire. */
type Written = readonly [tag: string, value: readonly Written[]] | readonly [tag: string, type: string, value: string | number | boolean];
type Read = { readonly tag: string; readonly type?: string; readonly value: unknown };

const json = ([tag, type, value]: Written): object => (typeof type === 'string' ? { tag, type, value } : { tag, value: type.map(json) });
const written = (nodes: readonly Read[]): Written[] =>
  nodes.map(({ tag, type, value }): Written => (Array.isArray(value) ? [tag, written(value as Read[])] : [tag, type as string, value as string]));
const members = (of: Written | undefined): readonly Written[] => (of?.[1] ?? []) as readonly Written[];
const member = (of: Written | undefined, tag: string): Written | undefined => members(of).find(([each]) => each === tag);
const told = (of: Written | undefined, tag: string): unknown => member(of, tag)?.[2];

const version = (major: number, minor: number): Written => [
  'ProtocolVersion',
  [
    ['ProtocolVersionMajor', 'Integer', major],
    ['ProtocolVersionMinor', 'Integer', minor],
  ],
];
const item = (operation: string, payload: readonly Written[], ...extra: readonly Written[]): Written => [
  'BatchItem',
  [['Operation', 'Enumeration', operation], ...extra, ['RequestPayload', payload]],
];

async function send(header: readonly Written[], ...items: readonly Written[]): Promise<{ header: Written | undefined; items: Written[] }> {
  const body = JSON.stringify(json(['RequestMessage', [['RequestHeader', header], ...items]]));
  const headers = { 'content-type': 'application/json' };
  const answer = await request(`${alice.address}/kmip`, { method: 'POST', headers, body, dispatcher: alice.agent });
  const [message] = written([(await answer.body.json()) as Read]);
  return { header: member(message, 'ResponseHeader'), items: members(message).filter(([tag]) => tag === 'BatchItem') as Written[] };
}

/** The payload of the answer to one operation of KMIP 3.0, or the reason of its refusal. */
async function ask(operation: string, ...payload: readonly Written[]): Promise<Written | string> {
  const { items } = await send([version(3, 0)], item(operation, payload));
  return (told(items[0], 'ResultReason') as string | undefined) ?? (member(items[0], 'ResponsePayload') as Written);
}

async function done(operation: string, ...payload: readonly Written[]): Promise<Written> {
  const answer = await ask(operation, ...payload);
  assert.ok(typeof answer !== 'string', `${operation}: ${answer}`);
  return answer;
}

const id = (value: string): Written => ['UniqueIdentifier', 'Identifier', value];
const reference = (attribute: string): Written => ['AttributeReference', 'Enumeration', attribute];
const added = (attribute: Written): Written => ['NewAttribute', [attribute]];
const AES: readonly Written[] = [
  ['CryptographicAlgorithm', 'Enumeration', 'AES'],
  ['CryptographicLength', 'Integer', 128],
  ['CryptographicUsageMask', 'Integer', 'Encrypt|Decrypt'],
];

async function created(...attributes: readonly Written[]): Promise<string> {
  const payload = await done('Create', ['ObjectType', 'Enumeration', 'SymmetricKey'], ['Attributes', [...AES, ...attributes]]);
  assert.equal(member(payload, 'UniqueIdentifier')?.[1], 'Identifier');
  return told(payload, 'UniqueIdentifier') as string;
}

const active: Written = ['ActivationDate', 'DateTime', '2024-01-01T00:00:00Z'];
const shown = async (key: string, ...attributes: readonly string[]): Promise<readonly Written[]> =>
  members(member(await done('GetAttributes', id(key), ...attributes.map(reference)), 'Attributes'));

test('a message has no count of its items, nor has the answer', async () => {
  const query = item('Query', [['QueryFunction', 'Enumeration', 'QueryOperations']]);
  const { header, items } = await send([version(3, 0)], query, query);
  assert.equal(items.length, 2);
  assert.deepEqual(
    members(header).map(([tag]) => tag),
    ['ProtocolVersion', 'TimeStamp', 'ServerCorrelationValue'],
  );
  const operations = members(member(items[0], 'ResponsePayload')).map(([, , value]) => value);
  for (const name of ['Deactivate', 'Obliterate']) assert.ok(operations.includes(name), name);
  // A client that sends one is held to it.
  const { items: refused } = await send([version(3, 0), ['BatchCount', 'Integer', 3]], query, query);
  assert.deepEqual([refused.length, told(refused[0], 'ResultReason')], [1, 'InvalidMessage']);
});

test('a Name is a text, and names an object where a NameReference is given', async () => {
  const key = await created(['Name', 'TextString', 'first of 3.0']);
  assert.deepEqual(await shown(key, 'Name'), [['Name', 'TextString', 'first of 3.0']]);
  assert.deepEqual(members(await done('Locate', ['Attributes', [['Name', 'TextString', 'first of 3.0']]])).slice(1), [id(key)]);
  const named: Written = ['UniqueIdentifier', 'NameReference', 'first of 3.0'];
  assert.equal(told(await done('Get', named), 'UniqueIdentifier'), key);
  assert.equal(await ask('Get', ['UniqueIdentifier', 'NameReference', 'nobody has it']), 'ObjectNotFound');
  const common: Written = [
    'CommonAttributes',
    [
      ['CryptographicAlgorithm', 'Enumeration', 'Ed25519'],
      ['Name', 'TextString', 'a pair of 3.0'],
    ],
  ];
  await done('CreateKeyPair', common);
  assert.equal(await ask('Get', ['UniqueIdentifier', 'NameReference', 'a pair of 3.0']), 'InvalidField');
  const many = Array.from({ length: 65 }, (_, at): Written => ['NextLink', 'NameReference', `name ${at}`]);
  assert.equal(await ask('Create', ['ObjectType', 'Enumeration', 'SymmetricKey'], ['Attributes', [...AES, ...many]]), 'ServerLimitExceeded');
});

test("an object of somebody else stands behind one of the caller's own with the same Name", async () => {
  const bob = alice.server.as(await alice.server.client('bob'));
  const give = async (name: string): Promise<string> => {
    const named: Written = [
      'Name',
      [
        ['NameValue', 'TextString', name],
        ['NameType', 'Enumeration', 'UninterpretedTextString'],
      ],
    ];
    const body = json([
      'Create',
      [
        ['ObjectType', 'Enumeration', 'SymmetricKey'],
        ['Attributes', [...AES, named]],
      ],
    ]);
    const made = told(written([(await bob('POST', '/kmip/2_1', { body })).body as Read])[0], 'UniqueIdentifier') as string;
    const grant = { unique_identifier: made, user_id: '*', operation_types: ['get'] };
    assert.equal((await bob('POST', '/access/grant', { body: grant })).status, 200);
    return made;
  };
  const own = await created(['Name', 'TextString', 'wanted by two']);
  const [granted] = [await give('wanted by one'), await give('wanted by two')];
  const named = async (name: string) => told(await done('Get', ['UniqueIdentifier', 'NameReference', name]), 'UniqueIdentifier');
  assert.deepEqual([await named('wanted by two'), await named('wanted by one')], [own, granted]);
});

test('each type of link is an attribute of its own', async () => {
  const [key, next, previous] = [await created(), await created(['Name', 'TextString', 'the next one']), await created()];
  await done('AddAttribute', id(key), added(['NextLink', 'NameReference', 'the next one']));
  await done('AddAttribute', id(key), added(['PreviousLink', 'Reference', previous]));
  assert.deepEqual(await shown(key, 'NextLink'), [['NextLink', 'Reference', next]]);
  assert.deepEqual(await shown(key, 'PreviousLink', 'NextLink'), [
    ['PreviousLink', 'Reference', previous],
    ['NextLink', 'Reference', next],
  ]);
  const listed = members(await done('GetAttributeList', id(key))).map(([, , value]) => value);
  assert.deepEqual(
    ['NextLink', 'PreviousLink', 'Link', 'ObjectClass'].map((name) => listed.includes(name)),
    [true, true, false, true],
  );
  assert.deepEqual(members(await done('Locate', ['Attributes', [['NextLink', 'Reference', next]]])).slice(1), [id(key)]);
  await done('DeleteAttribute', id(key), reference('NextLink'));
  assert.equal(await ask('DeleteAttribute', id(key), reference('NextLink')), 'AttributeNotFound');
  assert.deepEqual(await shown(key, 'PreviousLink'), [['PreviousLink', 'Reference', previous]]);
});

test('groups are named by GroupLink, and every object is of the class User', async () => {
  const key = await created(['GroupLink', 'NameReference', 'backups']);
  assert.deepEqual(await shown(key, 'GroupLink', 'ObjectClass'), [
    ['GroupLink', 'NameReference', 'backups'],
    ['ObjectClass', 'Enumeration', 'User'],
  ]);
  const found = async (attribute: Written) => members(await done('Locate', ['Attributes', [attribute]])).slice(1);
  assert.deepEqual(await found(['GroupLink', 'NameReference', 'backups']), [id(key)]);
  assert.deepEqual(await found(['ObjectClass', 'Enumeration', 'System']), []);
  assert.equal(await ask('CreateGroup', ['Attributes', [['Name', 'TextString', 'backups']]]), 'OperationNotSupported');
});

test('Deactivate ends the use of an active object and keeps the reason', async () => {
  const key = await created(active);
  const reason: Written = [
    'DeactivationReason',
    [
      ['DeactivationReasonCode', 'Enumeration', 'UsageLimit'],
      ['DeactivationMessage', 'TextString', 'worn out'],
    ],
  ];
  assert.deepEqual(await done('Deactivate', id(key), reason), ['ResponsePayload', [id(key)]]);
  assert.deepEqual(await shown(key, 'State', 'DeactivationReason'), [['State', 'Enumeration', 'Deactivated'], reason]);
  assert.equal(await ask('Encrypt', id(key), ['Data', 'ByteString', '00']), 'WrongKeyLifecycleState');
  assert.equal(await ask('Deactivate', id(key)), 'WrongKeyLifecycleState');
  const replacement = String((members(await done('ReKey', id(key)))[0] as Written)[2]);
  assert.deepEqual(await shown(replacement, 'State', 'DeactivationReason'), [['State', 'Enumeration', 'Active']]);
  const other = await created(active);
  await done('Deactivate', id(other));
  assert.deepEqual(await shown(other, 'DeactivationReason'), [['DeactivationReason', [['DeactivationReasonCode', 'Enumeration', 'Unspecified']]]]);
});

test('Obliterate leaves nothing of an object, destroyed before or not', async () => {
  const [fresh, used] = [await created(), await created(active)];
  assert.deepEqual(await done('Obliterate', id(fresh)), ['ResponsePayload', []]);
  assert.equal(await ask('GetAttributes', id(fresh)), 'ObjectNotFound');
  assert.equal(await ask('Obliterate', id(used)), 'WrongKeyLifecycleState');
  await done('Deactivate', id(used));
  await done('Destroy', id(used));
  assert.deepEqual(await shown(used, 'State'), [['State', 'Enumeration', 'Destroyed']]);
  await done('Obliterate', id(used));
  assert.equal(await ask('GetAttributes', id(used)), 'ObjectNotFound');
});

test('an answer of PKCS_11 repeats the CorrelationValue', async () => {
  const ask11 = async (name: string, ...more: readonly Written[]) => done('PKCS_11', ['PKCS_11Function', 'Enumeration', name], ...more);
  const value = member(await ask11('C_Initialize'), 'CorrelationValue') as Written;
  for (const name of ['C_GetInfo', 'C_Finalize']) assert.deepEqual(member(await ask11(name, value), 'CorrelationValue'), value, name);
});

test('Ephemeral says what is not shown', async () => {
  const key = await created(active);
  const encrypt = (ephemeral: string) => item('Encrypt', [id(key), ['Data', 'ByteString', '00']], ['Ephemeral', 'Enumeration', ephemeral]);
  const { items } = await send([version(3, 0)], ...['Data', 'Empty'].map(encrypt));
  assert.deepEqual(
    items.map((each) =>
      members(member(each, 'ResponsePayload')).flatMap(([tag]) => (tag === 'IVCounterNonce' || tag === 'AuthenticatedEncryptionTag' ? [] : [tag])),
    ),
    [['UniqueIdentifier'], []],
  );
  for (const [value, reason] of [
    ['UniqueIdentifier', 'FeatureNotSupported'],
    ['0x00000009', 'InvalidField'],
  ] as const)
    assert.equal(told((await send([version(3, 0)], encrypt(value))).items[0], 'ResultReason'), reason);
});

/** The public key of the pair as OpenSSL has it. */
async function publicKeyOf(key: string): Promise<KeyObject> {
  const block = member(member(await done('Get', id(key), ['KeyFormatType', 'Enumeration', 'X_509']), 'PublicKey'), 'KeyBlock');
  const der = Buffer.from(told(member(block, 'KeyValue'), 'KeyMaterial') as string, 'hex');
  return createPublicKey({ key: der, format: 'der', type: 'spki' });
}

async function secretOf(key: string): Promise<string> {
  const secret = member(await done('Get', id(key)), 'SecretData');
  assert.equal(told(secret, 'SecretDataType'), 'Seed');
  return told(member(member(secret, 'KeyBlock'), 'KeyValue'), 'KeyMaterial') as string;
}

const ON = (curve: string): Written => ['CryptographicDomainParameters', [['RecommendedCurve', 'Enumeration', curve]]];
const asked = (kem: string): Written => ['CryptographicParameters', [['KEMAlgorithm', 'Enumeration', kem]]];

async function pairOf(...attributes: readonly Written[]): Promise<{ ofPrivate: string; ofPublic: string }> {
  const payload = await done('CreateKeyPair', ['CommonAttributes', [...attributes, active]]);
  return { ofPrivate: told(payload, 'PrivateKeyUniqueIdentifier') as string, ofPublic: told(payload, 'PublicKeyUniqueIdentifier') as string };
}

for (const [kem, ...attributes] of [
  ['MLKEM', ['CryptographicAlgorithm', 'Enumeration', 'ML-KEM-768']],
  ['DHKEM', ['CryptographicAlgorithm', 'Enumeration', 'EC'], ON('P-256')],
  ['DHKEM', ['CryptographicAlgorithm', 'Enumeration', 'ECDH'], ON('CURVE25519')],
] as readonly (readonly [string, ...Written[]])[])
  test(`Encapsulate and Decapsulate with ${kem}, ${attributes.at(-1)?.[1]}: both sides have one secret, and OpenSSL too`, async () => {
    const { ofPrivate, ofPublic } = await pairOf(...attributes);
    const named: Written = ['Attributes', [['Name', 'TextString', `shared by ${ofPublic}`]]];
    const made = await done('Encapsulate', id(ofPublic), asked(kem), named);
    const [secret, data] = [told(made, 'UniqueIdentifier') as string, member(made, 'Data') as Written];
    assert.deepEqual(await shown(secret, 'ObjectType', 'State', 'Name'), [
      ['ObjectType', 'Enumeration', 'SecretData'],
      ['State', 'Enumeration', 'PreActive'],
      ['Name', 'TextString', `shared by ${ofPublic}`],
    ]);
    const other = told(await done('Decapsulate', id(ofPrivate), data), 'UniqueIdentifier') as string;
    assert.notEqual(other, secret);
    assert.equal(await secretOf(other), await secretOf(secret));

    const { sharedKey, ciphertext } = encapsulate(await publicKeyOf(ofPublic));
    const ours = await done('Decapsulate', id(ofPrivate), ['Data', 'ByteString', Buffer.from(ciphertext).toString('hex')]);
    assert.equal((await secretOf(told(ours, 'UniqueIdentifier') as string)).toLowerCase(), Buffer.from(sharedKey).toString('hex'));

    assert.equal(await ask('Encapsulate', id(ofPrivate)), 'InvalidObjectType');
    assert.equal(await ask('Decapsulate', id(ofPublic), data), 'InvalidObjectType');
    assert.equal(await ask('Decapsulate', id(ofPrivate), ['Data', 'ByteString', '0405']), 'CryptographicFailure');
    assert.equal(await ask('Decapsulate', id(ofPrivate)), 'InvalidMessage');
    assert.equal(await ask('Encapsulate', id(ofPublic), asked('RSASVE')), 'BadCryptographicParameters');
  });

test('keys that are not for it, or of an algorithm without a mechanism, encapsulate nothing', async () => {
  const rsa = await pairOf(['CryptographicAlgorithm', 'Enumeration', 'RSA'], ['CryptographicLength', 'Integer', 2048]);
  assert.equal(await ask('Encapsulate', id(rsa.ofPublic)), 'UnsupportedCryptographicParameters');
  const signing: readonly Written[] = [['CryptographicAlgorithm', 'Enumeration', 'EC'], ON('P-256'), ['CryptographicUsageMask', 'Integer', 'Sign|Verify']];
  assert.equal(await ask('Encapsulate', id((await pairOf(...signing)).ofPublic)), 'IncompatibleCryptographicUsageMask');
  assert.equal(await ask('Encapsulate', id(await created(active))), 'InvalidObjectType');
});

test('3.0 reads the forms of 2.x; 2.x has none of 3.0', async () => {
  const before: Written = [
    'Name',
    [
      ['NameValue', 'TextString', 'named as in 2.1'],
      ['NameType', 'Enumeration', 'UninterpretedTextString'],
    ],
  ];
  const key = await created(before);
  assert.deepEqual(await shown(key, 'Name'), [['Name', 'TextString', 'named as in 2.1']]);
  assert.equal(told(await done('Get', ['UniqueIdentifier', 'TextString', key]), 'UniqueIdentifier'), key);
  const older = async (operation: string, ...payload: readonly Written[]) => {
    const { items } = await send([version(2, 1), ['BatchCount', 'Integer', 1]], item(operation, payload));
    return [told(items[0], 'ResultReason'), told(items[0], 'ResultMessage')];
  };
  assert.deepEqual(await older('Get', id(key)), ['InvalidMessage', 'KMIP 2.1 has no type Identifier: use TextString']);
  assert.deepEqual(await older('Obliterate', ['UniqueIdentifier', 'TextString', key]), ['OperationNotSupported', 'KMIP 2.1 has no Obliterate']);
  assert.deepEqual(await older('AddAttribute', ['UniqueIdentifier', 'TextString', key], added(['NextLink', 'TextString', 'x'])), [
    'InvalidMessage',
    'KMIP 2.1 has no NextLink',
  ]);
  const { items } = await send([version(2, 1)], item('Query', []));
  assert.equal(told(items[0], 'ResultMessage'), 'missing field: BatchCount');
});

test.run();
