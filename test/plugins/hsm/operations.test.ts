// Every operation of KMIP on keys of a token of SoftHSM: which work, and how the others refuse. An operation that is new must find its place here.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'uvu';
import { OPERATIONS } from '../../../actors/kmip/operations/index.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
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
  kmip3,
  makePair,
  makeSecret,
  parameters,
  refused,
  startHsmServer,
  structure,
  text,
} from './hsm-server.ts';

let server: HsmServer;
const id = (name: string) => server.prefix + name;
const DATA = Buffer.from('sixteen bytes of data, and some more');
const HEX = DATA.toString('hex').toUpperCase();
const on = (name: string, operation: string, ...more: Json[]) => done(kmip(server.admin, operation, identifier(id(name)), ...more));
const on3 = (name: string, operation: string, ...more: Json[]) => done(kmip3(server.admin, operation, identifier(id(name)), ...more));
const data = bytes('Data', DATA);
const REASON = structure('RevocationReason', enumeration('RevocationReasonCode', 'CessationOfOperation'));
const NEW = (value: string) => structure('NewAttribute', text('Description', value));

async function attribute(name: string): Promise<unknown> {
  const { Attributes: all } = (await on('aes', 'GetAttributes')) as unknown as { Attributes: Json[] };
  return all.find(({ tag }) => tag === name)?.value;
}

const describedAs = async (expected: string | undefined) => assert.equal(await attribute('Description'), expected);

async function verified(operation: 'SignatureVerify' | 'MACVerify', name: string, tag: string, value: string): Promise<void> {
  assert.equal((await on(name, operation, data, bytes(tag, value)))['ValidityIndicator'], 'Valid');
  const other = await on(name, operation, bytes('Data', DATA.subarray(1)), bytes(tag, value));
  assert.equal(other['ValidityIndicator'], 'Invalid');
}

type Run = () => Promise<unknown>;

