// Uses of keys on tokens beside the front: which are served there, and that rights, states, limits and deadlines hold there as in the key server's own threads.
import assert from 'node:assert/strict';
import { createDecipheriv, randomBytes } from 'node:crypto';
import { test } from 'uvu';
import { IS_ON_POSTGRES } from '../../database.ts';
import { canBuild } from '../../fakes/pkcs11-fault/build.ts';
import { until } from '../../runtime.ts';
import { type Answer, FRONTS, signInAdmin } from '../../server.ts';
import { skipWithout } from '../../system.ts';
import { endFaulty, startFaulty } from './faulty-server.ts';
import {
  bytes,
  curve,
  done,
  enumeration,
  type HsmServer,
  identifier,
  kmip,
  makePair,
  makeSecret,
  parameters,
  refused,
  startHsmServer,
  structure,
  USER_NAME,
} from './hsm-server.ts';

const DATA = randomBytes(100);
const GCM = parameters(enumeration('BlockCipherMode', 'GCM'));
const DEADLINE_MS = 4_000;
/** A front in a thread of its own does not get the address of a database with a password. */
const IS_BESIDE = !IS_ON_POSTGRES || FRONTS === '1';

/** How calls have ended beside the front. */
async function ended({ ask }: HsmServer): Promise<Readonly<Record<'answered' | 'left' | 'failed', number>>> {
  const { text: metrics } = await ask('GET', '/metrics');
  const count = (outcome: string) =>
    Number(new RegExp(`gatehouse_actor_beside_calls_total\\{actor="kmip",outcome="${outcome}"\\} (\\d+)`).exec(metrics)?.[1] ?? 0);
  return { answered: count('answered'), left: count('left'), failed: count('failed') };
}

/** Whether a call is served beside the front; one before it reads the key. */
async function servedBeside(server: HsmServer, call: () => Promise<Answer>): Promise<boolean> {
  await done(call());
  const before = await ended(server);
  await done(call());
  const after = await ended(server);
  assert.equal(after.failed, 0);
  assert.equal(after.answered - before.answered + after.left - before.left, IS_BESIDE ? 1 : 0);
  return after.answered > before.answered;
}

const aead = (sealed: Record<string, string>) => ['Data', 'IVCounterNonce', 'AuthenticatedEncryptionTag'].map((tag) => bytes(tag, sealed[tag] as string));

