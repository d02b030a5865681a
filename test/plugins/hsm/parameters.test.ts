// Cryptographic parameters with keys on a token of SoftHSM: the answers are those of keys in software, which node:crypto knows.
import assert from 'node:assert/strict';
import { createCipheriv, createPublicKey, verify } from 'node:crypto';
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
  kmip,
  makePair,
  parameters,
  refused,
  startHsmServer,
  structure,
} from './hsm-server.ts';

const KEY = Buffer.alloc(32, 7);
const NONCE = Buffer.alloc(12, 0x41);
const DATA = Buffer.alloc(40, 0x42);

let server: HsmServer;
const id = () => `${server.prefix}known`;

const counting = (value: number) => parameters(enumeration('BlockCipherMode', 'CTR'), integer('CounterLength', 32), integer('InitialCounterValue', value));

/** OAEP as SoftHSM has it. */
const oaepWith = (...more: Parameters<typeof parameters>) =>
  parameters(enumeration('PaddingMethod', 'OAEP'), enumeration('HashingAlgorithm', 'SHA_1'), ...more);

function byNode(value: number): string {
  const first = Buffer.alloc(16);
  first.set(NONCE);
  first.writeUInt32BE(value, 12);
  return createCipheriv('aes-256-ctr', KEY, first).update(DATA).toString('hex').toUpperCase();
}

