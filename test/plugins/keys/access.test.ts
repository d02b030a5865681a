// Grants end to end: an owner and users with client certificates over TLS, sessions of a realm, and the actor that serves.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import { type Answer, type Ask, signInAdmin } from '../../server.ts';

// covers: GET /access/owned, GET /access/obtained, GET /access/list/{object_id}, POST /access/grant, POST /access/revoke
// covers: GET /access/create, GET /access/privileged, POST /access/check

type Json = { readonly tag: string; readonly type?: string; readonly value: unknown };
const [OWNER, USER, OTHER] = ['owner@acme.com', 'user@acme.com', 'other@acme.com'];

let server: SecureServer;
let owner: Ask;
let user: Ask;
let other: Ask;
/** A session by password: the user `_/admin`. */
let admin: Ask;

async function people(of: SecureServer): Promise<void> {
  [owner, user, other] = (await Promise.all([OWNER, USER, OTHER].map(async (name) => of.as(await of.client(name as string))))) as [Ask, Ask, Ask];
  const cookie = await signInAdmin(of);
  admin = (method, path, options) => of.ask(method, path, { cookie, ...options });
}

test.before(async () => {
  server = await startSecureServer();
  await people(server);
});
test.after(() => server?.end());

const enumeration = (tag: string, value: string): Json => ({ tag, type: 'Enumeration', value });
const integer = (tag: string, value: number): Json => ({ tag, type: 'Integer', value });
const text = (tag: string, value: string): Json => ({ tag, type: 'TextString', value });
const bytes = (tag: string, value: string): Json => ({ tag, type: 'ByteString', value });
const structure = (tag: string, ...value: Json[]): Json => ({ tag, value });
const identifier = (id: string): Json => text('UniqueIdentifier', id);

const kmip = (as: Ask, operation: string, ...value: Json[]) => as('POST', '/kmip/2_1', { body: { tag: operation, value } });
const memberOf = (answer: Answer, tag: string) => answer.body.value.find((node: Json) => node.tag === tag)?.value;

async function done(answer: Promise<Answer>): Promise<Answer> {
  const { status, text: body } = await answer;
  assert.equal(status, 200, body);
  return answer;
}

const EVERY_USE = 0xfffff;
const ALREADY: Json = { tag: 'ActivationDate', type: 'DateTime', value: '2024-01-01T00:00:00Z' };
const LIMITS = structure('UsageLimits', { tag: 'UsageLimitsTotal', type: 'LongInteger', value: 1_000 }, enumeration('UsageLimitsUnit', 'Byte'));
const GROUP = text('ObjectGroup', 'group');

async function makeKey(as: Ask, ...more: Json[]): Promise<string> {
  const attributes = [enumeration('CryptographicAlgorithm', 'AES'), integer('CryptographicLength', 256), integer('CryptographicUsageMask', EVERY_USE), ...more];
  const answer = await done(kmip(as, 'Create', enumeration('ObjectType', 'SymmetricKey'), structure('Attributes', ...attributes)));
  return memberOf(answer, 'UniqueIdentifier');
}

async function makePair(kind: 'PrivateKey' | 'PublicKey'): Promise<string> {
  const common = [enumeration('CryptographicAlgorithm', 'EC'), structure('CryptographicDomainParameters', enumeration('RecommendedCurve', 'P256')), ALREADY];
  const masks = [
    structure('PrivateKeyAttributes', integer('CryptographicUsageMask', 1)),
    structure('PublicKeyAttributes', integer('CryptographicUsageMask', 2)),
  ];
  const answer = await done(kmip(owner, 'CreateKeyPair', structure('CommonAttributes', ...common), ...masks));
  return memberOf(answer, `${kind}UniqueIdentifier`);
}

const active = () => makeKey(owner, ALREADY, GROUP, LIMITS);

