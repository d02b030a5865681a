// Keys in an HSM through KMIP and /v1/crypto, on a started server with a token of SoftHSM: each operation, what is refused, and who may do what.
import assert from 'node:assert/strict';
import { createCipheriv, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto';
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
  kmip3,
  makePair,
  makeSecret,
  PIN,
  parameters,
  refused,
  startHsmServer,
  structure,
  text,
  USER_NAME,
} from './hsm-server.ts';

let server: HsmServer;
const DATA = Buffer.from('to be kept');
const HEX = DATA.toString('hex').toUpperCase();
const id = (name: string) => server.prefix + name;

async function roundTrip(name: string, ...how: Json[]): Promise<void> {
  const sealed = await done(kmip(server.admin, 'Encrypt', identifier(id(name)), parameters(...how), bytes('Data', DATA)));
  const more = ['IVCounterNonce', 'AuthenticatedEncryptionTag'].flatMap((tag) => (sealed[tag] === undefined ? [] : [bytes(tag, sealed[tag])]));
  const opened = await done(kmip(server.admin, 'Decrypt', identifier(id(name)), parameters(...how), bytes('Data', sealed['Data'] as string), ...more));
  assert.equal(opened['Data'], HEX);
}

function modes() {
  test('AES keys encrypt in GCM, CBC and CTR; a mode that the token lacks is refused by its mechanism', async () => {
    await done(makeSecret(server.admin, id('aes')));
    for (const mode of ['GCM', 'CBC', 'CTR']) await roundTrip('aes', enumeration('BlockCipherMode', mode));
    await refused(
      kmip(server.admin, 'Encrypt', identifier(id('aes')), parameters(enumeration('BlockCipherMode', 'CFB')), bytes('Data', DATA)),
      /^Unsupported_Cryptographic_Parameters: the token has no mechanism CKM_AES_CFB$/,
    );
    const sealed = await done(kmip(server.admin, 'Encrypt', identifier(id('aes')), bytes('Data', DATA)));
    const tag = `${(sealed['AuthenticatedEncryptionTag'] as string).slice(0, -2)}00`;
    const spoilt = sealed['AuthenticatedEncryptionTag'] === tag ? `${tag.slice(0, -2)}01` : tag;
    await refused(
      kmip(
        server.admin,
        'Decrypt',
        identifier(id('aes')),
        ...[bytes('Data', sealed['Data'] as string), bytes('IVCounterNonce', sealed['IVCounterNonce'] as string), bytes('AuthenticatedEncryptionTag', spoilt)],
      ),
      /^Cryptographic_Failure: CRYPTO: cannot decrypt/,
    );
  });

  test('ECB encrypts whole blocks, each by itself, and refuses anything else', async () => {
    const how = [enumeration('BlockCipherMode', 'ECB'), enumeration('PaddingMethod', 'None')];
    const two = Buffer.from('0123456789abcdef'.repeat(2));
    const { Data: sealed = '' } = await done(kmip(server.admin, 'Encrypt', identifier(id('aes')), parameters(...how), bytes('Data', two)));
    assert.equal(sealed.length, 64);
    assert.equal(sealed.slice(0, 32), sealed.slice(32), 'equal blocks are equal');
    const opened = await done(kmip(server.admin, 'Decrypt', identifier(id('aes')), parameters(...how), bytes('Data', sealed)));
    assert.equal(opened['Data'], two.toString('hex').toUpperCase());
    await refused(
      kmip(server.admin, 'Encrypt', identifier(id('aes')), parameters(...how), bytes('Data', two.subarray(1))),
      /^Invalid_Field|^Cryptographic_Failure/,
    );
  });

  test('MACs of a token verify, and those of other data do not', async () => {
    await done(makeSecret(server.admin, id('cmac')));
    const hmac = [enumeration('CryptographicAlgorithm', 'HMAC_SHA512'), integer('CryptographicLength', 512), integer('CryptographicUsageMask', 0x180)];
    await done(kmip(server.admin, 'Create', enumeration('ObjectType', 'SymmetricKey'), structure('Attributes', ...hmac, identifier(id('hmac')))));
    for (const [name, how] of [
      ['cmac', parameters(enumeration('BlockCipherMode', 'CMAC'))],
      ['hmac', parameters()],
    ] as const) {
      const { MACData: mac = '' } = await done(kmip(server.admin, 'MAC', identifier(id(name)), how, bytes('Data', DATA)));
      assert.equal(mac.length, name === 'cmac' ? 32 : 128);
      const verdict = (data: Uint8Array) => done(kmip(server.admin, 'MACVerify', identifier(id(name)), how, bytes('Data', data), bytes('MACData', mac)));
      assert.equal((await verdict(DATA))['ValidityIndicator'], 'Valid');
      assert.equal((await verdict(Buffer.from('other')))['ValidityIndicator'], 'Invalid');
    }
  });
}