if (!skipWithout('softhsm2')) {
  test.before(async () => {
    server = await startHsmServer();
    const facts = [enumeration('CryptographicAlgorithm', 'AES'), integer('CryptographicLength', 256)];
    const block = structure('KeyBlock', enumeration('KeyFormatType', 'Raw'), structure('KeyValue', bytes('KeyMaterial', KEY)), ...facts);
    const attributes = structure('Attributes', identifier(id()), integer('CryptographicUsageMask', 0x3c));
    await done(kmip(server.admin, 'Register', enumeration('ObjectType', 'SymmetricKey'), attributes, structure('SymmetricKey', block)));
  });
  test.after(() => server.end());

  test('InitialCounterValue begins the counter, whole and in parts, so that no two values share a key stream', async () => {
    const nonce = bytes('IVCounterNonce', NONCE);
    for (const value of [0, 1, 7]) {
      const { Data: sealed = '' } = await done(kmip(server.admin, 'Encrypt', identifier(id()), counting(value), bytes('Data', DATA), nonce));
      assert.equal(sealed, byNode(value));
      const { Data: opened } = await done(kmip(server.admin, 'Decrypt', identifier(id()), counting(value), bytes('Data', sealed), nonce));
      assert.equal(opened, DATA.toString('hex').toUpperCase());
    }
    const part = (at: number, ...more: Parameters<typeof structure>[1][]) =>
      done(kmip(server.admin, 'Encrypt', identifier(id()), counting(7), bytes('Data', DATA.subarray(at, at + 20)), ...more));
    const begun = await part(0, nonce, boolean('InitIndicator', true));
    const ended = await part(20, bytes('CorrelationValue', begun['CorrelationValue'] as string), boolean('FinalIndicator', true));
    assert.equal(`${begun['Data'] ?? ''}${ended['Data'] ?? ''}`, byNode(7));
  });

  test('CTR goes no further than the numbers of CounterLength bits, as with keys in software', async () => {
    const of = (bits: number, size: number) => [
      ...[parameters(enumeration('BlockCipherMode', 'CTR'), integer('CounterLength', bits)), bytes('Data', Buffer.alloc(size))],
      bytes('IVCounterNonce', 'FF'.repeat(16)),
    ];
    await done(kmip(server.admin, 'Encrypt', identifier(id()), ...of(8, 16)));
    await refused(kmip(server.admin, 'Encrypt', identifier(id()), ...of(8, 17)), /^Invalid_Field: the counter has numbers for 16 bytes from this IV on/);
    await refused(kmip(server.admin, 'Encrypt', identifier(id()), ...of(0, 16)), /^Invalid_Field: CounterLength must be 1 to 128 bits/);
  });

  test('the refusal of an IV names the lengths that the mode takes, whole and in parts', async () => {
    const sent = (mode: string, size: number) => [
      ...[identifier(id()), parameters(enumeration('BlockCipherMode', mode)), bytes('Data', DATA), bytes('IVCounterNonce', Buffer.alloc(size))],
    ];
    for (const more of [[], [boolean('InitIndicator', true)]])
      for (const [mode, size, lengths] of [
        ['GCM', 129, '1 to 128'],
        ['CBC', 12, '16'],
      ] as const)
        await refused(
          kmip(server.admin, 'Encrypt', ...sent(mode, size), ...more),
          new RegExp(`^Invalid_Field: invalid IV/nonce length: ${lengths} bytes are needed, ${size} were given$`),
        );
  });

  test('a label of OAEP, which SoftHSM would pass over, is refused in both directions', async () => {
    const own = `${server.prefix}labelled`;
    const rsa = [enumeration('CryptographicAlgorithm', 'RSA'), integer('CryptographicLength', 2048)];
    await done(makePair(server.admin, own, ...rsa));
    const oaep = (label: string) => oaepWith(bytes('PSource', label));
    const { Data: sealed = '' } = await done(kmip(server.admin, 'Encrypt', identifier(`${own}_pk`), oaep(''), bytes('Data', DATA)));
    const open = (label: string) => kmip(server.admin, 'Decrypt', identifier(own), oaep(label), bytes('Data', sealed));
    assert.equal((await done(open('')))['Data'], DATA.toString('hex').toUpperCase());
    const none = /^Unsupported_Cryptographic_Parameters: the token has no mechanism CKM_RSA_PKCS_OAEP with a label \(PSource\)$/;
    await refused(open('4142'), none);
    await refused(kmip(server.admin, 'Encrypt', identifier(`${own}_pk`), oaep('4142'), bytes('Data', DATA)), none);
  });

  test('what is to be authenticated is not taken by RSA keys, as with keys in software', async () => {
    const own = `${server.prefix}bare`;
    await done(makePair(server.admin, own, enumeration('CryptographicAlgorithm', 'RSA'), integer('CryptographicLength', 2048)));
    const beside = ['AuthenticatedEncryptionAdditionalData', 'AuthenticatedEncryptionTag'] as const;
    for (const padding of [parameters(enumeration('PaddingMethod', 'PKCS1v1.5')), oaepWith()]) {
      const asked = (operation: string, key: string, data: Uint8Array | string, ...more: Parameters<typeof structure>[1][]) =>
        kmip(server.admin, operation, identifier(key), padding, bytes('Data', data), ...more);
      const { Data: sealed = '' } = await done(asked('Encrypt', `${own}_pk`, DATA));
      await refused(asked('Encrypt', `${own}_pk`, DATA, bytes(beside[0], '41')), /^Invalid_Field: RSA does not authenticate data; leave out/);
      for (const each of beside) await refused(asked('Decrypt', own, sealed, bytes(each, '41'.repeat(16))), /^Invalid_Field: RSA does not authenticate data/);
      assert.equal((await done(asked('Decrypt', own, sealed)))['Data'], DATA.toString('hex').toUpperCase());
    }
  });

  test('an initial value of key wrap other than the default is not passed over', async () => {
    const wrap = parameters(enumeration('BlockCipherMode', 'NISTKeyWrap'));
    const asked = (operation: string, data: Uint8Array, initial: string) =>
      kmip(server.admin, operation, identifier(id()), wrap, bytes('Data', data), bytes('IVCounterNonce', initial));
    const byDefault = createCipheriv('aes256-wrap', KEY, Buffer.alloc(8, 0xa6)).update(DATA);
    const { Data: sealed } = await done(asked('Encrypt', DATA, 'A6'.repeat(8)));
    assert.equal(sealed, byDefault.toString('hex').toUpperCase());
    assert.equal((await done(asked('Decrypt', byDefault, 'A6'.repeat(8))))['Data'], DATA.toString('hex').toUpperCase());
    for (const [operation, data] of [
      ['Encrypt', DATA],
      ['Decrypt', byDefault],
    ] as const) {
      await refused(asked(operation, data, '07'.repeat(8)), /^Unsupported_Cryptographic_Parameters: the token refuses CKM_AES_KEY_WRAP: CKR_ARGUMENTS_BAD$/);
      await refused(asked(operation, data, '07'), /^Invalid_Field: invalid IV\/nonce length: 8 bytes are needed, 1 were given$/);
    }
  });

  test('refusals name what was asked for, no mechanism that does not exist, and where the key is', async () => {
    const made = (algorithm: string) => makePair(server.admin, `${server.prefix}none`, enumeration('CryptographicAlgorithm', algorithm));
    await refused(made('Ed448'), /^Unsupported_Cryptographic_Parameters: an HSM makes no pair of Ed448; it makes RSA keys, and others on P_256, .*CURVE25519$/);
    const ff1 = kmip(server.admin, 'Encrypt', identifier(id()), parameters(enumeration('CryptographicAlgorithm', 'FPE_FF1')), bytes('Data', '313233343536'));
    await refused(ff1, /^Unsupported_Cryptographic_Parameters: the token has no mechanism for FF1$/);
    const body = { kid: id(), alg: 'dir', enc: 'A128CBC-HS256', data: '' };
    const jwe = await server.admin('POST', '/v1/crypto/encrypt', { body });
    assert.deepEqual([jwe.status, jwe.body.description], [422, 'the token has no mechanism for AES-CBC with HMAC']);
    const split = [enumeration('ObjectType', 'SplitKey'), integer('SplitKeyParts', 3), integer('SplitKeyThreshold', 2)];
    const method = enumeration('SplitKeyMethod', 'PolynomialSharingGF28');
    await refused(kmip(server.admin, 'CreateSplitKey', identifier(id()), ...split, method, structure('Attributes')), /^Key_Value_Not_Present: .*in an HSM/);
  });

  test('a private key signs without its public key, whole and in parts', async () => {
    const kinds = {
      ec: [enumeration('CryptographicAlgorithm', 'EC'), curve('P_384')],
      ed: [enumeration('CryptographicAlgorithm', 'Ed25519')],
      rsa: [enumeration('CryptographicAlgorithm', 'RSA'), integer('CryptographicLength', 2048)],
    };
    for (const [name, common] of Object.entries(kinds)) {
      const [own, half] = [`${server.prefix}alone ${name}`, `${server.prefix}alone ${name}_pk`];
      await done(makePair(server.admin, own, ...common));
      const spki = JSON.stringify(await done(kmip(server.admin, 'Get', identifier(half), enumeration('KeyFormatType', 'X_509'))));
      const der = Buffer.from(/"KeyMaterial"[^}]*?"value":"([0-9A-F]+)"/.exec(spki)?.[1] ?? '', 'hex');
      const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
      await done(kmip(server.admin, 'Destroy', identifier(half)));
      const sign = (from: number, to: number, ...more: Parameters<typeof structure>[1][]) =>
        done(kmip(server.admin, 'Sign', identifier(own), bytes('Data', DATA.subarray(from, to)), ...more));
      const whole = await sign(0, DATA.length);
      const { CorrelationValue: value = '' } = await sign(0, 9, boolean('InitIndicator', true));
      const parts = await sign(9, DATA.length, bytes('CorrelationValue', value), boolean('FinalIndicator', true));
      for (const { SignatureData: signature = '' } of [whole, parts])
        assert.ok(verify(name === 'ed' ? null : 'sha256', DATA, publicKey, Buffer.from(signature, 'hex')), name);
    }
  });

  test('a length that keys on the curve do not have is refused, as for keys in software', async () => {
    const make = (bits: number) =>
      makePair(
        server.admin,
        `${server.prefix}curve ${bits}`,
        enumeration('CryptographicAlgorithm', 'EC'),
        curve('P_256'),
        integer('CryptographicLength', bits),
      );
    await done(make(256));
    await refused(make(384), /^Invalid_Field: CryptographicLength: keys of P_256 do not have 384 bits$/);
  });

  test('data too large for an RSA key, and a salt too long for it, are named, as with keys in software', async () => {
    const [name, length] = [enumeration('CryptographicAlgorithm', 'RSA'), integer('CryptographicLength', 2048)];
    await done(makePair(server.admin, `${server.prefix}pair`, name, length));
    const encrypt = (size: number, ...how: Parameters<typeof parameters>) =>
      kmip(server.admin, 'Encrypt', identifier(`${server.prefix}pair_pk`), parameters(...how), bytes('Data', Buffer.alloc(size, 1)));
    const [oaep, pkcs1] = [[enumeration('PaddingMethod', 'OAEP'), enumeration('HashingAlgorithm', 'SHA_1')], [enumeration('PaddingMethod', 'PKCS1v1.5')]];
    await done(encrypt(214, ...oaep));
    await refused(encrypt(215, ...oaep), /^Invalid_Field: data too large for this key$/);
    await done(encrypt(245, ...pkcs1));
    await refused(encrypt(246, ...pkcs1), /^Invalid_Field: data too large for this key$/);
    const pss = [enumeration('PaddingMethod', 'PSS'), enumeration('HashingAlgorithm', 'SHA_256')];
    const sign = (salt: number) =>
      kmip(server.admin, 'Sign', identifier(`${server.prefix}pair`), parameters(...pss, integer('SaltLength', salt)), bytes('Data', DATA));
    await done(sign(222));
    await refused(sign(223), /^Bad_Cryptographic_Parameters: SaltLength: the key is too short/);
  });

  test.run();
}
