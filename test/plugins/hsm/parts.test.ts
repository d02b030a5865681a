// Operations in parts on keys in an HSM: the token holds the state between the requests, each in a session that ends with the last part.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { canBuild, type FaultLibrary, faultLibrary } from '../../fakes/pkcs11-fault/build.ts';
import { until } from '../../runtime.ts';
import { skipWithout } from '../../system.ts';
import {
  boolean,
  bytes,
  curve,
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
  USER_NAME,
} from './hsm-server.ts';

let server: HsmServer;
let library: FaultLibrary;
const id = (name: string) => server.prefix + name;
/** The sessions of the login, of uses, and of what takes long. */
const SESSIONS = 3;
const DATA = Buffer.from('a message that is longer than two blocks of the cipher, and no multiple of one');
const CUTS = [0, 5, 37, DATA.length];

interface Sent {
  /** Of the first request, besides the data. */
  readonly first: readonly Json[];
  readonly last?: readonly Json[];
}

const init = (operation: string, name: string, ...more: Json[]) => kmip(server.admin, operation, identifier(id(name)), ...more, boolean('InitIndicator', true));

/** @returns the members of all answers, with the data side by side */
async function inParts(operation: string, name: string, data: Uint8Array, { first, last = [] }: Sent): Promise<Record<string, string>> {
  const cuts = data.length < DATA.length ? [0, data.length] : [...CUTS, data.length];
  const begun = await done(init(operation, name, ...first, bytes('Data', data.subarray(0, cuts[1]))));
  const value = bytes('CorrelationValue', begun['CorrelationValue'] as string);
  const answers: Record<string, string>[] = [begun];
  for (let at = 1; at < cuts.length - 2; at++)
    answers.push(await done(kmip(server.admin, operation, identifier(id(name)), bytes('Data', data.subarray(cuts[at], cuts[at + 1])), value)));
  const rest = bytes('Data', data.subarray(cuts.at(-2)));
  answers.push(await done(kmip(server.admin, operation, identifier(id(name)), rest, value, ...last, boolean('FinalIndicator', true))));
  return Object.assign({}, ...answers, { Data: answers.map((each) => each['Data'] ?? '').join('') });
}

/** In a message of KMIP 1.3. @returns the members of the answer */
async function old(operation: string, ...payload: Json[]): Promise<Record<string, string>> {
  const version = structure('ProtocolVersion', integer('ProtocolVersionMajor', 1), integer('ProtocolVersionMinor', 3));
  const item = structure('BatchItem', enumeration('Operation', operation), structure('RequestPayload', ...payload));
  const message = structure('RequestMessage', structure('RequestHeader', version, integer('BatchCount', 1)), item);
  const { body, text } = await server.admin('POST', '/kmip', { body: message });
  const member = (of: Json | undefined, tag: string) => (of?.value as Json[] | undefined)?.find((each) => each.tag === tag);
  const members = member(member(body, 'BatchItem'), 'ResponsePayload')?.value as Json[] | undefined;
  assert.ok(members, text);
  return Object.fromEntries(members.map(({ tag, value }) => [tag, String(value)]));
}

const HEX = DATA.toString('hex').toUpperCase();

