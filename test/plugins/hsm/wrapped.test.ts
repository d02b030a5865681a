// Keys of the database that are wrapped by a key on a token: the token unwraps them for itself, and their values are seen by no thread of the server.
import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { test } from 'uvu';
import { canBuild, type FaultLibrary, faultLibrary } from '../../fakes/pkcs11-fault/build.ts';
import { until } from '../../runtime.ts';
import { skipWithout } from '../../system.ts';
import {
  boolean,
  bytes,
  done,
  enumeration,
  type HsmServer,
  identifier,
  integer,
  type Json,
  kmip,
  makePair,
  makeSecret,
  parameters,
  refused,
  startHsmServer,
  structure,
} from './hsm-server.ts';
import { KEY_WRAP, storeClear, storeWrapped, type Wrapped } from './wrapped-key.ts';

let server: HsmServer;
let library: FaultLibrary;
const on = (name: string) => server.prefix + name;
const DATA = Buffer.from('a message that is longer than two blocks of the cipher');
const HEX = DATA.toString('hex').toUpperCase();

/** Wraps bytes by a key on the token, as another party would. */
async function sealed(by: string, value: Uint8Array, how: Json): Promise<readonly [data: string, iv: string | undefined]> {
  const made = await done(kmip(server.admin, 'Encrypt', identifier(on(by)), how, bytes('Data', value)));
  return [`${made['Data']}${made['AuthenticatedEncryptionTag'] ?? ''}`, made['IVCounterNonce']];
}

interface Wish extends Omit<Wrapped, 'by' | 'data' | 'iv'> {
  /** The key that wraps. */
  readonly by?: string;
  /** The key that is named to unwrap it. */
  readonly named?: string;
}

/** Stores a key wrapped. */
async function store(id: string, value: Uint8Array, { by = 'wrapping', named = by, how = KEY_WRAP, ...wish }: Wish): Promise<void> {
  const [data, iv] = await sealed(by, value, how);
  await storeWrapped(server.admin, id, { ...wish, how, by: on(named), data: Buffer.from(data, 'hex'), iv });
}

const encrypt = (id: string, ...more: Json[]) => kmip(server.admin, 'Encrypt', identifier(id), ...more, bytes('Data', DATA));
const decrypt = (id: string, made: Record<string, string>, ...more: Json[]) =>
  kmip(
    server.admin,
    'Decrypt',
    identifier(id),
    ...more,
    ...['Data', 'IVCounterNonce', 'AuthenticatedEncryptionTag'].flatMap((tag) => (made[tag] === undefined ? [] : [bytes(tag, made[tag])])),
  );

/** How many keys the work had the token unwrap for itself, and how many for the server. */
async function unwrapping(work: () => Promise<unknown>): Promise<readonly [made: number, others: number]> {
  const before = library.unwrapped();
  await work();
  const after = library.unwrapped();
  return [after.made - before.made, after.others - before.others];
}

const revoke = (id: string, reason = 'KeyCompromise', as = server.admin) =>
  kmip(as, 'Revoke', identifier(id), structure('RevocationReason', enumeration('RevocationReasonCode', reason)));
const gone = (there: number) => until(async () => library.unwrapped().there === there, `${there} unwrapped keys are on the token`, 10_000);