/** Each shows by its outcome that the key did it, or that the object has changed. */
const WORK: Readonly<Record<string, Run>> = {
  async Create() {
    await done(makeSecret(server.admin, id('made')));
    assert.equal((await on('made', 'GetAttributes'))['UniqueIdentifier'], id('made'));
    // What a token draws its keys from is not known (KMIP 2.1 section 4.46).
    assert.deepEqual(await attribute('RandomNumberGenerator'), [enumeration('RNGAlgorithm', 'Unspecified')]);
  },
  CreateKeyPair: () => done(makePair(server.admin, id('pair made'), enumeration('CryptographicAlgorithm', 'EC'), curve('P_384'))),
  async Register() {
    const facts = [enumeration('CryptographicAlgorithm', 'AES'), integer('CryptographicLength', 128)];
    const block = structure('KeyBlock', enumeration('KeyFormatType', 'Raw'), structure('KeyValue', bytes('KeyMaterial', '07'.repeat(16))), ...facts);
    const attributes = structure('Attributes', identifier(id('registered')), integer('CryptographicUsageMask', 12));
    await done(kmip(server.admin, 'Register', enumeration('ObjectType', 'SymmetricKey'), attributes, structure('SymmetricKey', block)));
    await on('registered', 'Encrypt', data);
  },
  async Import() {
    const facts = [enumeration('CryptographicAlgorithm', 'AES'), integer('CryptographicLength', 128)];
    const block = structure('KeyBlock', enumeration('KeyFormatType', 'Raw'), structure('KeyValue', bytes('KeyMaterial', '08'.repeat(16))), ...facts);
    const attributes = structure('Attributes', ...facts, integer('CryptographicUsageMask', 12));
    await on('imported', 'Import', enumeration('ObjectType', 'SymmetricKey'), attributes, structure('SymmetricKey', block));
    await on('imported', 'Encrypt', data);
  },
  async Encrypt() {
    assert.notEqual((await on('aes', 'Encrypt', data))['Data'], HEX);
  },
  async Decrypt() {
    const made = await on('aes', 'Encrypt', data);
    const members = ['Data', 'IVCounterNonce', 'AuthenticatedEncryptionTag'].map((tag) => bytes(tag, made[tag] as string));
    assert.equal((await on('aes', 'Decrypt', ...members))['Data'], HEX);
  },
  Sign: async () => assert.ok((await on('ec', 'Sign', data))['SignatureData']),
  SignatureVerify: async () => verified('SignatureVerify', 'ec_pk', 'SignatureData', (await on('ec', 'Sign', data))['SignatureData'] as string),
  MAC: async () => assert.equal((await on('aes', 'MAC', CMAC, data))['MACData']?.length, 32),
  async MACVerify() {
    const { MACData: mac = '' } = await on('aes', 'MAC', CMAC, data);
    assert.equal((await on('aes', 'MACVerify', CMAC, data, bytes('MACData', mac)))['ValidityIndicator'], 'Valid');
  },
  Get: async () => assert.match(JSON.stringify(await on('free', 'Get')), /"KeyMaterial"[^}]*[0-9A-F]{64}/),
  Export: async () => assert.match(JSON.stringify(await on('free', 'Export')), /"KeyMaterial"[^}]*[0-9A-F]{64}/),
  GetAttributes: async () => assert.equal(await attribute('Sensitive'), true),
  GetAttributeList: async () => assert.ok((await on('aes', 'GetAttributeList')).all('AttributeReference').includes('CryptographicAlgorithm')),
  async AddAttribute() {
    await on('aes', 'AddAttribute', NEW('added'));
    await describedAs('added');
  },
  async ModifyAttribute() {
    await on('aes', 'ModifyAttribute', NEW('modified'));
    await describedAs('modified');
  },
  async SetAttribute() {
    await on('aes', 'SetAttribute', NEW('set'));
    await describedAs('set');
  },
  async DeleteAttribute() {
    await on('aes', 'DeleteAttribute', structure('CurrentAttribute', text('Description', 'set')));
    await describedAs(undefined);
  },
  async AdjustAttribute() {
    const adjust = (how: string) => on('aes', 'AdjustAttribute', enumeration('AttributeReference', 'RotateInterval'), enumeration('AdjustmentType', how));
    for (const [how, expected] of [
      ['Increment', 1],
      ['Decrement', 0],
    ] as const) {
      await adjust(how);
      assert.equal(await attribute('RotateInterval'), expected);
    }
  },
  Check: async () => assert.equal((await on('aes', 'Check', integer('CryptographicUsageMask', 4)))['UniqueIdentifier'], id('aes')),
  ObtainLease: async () => assert.ok(Number((await on('aes', 'ObtainLease'))['LeaseTime']) > 0),
  async Archive() {
    await on('aes', 'Archive');
    await refused(kmip(server.admin, 'Encrypt', identifier(id('aes')), data), /^Object_Archived/);
  },
  async Recover() {
    await on('aes', 'Recover');
    await on('aes', 'Encrypt', data);
  },
  async Locate() {
    const found = await done(kmip(server.admin, 'Locate', structure('Attributes', enumeration('CryptographicAlgorithm', 'AES'))));
    assert.ok(found.all('UniqueIdentifier').includes(id('aes')));
  },
  ReKey: async () => assert.equal((await on('rekeyed', 'ReKey'))['UniqueIdentifier'], id('rekeyed::1')),
  async ReKeyKeyPair() {
    const named = text('PrivateKeyUniqueIdentifier', id('ec'));
    assert.equal((await done(kmip(server.admin, 'ReKeyKeyPair', named)))['PrivateKeyUniqueIdentifier'], id('ec::1'));
  },
  /** Signed by the key on the token itself. */
  async Certify() {
    certificate = (await on('signs_pk', 'Certify', SUBJECT))['UniqueIdentifier'] as string;
    const { Certificate: kept } = (await done(kmip(server.admin, 'Get', identifier(certificate)))) as unknown as { Certificate: Json[] };
    const made = new X509Certificate(Buffer.from(String(kept.find(({ tag }) => tag === 'CertificateValue')?.value), 'hex'));
    assert.ok(made.verify(made.publicKey), made.toString());
  },
  async ReCertify() {
    const renewed = await done(kmip(server.admin, 'ReCertify', identifier(certificate)));
    assert.notEqual(renewed['UniqueIdentifier'], certificate);
  },
  async GetUsageAllocation() {
    const one: Json = { tag: 'UsageLimitsCount', type: 'LongInteger', value: '0x0000000000000001' };
    await on('limited', 'GetUsageAllocation', one);
    await on('limited', 'Encrypt', data);
    await refused(kmip(server.admin, 'Encrypt', identifier(id('limited')), data), /[Uu]sage/);
  },
  async Revoke() {
    await on('ended', 'Revoke', REASON);
    await refused(kmip(server.admin, 'Encrypt', identifier(id('ended')), data), /^Wrong_Key_Lifecycle_State/);
  },
  async Deactivate() {
    await on3('worn', 'Deactivate', structure('DeactivationReason', enumeration('DeactivationReasonCode', 'UsageLimit')));
    await refused(kmip(server.admin, 'Encrypt', identifier(id('worn')), data), /^Wrong_Key_Lifecycle_State/);
  },
  async Obliterate() {
    await on3('worn', 'Obliterate');
    await refused(kmip(server.admin, 'GetAttributes', identifier(id('worn'))), /not found|no key/);
  },
  /** DHKEM: the token agrees, and this server derives. OpenSSL makes of the public key and the answer the same. */
  async Encapsulate() {
    encapsulated = await on3('agrees_pk', 'Encapsulate');
    assert.equal(encapsulated['Data']?.length, 2 * 65);
  },
  async Decapsulate() {
    const own = await on3('agrees', 'Decapsulate', bytes('Data', encapsulated['Data'] as string));
    const [theirs, ours] = await Promise.all(
      [encapsulated, own].map(async (made) => done(kmip(server.admin, 'Get', identifier(made['UniqueIdentifier'] as string)))),
    );
    assert.match(JSON.stringify(ours), /"KeyMaterial"[^}]*[0-9A-F]{64}/);
    assert.deepEqual(JSON.stringify(ours?.['SecretData']), JSON.stringify(theirs?.['SecretData']));
    await refused(kmip3(server.admin, 'Decapsulate', identifier(id('agrees')), bytes('Data', '04'.repeat(65))), /^CryptographicFailure: decryption failed/);
  },
  async Destroy() {
    await on('ended', 'Destroy');
    await refused(kmip(server.admin, 'Decrypt', identifier(id('ended')), data), /destroyed/);
  },
};