function ciphers() {
  for (const mode of ['GCM', 'CBC', 'CTR'])
    test(`AES-${mode} in parts on the token is what it is in one piece, both ways`, async () => {
      const how = parameters(enumeration('BlockCipherMode', mode));
      const sealed = await inParts('Encrypt', 'aes', DATA, { first: [how] });
      const nonce = bytes('IVCounterNonce', sealed['IVCounterNonce'] as string);
      const tag = sealed['AuthenticatedEncryptionTag'] === undefined ? [] : [bytes('AuthenticatedEncryptionTag', sealed['AuthenticatedEncryptionTag'])];
      assert.equal(tag.length, mode === 'GCM' ? 1 : 0);
      const whole = await done(kmip(server.admin, 'Decrypt', identifier(id('aes')), how, nonce, ...tag, bytes('Data', sealed['Data'] as string)));
      assert.equal(whole['Data'], HEX);
      const cipher = Buffer.from(sealed['Data'] as string, 'hex');
      assert.equal((await inParts('Decrypt', 'aes', cipher, { first: [how, nonce], last: tag }))['Data'], HEX);
      assert.equal((await inParts('Decrypt', 'aes', cipher, { first: [how, nonce, ...tag] }))['Data'], HEX);
    });

  test('inputs that differ from those of the first part are refused, and the operation goes on', async () => {
    const gcm = parameters(enumeration('BlockCipherMode', 'GCM'));
    const begun = await done(init('Encrypt', 'aes', gcm, bytes('Data', DATA)));
    const next = [identifier(id('aes')), bytes('Data', DATA), bytes('CorrelationValue', begun['CorrelationValue'] as string)];
    for (const other of [
      bytes('IVCounterNonce', '00'.repeat(12)),
      bytes('AuthenticatedEncryptionAdditionalData', '00'),
      parameters(enumeration('BlockCipherMode', 'CTR')),
    ])
      for (const end of [false, true])
        await refused(
          kmip(server.admin, 'Encrypt', ...next, other, boolean('FinalIndicator', end)),
          /^Invalid_Field: .*another one than that of the first part/,
        );
    await done(kmip(server.admin, 'Encrypt', ...next, gcm, bytes('IVCounterNonce', begun['IVCounterNonce'] as string), boolean('FinalIndicator', true)));
  });

  test('in KMIP 1.3 the data in parts end with the tag', async () => {
    const gcm = parameters(enumeration('BlockCipherMode', 'GCM'));
    const sealed = await inParts('Encrypt', 'aes', DATA, { first: [gcm] });
    const all = Buffer.from(`${sealed['Data']}${sealed['AuthenticatedEncryptionTag']}`, 'hex');
    const nonce = bytes('IVCounterNonce', sealed['IVCounterNonce'] as string);
    const begun = await old('Decrypt', identifier(id('aes')), gcm, nonce, bytes('Data', all.subarray(0, 70)), boolean('InitIndicator', true));
    const value = bytes('CorrelationValue', begun['CorrelationValue'] as string);
    const end = await old('Decrypt', identifier(id('aes')), value, bytes('Data', all.subarray(70)), boolean('FinalIndicator', true));
    assert.equal(`${begun['Data'] ?? ''}${end['Data'] ?? ''}`, HEX);
  });

  test('a wrong, missing or needless tag ends a decryption in parts, and another key wrap has no parts', async () => {
    const gcm = parameters(enumeration('BlockCipherMode', 'GCM'));
    const sealed = await inParts('Encrypt', 'aes', DATA, { first: [gcm] });
    const nonce = bytes('IVCounterNonce', sealed['IVCounterNonce'] as string);
    for (const [tag, expected] of [
      [[bytes('AuthenticatedEncryptionTag', '00'.repeat(16))], /^Cryptographic_Failure: CRYPTO: cannot decrypt: /],
      [[], /^Invalid_Field: invalid tag/],
    ] as const) {
      const begun = await done(init('Decrypt', 'aes', gcm, nonce, bytes('Data', sealed['Data'] as string)));
      assert.equal(begun['Data'] ?? '', '', 'nothing leaves before the tag is checked');
      const last = [bytes('CorrelationValue', begun['CorrelationValue'] as string), boolean('FinalIndicator', true)];
      await refused(kmip(server.admin, 'Decrypt', identifier(id('aes')), ...tag, ...last), expected);
      await refused(kmip(server.admin, 'Decrypt', identifier(id('aes')), ...tag, ...last), /^Invalid_Correlation_Value/);
    }
    const [cbc, iv] = [parameters(enumeration('BlockCipherMode', 'CBC')), bytes('IVCounterNonce', '41'.repeat(16))];
    const { Data: bare = '' } = await done(kmip(server.admin, 'Encrypt', identifier(id('aes')), cbc, iv, bytes('Data', DATA)));
    const { CorrelationValue: value = '' } = await done(init('Decrypt', 'aes', cbc, iv, bytes('Data', bare)));
    const last = [bytes('CorrelationValue', value), bytes('AuthenticatedEncryptionTag', '00'.repeat(16)), boolean('FinalIndicator', true)];
    await refused(kmip(server.admin, 'Decrypt', identifier(id('aes')), ...last), /^Invalid_Field: CKM_AES_CBC_PAD does not authenticate data; leave out/);
    const wrap = parameters(enumeration('BlockCipherMode', 'NISTKeyWrap'));
    await refused(init('Encrypt', 'aes', wrap, bytes('Data', '00'.repeat(16))), /^Unsupported_Cryptographic_Parameters: .*multi-part/);
  });
}