interface Right {
  readonly operation: string;
  readonly request?: (id: string) => Promise<Json[]> | Json[];
  readonly make?: () => Promise<string>;
  /** Every right implies it. */
  readonly metadata?: true;
  /** The tag of the identifier, where it is another. */
  readonly tag?: string;
  /** It can be done once only. */
  readonly once?: true;
  /** `get` does not imply it. */
  readonly apart?: true;
}

const MESSAGE = bytes('Data', '48656C6C6F');
const CBC = structure('CryptographicParameters', enumeration('BlockCipherMode', 'CBC'), enumeration('PaddingMethod', 'PKCS5'));
const IV = bytes('IVCounterNonce', '000102030405060708090A0B0C0D0E0F');
const SHA = structure('CryptographicParameters', enumeration('CryptographicAlgorithm', 'HMACSHA256'));
const NEW_GROUP = text('ObjectGroup', 'another');

/** Every right on an object, and what it lets one do. */
const RIGHTS: readonly Right[] = [
  { operation: 'Get' },
  { operation: 'GetAttributes', metadata: true },
  { operation: 'GetAttributeList', metadata: true },
  { operation: 'Export' },
  { operation: 'Check' },
  { operation: 'ObtainLease' },
  { operation: 'GetUsageAllocation', request: () => [{ tag: 'UsageLimitsCount', type: 'LongInteger', value: 1 }] },
  { operation: 'Encrypt', request: () => [CBC, MESSAGE, IV] },
  {
    operation: 'Decrypt',
    request: async (id) => [CBC, bytes('Data', memberOf(await done(kmip(owner, 'Encrypt', identifier(id), CBC, MESSAGE, IV)), 'Data')), IV],
  },
  { operation: 'MAC', request: () => [SHA, MESSAGE] },
  {
    operation: 'MACVerify',
    request: async (id) => [SHA, MESSAGE, bytes('MACData', memberOf(await done(kmip(owner, 'MAC', identifier(id), SHA, MESSAGE)), 'MACData'))],
  },
  { operation: 'Sign', make: () => makePair('PrivateKey'), request: () => [MESSAGE] },
  { operation: 'SignatureVerify', make: () => makePair('PublicKey'), request: () => [MESSAGE, bytes('SignatureData', '00')] },
  { operation: 'DeriveKey', request: () => [] },
  { operation: 'ReKey', once: true, apart: true },
  { operation: 'ReKeyKeyPair', tag: 'PrivateKeyUniqueIdentifier', make: () => makePair('PrivateKey'), once: true, apart: true },
  { operation: 'AddAttribute', request: () => [structure('NewAttribute', NEW_GROUP)], once: true, apart: true },
  { operation: 'SetAttribute', request: () => [structure('NewAttribute', text('Comment', 'theirs'))], apart: true },
  { operation: 'ModifyAttribute', request: () => [structure('CurrentAttribute', GROUP), structure('NewAttribute', NEW_GROUP)], once: true, apart: true },
  { operation: 'DeleteAttribute', request: () => [structure('CurrentAttribute', GROUP)], once: true, apart: true },
  {
    operation: 'AdjustAttribute',
    request: () => [enumeration('AttributeReference', 'Sensitive'), enumeration('AdjustmentType', 'Negate')],
    once: true,
    apart: true,
  },
  { operation: 'Activate', make: () => makeKey(owner), once: true, apart: true },
  { operation: 'Archive', once: true, apart: true },
  {
    operation: 'Recover',
    make: async () => {
      const id = await active();
      await done(kmip(owner, 'Archive', identifier(id)));
      return id;
    },
    once: true,
    apart: true,
  },
  { operation: 'Revoke', request: () => [structure('RevocationReason', enumeration('RevocationReasonCode', 'CessationOfOperation'))], once: true, apart: true },
  { operation: 'Destroy', make: () => makeKey(owner), once: true, apart: true },
];