function uses(): void {
  for (const mode of ['GCM', 'CBC', 'CTR'])
    test(`AES-${mode} by a wrapped key: on the token, unwrapped once for many uses, and right`, async () => {
      const [id, value] = [`aes ${mode}`, randomBytes(32)];
      await store(id, value, { algorithm: 'AES', bits: 256 });
      await storeClear(server.admin, `clear ${mode}`, value);
      const how = parameters(enumeration('BlockCipherMode', mode));
      const counts = await unwrapping(async () => {
        for (let turn = 0; turn < 5; turn++) {
          const made = await done(encrypt(id, how));
          assert.equal((await done(decrypt(id, made, how)))['Data'], HEX);
          assert.equal((await done(decrypt(`clear ${mode}`, made, how)))['Data'], HEX);
        }
      });
      assert.deepEqual(counts, [1, 0]);
    });

  test('a MAC by a wrapped HMAC key, and by an AES key', async () => {
    const value = randomBytes(32);
    await store('hmac', value, { algorithm: 'HMAC_SHA256', bits: 256 });
    await storeClear(server.admin, 'clear hmac', value, 'HMAC_SHA256');
    const mac = async (id: string) => (await done(kmip(server.admin, 'MAC', identifier(id), bytes('Data', DATA))))['MACData'] as string;
    const counts = await unwrapping(async () => assert.equal(await mac('hmac'), await mac('clear hmac')));
    assert.deepEqual(counts, [1, 0]);
    const wrong = bytes('MACData', '00'.repeat(32));
    assert.equal((await done(kmip(server.admin, 'MACVerify', identifier('hmac'), bytes('Data', DATA), wrong)))['ValidityIndicator'], 'Invalid');
  });

  test('an RSA private key that is wrapped signs on the token, whole and in parts', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    // RFC 3394 takes whole blocks of eight bytes, and PKCS #8 may end with what no reader of DER reads.
    const der = padded(privateKey.export({ format: 'der', type: 'pkcs8' }));
    await store('rsa', der, { type: 'PrivateKey', format: 'PKCS_8', algorithm: 'RSA', bits: 2048 });
    const how = parameters(enumeration('PaddingMethod', 'PKCS1V1_5'), enumeration('HashingAlgorithm', 'SHA_256'));
    const sign = async (...more: Json[]) => done(kmip(server.admin, 'Sign', identifier('rsa'), how, ...more));
    const counts = await unwrapping(async () => {
      const { SignatureData: whole = '' } = await sign(bytes('Data', DATA));
      assert.ok(verify('sha256', DATA, publicKey, Buffer.from(whole, 'hex')));
    });
    assert.deepEqual(counts, [1, 0]);
    const begun = await sign(bytes('Data', DATA.subarray(0, 9)), boolean('InitIndicator', true));
    const last = [bytes('CorrelationValue', begun['CorrelationValue'] as string), boolean('FinalIndicator', true)];
    const { SignatureData: inParts = '' } = await sign(bytes('Data', DATA.subarray(9)), ...last);
    assert.ok(verify('sha256', DATA, publicKey, Buffer.from(inParts, 'hex')));
  });

  test('in parts a wrapped key lives in the session of its operation, and ends with it', async () => {
    const { there } = library.unwrapped();
    const sessions = library.sessions();
    const begun = await done(encrypt('aes GCM', boolean('InitIndicator', true)));
    assert.equal(library.unwrapped().there, there + 1);
    assert.equal(library.sessions(), sessions + 1);
    const last = await done(encrypt('aes GCM', bytes('CorrelationValue', begun['CorrelationValue'] as string), boolean('FinalIndicator', true)));
    const { all: _, ...made } = { ...begun, ...last, Data: `${begun['Data']}${last['Data']}` };
    assert.equal((await done(decrypt('clear GCM', made)))['Data'], HEX + HEX);
    assert.equal(library.unwrapped().there, there);
    assert.equal(library.sessions(), sessions);
  });
}

function padded(der: Buffer): Buffer {
  const all = Buffer.alloc(Math.ceil(der.length / 8) * 8);
  der.copy(all);
  createPrivateKey({ key: all, format: 'der', type: 'pkcs8' });
  return all;
}

const OAEP = parameters(enumeration('PaddingMethod', 'OAEP'), enumeration('HashingAlgorithm', 'SHA_1'));
const MODE = (mode: string) => parameters(enumeration('BlockCipherMode', mode));
const TWICE = 2;

