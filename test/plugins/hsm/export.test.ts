// Keys on tokens that may leave them: in every format that keys in software have, or wrapped by another key of their token.
import assert from 'node:assert/strict';
import { createDecipheriv, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { test } from 'uvu';
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
} from './hsm-server.ts';

let server: HsmServer;
const id = (name: string) => server.prefix + name;
const DATA = Buffer.from('signed by a key that has left');
const FREE = [boolean('Sensitive', false), boolean('Extractable', true)];
const RSA = [enumeration('CryptographicAlgorithm', 'RSA'), integer('CryptographicLength', 2048)];
const P256 = [enumeration('CryptographicAlgorithm', 'EC'), curve('P_256')];

const exported = async (name: string, ...more: Json[]): Promise<string> =>
  JSON.stringify(await done(kmip(server.admin, 'Export', identifier(id(name)), ...more)));
const materialIn = (answer: string): Buffer => Buffer.from(/"KeyMaterial"[^}]*?"value":"([0-9A-F]+)"/.exec(answer)?.[1] ?? '', 'hex');

function inClear(): void {
  test('a secret key and secret data that are free: as bytes, and as a structure', async () => {
    await done(makeSecret(server.admin, id('free'), ...FREE));
    const value = materialIn(await exported('free'));
    assert.equal(value.length, 32);
    assert.match(await exported('free', enumeration('KeyFormatType', 'TransparentSymmetricKey')), new RegExp(value.toString('hex'), 'i'));
    const iv = Buffer.alloc(16, 7);
    const how = parameters(enumeration('BlockCipherMode', 'CBC'));
    const sealed = await done(kmip(server.admin, 'Encrypt', identifier(id('free')), how, bytes('Data', DATA), bytes('IVCounterNonce', iv)));
    const cipher = createDecipheriv('aes-256-cbc', value, iv);
    assert.deepEqual(Buffer.concat([cipher.update(Buffer.from(sealed['Data'] as string, 'hex')), cipher.final()]), DATA);
    const attributes = [integer('CryptographicLength', 256), integer('CryptographicUsageMask', 0x180), identifier(id('data')), ...FREE];
    await done(kmip(server.admin, 'Create', enumeration('ObjectType', 'SecretData'), structure('Attributes', ...attributes)));
    for (const format of ['Raw', 'Opaque']) assert.equal(materialIn(await exported('data', enumeration('KeyFormatType', format))).length, 32);
  });

  for (const [name, common, formats] of [
    ['rsa', RSA, ['PKCS_8', 'PKCS_1']],
    ['ec', P256, ['PKCS_8', 'ECPrivateKey']],
    ['ed25519', [enumeration('CryptographicAlgorithm', 'Ed25519')], ['PKCS_8']],
  ] as const)
    test(`a private key that is free signs elsewhere what its public key on the token verifies: ${name}`, async () => {
      await done(makePair(server.admin, id(name), ...common, ...FREE));
      const half = createPublicKey({ key: materialIn(await exported(`${name}_pk`, enumeration('KeyFormatType', 'X_509'))), format: 'der', type: 'spki' });
      for (const format of formats) {
        const type = format === 'PKCS_1' ? 'pkcs1' : format === 'ECPrivateKey' ? 'sec1' : 'pkcs8';
        const key = createPrivateKey({ key: materialIn(await exported(name, enumeration('KeyFormatType', format))), format: 'der', type });
        const hash = name === 'ed25519' ? null : 'sha256';
        assert.ok(verify(hash, DATA, half, sign(hash, DATA, key)), format);
      }
      assert.match(await exported(name), /"value":"PKCS_8"/);
    });

  test('public keys leave in the formats of software keys', async () => {
    for (const [name, format] of [
      ['rsa_pk', 'PKCS_1'],
      ['rsa_pk', 'TransparentRSAPublicKey'],
      ['ec_pk', 'TransparentECPublicKey'],
      ['ec_pk', 'Raw'],
    ] as const)
      assert.match(await exported(name, enumeration('KeyFormatType', format)), new RegExp(`"value":"${format}"`));
  });

  test('what is sensitive or not extractable stays, private keys too', async () => {
    await done(makeSecret(server.admin, id('kept'), boolean('Sensitive', false)));
    await refused(kmip(server.admin, 'Export', identifier(id('kept'))), /^Not_Extractable: DENIED/);
    await done(makePair(server.admin, id('kept pair'), ...P256));
    await refused(kmip(server.admin, 'Export', identifier(id('kept pair'))), /^Sensitive: DENIED/);
    await refused(kmip(server.admin, 'Export', identifier(id('kept pair')), byKey('kept')), /^Not_Extractable: DENIED/);
  });
}

const byKey = (name: string, encoding = 'NoEncoding', ...how: Json[]): Json =>
  structure(
    'KeyWrappingSpecification',
    enumeration('WrappingMethod', 'Encrypt'),
    structure('EncryptionKeyInformation', identifier(name.includes('::') ? name : id(name)), parameters(...(how.length > 0 ? how : [KW]))),
    enumeration('EncodingOption', encoding),
  );
const KW = enumeration('BlockCipherMode', 'NISTKeyWrap');

