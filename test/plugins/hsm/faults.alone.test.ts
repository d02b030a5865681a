// Three instances, one of which hangs, crashes, loses its token, has its PIN locked, is slow or drops its sessions: the others go on, and it recovers.
import assert from 'node:assert/strict';
import { constants, createCipheriv, generateKeyPairSync, verify } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { canBuild, type FaultLibrary, faultLibrary } from '../../fakes/pkcs11-fault/build.ts';
import { until } from '../../runtime.ts';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import type { Answer, Ask } from '../../server.ts';
import { createSoftHsm, type SoftHsm } from '../../softhsm.ts';
import { SOFTHSM_LIBRARY, skipWithout } from '../../system.ts';
import {
  boolean,
  bytes,
  curve,
  done,
  enumeration,
  identifier,
  integer,
  kmip,
  makePair,
  makeSecret,
  PIN,
  parameters,
  refused,
  structure,
} from './hsm-server.ts';

const ADMIN = 'hsm-admin@acme.com';
const DATA = Buffer.from('to be kept');
const DEADLINE_MS = 3_000;
const MODEL = { model: 'faulty', about: 'a token with faults', libraries: { linux: [SOFTHSM_LIBRARY] }, env: ['SOFTHSM2_CONF'] };

let hsm: SoftHsm;
let server: SecureServer;
let admin: Ask;
let library: FaultLibrary;
let bad = '';
let good: readonly string[] = [];

const encrypt = (id: string, ...how: Parameters<typeof parameters>) =>
  kmip(admin, 'Encrypt', identifier(id), parameters(enumeration('BlockCipherMode', 'CBC'), ...how), bytes('Data', DATA));

async function start(): Promise<void> {
  hsm = createSoftHsm();
  const slots = ['one', 'two', 'three'].map((label) => hsm.addToken(label, PIN));
  library = faultLibrary(hsm.folder, 'faulty');
  const common = `hsm_admin = ["${ADMIN}"]\nhsm_password = ["${PIN}"]\nprobe_seconds = 1\n`;
  const table = (model: string, at: number, more = '') => `[[hsm_instances]]\nhsm_model = "${model}"\nhsm_slot = [${slots[at]}]\n${common}${more}`;
  const faulty = `library = "${library.path}"\nisolation = "process"\ndeadline_seconds = ${DEADLINE_MS / 1000}\n`;
  const config = [table('soft_hsm', 0), table('faulty', 1, faulty), table('soft_hsm', 2)].join('\n');
  const modelFile = join(hsm.folder, 'faulty.mjs');
  writeFileSync(modelFile, `export default ${JSON.stringify(MODEL)};`);
  server = await startSecureServer({ config: `[[hsm_models]]\nmodule = "${modelFile}"\n${config}` });
  admin = await server.as(await server.client(ADMIN));
  bad = `hsm::faulty::${slots[1]}::key`;
  good = [`hsm::soft_hsm::${slots[0]}::key`, `hsm::soft_hsm_1::${slots[2]}::key`];
  for (const id of [bad, ...good]) {
    // Instances start in the background.
    await until(async () => (await makeSecret(admin, id)).status === 200, id, 20_000);
    await done(encrypt(id));
  }
}

async function isAccessible(prefix: string): Promise<boolean> {
  const { body } = await admin('GET', '/hsm/status');
  return (body as { prefix: string; slots: { accessible: boolean }[] }[]).find((each) => each.prefix === prefix)?.slots[0]?.accessible === true;
}

interface Timed extends Answer {
  readonly ms: number;
}

async function timed(work: Promise<Answer>): Promise<Timed> {
  const start = performance.now();
  const answer = await work;
  return { ...answer, ms: performance.now() - start };
}

/** Uses the good instances until the work has ended. @returns the slowest of their answers, milliseconds */
async function whileOthersWork<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly slowestMs: number; readonly uses: number }> {
  let isOver = false;
  const times: number[] = [];
  const others = good.map(async (id) => {
    while (!isOver) {
      const answer = await timed(encrypt(id));
      assert.equal(answer.status, 200, answer.text);
      times.push(answer.ms);
    }
  });
  try {
    const value = await work();
    isOver = true;
    await Promise.all(others);
    return { value, slowestMs: Math.max(...times), uses: times.length };
  } finally {
    isOver = true;
  }
}

const recovered = () => until(async () => (await encrypt(bad)).status === 200, 'the instance works again', 20_000);