function uses(): void {
  let server: HsmServer;
  let cookie = '';
  const id = (name: string) => `${server.prefix}${name}`;
  const encrypt = (name: string, as = server.admin) => kmip(as, 'Encrypt', identifier(id(name)), GCM, bytes('Data', DATA));

  test.before(async () => {
    server = await startHsmServer({ tables: () => '[keys]\nplacement = "beside"\n' });
    await done(makeSecret(server.admin, id('aes'), { tag: 'Extractable', type: 'Boolean', value: true }, { tag: 'Sensitive', type: 'Boolean', value: false }));
    await done(makePair(server.admin, id('ec'), enumeration('CryptographicAlgorithm', 'EC'), curve('P_256')));
    cookie = await signInAdmin(server);
    // Over PostgreSQL only under a lease.
    await until(async () => /^gatehouse_cache_trusted 1$/m.test((await server.ask('GET', '/metrics')).text), 'the node may cache', 15_000);
  });
  test.after(() => server.end());

  test('one call of the token is served beside: Encrypt, Decrypt, Sign, MAC, and the REST API; of any length', async () => {
    const sealed = await done(encrypt('aes'));
    assert.equal(await servedBeside(server, () => encrypt('aes')), IS_BESIDE);
    assert.equal(await servedBeside(server, () => kmip(server.admin, 'Decrypt', identifier(id('aes')), GCM, ...aead(sealed))), IS_BESIDE);
    assert.equal(await servedBeside(server, () => kmip(server.admin, 'Sign', identifier(id('ec')), bytes('Data', DATA))), IS_BESIDE);
    const rest = { kid: id('aes'), alg: 'dir', enc: 'A256GCM', data: DATA.toString('base64url') };
    assert.equal(
      await servedBeside(server, () => server.admin('POST', '/v1/crypto/encrypt', { body: rest }).then((answer) => ({ ...answer, body: { value: [] } }))),
      IS_BESIDE,
    );
    const long = randomBytes(20_000);
    const longSealed = await done(kmip(server.admin, 'Encrypt', identifier(id('aes')), GCM, bytes('Data', long)));
    const opened = await done(kmip(server.admin, 'Decrypt', identifier(id('aes')), GCM, ...aead(longSealed)));
    assert.equal(opened['Data'], long.toString('hex').toUpperCase());
  });

  test('the ciphertext is that of the key: whoever has its value opens it', async () => {
    const sealed = await done(encrypt('aes'));
    const { status, text: given } = await kmip(server.admin, 'Get', identifier(id('aes')));
    assert.equal(status, 200, given);
    const value = /"KeyMaterial"[^}]*?"([0-9A-F]{64})"/.exec(given)?.[1] as string;
    const [data, iv, tag] = ['Data', 'IVCounterNonce', 'AuthenticatedEncryptionTag'].map((name) => Buffer.from(sealed[name] as string, 'hex')) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    const cipher = createDecipheriv('aes-256-gcm', Buffer.from(value, 'hex'), iv).setAuthTag(tag);
    assert.deepEqual(Buffer.concat([cipher.update(data), cipher.final()]), DATA);
  });

  test("what is more than one call of the token, or tells a key, is the actor's: Get, key wrap, Create", async () => {
    assert.equal(await servedBeside(server, () => kmip(server.admin, 'Get', identifier(id('aes')))), false);
    const wrap = parameters(enumeration('BlockCipherMode', 'NISTKeyWrap'));
    assert.equal(await servedBeside(server, () => kmip(server.admin, 'Encrypt', identifier(id('aes')), wrap, bytes('Data', randomBytes(32)))), false);
    let made = 0;
    assert.equal(await servedBeside(server, () => makeSecret(server.admin, id(`made ${made++}`))), false);
  });

  test('a right that is given and taken holds for the next call', async () => {
    const grant = (path: string) =>
      server.admin('POST', `/access/${path}`, { body: { user_id: USER_NAME, unique_identifier: id('aes'), operation_types: ['encrypt'] } });
    await refused(encrypt('aes', server.user), /not found/i);
    assert.equal((await grant('grant')).status, 200);
    assert.equal(await servedBeside(server, () => encrypt('aes', server.user)), IS_BESIDE);
    assert.equal((await grant('revoke')).status, 200);
    await refused(encrypt('aes', server.user), /not found/i);
  });

  test('a key that is revoked or destroyed is refused from the next call on', async () => {
    await done(makeSecret(server.admin, id('short')));
    assert.equal(await servedBeside(server, () => encrypt('short')), IS_BESIDE);
    const reason = structure('RevocationReason', enumeration('RevocationReasonCode', 'KeyCompromise'));
    await done(kmip(server.admin, 'Revoke', identifier(id('short')), reason));
    await refused(encrypt('short'), /is compromised$/);
    await done(kmip(server.admin, 'Destroy', identifier(id('short'))));
    await refused(encrypt('short'), /Destroyed|not found/i);
  });

  test('what the token refuses is asked of it once, answered beside, and one audit row', async () => {
    const sealed = await done(encrypt('aes'));
    const forged = [...aead(sealed).slice(0, 2), bytes('AuthenticatedEncryptionTag', new Uint8Array(16))];
    const refusals = async () => {
      const { text: metrics } = await server.ask('GET', '/metrics');
      const rows = metrics.match(/^gatehouse_hsm_operations_total\{.*operation="decrypt".*$/gm) ?? [];
      return rows.filter((row) => !row.includes('"CKR_OK"')).reduce((sum, row) => sum + Number(row.split(' ').at(-1)), 0);
    };
    const audited = async () => {
      const { events } = (await server.ask('GET', '/audit?event=key.Decrypt', { cookie })).body;
      return events.filter(({ outcome, target }: { outcome: string; target: string }) => outcome === 'refused' && target === id('aes')).length;
    };
    const before = [await refusals(), await audited(), (await ended(server)).answered];
    await refused(kmip(server.admin, 'Decrypt', identifier(id('aes')), GCM, ...forged), /Cryptographic|Invalid/);
    const after = [await refusals(), await audited(), (await ended(server)).answered];
    assert.deepEqual(
      after.map((count, at) => count - (before[at] as number)),
      [1, 1, IS_BESIDE ? 1 : 0],
    );
  });

  test('usage limits are counted by the actor, once for each call', async () => {
    const two = { tag: 'UsageLimitsTotal', type: 'LongInteger', value: '0x0000000000000002' };
    await done(makeSecret(server.admin, id('limited'), structure('UsageLimits', two, enumeration('UsageLimitsUnit', 'Object'))));
    assert.equal(await servedBeside(server, () => encrypt('limited')), false);
    await refused(encrypt('limited'), /usage limits/);
  });
}

function deadlines(): void {
  test('a call of a token that hangs ends at its deadline, and is not made once more', async () => {
    const faulty = await startFaulty(`isolation = "process"\ndeadline_seconds = ${DEADLINE_MS / 1_000}`);
    const [hanging] = faulty.ids('key');
    await done(faulty.encrypt(hanging));
    faulty.library.tell('hang');
    const start = performance.now();
    const { status, text: why } = await faulty.encrypt(hanging);
    const ms = performance.now() - start;
    faulty.library.tell(undefined);
    assert.ok(status >= 500, why);
    assert.ok(ms < DEADLINE_MS * 1.75, `${ms} ms`);
  });
  test.after.each(endFaulty);
}

if (!skipWithout('softhsm2')) {
  uses();
  if (canBuild()) deadlines();
  test.run();
}