const SUBJECT = structure('Attributes', text('CertificateSubjectCN', 'a key on a token'));
let certificate = '';
let encapsulated: Record<string, string> = {};
const CMAC = parameters(enumeration('BlockCipherMode', 'CMAC'));
const SPLIT = [integer('SplitKeyParts', 2), integer('SplitKeyThreshold', 2), enumeration('SplitKeyMethod', 'XOR'), structure('Attributes')];

/** What keys on a token do not do, and the refusal. */
const REFUSED: Readonly<Record<string, () => readonly [readonly Json[], RegExp]>> = {
  Activate: () => [[identifier(id('aes'))], /already Active/],
  Validate: () => [[identifier(id('ec_pk'))], /a Certificate is needed/],
  CreateSplitKey: () => [[enumeration('ObjectType', 'SplitKey'), identifier(id('aes')), ...SPLIT], /^Key_Value_Not_Present/],
  JoinSplitKey: () => [[enumeration('ObjectType', 'SymmetricKey'), identifier(id('aes')), identifier(id('free'))], /[Ss]plit/],
  DeriveKey: () => [
    [
      enumeration('ObjectType', 'SymmetricKey'),
      identifier(id('aes')),
      enumeration('DerivationMethod', 'HKDF'),
      structure('DerivationParameters', bytes('DerivationData', '00')),
      structure('Attributes', enumeration('CryptographicAlgorithm', 'AES'), integer('CryptographicLength', 256)),
    ],
    /the token has no mechanism CKM_HKDF_DERIVE/,
  ],
};

/** They name no key. Their own tests are elsewhere. */
const NOT_OF_KEYS = [
  ...['Cancel', 'DelegatedLogin', 'DiscoverVersions', 'GetConstraints', 'Hash', 'Interop', 'Log', 'Login', 'Logout', 'Ping', 'PKCS_11', 'Poll', 'Process'],
  ...['Query', 'QueryAsynchronousRequests', 'RNGRetrieve', 'RNGSeed', 'SetConstraints', 'SetDefaults', 'SetEndpointRole'],
];

/** Sends in two parts what the operation takes whole. @returns the members of both answers */
async function inParts(operation: string, name: string, last: readonly Json[], ...first: Json[]): Promise<Record<string, string>> {
  const begun = await on(name, operation, ...first, bytes('Data', DATA.subarray(0, 7)), boolean('InitIndicator', true));
  const value = bytes('CorrelationValue', begun['CorrelationValue'] as string);
  const { all: _, ...ended } = await on(name, operation, bytes('Data', DATA.subarray(7)), value, ...last, boolean('FinalIndicator', true));
  return { ...begun, ...ended, Data: `${begun['Data'] ?? ''}${ended['Data'] ?? ''}` } as object as Record<string, string>;
}