function faults(): void {
  const cases: readonly [string, string, RegExp][] = [
    ['hangs', 'hang', /in time|outcome is unknown|not accessible/],
    ['crashes', 'crash', /outcome is unknown|not accessible/],
    ['loses its token', 'gone', /^General_Failure: slot \d+ of hsm::faulty is not accessible: /],
    ['has its PIN locked', 'locked', /^General_Failure: slot \d+ of hsm::faulty is not accessible: .*(PIN|SESSION)/],
  ];
  for (const [title, fault, expected] of cases)
    test(`an instance ${title}: it is refused in time, others go on, status tells, and it recovers`, async () => {
      const { slowestMs, uses } = await whileOthersWork(async () => {
        library.tell(fault);
        const answer = await timed(encrypt(bad));
        assert.notEqual(answer.status, 200);
        assert.match(String(answer.body.message), expected);
        assert.ok(answer.ms < DEADLINE_MS + 1_000, `refused after ${answer.ms} ms`);
        await until(async () => !(await isAccessible('hsm::faulty')), 'the status tells it', 5_000);
        for (const prefix of ['hsm::soft_hsm', 'hsm::soft_hsm_1']) assert.ok(await isAccessible(prefix), prefix);
        library.tell(undefined);
        await recovered();
      });
      assert.ok(uses > 20 && slowestMs < 1_000, `${uses} uses of the others, the slowest ${slowestMs} ms`);
    });

  test('an instance answers each call after a second: it goes on as fast as it can, and others as before', async () => {
    const { value, slowestMs } = await whileOthersWork(async () => {
      library.tell('slow 1000');
      const answers = await Promise.all(Array.from({ length: 4 }, () => timed(encrypt(bad))));
      library.tell(undefined);
      return answers;
    });
    // What does not fit into the deadline is refused then, and not done later.
    assert.ok(
      value.some(({ status }) => status === 200),
      value.map(({ text }) => text).join(),
    );
    for (const { status, ms, text } of value) assert.ok(ms < DEADLINE_MS + 1_200, `${status} after ${ms} ms: ${text}`);
    assert.ok(slowestMs < 1_000, `the slowest use of the others took ${slowestMs} ms`);
    await recovered();
  });

  test('sessions that the token drops are opened again without an error', async () => {
    library.tell('drop');
    for (let use = 0; use < 3; use++) await done(encrypt(bad));
    library.tell(undefined);
  });
}

function lostAnswers(): void {
  test('a token that drops its sessions once it has made a key: the key is the answer, not in the way of one', async () => {
    const name = (end: string) => bad.replace(/key$/, end);
    library.tell('forget');
    await done(makeSecret(admin, name('once made')));
    library.tell(undefined);
    library.tell('forget');
    await done(makePair(admin, name('once made pair'), enumeration('CryptographicAlgorithm', 'EC'), curve('P_256')));
    library.tell(undefined);
    library.tell('forget');
    await done(registerAes(name('once brought')));
    library.tell(undefined);
    for (const end of ['once made', 'once brought']) await done(encrypt(name(end)));
  });
}

function ownIv(): void {
  test('a token that chooses the IV of GCM: it is told, whole and in parts; one of the client is refused', async () => {
    const gcm = parameters(enumeration('BlockCipherMode', 'GCM'));
    const given = bytes('IVCounterNonce', '0102030405060708090A0B0C');
    const key = identifier(bad);
    library.tell('own-iv');
    const whole = await done(kmip(admin, 'Encrypt', key, gcm, bytes('Data', DATA)));
    const first = await done(kmip(admin, 'Encrypt', key, gcm, bytes('Data', DATA), boolean('InitIndicator', true)));
    const end = [bytes('CorrelationValue', first['CorrelationValue'] as string), boolean('FinalIndicator', true)];
    const last = await done(kmip(admin, 'Encrypt', key, bytes('Data', DATA), ...end));
    for (const more of [[], [boolean('InitIndicator', true)]])
      await refused(kmip(admin, 'Encrypt', key, gcm, given, bytes('Data', DATA), ...more), /the token chooses the IV of CKM_AES_GCM itself: send none$/);
    library.tell(undefined);
    const parts: Record<string, string> = Object.assign({}, first, last, { Data: `${first['Data'] ?? ''}${last['Data'] ?? ''}` });
    for (const [sealed, times] of [[whole, 1] as const, [parts, 2] as const]) {
      const members = ['Data', 'IVCounterNonce', 'AuthenticatedEncryptionTag'].map((tag) => bytes(tag, sealed[tag] as string));
      assert.equal((await done(kmip(admin, 'Decrypt', key, gcm, ...members)))['Data'], DATA.toString('hex').toUpperCase().repeat(times));
    }
  });
}

const PKCS8 = { format: 'der', type: 'pkcs8' } as const;

function registerHalf(type: 'PrivateKey' | 'PublicKey', id: string, [algorithm, bits, format]: [string, number, string], der: Uint8Array): Promise<Answer> {
  const block = structure(
    'KeyBlock',
    enumeration('KeyFormatType', format),
    structure('KeyValue', bytes('KeyMaterial', der)),
    ...[enumeration('CryptographicAlgorithm', algorithm), integer('CryptographicLength', bits)],
  );
  const attributes = structure('Attributes', identifier(id), integer('CryptographicUsageMask', type === 'PrivateKey' ? 1 : 2));
  return kmip(admin, 'Register', enumeration('ObjectType', type), attributes, structure(type, block));
}

