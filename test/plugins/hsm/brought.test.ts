// Keys that requests bring to a token or make there: under a name that is free again, never in place of another key, and not at all if the request is refused.
import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { test } from 'uvu';
import { writePkcs12 } from '../../../crypto/pkcs12/pkcs12.ts';
import { makeCertificate } from '../../certificates.ts';
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
  makeSecret,
  refused,
  startHsmServer,
  structure,
  text,
} from './hsm-server.ts';

let server: HsmServer;
const id = (name: string) => server.prefix + name;

const FACTS = [enumeration('CryptographicAlgorithm', 'AES'), integer('CryptographicLength', 256)];

function bring(name: string, byte: string, replace: boolean, ...more: Json[]) {
  const block = structure('KeyBlock', enumeration('KeyFormatType', 'Raw'), structure('KeyValue', bytes('KeyMaterial', byte.repeat(32))), ...FACTS);
  const attributes = structure('Attributes', ...FACTS, integer('CryptographicUsageMask', 12), ...more);
  const type = enumeration('ObjectType', 'SymmetricKey');
  return kmip(server.admin, 'Import', identifier(id(name)), type, boolean('ReplaceExisting', replace), attributes, structure('SymmetricKey', block));
}

const seal = (name: string) => done(kmip(server.admin, 'Encrypt', identifier(id(name)), bytes('Data', 'AB')));

async function opened(name: string, sealed: Record<string, string>): Promise<string | undefined> {
  const members = ['Data', 'IVCounterNonce', 'AuthenticatedEncryptionTag'].map((tag) => bytes(tag, sealed[tag] as string));
  return (await done(kmip(server.admin, 'Decrypt', identifier(id(name)), ...members)))['Data'];
}

const labels = () => server.hsm.tool(server.slot, 'labels(4).sort()') as string[];