/** How the key is wrapped and used, and what the token unwraps for itself, and for the server. */
const WAYS: readonly (readonly [string, Partial<Wish>, Json, made: number, others: number])[] = [
  ['by RSA', { by: 'pair_pk', named: 'pair_pk', how: parameters(enumeration('PaddingMethod', 'PKCS1V1_5')) }, MODE('GCM'), 1, 0],
  ['by RSA-OAEP', { by: 'pair_pk', named: 'pair', how: OAEP }, MODE('GCM'), 1, 0],
  ['by GCM, with which this token unwraps no keys', { how: MODE('GCM') }, MODE('GCM'), 0, 0],
  ['for a mode that the token does not have', {}, MODE('CFB'), 1, 2 * TWICE],
  ['with a length that is not its own', { bits: 128 }, MODE('CBC'), 1, 0],
];

function otherwise(): void {
  for (const [name, wish, how, made, others] of WAYS)
    test(`wrapped ${name}: used, and right`, async () => {
      const value = randomBytes(32);
      await store(name, value, { algorithm: 'AES', bits: 256, ...wish });
      await storeClear(server.admin, `clear ${name}`, value);
      const counts = await unwrapping(async () => {
        for (let turn = 0; turn < TWICE; turn++) {
          const sent = await done(encrypt(name, how));
          assert.equal((await done(decrypt(name, sent, how)))['Data'], HEX);
          assert.equal((await done(decrypt(`clear ${name}`, sent, how)))['Data'], HEX);
        }
      });
      assert.deepEqual(counts, [made, others]);
    });

  test('in parts with a mode that the token does not have', async () => {
    const how = MODE('CFB');
    const begun = await done(encrypt('aes GCM', how, boolean('InitIndicator', true)));
    const last = await done(encrypt('aes GCM', bytes('CorrelationValue', begun['CorrelationValue'] as string), boolean('FinalIndicator', true)));
    const { all: _, ...sent } = { ...begun, ...last, Data: `${begun['Data']}${last['Data']}` };
    assert.equal((await done(decrypt('clear GCM', sent, how)))['Data'], HEX + HEX);
    const ended = bytes('CorrelationValue', begun['CorrelationValue'] as string);
    await refused(encrypt('aes GCM', ended, boolean('FinalIndicator', true)), /^Invalid_Correlation_Value/);
  });

  test('a token that unwraps nothing says so, and so does one that is away; then it works again', async () => {
    for (const id of ['unused', 'unused too']) await store(id, randomBytes(32), { algorithm: 'AES', bits: 256 });
    library.tell('refuse all');
    await refused(encrypt('unused'), /the token refuses CKM_AES_KEY_WRAP: CKR_KEY_FUNCTION_NOT_PERMITTED/);
    library.tell('gone');
    await until(async () => !(await server.admin('GET', '/hsm/status')).body[0].slots[0].accessible, 'it is gone', 10_000);
    for (const id of ['unused too', 'aes GCM']) await refused(encrypt(id), /is not accessible/);
    library.tell(undefined);
    await until(async () => (await encrypt('unused too')).status === 200, 'it is back', 20_000);
    assert.equal((await done(decrypt('clear GCM', await done(encrypt('aes GCM')))))['Data'], HEX);
  });
}