function lies(): void {
  test('a token that has made a key and says that it has not: the next attempt finds it, to be destroyed', async () => {
    const name = (end: string) => bad.replace(/key$/, end);
    const pair = () => makePair(admin, name('denied pair'), enumeration('CryptographicAlgorithm', 'EC'), curve('P_256'));
    const makings = [() => makeSecret(admin, name('denied')), pair, () => registerAes(name('denied too'))];
    for (const make of makings) {
      library.tell('lie');
      await refused(make(), /CKR_DEVICE_ERROR$/);
      library.tell(undefined);
      await refused(make(), /^Object_Already_Exists/);
    }
    for (const end of ['denied', 'denied pair', 'denied pair_pk', 'denied too']) await done(kmip(admin, 'Destroy', identifier(name(end))));
    for (const make of makings) await done(make());
  });
}

function registerAes(id: string): Promise<Answer> {
  const block = structure(
    'KeyBlock',
    enumeration('KeyFormatType', 'Raw'),
    structure('KeyValue', bytes('KeyMaterial', Buffer.alloc(32, 1))),
    ...[enumeration('CryptographicAlgorithm', 'AES'), integer('CryptographicLength', 256)],
  );
  const attributes = structure('Attributes', identifier(id), integer('CryptographicUsageMask', 12));
  return kmip(admin, 'Register', enumeration('ObjectType', 'SymmetricKey'), attributes, structure('SymmetricKey', block));
}

function refusals(): void {
  test('a token takes no values of keys: they come to it wrapped, and are the keys that they were', async () => {
    const name = (end: string) => bad.replace(/key$/, end);
    library.tell('refuse');
    await done(registerAes(name('by unwrapping')));
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const curved = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await done(registerHalf('PrivateKey', name('pair by unwrapping'), ['RSA', 2048, 'PKCS_8'], privateKey.export(PKCS8)));
    await done(registerHalf('PrivateKey', name('curve by unwrapping'), ['EC', 256, 'PKCS_8'], curved.privateKey.export(PKCS8)));
    library.tell(undefined);
    const iv = Buffer.alloc(16, 2);
    const cipher = createCipheriv('aes-256-cbc', Buffer.alloc(32, 1), iv);
    const how = parameters(enumeration('BlockCipherMode', 'CBC'));
    const { Data: sealed } = await done(kmip(admin, 'Encrypt', identifier(name('by unwrapping')), how, bytes('IVCounterNonce', iv), bytes('Data', DATA)));
    assert.equal(
      sealed,
      Buffer.concat([cipher.update(DATA), cipher.final()])
        .toString('hex')
        .toUpperCase(),
    );
    const spki = curved.publicKey.export({ format: 'der', type: 'spki' });
    await done(registerHalf('PublicKey', name('curve by unwrapping_pk'), ['EC', 256, 'X_509'], spki));
    const signed = async (end: string) =>
      Buffer.from((await done(kmip(admin, 'Sign', identifier(name(end)), bytes('Data', DATA))))['SignatureData'] as string, 'hex');
    const padding = constants.RSA_PKCS1_PADDING;
    assert.ok(verify('sha256', DATA, { key: publicKey, padding }, await signed('pair by unwrapping')));
    assert.ok(verify('sha256', DATA, curved.publicKey, await signed('curve by unwrapping')));
    await refused(kmip(admin, 'Get', identifier(name('by unwrapping'))), /^Sensitive/);
  });

  test('a token takes no values of keys, nor can it unwrap: Register says so, and the identifier stays free', async () => {
    const id = bad.replace(/key$/, 'brought');
    const register = () => registerAes(id);
    library.tell('refuse all');
    await refused(register(), /the token refuses to take the key: CKR_TEMPLATE_INCONSISTENT$/);
    library.tell(undefined);
    await done(register());
  });

  test('a pair of which the token destroys one half: that half is Destroyed, the other can be later', async () => {
    const id = bad.replace(/key$/, 'pair');
    await done(makePair(admin, id, enumeration('CryptographicAlgorithm', 'EC'), curve('P_256')));
    const stateOf = async (name: string) =>
      /"tag":"State","type":"Enumeration","value":"(\w+)"/.exec((await kmip(admin, 'GetAttributes', identifier(name))).text)?.[1];
    library.tell('keep');
    await refused(kmip(admin, 'Destroy', identifier(id), boolean('Cascade', true)), /CKR_FUNCTION_FAILED/);
    library.tell(undefined);
    assert.deepEqual([await stateOf(id), await stateOf(`${id}_pk`)], ['Destroyed', 'Active']);
    await done(kmip(admin, 'Destroy', identifier(`${id}_pk`)));
    assert.equal(await stateOf(`${id}_pk`), 'Destroyed');
  });

  test('a mechanism that the token has no more is told, and used again when it is back', async () => {
    library.tell('without 0x1085');
    // The mechanisms are read with a new session.
    await until(async () => (await encrypt(bad)).status !== 200, 'the mechanism is gone', 5_000);
    await refused(encrypt(bad), /CKM_AES_CBC_PAD/);
    library.tell(undefined);
    await recovered();
  });
}

if (!skipWithout('softhsm2') && canBuild()) {
  test.before(start);
  test.after(async () => {
    library?.tell(undefined);
    await server?.end();
    hsm?.end();
  });
  faults();
  lostAnswers();
  lies();
  ownIv();
  refusals();
  test.run();
}
