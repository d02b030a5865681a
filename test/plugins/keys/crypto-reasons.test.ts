// What is told under /v1/crypto of a key that may not be used so: the reason to those who have the key, nothing to strangers.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import type { Ask } from '../../server.ts';

let server: SecureServer;
let alice: Ask;
let bob: Ask;
let stranger: Ask;
test.before(async () => {
  server = await startSecureServer();
  const asOne = async (name: string) => server.as(await server.client(name));
  [alice, bob, stranger] = [await asOne('alice'), await asOne('bob'), await asOne('mallory')];
});
test.after(() => server?.end());

const DATA = Buffer.from('what is protected').toString('base64url');
const date = (seconds: number) => new Date(server.clock.now() + seconds * 1_000).toISOString();
const HOUR = 3_600;

async function kmip(operation: string, ...value: unknown[]): Promise<string> {
  const { status, body, text } = await alice('POST', '/kmip/2_1', { body: { tag: operation, value } });
  assert.equal(status, 200, text);
  return body.value.find(({ tag }: { tag: string }) => tag === 'UniqueIdentifier').value;
}

/** An AES key that bob may encrypt and decrypt with. */
async function key(mask: number, attributes: unknown[] = [], activation = -2 * HOUR): Promise<string> {
  const kid = await kmip(
    'Create',
    { tag: 'ObjectType', type: 'Enumeration', value: 'SymmetricKey' },
    {
      tag: 'Attributes',
      value: [
        { tag: 'CryptographicAlgorithm', type: 'Enumeration', value: 'AES' },
        { tag: 'CryptographicLength', type: 'Integer', value: 256 },
        { tag: 'CryptographicUsageMask', type: 'Integer', value: mask },
        { tag: 'ActivationDate', type: 'DateTime', value: date(activation) },
        ...attributes,
      ],
    },
  );
  const granted = await alice('POST', '/access/grant', {
    body: { unique_identifier: kid, user_id: 'bob', operation_types: ['encrypt', 'decrypt', 'mac', 'sign'] },
  });
  assert.equal(granted.status, 200, granted.text);
  return kid;
}

const [ENCRYPT, DECRYPT] = [4, 8];
const encrypt = (kid: string) => ({ kid, alg: 'dir', enc: 'A256GCM', data: DATA });
const id = (value: string) => ({ tag: 'UniqueIdentifier', type: 'TextString', value });
const NOT_FOUND = { status: 404, body: { error: 'not_found', description: 'Key not found' } };

async function isTold(path: string, body: unknown, reason: string): Promise<void> {
  for (const ask of [alice, bob]) {
    const answer = await ask('POST', `/v1/crypto/${path}`, { body });
    assert.deepEqual([answer.status, answer.body.error], [403, 'forbidden'], answer.text);
    assert.ok(answer.body.description.startsWith(`${reason}: `), answer.text);
  }
  const { status, body: told } = await stranger('POST', `/v1/crypto/${path}`, { body });
  assert.deepEqual({ status, body: told }, NOT_FOUND);
}

test('a usage mask', async () => {
  const decrypting = await key(DECRYPT);
  await isTold('encrypt', encrypt(decrypting), 'Incompatible_Cryptographic_Usage_Mask');
});

test('dates: before activation, after deactivation, after the protect stop, before the process start', async () => {
  await isTold('encrypt', encrypt(await key(ENCRYPT, [], HOUR)), 'Wrong_Key_Lifecycle_State');
  const at = (tag: string, seconds: number) => [{ tag, type: 'DateTime', value: date(seconds) }];
  await isTold('encrypt', encrypt(await key(ENCRYPT, at('DeactivationDate', -HOUR))), 'Wrong_Key_Lifecycle_State');
  await isTold('encrypt', encrypt(await key(ENCRYPT, at('ProtectStopDate', -HOUR))), 'Wrong_Key_Lifecycle_State');
  const kid = await key(ENCRYPT | DECRYPT, at('ProcessStartDate', HOUR));
  const { body } = await alice('POST', '/v1/crypto/encrypt', { body: encrypt(kid) });
  await isTold('decrypt', body, 'Wrong_Key_Lifecycle_State');
});

test('a state: revoked, archived, destroyed', async () => {
  const kid = await key(ENCRYPT);
  await kmip('Archive', id(kid));
  await isTold('encrypt', encrypt(kid), 'Object_Archived');
  await kmip('Recover', id(kid));
  await kmip('Revoke', id(kid), { tag: 'RevocationReason', value: [{ tag: 'RevocationReasonCode', type: 'Enumeration', value: 'CessationOfOperation' }] });
  await isTold('encrypt', encrypt(kid), 'Wrong_Key_Lifecycle_State');
  await kmip('Destroy', id(kid));
  await isTold('encrypt', encrypt(kid), 'Object_Destroyed');
});

test('a key of which a half is archived is not deleted', async () => {
  const { body } = await alice('POST', '/v1/crypto/keys', { body: { kty: 'EC', crv: 'P-256' } });
  for (const archived of [body.kid, body.kid_public]) {
    await kmip('Archive', id(archived));
    const refused = await alice('DELETE', `/v1/crypto/keys/${body.kid}`);
    assert.equal(refused.status, 403, refused.text);
    assert.equal(refused.body.description, `Object_Archived: DENIED: ${archived} is archived; recover it first`);
    await kmip('Recover', id(archived));
  }
  assert.equal((await alice('DELETE', `/v1/crypto/keys/${body.kid}`)).status, 204);
});

test('limits that are used up', async () => {
  const limits = [
    { tag: 'UsageLimitsTotal', type: 'LongInteger', value: 1 },
    { tag: 'UsageLimitsUnit', type: 'Enumeration', value: 'Object' },
  ];
  const kid = await key(ENCRYPT, [{ tag: 'UsageLimits', value: limits }]);
  assert.equal((await bob('POST', '/v1/crypto/encrypt', { body: encrypt(kid) })).status, 200);
  await isTold('encrypt', encrypt(kid), 'Usage_Limit_Exceeded');
});

test('what a caller has no right to is not there', async () => {
  const kid = await key(ENCRYPT);
  const { status, body } = await bob('GET', `/v1/crypto/keys/${kid}/tags`);
  assert.ok(status === 200 || status === 404, JSON.stringify(body));
  assert.equal((await bob('DELETE', `/v1/crypto/keys/${kid}`)).status, 404);
  const answer = await stranger('GET', `/v1/crypto/keys/${kid}/tags`);
  assert.deepEqual({ status: answer.status, body: answer.body }, NOT_FOUND);
});

test('the kid of a new key is a name that is not taken over; one of an HSM is refused where there is none', async () => {
  const make = (kid: unknown) => alice('POST', '/v1/crypto/keys', { body: { kty: 'oct', alg: 'A256GCM', kid } });
  for (const kid of ['of another server', 'x'.repeat(1_024), '', null]) {
    const { status, body } = await make(kid);
    assert.equal(status, 200);
    assert.match(body.kid, /^[0-9a-f-]{36}$/);
  }
  const token = 'kid is that of a key in an HSM, and this server has none';
  for (const [kid, description] of [
    ['hsm::soft_hsm::0::a', token],
    [5, 'kid is not a string'],
    ['x'.repeat(1_025), 'kid has more than 1024 characters'],
  ]) {
    const { status, body } = await make(kid);
    assert.deepEqual([status, body], [400, { error: 'bad_request', description }]);
  }
});

test.run();