function signatures() {
  const pairs: readonly [string, readonly Json[], readonly Json[]][] = [
    ['rsa', [enumeration('CryptographicAlgorithm', 'RSA'), integer('CryptographicLength', 2048)], []],
    ['pss', [enumeration('CryptographicAlgorithm', 'RSA'), integer('CryptographicLength', 2048)], [enumeration('PaddingMethod', 'PSS')]],
    ['p256', [enumeration('CryptographicAlgorithm', 'EC'), curve('P_256')], []],
    ['p384', [enumeration('CryptographicAlgorithm', 'EC'), curve('P_384')], [enumeration('DigitalSignatureAlgorithm', 'ECDSAWithSHA512')]],
    ['p521', [enumeration('CryptographicAlgorithm', 'EC'), curve('P_521')], []],
    ['ed25519', [enumeration('CryptographicAlgorithm', 'Ed25519')], []],
  ];
  for (const [name, common, how] of pairs)
    test(`a pair made on the token signs: ${name}`, async () => {
      const made = await done(makePair(server.admin, id(name), ...common));
      assert.deepEqual([made['PrivateKeyUniqueIdentifier'], made['PublicKeyUniqueIdentifier']], [id(name), id(`${name}_pk`)]);
      const { SignatureData: signature = '' } = await done(kmip(server.admin, 'Sign', identifier(id(name)), parameters(...how), bytes('Data', DATA)));
      const verdict = (data: Uint8Array) =>
        done(kmip(server.admin, 'SignatureVerify', identifier(id(`${name}_pk`)), parameters(...how), bytes('Data', data), bytes('SignatureData', signature)));
      assert.equal((await verdict(DATA))['ValidityIndicator'], 'Valid');
      assert.equal((await verdict(Buffer.from('other')))['ValidityIndicator'], 'Invalid');
      const publicKey = await done(kmip(server.admin, 'Get', identifier(id(`${name}_pk`))));
      assert.ok(publicKey['PublicKey'], 'the public key is given out');
      await refused(kmip(server.admin, 'Get', identifier(id(name))), /^(Sensitive|Not_Extractable): DENIED/);
    });

  test('a digest that the client made is signed as the data are', async () => {
    const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'.toUpperCase();
    for (const name of ['rsa', 'p256']) {
      const { SignatureData: signature = '' } = await done(kmip(server.admin, 'Sign', identifier(id(name)), bytes('DigestedData', sha256)));
      const verdict = await done(
        kmip(server.admin, 'SignatureVerify', identifier(id(`${name}_pk`)), bytes('Data', Buffer.from('test')), bytes('SignatureData', signature)),
      );
      assert.equal(verdict['ValidityIndicator'], 'Valid', name);
    }
  });

  test('RSA pairs encrypt with PKCS#1, OAEP and RSA-AES key wrap as the token can', async () => {
    const sealed = async (...how: Json[]) => done(kmip(server.admin, 'Encrypt', identifier(id('rsa_pk')), parameters(...how), bytes('Data', DATA)));
    for (const how of [[enumeration('PaddingMethod', 'PKCS1V1_5')], [enumeration('PaddingMethod', 'OAEP'), enumeration('HashingAlgorithm', 'SHA_1')]]) {
      const opened = await done(
        kmip(server.admin, 'Decrypt', identifier(id('rsa')), parameters(...how), bytes('Data', (await sealed(...how))['Data'] as string)),
      );
      assert.equal(opened['Data'], HEX);
    }
    const spki = /"KeyMaterial"[^}]*"value":"([0-9A-F]+)"/.exec(JSON.stringify(await done(kmip(server.admin, 'Get', identifier(id('rsa_pk'))))))?.[1] as string;
    const keyWrap = [enumeration('PaddingMethod', 'None'), enumeration('HashingAlgorithm', 'SHA_1')];
    const long = randomBytes(3_001);
    const temporary = randomBytes(32);
    const cipher = createCipheriv('id-aes256-wrap-pad', temporary, Buffer.from('a65959a6', 'hex'));
    const publicKey = createPublicKey({ key: Buffer.from(spki, 'hex'), format: 'der', type: spki.includes('2A864886F70D010101') ? 'spki' : 'pkcs1' });
    const elsewhere = Buffer.concat([publicEncrypt({ key: publicKey, oaepHash: 'sha1' }, temporary), cipher.update(long), cipher.final()]);
    const { Data: here = '' } = await done(kmip(server.admin, 'Encrypt', identifier(id('rsa_pk')), parameters(...keyWrap), bytes('Data', long)));
    const unwrap = (data: string | Uint8Array) => kmip(server.admin, 'Decrypt', identifier(id('rsa')), parameters(...keyWrap), bytes('Data', data));
    for (const data of [elsewhere, here]) assert.equal((await done(unwrap(data)))['Data'], long.toString('hex').toUpperCase());
    elsewhere[elsewhere.length - 1] = (elsewhere.at(-1) as number) ^ 1;
    for (const data of [elsewhere, elsewhere.subarray(0, 255)]) await refused(unwrap(data), /^Cryptographic_Failure: CRYPTO: .*decryption failed$/);
    await refused(
      kmip(server.admin, 'Encrypt', identifier(id('rsa_pk')), parameters(enumeration('PaddingMethod', 'OAEP')), bytes('Data', DATA)),
      /^Unsupported_Cryptographic_Parameters: the token refuses CKM_RSA_PKCS_OAEP: CKR_ARGUMENTS_BAD$/,
    );
  });
}