if (!skipWithout('softhsm2')) {
  test.before(async () => {
    server = await startHsmServer();
  });
  test.after(() => server.end());

  test('Import takes a name that Destroy has freed, as Create and Register do', async () => {
    for (const replace of [false, true]) {
      await done(makeSecret(server.admin, id('freed')));
      await done(kmip(server.admin, 'Destroy', identifier(id('freed'))));
      await done(bring('freed', '01', replace));
      assert.equal(await opened('freed', await seal('freed')), 'AB');
      await done(kmip(server.admin, 'Destroy', identifier(id('freed'))));
    }
  });

  test('Import replaces no key on a token, says so, and leaves it as it is', async () => {
    await done(bring('there', '02', false));
    const sealed = await seal('there');
    await refused(bring('there', '03', false), /^Object_Already_Exists: an object \S+ already exists$/);
    await refused(bring('there', '03', true), /^Object_Already_Exists: .* ReplaceExisting replaces no key in an HSM: Destroy it first$/);
    assert.equal(await opened('there', sealed), 'AB');
  });

  test('a refused Import leaves nothing on the token, whatever is wrong with it', async () => {
    const before = labels();
    const wrong: [Json, RegExp][] = [
      [enumeration('State', 'Destroyed'), /a destroyed object cannot be imported/],
      [{ tag: 'State', type: 'Enumeration', value: '0x80000001' }, /State has no value 0x80000001/],
      [{ tag: 'DestroyDate', type: 'DateTime', value: '2020-01-01T00:00:00Z' }, /a destroyed object cannot be imported/],
    ];
    for (const [attribute, why] of wrong) await refused(bring('refused', '04', false, attribute), why);
    assert.deepEqual(labels(), before);
    await done(makeSecret(server.admin, id('refused')));
  });

  test('the halves of a pair that come one by one lead to each other, and are used as a pair', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const facts = [enumeration('CryptographicAlgorithm', 'EC'), integer('CryptographicLength', 256)];
    const register = (name: string, type: string, format: string, der: Buffer, ...more: Json[]) => {
      const block = structure('KeyBlock', enumeration('KeyFormatType', format), structure('KeyValue', bytes('KeyMaterial', der)), ...facts);
      const mask = integer('CryptographicUsageMask', type === 'PrivateKey' ? 1 : 2);
      return kmip(
        server.admin,
        'Register',
        enumeration('ObjectType', type),
        structure('Attributes', identifier(id(name)), mask, ...more),
        structure(type, block),
      );
    };
    const privateHalf = (name: string, ...more: Json[]) =>
      done(register(name, 'PrivateKey', 'PKCS_8', privateKey.export({ type: 'pkcs8', format: 'der' }), ...more));
    const publicHalf = (name: string, ...more: Json[]) =>
      done(register(`${name}_pk`, 'PublicKey', 'X_509', publicKey.export({ type: 'spki', format: 'der' }), ...more));
    const linksOf = async (name: string) => {
      const { Attributes: all } = await done(kmip(server.admin, 'GetAttributes', identifier(id(name)), enumeration('AttributeReference', 'Link')));
      return (all as unknown as { value: Json[] }[]).map(({ value }) => value.map(({ value: each }) => each));
    };
    const called = structure('Name', text('NameValue', 'of both halves'), enumeration('NameType', 'UninterpretedTextString'));
    await privateHalf('private first', called);
    await publicHalf('private first', called);
    await publicHalf('public first');
    await privateHalf('public first');
    for (const name of ['private first', 'public first']) {
      assert.deepEqual(await linksOf(name), [['PublicKeyLink', id(`${name}_pk`)]]);
      assert.deepEqual(await linksOf(`${name}_pk`), [['PrivateKeyLink', id(name)]]);
      const { body: signed } = await server.admin('POST', '/v1/crypto/sign', { body: { kid: id(name), alg: 'ES256', data: 'aGVsbG8' } });
      const { body } = await server.admin('POST', '/v1/crypto/verify', { body: { ...signed, data: 'aGVsbG8' } });
      assert.equal(body.valid, true, JSON.stringify(body));
      const replaced = await done(kmip(server.admin, 'ReKeyKeyPair', text('PrivateKeyUniqueIdentifier', id(name))));
      assert.equal(replaced['PublicKeyUniqueIdentifier'], id(`${name}::1_pk`));
    }
    const elsewhere = structure('Link', enumeration('LinkType', 'PublicKeyLink'), text('LinkedObjectIdentifier', id('public first_pk')));
    await privateHalf('linked by its client', elsewhere);
    await publicHalf('linked by its client');
    assert.deepEqual(await linksOf('linked by its client'), [['PublicKeyLink', id('public first_pk')]]);
  });

  test('a PKCS#12 file comes to a token: its pair there, its certificate in the database, or nothing stays', async () => {
    const { key, certificate } = await makeCertificate('of a file');
    const pair = { privateKey: createPrivateKey(key), certificates: [new Uint8Array(certificate.rawData)], friendlyName: 'file' };
    const block = structure(
      'KeyBlock',
      enumeration('KeyFormatType', 'PKCS_12'),
      structure('KeyValue', bytes('KeyMaterial', await writePkcs12(pair, 'secret'))),
    );
    const password = structure('Link', enumeration('LinkType', 'PKCS_12PasswordLink'), text('LinkedObjectIdentifier', 'secret'));
    const given = [password, integer('CryptographicUsageMask', 1)];
    const type = enumeration('ObjectType', 'PrivateKey');
    const send = (operation: string, name: string) =>
      operation === 'Register'
        ? kmip(server.admin, operation, type, structure('Attributes', identifier(id(name)), ...given), structure('PrivateKey', block))
        : kmip(server.admin, operation, identifier(id(name)), type, structure('Attributes', ...given), structure('PrivateKey', block));
    const onToken = (name: string) =>
      [3, 2].map((kind) => (server.hsm.tool(server.slot, `labels(${kind})`) as string[]).filter((label) => label === name).length);
    for (const operation of ['Register', 'Import']) {
      await done(send(operation, operation));
      assert.deepEqual(onToken(operation), [1, 1]);
      const { body: signed } = await server.admin('POST', '/v1/crypto/sign', { body: { kid: id(operation), alg: 'ES256', data: 'aGVsbG8' } });
      assert.equal((await server.admin('POST', '/v1/crypto/verify', { body: { ...signed, data: 'aGVsbG8' } })).body.valid, true);
      const linked = structure('Link', enumeration('LinkType', 'PrivateKeyLink'), text('LinkedObjectIdentifier', id(operation)));
      const found = await done(kmip(server.admin, 'Locate', structure('Attributes', enumeration('ObjectType', 'Certificate'), linked)));
      assert.match(String(found['UniqueIdentifier']), /^[0-9a-f-]{36}$/);
      const half = `half of ${operation}`;
      server.hsm.tool(server.slot, `pair('${half}')`);
      server.hsm.tool(server.slot, `destroy(3, '${half}')`);
      await refused(send(operation, half), /^Object_Already_Exists/);
      assert.deepEqual(onToken(half), [0, 1]);
    }
  });

  test('a key whose Name another has is refused, and stays not on the token, made or brought', async () => {
    const taken = structure('Name', text('NameValue', 'taken'), enumeration('NameType', 'UninterpretedTextString'));
    await done(makeSecret(server.admin, id('first'), taken));
    const objects = () => server.hsm.tool(server.slot, '[2, 3, 4].flatMap(labels).sort()') as string[];
    const before = objects();
    const why = /^Non_Unique_Name_Attribute: /;
    await refused(makeSecret(server.admin, id('second'), taken), why);
    await refused(bring('second', '05', false, taken), why);
    const pair = (privateKey: Json[], publicKey: Json[]) =>
      kmip(
        server.admin,
        'CreateKeyPair',
        structure('CommonAttributes', enumeration('CryptographicAlgorithm', 'EC'), curve('P_256')),
        structure('PrivateKeyAttributes', integer('CryptographicUsageMask', 1), identifier(id('second')), ...privateKey),
        structure('PublicKeyAttributes', integer('CryptographicUsageMask', 2), ...publicKey),
      );
    await refused(pair([taken], []), why);
    await refused(pair([], [taken]), why);
    assert.deepEqual(objects(), before);
    await done(pair([], []));
  });

  test('what a token does not let destroy is refused by the reason of the token, in KMIP and in /v1/crypto', async () => {
    // 0x172 is CKA_DESTROYABLE.
    const template = "[...named('kept'), { type: 0x161, value: 32 }, { type: 0x172, value: false }]";
    server.hsm.tool(server.slot, `p.C_GenerateKey(s, { mechanism: 0x1080 }, ${template}).length`);
    await refused(kmip(server.admin, 'Destroy', identifier(id('kept'))), /^Permission_Denied: the token refuses to destroy the key: CKR_ACTION_PROHIBITED$/);
    const { status, body } = await server.admin('DELETE', `/v1/crypto/keys/${encodeURIComponent(id('kept'))}`);
    assert.deepEqual(
      { status, body },
      { status: 403, body: { error: 'forbidden', description: 'the token refuses to destroy the key: CKR_ACTION_PROHIBITED' } },
    );
    assert.ok(labels().includes('kept'));
  });
  test.run();
}