function proofs() {
  const kinds: readonly [string, readonly Json[], readonly Json[]][] = [
    ['rsa', [enumeration('CryptographicAlgorithm', 'RSA'), integer('CryptographicLength', 2048)], []],
    ['pss', [enumeration('CryptographicAlgorithm', 'RSA'), integer('CryptographicLength', 2048)], [enumeration('PaddingMethod', 'PSS')]],
    ['p256', [enumeration('CryptographicAlgorithm', 'EC'), curve('P_256')], [enumeration('DigitalSignatureAlgorithm', 'ECDSAWithSHA512')]],
    ['p521', [enumeration('CryptographicAlgorithm', 'EC'), curve('P_521')], []],
    ['ed25519', [enumeration('CryptographicAlgorithm', 'Ed25519')], []],
  ];
  for (const [name, common, how] of kinds)
    test(`signed in parts, and verified whole and in parts: ${name}`, async () => {
      await done(makePair(server.admin, id(name), ...common));
      const { SignatureData: signature = '' } = await inParts('Sign', name, DATA, { first: [parameters(...how)] });
      const verdict = (data: Uint8Array) =>
        done(kmip(server.admin, 'SignatureVerify', identifier(id(`${name}_pk`)), parameters(...how), bytes('Data', data), bytes('SignatureData', signature)));
      assert.equal((await verdict(DATA))['ValidityIndicator'], 'Valid');
      assert.equal((await verdict(DATA.subarray(1)))['ValidityIndicator'], 'Invalid');
      const last = [bytes('SignatureData', signature)];
      assert.equal((await inParts('SignatureVerify', `${name}_pk`, DATA, { first: [parameters(...how)], last }))['ValidityIndicator'], 'Valid');
    });

  test('a MAC in parts is that of one piece, and is verified in parts', async () => {
    const hmac = [enumeration('CryptographicAlgorithm', 'HMAC_SHA256'), integer('CryptographicLength', 256), integer('CryptographicUsageMask', 0x180)];
    await done(kmip(server.admin, 'Create', enumeration('ObjectType', 'SymmetricKey'), structure('Attributes', ...hmac, identifier(id('hmac')))));
    for (const [name, how] of [
      ['aes', parameters(enumeration('BlockCipherMode', 'CMAC'))],
      ['hmac', parameters()],
    ] as const) {
      const { MACData: mac = '' } = await inParts('MAC', name, DATA, { first: [how] });
      assert.equal((await done(kmip(server.admin, 'MAC', identifier(id(name)), how, bytes('Data', DATA))))['MACData'], mac);
      const verdict = async (sent: Sent) => (await inParts('MACVerify', name, DATA, sent))['ValidityIndicator'];
      assert.equal(await verdict({ first: [how], last: [bytes('MACData', mac)] }), 'Valid');
      assert.equal(await verdict({ first: [how, bytes('MACData', mac)] }), 'Valid');
      assert.equal(await verdict({ first: [how], last: [bytes('MACData', `${mac.slice(0, -2)}${mac.endsWith('00') ? '01' : '00'}`)] }), 'Invalid');
    }
  });
}

function wrapped() {
  test('a key stored wrapped by one on the token is used, and given out as default_unwrap_type says', async () => {
    await done(makeSecret(server.admin, id('wrapping')));
    const { UniqueIdentifier: key = '' } = await done(makeSecret(server.admin, 'to be wrapped', ACTIVE));
    const materialOf = (answer: object) => /"KeyMaterial"[^}]*"value":"([0-9A-F]+)"/.exec(JSON.stringify(answer))?.[1];
    const clear = materialOf(await done(kmip(server.admin, 'Get', identifier(key))));
    const by = structure(
      'KeyWrappingSpecification',
      enumeration('WrappingMethod', 'Encrypt'),
      structure('EncryptionKeyInformation', identifier(id('wrapping')), parameters(enumeration('BlockCipherMode', 'NISTKeyWrap'))),
      enumeration('EncodingOption', 'NoEncoding'),
    );
    const { SymmetricKey: sealed } = (await done(kmip(server.admin, 'Get', identifier(key), by))) as unknown as { SymmetricKey: Json[] };
    const attributes = structure('Attributes', identifier('stored wrapped'), integer('CryptographicUsageMask', 12), ACTIVE);
    await done(kmip(server.admin, 'Register', enumeration('ObjectType', 'SymmetricKey'), attributes, structure('SymmetricKey', ...sealed)));
    assert.equal(materialOf(await done(kmip(server.admin, 'Get', identifier('stored wrapped')))), clear);
    const asIs = await done(kmip(server.admin, 'Get', identifier('stored wrapped'), enumeration('KeyWrapType', 'AsRegistered')));
    assert.equal(materialOf(asIs), materialOf({ sealed }));
    assert.notEqual(materialOf(asIs), clear);
    const made = await done(kmip(server.admin, 'Encrypt', identifier('stored wrapped'), bytes('Data', DATA)));
    const members = ['Data', 'IVCounterNonce', 'AuthenticatedEncryptionTag'].map((tag) => bytes(tag, made[tag] as string));
    assert.equal((await done(kmip(server.admin, 'Decrypt', identifier(key), ...members)))['Data'], HEX);
    assert.equal(library.sessions(), SESSIONS + 1, 'the unwrapped key lives in a session of its own');
    await done(kmip(server.admin, 'Revoke', identifier('stored wrapped'), structure('RevocationReason', enumeration('RevocationReasonCode', 'Superseded'))));
    await until(async () => library.sessions() === SESSIONS, 'it has ended', 10_000);
  });
}