function ends(): void {
  test('a wrapped key leaves the token when it or its wrapping key is revoked or destroyed', async () => {
    for (const name of ['one', 'two']) await done(makeSecret(server.admin, on(`wraps ${name}`)));
    for (const [id, by] of [
      ['a', 'one'],
      ['b', 'one'],
      ['c', 'two'],
      ['d', 'two'],
    ] as const)
      await store(`ends ${id}`, randomBytes(32), { algorithm: 'AES', bits: 256, by: `wraps ${by}` });
    const { there } = library.unwrapped();
    for (const id of ['a', 'b', 'c', 'd']) await done(encrypt(`ends ${id}`));
    assert.equal(library.unwrapped().there, there + 4);
    await done(revoke('ends a'));
    await gone(there + 3);
    await refused(encrypt('ends a'), /^Wrong_Key_Lifecycle_State/);
    await done(revoke(on('wraps one')));
    await gone(there + 2);
    const made = await done(encrypt('ends c'));
    await done(revoke(on('wraps two'), 'CessationOfOperation'));
    assert.equal((await done(decrypt('ends c', made)))['Data'], HEX);
    await done(kmip(server.admin, 'Destroy', identifier(on('wraps two'))));
    await gone(there);
    for (const id of ['c', 'd']) await refused(encrypt(`ends ${id}`), /^Wrapping_Object_(Destroyed|Not_Found)|wrapping key/);
  });

  test('a key that wraps others is destroyed only after it was revoked, by whatever name they know it', async () => {
    const short = (name: string) => `hsm::${server.slot}::${name}`;
    for (const [wrapper, named] of [
      ['held', on('held')],
      ['held in short', short('held in short')],
      ['let go', on('let go')],
    ] as const) {
      await done(makeSecret(server.admin, on(wrapper)));
      const [data] = await sealed(wrapper, randomBytes(32), KEY_WRAP);
      await storeWrapped(server.user, `by ${wrapper}`, { algorithm: 'AES', bits: 256, how: KEY_WRAP, by: named, data: Buffer.from(data, 'hex') });
      const held = /^Wrong_Key_Lifecycle_State: DENIED: objects are stored wrapped by .*revoke it by itself/;
      await refused(kmip(server.admin, 'Destroy', identifier(on(wrapper))), held);
      assert.match((await server.admin('DELETE', `/v1/crypto/keys/${encodeURIComponent(on(wrapper))}`)).text, /revoke it by itself/);
      await done(encrypt(on(wrapper)));
      if (wrapper === 'let go') {
        await done(revoke('by let go', 'CessationOfOperation', server.user));
        await done(kmip(server.user, 'Destroy', identifier('by let go')));
      } else await done(revoke(on(wrapper)));
      await done(kmip(server.admin, 'Destroy', identifier(on(wrapper))));
    }
  });

  test('data that do not decrypt cost nobody an unwrapped key', async () => {
    const made = await done(encrypt('aes GCM'));
    const counts = await unwrapping(async () => {
      for (let turn = 0; turn < 3; turn++) {
        await refused(
          decrypt('aes GCM', { ...made, AuthenticatedEncryptionTag: '00'.repeat(16) } as object as Record<string, string>),
          /^Cryptographic_Failure/,
        );
        assert.equal((await done(decrypt('aes GCM', made)))['Data'], HEX);
      }
    });
    assert.deepEqual(counts, [0, 0]);
  });

  test('a wrapped key with an identifier of the HSM is refused for that, and nothing is made', async () => {
    const brought = store(on('comes wrapped'), randomBytes(32), { algorithm: 'AES', bits: 256 });
    await assert.rejects(brought, /Invalid_Field: hsm::\S+::comes wrapped: a key that comes wrapped is not brought to a token/);
    await done(makeSecret(server.admin, on('comes wrapped')));
  });

  test('sessions that the token drops cost one more unwrapping, and no wrong answer', async () => {
    const made = await done(encrypt('aes GCM'));
    library.tell('drop');
    for (let turn = 0; turn < 4; turn++) assert.equal((await done(decrypt('aes GCM', made)))['Data'], HEX);
    library.tell(undefined);
    assert.equal((await done(decrypt('clear GCM', await done(encrypt('aes GCM')))))['Data'], HEX);
  });
}

if (!skipWithout('softhsm2') && canBuild()) {
  test.before(async () => {
    const more = (folder: string) => {
      library = faultLibrary(folder, 'counting');
      return `library = "${library.path}"`;
    };
    server = await startHsmServer({ more });
    await done(makeSecret(server.admin, on('wrapping')));
    await done(makePair(server.admin, on('pair'), enumeration('CryptographicAlgorithm', 'RSA'), integer('CryptographicLength', 2048)));
  });
  test.after(() => server.end());
  uses();
  otherwise();
  ends();
  test.run();
}