const derivation = (id: string): Json[] => [
  enumeration('ObjectType', 'SymmetricKey'),
  identifier(id),
  enumeration('DerivationMethod', 'HMAC'),
  structure(
    'DerivationParameters',
    structure('CryptographicParameters', enumeration('HashingAlgorithm', 'SHA256')),
    bytes('Salt', '00'),
    bytes('DerivationData', '01'),
  ),
  structure('Attributes', enumeration('CryptographicAlgorithm', 'AES'), integer('CryptographicLength', 128), integer('CryptographicUsageMask', 12)),
];

/** Does the operation of a right; what it needs, the owner makes. */
async function attempt(as: Ask, { operation, request = () => [], tag = 'UniqueIdentifier' }: Right, id: string): Promise<Answer> {
  if (operation === 'DeriveKey') return kmip(as, operation, ...derivation(id));
  const more = await request(id);
  return kmip(as, operation, text(tag, id), ...more);
}

const grant = (as: Ask, id: string | undefined, to: string, ...operations: string[]) => change(as, 'grant', id, to, operations);
const revoke = (as: Ask, id: string | undefined, to: string, ...operations: string[]) => change(as, 'revoke', id, to, operations);
const change = (as: Ask, verb: string, id: string | undefined, to: string, operations: string[]) =>
  as('POST', `/access/${verb}`, { body: { ...(id === undefined ? {} : { unique_identifier: id }), user_id: to, operation_types: operations } });

/** Nothing is told of what one has no right on: as if it were not there. */
function assertUnknown({ status, body }: Answer, id: string): void {
  assert.equal(status, 422);
  assert.match(body.message, new RegExp(`^(Object|Item)_Not_Found: object not found for identifier ${id}$`));
  assert.deepEqual(Object.keys(body), ['code', 'message', 'errors', 'request_id']);
}

function refusedAs(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.body.code, code);
  assert.deepEqual(Object.keys(answer.body), ['code', 'message', 'errors', 'request_id']);
}

for (const right of RIGHTS) {
  test(`${right.operation}: not without the right, with it, and not after it is taken back`, async () => {
    const id = await (right.make ?? active)();
    const name = right.operation.toLowerCase();
    assertUnknown(await attempt(user, right, id), id);
    // A right that says nothing of this.
    await done(grant(owner, id, USER, name === 'check' ? 'export' : 'check'));
    const without = await attempt(user, right, id);
    if (right.metadata) assert.equal(without.status, 200);
    else assertUnknown(without, id);
    const told = await user('POST', '/access/check', { body: { unique_identifier: id, operation_types: [name, 'locate'] } });
    assert.deepEqual(told.body, { allowed: { [name]: right.metadata === true, locate: true } }, 'check tells what is done');
    await done(grant(owner, id, USER, name));
    assert.deepEqual((await user('POST', '/access/check', { body: { unique_identifier: id, operation_types: [name, 'interop'] } })).body, {
      allowed: { [name]: true, interop: name === 'get' },
    });
    await done(attempt(user, right, id));
    if (right.once) return;
    await done(revoke(owner, id, USER, 'check', 'export', name));
    assertUnknown(await attempt(user, right, id), id);
    await done(attempt(owner, right, id));
  });
}

test('get implies every use, and nothing that changes or ends the object', async () => {
  for (const right of RIGHTS) {
    const id = await (right.make ?? active)();
    await done(grant(owner, id, USER, 'get'));
    const { status, text: body } = await attempt(user, right, id);
    assert.equal(status, right.apart ? 422 : 200, `${right.operation}: ${body}`);
  }
});

test('get implies no right to make objects, by which a client tells the owner of an object', async () => {
  const id = await active();
  await done(grant(owner, id, USER, 'get'));
  const check = (as: Ask) =>
    as('POST', '/access/check', { body: { unique_identifier: id, operation_types: ['create', 'createkeypair', 'register', 'encrypt'] } });
  assert.deepEqual((await check(user)).body, { allowed: { create: false, createkeypair: false, register: false, encrypt: true } });
  assert.deepEqual((await check(owner)).body, { allowed: { create: true, createkeypair: true, register: true, encrypt: true } });
});