/** A key in software is not Active by itself. */
const ACTIVE: Json = { tag: 'ActivationDate', type: 'DateTime', value: '2024-01-01T00:00:00Z' };

function sessions() {
  test('no session is left on the token by what has ended, well or not', () => {
    assert.equal(library.sessions(), SESSIONS);
  });

  test('nobody else continues it; each user has a limit, and what has ended for it frees its session', async () => {
    const grant = { user_id: USER_NAME, unique_identifier: id('aes'), operation_types: ['encrypt'] };
    assert.equal((await server.admin('POST', '/access/grant', { body: grant })).status, 200);
    const begun = await done(init('Encrypt', 'aes', bytes('Data', DATA)));
    const next = [identifier(id('aes')), bytes('Data', DATA), bytes('CorrelationValue', begun['CorrelationValue'] as string)];
    await refused(kmip(server.user, 'Encrypt', ...next), /^Invalid_Correlation_Value/);
    await refused(kmip(server.admin, 'Decrypt', ...next), /^Invalid_Correlation_Value/);
    for (let more = 1; more < 32; more++) await done(init('Encrypt', 'aes', bytes('Data', DATA)));
    await refused(init('Encrypt', 'aes', bytes('Data', DATA)), /^Server_Limit_Exceeded: 32 multi-part operations of this user/);
    assert.equal(library.sessions(), SESSIONS + 32);
    await done(kmip(server.user, 'Encrypt', ...next.slice(0, 2), boolean('InitIndicator', true)));
    await done(kmip(server.admin, 'Encrypt', ...next, boolean('FinalIndicator', true)));
    await server.runtime.advance(300_001);
    await until(async () => library.sessions() === SESSIONS, 'idle ones have ended, also if nobody begins another', 10_000);
    await done(init('Encrypt', 'aes', bytes('Data', DATA)));
    assert.equal(library.sessions(), SESSIONS + 1);
  });

  test('what was begun before the token lost its sessions has ended, and what comes after works', async () => {
    const begun = await done(init('Encrypt', 'aes', bytes('Data', DATA)));
    const next = [identifier(id('aes')), bytes('Data', DATA), bytes('CorrelationValue', begun['CorrelationValue'] as string)];
    library.tell('drop');
    await done(kmip(server.admin, 'Encrypt', identifier(id('aes')), bytes('Data', DATA)));
    library.tell(undefined);
    await refused(kmip(server.admin, 'Encrypt', ...next), /^Invalid_Correlation_Value: .*lost with the session of the token/);
    await inParts('Encrypt', 'aes', DATA, { first: [] });
    assert.equal(library.sessions(), SESSIONS);
  });
}

if (!skipWithout('softhsm2') && canBuild()) {
  test.before(async () => {
    const more = (folder: string) => {
      library = faultLibrary(folder, 'counting');
      return `library = "${library.path}"`;
    };
    server = await startHsmServer({ more, tables: () => '[keys]\ndefault_unwrap_type = ["SymmetricKey"]' });
    await done(makeSecret(server.admin, id('aes')));
  });
  test.after(() => server.end());
  ciphers();
  proofs();
  wrapped();
  sessions();
  test.run();
}