function guarded(): void {
  const set = (name: string, operation: string, ...more: Json[]) => kmip(server.admin, operation, identifier(id(name)), ...more);
  const value = (tag: string, is: boolean) => structure('NewAttribute', boolean(tag, is));

  test('what a token guards for good stays guarded in the attributes, and other keys may be freed again', async () => {
    await done(makeSecret(server.admin, id('guarded')));
    // The tables of 2.1 name the reason differently: SetAttribute in 324, ModifyAttribute in its own.
    for (const [operation, reason] of Object.entries({ SetAttribute: 'Read_Only_Attribute', ModifyAttribute: 'Attribute_Read_Only' })) {
      const because = (why: string) => new RegExp(`^${reason}: .* is ${why} on its token for good`);
      await refused(set('guarded', operation, value('Sensitive', false)), because('sensitive'));
      await refused(set('guarded', operation, value('Extractable', true)), because('not extractable'));
    }
    const negate = [enumeration('AttributeReference', 'Sensitive'), enumeration('AdjustmentType', 'Negate')];
    await refused(set('guarded', 'AdjustAttribute', ...negate), /^Read_Only_Attribute/);
    const both = JSON.stringify(await done(set('guarded', 'GetAttributes')));
    assert.match(both, /"Sensitive"[^}]*"value":true/);
    assert.match(both, /"Extractable"[^}]*"value":false/);
    await done(makeSecret(server.admin, id('lent'), ...FREE));
    await done(set('lent', 'SetAttribute', value('Sensitive', true)));
    await refused(set('lent', 'Get'), /^Sensitive/);
    await done(set('lent', 'SetAttribute', value('Sensitive', false)));
    assert.equal(materialIn(await exported('lent')).length, 32);
  });
}

function wrapped(): void {
  test('a sensitive key leaves wrapped by another of its token, and works where it is unwrapped', async () => {
    await done(makeSecret(server.admin, id('wrapping')));
    await done(makeSecret(server.admin, id('leaving'), boolean('Extractable', true)));
    await refused(kmip(server.admin, 'Export', identifier(id('leaving'))), /^Sensitive: DENIED/);
    for (const operation of ['Get', 'Export']) {
      const answer = await done(kmip(server.admin, operation, identifier(id('leaving')), byKey('wrapping')));
      const { SymmetricKey: key } = answer as unknown as { SymmetricKey: Json[] };
      assert.equal(/"KeyValue"[^}]*"value":"([0-9A-F]+)"/.exec(JSON.stringify(key))?.[1]?.length, 80, JSON.stringify(key));
      const attributes = structure('Attributes', identifier(`left ${operation}`), integer('CryptographicUsageMask', 12), ACTIVE);
      await done(kmip(server.admin, 'Register', enumeration('ObjectType', 'SymmetricKey'), attributes, structure('SymmetricKey', ...key)));
      const sealed = await done(kmip(server.admin, 'Encrypt', identifier(id('leaving')), bytes('Data', DATA)));
      const members = ['Data', 'IVCounterNonce', 'AuthenticatedEncryptionTag'].map((tag) => bytes(tag, sealed[tag] as string));
      const opened = await done(kmip(server.admin, 'Decrypt', identifier(`left ${operation}`), ...members));
      assert.equal(opened['Data'], DATA.toString('hex').toUpperCase());
    }
  });

  test('a sensitive key is wrapped with no other encoding, nor by a key elsewhere or one that may not', async () => {
    const ask = (specification: Json) => kmip(server.admin, 'Export', identifier(id('leaving')), specification);
    await refused(ask(byKey('wrapping', 'TTLVEncoding')), /^Encoding_Option_Error: .* NoEncoding only/);
    const attributes = [enumeration('CryptographicAlgorithm', 'AES'), integer('CryptographicLength', 256), integer('CryptographicUsageMask', 0x30), ACTIVE];
    const made = await done(kmip(server.admin, 'Create', enumeration('ObjectType', 'SymmetricKey'), structure('Attributes', ...attributes)));
    const elsewhere = structure(
      'KeyWrappingSpecification',
      enumeration('WrappingMethod', 'Encrypt'),
      structure('EncryptionKeyInformation', identifier(made['UniqueIdentifier'] as string), parameters(KW)),
      enumeration('EncodingOption', 'NoEncoding'),
    );
    await refused(ask(elsewhere), /^Sensitive: DENIED/);
    await refused(ask(byKey('wrapping', 'NoEncoding', enumeration('BlockCipherMode', 'AESKeyWrapPadding'))), /the token has no mechanism CKM_AES_KEY_WRAP_KWP/);
    const mask = [
      identifier(id('only encrypts')),
      enumeration('CryptographicAlgorithm', 'AES'),
      integer('CryptographicLength', 256),
      integer('CryptographicUsageMask', 4),
    ];
    await done(kmip(server.admin, 'Create', enumeration('ObjectType', 'SymmetricKey'), structure('Attributes', ...mask)));
    await refused(ask(byKey('only encrypts')), /usage mask does not permit WrapKey/);
  });

  test('by the public key of a pair on the token, and unwrapped by its private key', async () => {
    await done(makePair(server.admin, id('transport'), ...RSA));
    const how = [enumeration('PaddingMethod', 'PKCS1V1_5')];
    const answer = await exported('leaving', byKey('transport_pk', 'NoEncoding', ...how));
    const data = /"KeyValue"[^}]*"value":"([0-9A-F]+)"/.exec(answer)?.[1] as string;
    assert.equal(data.length, 512, answer);
    const opened = await done(kmip(server.admin, 'Decrypt', identifier(id('transport')), parameters(...how), bytes('Data', data)));
    assert.equal(opened['Data']?.length, 64);
  });
}

/** A key in software is not Active by itself. */
const ACTIVE: Json = { tag: 'ActivationDate', type: 'DateTime', value: '2024-01-01T00:00:00Z' };

if (!skipWithout('softhsm2')) {
  test.before(async () => {
    server = await startHsmServer();
  });
  test.after(() => server.end());
  inClear();
  guarded();
  wrapped();
  test.run();
}