const STREAMS: Readonly<Record<string, Run>> = {
  async Encrypt() {
    const made = await inParts('Encrypt', 'aes', []);
    const members = ['Data', 'IVCounterNonce', 'AuthenticatedEncryptionTag'].map((tag) => bytes(tag, made[tag] as string));
    assert.equal((await on('aes', 'Decrypt', ...members))['Data'], HEX);
  },
  async Decrypt() {
    const how = parameters(enumeration('BlockCipherMode', 'CTR'));
    const iv = bytes('IVCounterNonce', '00'.repeat(16));
    // In CTR, decryption of the data is what encryption of them is.
    assert.equal((await inParts('Decrypt', 'aes', [], how, iv))['Data'], (await on('aes', 'Encrypt', how, iv, data))['Data']);
  },
  Sign: async () => verified('SignatureVerify', 'signs_pk', 'SignatureData', (await inParts('Sign', 'signs', []))['SignatureData'] as string),
  async SignatureVerify() {
    const { SignatureData: signature = '' } = await on('signs', 'Sign', data);
    assert.equal((await inParts('SignatureVerify', 'signs_pk', [bytes('SignatureData', signature)]))['ValidityIndicator'], 'Valid');
  },
  MAC: async () => assert.equal((await inParts('MAC', 'aes', [], CMAC))['MACData'], (await on('aes', 'MAC', CMAC, data))['MACData']),
  async MACVerify() {
    const { MACData: mac = '' } = await on('aes', 'MAC', CMAC, data);
    assert.equal((await inParts('MACVerify', 'aes', [bytes('MACData', mac)], CMAC))['ValidityIndicator'], 'Valid');
  },
  async Hash() {
    const how = parameters(enumeration('HashingAlgorithm', 'SHA_256'));
    const ask = (...more: Json[]) => done(kmip(server.admin, 'Hash', how, ...more));
    const begun = await ask(bytes('Data', DATA.subarray(0, 7)), boolean('InitIndicator', true));
    const value = bytes('CorrelationValue', begun['CorrelationValue'] as string);
    const ended = await ask(bytes('Data', DATA.subarray(7)), value, boolean('FinalIndicator', true));
    assert.equal(ended['Data'], (await ask(data))['Data']);
  },
};

function operations(): void {
  test('each operation has its place here', () => {
    const placed = [...Object.keys(WORK), ...Object.keys(REFUSED), ...NOT_OF_KEYS].sort();
    assert.deepEqual(placed, Object.keys(OPERATIONS).sort());
    const inParts = Object.values(OPERATIONS).filter(({ members }) => members.one.has(TAG.InitIndicator));
    assert.deepEqual(
      Object.keys(STREAMS).sort(),
      inParts
        .map(({ name }) => name)
        .filter((name) => name !== 'PKCS_11')
        .sort(),
    );
  });

  for (const [name, run] of Object.entries(WORK)) test(`${name} works on keys of a token`, () => run().then(() => {}));
  for (const [name, sent] of Object.entries(REFUSED))
    test(`${name} is refused, and why`, () => {
      const [members, expected] = sent();
      return refused(kmip(server.admin, name, ...members), expected);
    });
  for (const [name, run] of Object.entries(STREAMS)) test(`${name} in parts`, () => run().then(() => {}));
}

if (!skipWithout('softhsm2')) {
  test.before(async () => {
    server = await startHsmServer();
    for (const name of ['aes', 'rekeyed', 'ended', 'worn']) await done(makeSecret(server.admin, id(name)));
    await done(makeSecret(server.admin, id('free'), boolean('Sensitive', false), boolean('Extractable', true)));
    const two: Json = { tag: 'UsageLimitsTotal', type: 'LongInteger', value: '0x0000000000000002' };
    await done(makeSecret(server.admin, id('limited'), structure('UsageLimits', two, enumeration('UsageLimitsUnit', 'Object'))));
    for (const name of ['ec', 'signs', 'agrees']) await done(makePair(server.admin, id(name), enumeration('CryptographicAlgorithm', 'EC'), curve('P_256')));
  });
  test.after(() => server.end());
  operations();
  test.run();
}