function life() {
  test('secret data has the lengths that it may have elsewhere', async () => {
    const made = (bits: number) =>
      kmip(
        server.admin,
        'Create',
        enumeration('ObjectType', 'SecretData'),
        structure('Attributes', identifier(id(`secret of ${bits}`)), integer('CryptographicLength', bits), integer('CryptographicUsageMask', 0x180)),
      );
    for (const bits of [-8, 0, 7, 12, 65_544, 2 ** 31 - 8])
      await refused(made(bits), new RegExp(`^Invalid_Field: the cryptographic length of secret data must be a multiple of 8 from 8 to 65536, not ${bits}$`));
    for (const bits of [8, 65_536]) await done(made(bits));
  });

  test('a key stays on the token unless its maker lets it out; then Get gives it', async () => {
    await done(makeSecret(server.admin, id('kept')));
    await refused(kmip(server.admin, 'Get', identifier(id('kept'))), /^Sensitive: DENIED/);
    await done(makeSecret(server.admin, id('open'), boolean('Sensitive', false), boolean('Extractable', true)));
    const { SymmetricKey: key } = (await done(kmip(server.admin, 'Get', identifier(id('open'))))) as unknown as { SymmetricKey: unknown };
    assert.match(JSON.stringify(key), /"KeyMaterial"[^}]*"value":"[0-9A-F]{64}"/);
  });

  test('what is taken: an identifier is, until the key is destroyed; then it can be made anew', async () => {
    await done(makeSecret(server.admin, id('again')));
    await refused(makeSecret(server.admin, id('again')), /already exists/);
    const sealed = await done(kmip(server.admin, 'Encrypt', identifier(id('again')), bytes('Data', DATA)));
    await done(kmip(server.admin, 'Destroy', identifier(id('again'))));
    await refused(kmip(server.admin, 'Encrypt', identifier(id('again')), bytes('Data', DATA)), /Destroyed|destroyed/);
    assert.ok(!listed().includes('again'), 'the token still has it');
    await done(makeSecret(server.admin, id('again')));
    const members = ['Data', 'IVCounterNonce', 'AuthenticatedEncryptionTag'].map((tag) => bytes(tag, sealed[tag] as string));
    await refused(kmip(server.admin, 'Decrypt', identifier(id('again')), ...members), /^Cryptographic_Failure/);
  });

  test('attributes of a key on the token: told, added, found by, changed and deleted', async () => {
    await done(makePair(server.admin, id('told'), enumeration('CryptographicAlgorithm', 'EC'), curve('P_384')));
    const told = async (name: string) => JSON.stringify(await done(kmip(server.admin, 'GetAttributes', identifier(id(name)))));
    const own = await told('told');
    for (const [tag, value] of [
      ['CryptographicAlgorithm', 'EC'],
      ['CryptographicLength', 384],
      ['RecommendedCurve', 'P-384'],
      ['ObjectType', 'PrivateKey'],
      ['State', 'Active'],
      ['Sensitive', true],
      ['Extractable', false],
      ['NeverExtractable', true],
    ] as const)
      assert.match(own, new RegExp(`"tag":"${tag}","type":"\\w+","value":${typeof value === 'string' ? `"${value.replace('-', '[-_]')}"` : value}`), tag);
    assert.match(await told('told_pk'), /"ObjectType","type":"Enumeration","value":"PublicKey"/);
    const name = structure('Name', text('NameValue', 'a name of its own'), enumeration('NameType', 'UninterpretedTextString'));
    await done(kmip(server.admin, 'AddAttribute', identifier(id('told')), structure('NewAttribute', name)));
    await done(kmip(server.admin, 'SetAttribute', identifier(id('told')), structure('NewAttribute', text('ContactInformation', 'me'))));
    const found = async () => (await done(kmip(server.admin, 'Locate', structure('Attributes', name)))).all('UniqueIdentifier');
    assert.deepEqual(await found(), [id('told')]);
    assert.match(await told('told'), /"ContactInformation","type":"TextString","value":"me"/);
    await done(kmip(server.admin, 'DeleteAttribute', identifier(id('told')), structure('CurrentAttribute', name)));
    assert.deepEqual(await found(), []);
    await refused(
      kmip(server.admin, 'SetAttribute', identifier(id('told')), structure('NewAttribute', integer('CryptographicLength', 256))),
      /Read_Only|Attribute_Read_Only|Permission_Denied|read.only/i,
    );
  });

  test('a key that was made for a change that fails does not stay on the token', async () => {
    const name = structure('Name', text('NameValue', 'one name'), enumeration('NameType', 'UninterpretedTextString'));
    await done(makeSecret(server.admin, id('named'), name));
    await refused(makeSecret(server.admin, id('named too'), name), /^Non_Unique_Name_Attribute/);
    assert.ok(!listed().includes('named too'), 'the token has a key that nobody has');
  });

  test('Revoke, attributes, ReKey: a new generation on the token, and the old one still decrypts', async () => {
    await done(makeSecret(server.admin, id('gen')));
    await done(kmip(server.admin, 'SetAttribute', identifier(id('gen')), structure('NewAttribute', text('RotateName', 'hsm keyset'))));
    const sealed = await done(kmip(server.admin, 'Encrypt', identifier('hsm keyset'), bytes('Data', DATA)));
    const { UniqueIdentifier: next } = await done(kmip(server.admin, 'ReKey', identifier(id('gen'))));
    assert.equal(next, id('gen::1'));
    assert.ok(listed().includes('gen::1'));
    const members = ['Data', 'IVCounterNonce', 'AuthenticatedEncryptionTag'].map((tag) => bytes(tag, sealed[tag] as string));
    assert.equal((await done(kmip(server.admin, 'Decrypt', identifier('hsm keyset'), ...members)))['Data'], HEX);
    await refused(kmip(server.admin, 'ReKey', identifier(id('gen'))), /not the latest/);
    await done(kmip(server.admin, 'Revoke', identifier(id('gen')), structure('RevocationReason', enumeration('RevocationReasonCode', 'Superseded'))));
    await refused(kmip(server.admin, 'Encrypt', identifier(id('gen')), bytes('Data', DATA)), /^Wrong_Key_Lifecycle_State/);
  });

  test('a pair is replaced as a pair', async () => {
    await done(makePair(server.admin, id('turned'), enumeration('CryptographicAlgorithm', 'EC'), curve('P_256')));
    const made = await done(kmip(server.admin, 'ReKeyKeyPair', text('PrivateKeyUniqueIdentifier', id('turned'))));
    assert.deepEqual([made['PrivateKeyUniqueIdentifier'], made['PublicKeyUniqueIdentifier']], [id('turned::1'), id('turned::1_pk')]);
    const { SignatureData: signature = '' } = await done(kmip(server.admin, 'Sign', identifier(id('turned::1')), bytes('Data', DATA)));
    const verdict = await done(kmip(server.admin, 'SignatureVerify', identifier(id('turned::1_pk')), bytes('Data', DATA), bytes('SignatureData', signature)));
    assert.equal(verdict['ValidityIndicator'], 'Valid');
  });

  test('what is replaced once more goes past the generations that are there, also those that are destroyed', async () => {
    const rotateName = structure('NewAttribute', text('RotateName', 'ends on a token'));
    const destroy = async (key: string) => {
      await done(kmip(server.admin, 'Revoke', identifier(id(key)), structure('RevocationReason', enumeration('RevocationReasonCode', 'Superseded'))));
      await done(kmip(server.admin, 'Destroy', identifier(id(key))));
    };
    await done(makeSecret(server.admin, id('ends')));
    await done(kmip(server.admin, 'SetAttribute', identifier(id('ends')), rotateName));
    const next = async (of: string) => (await done(kmip(server.admin, 'ReKey', identifier(of))))['UniqueIdentifier'];
    assert.equal(await next('ends on a token'), id('ends::1'));
    await destroy('ends::1');
    assert.equal(await next('ends on a token'), id('ends::2'));
    assert.ok(!listed().includes('ends::1') && listed().includes('ends::2'));
    // Without a keyset a key may be replaced again and again.
    await done(makeSecret(server.admin, id('repeated')));
    assert.deepEqual([await next(id('repeated')), await next(id('repeated'))], [id('repeated::1'), id('repeated::2')]);
    const pair = await done(kmip(server.admin, 'ReKeyKeyPair', text('PrivateKeyUniqueIdentifier', id('turned'))));
    assert.deepEqual([pair['PrivateKeyUniqueIdentifier'], pair['PublicKeyUniqueIdentifier']], [id('turned::2'), id('turned::2_pk')]);
  });

  test('Register brings a key to the token, where it works, and the store does not keep it', async () => {
    const material = randomBytes(32);
    const block = structure(
      'KeyBlock',
      enumeration('KeyFormatType', 'Raw'),
      structure('KeyValue', bytes('KeyMaterial', material)),
      ...[enumeration('CryptographicAlgorithm', 'AES'), integer('CryptographicLength', 256)],
    );
    const attributes = structure('Attributes', identifier(id('brought')), integer('CryptographicUsageMask', 12));
    await done(kmip(server.admin, 'Register', enumeration('ObjectType', 'SymmetricKey'), attributes, structure('SymmetricKey', block)));
    await roundTrip('brought', enumeration('BlockCipherMode', 'GCM'));
    await refused(kmip(server.admin, 'Get', identifier(id('brought'))), /^Sensitive/);
  });

  test('a key on the token wraps keys of the database, and unwraps them', async () => {
    await done(makeSecret(server.admin, id('wrapping')));
    const { UniqueIdentifier: key = '' } = await done(makeSecret(server.admin, 'to be wrapped'));
    const materialOf = (answer: object) => /"KeyMaterial"[^}]*"value":"([0-9A-F]+)"/.exec(JSON.stringify(answer))?.[1];
    const clear = materialOf(await done(kmip(server.admin, 'Get', identifier(key))));
    const by = (mode: string) =>
      structure(
        'KeyWrappingSpecification',
        enumeration('WrappingMethod', 'Encrypt'),
        structure('EncryptionKeyInformation', identifier(id('wrapping')), parameters(enumeration('BlockCipherMode', mode))),
        enumeration('EncodingOption', 'NoEncoding'),
      );
    for (const mode of ['NISTKeyWrap', 'GCM']) {
      const answer = (await done(kmip(server.admin, 'Get', identifier(key), by(mode)))) as unknown as { SymmetricKey: Json[] };
      assert.ok(!JSON.stringify(answer).includes(clear as string));
      const brought = structure('SymmetricKey', ...answer.SymmetricKey);
      const attributes = structure('Attributes', integer('CryptographicUsageMask', 12));
      const into = [identifier(`unwrapped ${mode}`), enumeration('ObjectType', 'SymmetricKey'), enumeration('KeyWrapType', 'NotWrapped'), attributes, brought];
      await done(kmip(server.admin, 'Import', ...into));
      assert.equal(materialOf(await done(kmip(server.admin, 'Get', identifier(`unwrapped ${mode}`)))), clear);
    }
    await refused(kmip(server.admin, 'Get', identifier(key), by('AESKeyWrapPadding')), /the token has no mechanism CKM_AES_KEY_WRAP_KWP$/);
  });

  test('a batch with Undo changes nothing in an HSM', async () => {
    const create = structure('RequestPayload', enumeration('ObjectType', 'SymmetricKey'), structure('Attributes', ...aes(id('undone'))));
    const version = structure('ProtocolVersion', integer('ProtocolVersionMajor', 2), integer('ProtocolVersionMinor', 1));
    const header = structure('RequestHeader', version, enumeration('BatchErrorContinuationOption', 'Undo'), integer('BatchCount', 1));
    const item = structure('BatchItem', enumeration('Operation', 'Create'), create);
    const { text: answer } = await server.admin('POST', '/kmip/2_1', { body: structure('RequestMessage', header, item) });
    assert.match(answer, /a batch with Undo cannot change keys in an HSM/);
    assert.ok(!listed().includes('undone'));
  });
}