test('a grant to everybody serves every authenticated caller; a grant to a realm its sessions only', async () => {
  const id = await active();
  const encrypt: Right = { operation: 'Encrypt', request: () => [CBC, MESSAGE, IV] };
  const outcomes = async () => (await Promise.all([user, other, admin, server.as()].map((as) => attempt(as, encrypt, id)))).map(({ status }) => status);
  assert.deepEqual(await outcomes(), [422, 422, 422, 401]);
  await done(grant(owner, id, '_/*', 'encrypt'));
  assert.deepEqual(await outcomes(), [422, 422, 200, 401]);
  await done(revoke(owner, id, '_/*', 'encrypt'));
  await done(grant(owner, id, 'another/*', 'encrypt'));
  assert.deepEqual(await outcomes(), [422, 422, 422, 401]);
  await done(grant(owner, id, '_/admin', 'encrypt'));
  assert.deepEqual(await outcomes(), [422, 422, 200, 401]);
  await done(grant(owner, id, '*', 'encrypt'));
  assert.deepEqual(await outcomes(), [200, 200, 200, 401]);
  await done(revoke(owner, id, '*', 'encrypt'));
  assert.deepEqual(await outcomes(), [422, 422, 200, 401]);
});

test('owned, obtained and list tell the same story; names of operations are written as one likes', async () => {
  const id = await active();
  await done(grant(owner, id, OTHER, 'SignatureVerify', 'derive_key', 'Get Attributes', 'encrypt'));
  await done(grant(owner, id, '*', 'mac'));
  assert.deepEqual((await owner('GET', `/access/list/${id}`)).body, [
    { user_id: '*', operations: ['mac'] },
    { user_id: OTHER, operations: ['derivekey', 'encrypt', 'getattributes', 'signatureverify'] },
  ]);
  const mine = (await owner('GET', '/access/owned')).body.find((object: { object_id: string }) => object.object_id === id);
  assert.deepEqual([mine.state, mine.attributes.object_type, Object.keys(mine)], ['Active', 'SymmetricKey', ['object_id', 'state', 'attributes']]);
  const theirs = (await other('GET', '/access/obtained')).body.filter((object: { object_id: string }) => object.object_id === id);
  const operations = ['derivekey', 'encrypt', 'getattributes', 'mac', 'signatureverify'];
  assert.deepEqual(theirs, [{ object_id: id, owner_id: OWNER, state: 'Active', operations }]);
  assert.ok(!(await owner('GET', '/access/obtained')).body.some((object: { object_id: string }) => object.object_id === id));
  assert.ok(!(await other('GET', '/access/owned')).body.some((object: { object_id: string }) => object.object_id === id));
  await done(revoke(owner, id, OTHER, 'derivekey', 'encrypt', 'getattributes', 'signatureverify', 'destroy'));
  assert.deepEqual((await owner('GET', `/access/list/${id}`)).body, [{ user_id: '*', operations: ['mac'] }]);
});

test('only the owner grants, revokes and lists; nobody grants to themselves; strangers learn nothing', async () => {
  const id = await active();
  for (const answer of [await grant(user, id, OTHER, 'get'), await revoke(user, id, OTHER, 'get'), await user('GET', `/access/list/${id}`)])
    refusedAs(answer, 404, 'KEYS_OBJECT_NOT_FOUND');
  refusedAs(await grant(user, 'nothing', OTHER, 'get'), 404, 'KEYS_OBJECT_NOT_FOUND');
  await done(grant(owner, id, USER, 'get'));
  for (const answer of [await grant(user, id, OTHER, 'get'), await revoke(user, id, OTHER, 'get'), await user('GET', `/access/list/${id}`)])
    refusedAs(answer, 403, 'KEYS_NOT_OWNER');
  refusedAs(await grant(owner, id, OWNER as string, 'get'), 403, 'KEYS_GRANT_SELF');
  refusedAs(await grant(owner, id, USER, 'fly'), 400, 'BAD_REQUEST');
  refusedAs(await grant(owner, id, USER), 400, 'BAD_REQUEST');
  refusedAs(await grant(owner, id, USER, 'create'), 422, 'KEYS_REFUSED');
  assert.equal((await server.as()('GET', '/access/owned')).status, 401);
});