const aes = (name: string): Json[] => [
  ...[enumeration('CryptographicAlgorithm', 'AES'), integer('CryptographicLength', 256), integer('CryptographicUsageMask', 12), identifier(name)],
];

function rights() {
  test('only administrators of the instance make and destroy keys; others use what they were granted', async () => {
    await refused(makeSecret(server.user, id('theirs')), /^Permission_Denied: Only an HSM admin/);
    await done(makeSecret(server.admin, id('shared')));
    const encrypt = () => kmip(server.user, 'Encrypt', identifier(id('shared')), bytes('Data', DATA));
    await refused(encrypt(), /^Item_Not_Found: object not found/);
    const grant = (path: string, ...operations: string[]) =>
      server.admin('POST', `/access/${path}`, { body: { user_id: USER_NAME, unique_identifier: id('shared'), operation_types: operations } });
    assert.equal((await grant('grant', 'get')).status, 200);
    await refused(encrypt(), /^Item_Not_Found/);
    assert.equal((await grant('grant', 'encrypt')).status, 200);
    await done(encrypt());
    await refused(kmip(server.user, 'Decrypt', identifier(id('shared')), bytes('Data', DATA)), /^Item_Not_Found/);
    await refused(kmip(server.user, 'Destroy', identifier(id('shared'))), /^Item_Not_Found/);
    for (const right of ['destroy', 'obliterate', 'revoke', 'deactivate', 'rekey', 'ReKeyKeyPair']) {
      const { status, text: why } = await grant('grant', right);
      assert.deepEqual([status, /reserved for HSM admins only/.test(why)], [422, true], why);
      assert.equal((await grant('revoke', right)).status, 200);
    }
    for (const operation of ['Obliterate', 'Deactivate'])
      await refused(kmip3(server.user, operation, identifier(id('shared'))), /^ItemNotFound|^ObjectNotFound/);
    const owned = await server.user('GET', '/access/obtained');
    assert.match(owned.text, /"owner_id":"hsm::soft_hsm"/);
    assert.equal((await grant('revoke', 'encrypt')).status, 200);
    await refused(encrypt(), /^Item_Not_Found/);
  });

  test('a key that a vendor tool made is found, used, granted and destroyed; nobody else learns of it', async () => {
    server.hsm.tool(server.slot, "pair('foreign')");
    await refused(kmip(server.user, 'Sign', identifier(id('foreign')), bytes('Data', DATA)), /^Item_Not_Found: object not found/);
    const { SignatureData: signature = '' } = await done(kmip(server.admin, 'Sign', identifier(id('foreign')), bytes('Data', DATA)));
    const found = await done(kmip(server.admin, 'Locate', structure('Attributes', enumeration('ObjectType', 'PublicKey'))));
    assert.ok(found.all('UniqueIdentifier').includes(id('foreign_pk')));
    const verdict = await done(kmip(server.admin, 'SignatureVerify', identifier(id('foreign_pk')), bytes('Data', DATA), bytes('SignatureData', signature)));
    assert.equal(verdict['ValidityIndicator'], 'Valid');
    const nothing = await done(kmip(server.user, 'Locate', structure('Attributes', enumeration('ObjectType', 'PublicKey'))));
    assert.deepEqual(nothing.all('UniqueIdentifier'), []);
    await done(kmip(server.admin, 'Destroy', identifier(id('foreign'))));
    assert.ok(!listed('private').includes('foreign'));
  });

  test('the short form of an identifier is that of the only instance; other slots and models are not found', async () => {
    const short = `hsm::${server.slot}::aes`;
    assert.equal((await done(kmip(server.admin, 'Encrypt', identifier(short), bytes('Data', DATA))))['UniqueIdentifier'], id('aes'));
    await refused(kmip(server.admin, 'Encrypt', identifier('hsm::99::aes'), bytes('Data', DATA)), /slot 99 is not accessible/);
    await refused(kmip(server.admin, 'Encrypt', identifier('hsm::vendor_a::0::aes'), bytes('Data', DATA)), /no HSM has this prefix/);
  });
}