test("check: one's own rights for anybody, another's for the owner", async () => {
  const id = await active();
  const check = (as: Ask, of?: string) =>
    as('POST', '/access/check', { body: { unique_identifier: id, operation_types: ['encrypt', 'destroy'], ...(of === undefined ? {} : { user_id: of }) } });
  assert.deepEqual((await check(owner)).body, { allowed: { encrypt: true, destroy: true } });
  assert.deepEqual((await check(user)).body, { allowed: { encrypt: false, destroy: false } });
  await done(grant(owner, id, '_/*', 'encrypt'));
  assert.deepEqual((await check(owner, '_/anybody')).body, { allowed: { encrypt: true, destroy: false } });
  assert.deepEqual((await check(owner, USER)).body, { allowed: { encrypt: false, destroy: false } });
  assert.deepEqual((await check(admin)).body, { allowed: { encrypt: true, destroy: false } });
  refusedAs(await check(admin, USER), 403, 'KEYS_NOT_OWNER');
});

test('Locate finds what one owns or may use', async () => {
  const id = await makeKey(owner, ALREADY, text('ObjectGroup', 'found by its group'));
  const located = async (as: Ask) =>
    (await done(kmip(as, 'Locate', structure('Attributes', text('ObjectGroup', 'found by its group'))))).body.value
      .filter((node: Json) => node.tag === 'UniqueIdentifier')
      .map((node: Json) => node.value);
  assert.deepEqual([await located(owner), await located(user)], [[id], []]);
  await done(grant(owner, id, USER, 'encrypt'));
  assert.deepEqual(await located(user), [id]);
  assert.deepEqual(await located(other), []);
});

test('with privileged users, nobody else creates until one of them grants it', async () => {
  await server.end();
  server = await startSecureServer({ config: `[keys]\nprivileged_users = ["${OWNER}"]\n` });
  await people(server);
  const may = async (as: Ask) => [
    (await as('GET', '/access/create')).body.has_create_permission,
    (await as('GET', '/access/privileged')).body.has_privileged_access,
  ];
  const attempts = async (as: Ask) => {
    const key = kmip(as, 'Create', enumeration('ObjectType', 'SymmetricKey'), structure('Attributes', enumeration('CryptographicAlgorithm', 'AES')));
    return [(await key).status, (await as('POST', '/v1/crypto/keys', { body: { kty: 'oct', alg: 'A256GCM' } })).status];
  };
  assert.deepEqual(
    [await may(owner), await may(user)],
    [
      [true, true],
      [false, false],
    ],
  );
  assert.deepEqual(
    [await attempts(owner), await attempts(user)],
    [
      [200, 200],
      [422, 403],
    ],
  );
  refusedAs(await grant(user, undefined, OTHER, 'create'), 403, 'KEYS_NOT_PRIVILEGED');
  refusedAs(await grant(owner, undefined, USER, 'get'), 422, 'KEYS_REFUSED');
  await done(grant(owner, undefined, USER, 'create'));
  assert.deepEqual(
    [await may(user), await may(other)],
    [
      [true, false],
      [false, false],
    ],
  );
  assert.deepEqual(
    [await attempts(user), await attempts(other)],
    [
      [200, 200],
      [422, 403],
    ],
  );
  refusedAs(await grant(user, '*', OTHER, 'create'), 403, 'KEYS_NOT_PRIVILEGED');
  await done(revoke(owner, '*', USER, 'create'));
  assert.deepEqual(await attempts(user), [422, 403]);
});

test.run();