function jose() {
  test('/v1/crypto encrypts, decrypts, signs and verifies with keys on the token', async () => {
    const ask = async (path: string, body: object) => {
      const answer = await server.admin('POST', `/v1/crypto/${path}`, { body });
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const data = DATA.toString('base64url');
    const sealed = await ask('encrypt', { kid: id('aes'), alg: 'dir', enc: 'A256GCM', data });
    assert.equal((await ask('decrypt', sealed)).data, data);
    const signed = await ask('sign', { kid: id('p256'), alg: 'ES256', data });
    assert.equal((await ask('verify', { protected: signed.protected, data, signature: signed.signature })).valid, true);
  });
}

/** Labels of the keys of a kind, as a tool of somebody else sees them. */
function listed(kind: 'secret' | 'private' = 'secret'): readonly string[] {
  return server.hsm.tool(server.slot, `labels(${kind === 'secret' ? 4 : 3})`) as string[];
}

if (!skipWithout('softhsm2')) {
  test.before(async () => {
    server = await startHsmServer();
  });
  test.after(() => server?.end());
  for (const register of [modes, signatures, life, rights, jose]) register();
  test('no PIN is in the log', () => {
    assert.ok(server.lines.length > 0 && !JSON.stringify(server.lines).includes(PIN));
  });
  test.run();
}
