// Keys that vendor tools made, with names and numbers that this server would not have chosen: each is found, or spoils nothing.
import assert from 'node:assert/strict';
import { generateKeyPairSync, verify } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'uvu';
import { IS_ON_POSTGRES } from '../../database.ts';
import { until } from '../../runtime.ts';
import { signInAdmin } from '../../server.ts';
import { skipWithout } from '../../system.ts';
import {
  bytes,
  curve,
  done,
  enumeration,
  type HsmServer,
  identifier,
  integer,
  kmip,
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

/** An AES key. @param cka CKA_ID in hexadecimal */
const aes = (cka: string, label: string) => server.hsm.tool(server.slot, `aes('${label}', Buffer.from('${cka}', 'hex'))`);

/** A public key on P-256. The numbers are those of PKCS #11. @param cka its CKA_ID @param point CKA_EC_POINT in hexadecimal, whatever it is */
const publicKey = (cka: string, point: string) =>
  server.hsm.tool(
    server.slot,
    `p.C_CreateObject(s, [{ type: 0, value: 2 }, { type: 0x100, value: 3 }, { type: 1, value: true }, { type: 0x102, value: Buffer.from('${cka}') },
      { type: 0x180, value: Buffer.from('06082a8648ce3d030107', 'hex') }, { type: 0x181, value: Buffer.from('${point}', 'hex') }]).length`,
  );

/** A pair on P-256 that signs. @param cka CKA_ID in hexadecimal */
const pairOf = (cka: string, label: string, publicLabel = label) =>
  server.hsm.tool(
    server.slot,
    `p.C_GenerateKeyPair(s, { mechanism: 0x1040 },
      [...named('${publicLabel}', Buffer.from('${cka}', 'hex')), { type: 0x10a, value: true }, { type: 0x180, value: Buffer.from('06082a8648ce3d030107', 'hex') }],
      [...named('${label}', Buffer.from('${cka}', 'hex')), { type: 0x108, value: true }, { type: 2, value: true }, { type: 0x103, value: true }]) && true`,
  );

/** A private RSA key that signs and decrypts, without its public key. @param cka CKA_ID in hexadecimal @returns puts the public key beside it */
const loneRsa = (cka: string, label: string) => {
  const jwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  const numbers = (['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'] as const).map(
    (name, at) => `{ type: ${[0x120, 0x122, 0x123, 0x124, 0x125, 0x126, 0x127, 0x128][at]}, value: Buffer.from('${jwk[name]}', 'base64url') }`,
  );
  server.hsm.tool(
    server.slot,
    `p.C_CreateObject(s, [{ type: 0, value: 3 }, { type: 0x100, value: 0 }, ...named('${label}', Buffer.from('${cka}', 'hex')), { type: 0x108, value: true },
      { type: 0x105, value: true }, ${numbers.join()}]).length`,
  );
  const publicUses = '{ type: 0x10a, value: true }, { type: 0x104, value: true }';
  return () =>
    server.hsm.tool(
      server.slot,
      `p.C_CreateObject(s, [{ type: 0, value: 2 }, { type: 0x100, value: 0 }, ...named('${label}', Buffer.from('${cka}', 'hex')), ${publicUses},
        ${numbers.slice(0, 2).join()}]).length`,
    );
};

const OAEP = parameters(enumeration('PaddingMethod', 'OAEP'), enumeration('HashingAlgorithm', 'SHA_1'));

const located = async (type: string) =>
  (await done(kmip(server.admin, 'Locate', structure('Attributes', enumeration('ObjectType', type))))).all('UniqueIdentifier');

if (!skipWithout('softhsm2')) {
  test.before(async () => {
    server = await startHsmServer();
  });
  test.after(() => server.end());

  test('a key whose CKA_ID is no text is listed and used by its hexadecimal form, beside all others', async () => {
    await done(makeSecret(server.admin, 'in the database'));
    aes('0102', 'shared');
    aes('0103', 'shared');
    aes('ff'.repeat(300), '');
    assert.deepEqual((await located('SymmetricKey')).toSorted(), [id('0x0102'), id('0x0103'), 'in the database'].toSorted());
    const { Data: sealed = '' } = await done(kmip(server.admin, 'Encrypt', identifier(id('0x0102')), bytes('Data', 'AB')));
    assert.equal(sealed.length, 2);
    await done(kmip(server.admin, 'Destroy', identifier(id('0x0103'))));
    assert.equal((server.hsm.tool(server.slot, 'labels(4)') as string[]).filter((label) => label === 'shared').length, 1);
  });

  test('a key without a name is rotated: the next generation has one', async () => {
    aes('0201', 'shared');
    assert.ok((await located('SymmetricKey')).includes(id('0x0201')));
    const { UniqueIdentifier: next } = await done(kmip(server.admin, 'ReKey', identifier(id('0x0201'))));
    assert.equal(next, id('0201::1'));
    const { UniqueIdentifier: after } = await done(kmip(server.admin, 'ReKey', identifier(id('0201::1'))));
    assert.equal(after, id('0201::2'));
  });

  test('a key that another program has replaced is told in the log and audited; one made anew here is not', async () => {
    const warnings = () => server.lines.filter(({ msg }) => /^another key is on the token/.test(String(msg)));
    const encrypt = (name: string) => done(kmip(server.admin, 'Encrypt', identifier(id(name)), bytes('Data', 'AB')));
    for (const name of ['replaced', 'made anew']) {
      await done(makeSecret(server.admin, id(name)));
      await encrypt(name);
    }
    await done(kmip(server.admin, 'Destroy', identifier(id('made anew'))));
    await done(makeSecret(server.admin, id('made anew')));
    await encrypt('made anew');
    assert.deepEqual(warnings(), []);
    server.hsm.tool(server.slot, "destroy(4, 'replaced') + aes('replaced')");
    await encrypt('replaced');
    assert.deepEqual(
      warnings().map(({ prefix, slot, name, kind }) => [prefix, slot, name, kind]),
      [['hsm::soft_hsm', server.slot, 'replaced', 'secret']],
    );
    const cookie = await signInAdmin(server);
    const rows = async () => (await server.ask('GET', '/audit?event=hsm.key', { cookie })).body.events as { target: string; outcome: string }[];
    await until(async () => (await rows()).length > 0, 'it is audited');
    assert.deepEqual(
      (await rows()).map(({ target, outcome }) => [target, outcome]),
      [[id('replaced'), 'failure']],
    );
  });

  test('a replaced private key on a curve, which tells no number of its own, is told by its public key', async () => {
    const sign = () => done(kmip(server.admin, 'Sign', identifier(id('on a curve')), bytes('Data', 'AB')));
    const warnings = () => server.lines.filter(({ msg, name }) => /^another key is on the token/.test(String(msg)) && name === 'on a curve');
    await done(makePair(server.admin, id('on a curve'), enumeration('CryptographicAlgorithm', 'EC'), curve('P_256')));
    await sign();
    assert.deepEqual(warnings(), []);
    server.hsm.tool(server.slot, "destroy(3, 'on a curve') + destroy(2, 'on a curve') + pair('on a curve')");
    await sign();
    assert.deepEqual(
      warnings().map(({ slot, kind }) => [slot, kind]),
      [[server.slot, 'private']],
    );
    for (const end of ['', '_pk']) await done(kmip(server.admin, 'Destroy', identifier(id(`on a curve${end}`))));
  });

  test('a search tells what a key is in whose place another program has put another one', async () => {
    const attributes = async (name: string) => {
      const told = (await done(kmip(server.admin, 'GetAttributes', identifier(id(name)))))['Attributes'] as unknown as { tag: string; value: unknown }[];
      return new Map(told.map(({ tag, value }) => [tag, value]));
    };
    const sign = { key: identifier(id('swapped pair')), data: bytes('Data', 'AB') };
    const verdict = async () => {
      const { SignatureData: signature = '' } = await done(kmip(server.admin, 'Sign', sign.key, sign.data));
      const half = identifier(id('swapped pair_pk'));
      return (await done(kmip(server.admin, 'SignatureVerify', half, sign.data, bytes('SignatureData', signature))))['ValidityIndicator'];
    };
    server.hsm.tool(server.slot, "aes('swapped') + pair('swapped pair')");
    await located('SymmetricKey');
    assert.equal(await verdict(), 'Valid');
    const before = await attributes('swapped pair_pk');
    await located('SymmetricKey');
    assert.deepEqual(await attributes('swapped pair_pk'), before);
    server.hsm.tool(server.slot, "destroy(4, 'swapped') + destroy(3, 'swapped pair') + destroy(2, 'swapped pair') + pair('swapped pair')");
    const aes128 = "{ mechanism: 0x1080 }, [...named('swapped'), { type: 0x161, value: 16 }, { type: 0x104, value: true }]";
    server.hsm.tool(server.slot, `p.C_GenerateKey(s, ${aes128}).length`);
    await located('SymmetricKey');
    assert.equal((await attributes('swapped')).get('CryptographicLength'), 128);
    assert.equal(await verdict(), 'Valid');
    assert.notDeepEqual((await attributes('swapped pair_pk')).get('Digest'), before.get('Digest'));
    for (const name of ['swapped', 'swapped pair', 'swapped pair_pk']) await done(kmip(server.admin, 'Destroy', identifier(id(name))));
  });

  test('what an administrator demands of new objects hides no key that somebody else has made', async () => {
    const demanded = structure('Attributes', integer('CryptographicLength', 128));
    await done(kmip(server.admin, 'SetConstraints', structure('Constraints', structure('Constraint', demanded))));
    await refused(makeSecret(server.admin, id('too long')), /^Constraint_Violation/);
    aes(Buffer.from('made elsewhere').toString('hex'), 'made elsewhere');
    aes(Buffer.from('named').toString('hex'), 'named');
    loneRsa('0e01', 'with a public key');
    await done(kmip(server.admin, 'Encrypt', identifier(id('named')), bytes('Data', 'AB')));
    assert.ok((await located('SymmetricKey')).includes(id('made elsewhere')));
    assert.ok((await located('PublicKey')).includes(id('with a public key_pk')));
    await done(kmip(server.admin, 'SetConstraints'));
    for (const end of ['', '_pk']) await done(kmip(server.admin, 'Destroy', identifier(id(`with a public key${end}`))));
  });

  test('a CKA_ID that is a text has no hexadecimal form, and no new key has one', async () => {
    aes(Buffer.from('plain').toString('hex'), 'plain');
    await refused(kmip(server.admin, 'GetAttributes', identifier(id(`0x${Buffer.from('plain').toString('hex')}`))), /^Object_Not_Found/);
    await done(kmip(server.admin, 'GetAttributes', identifier(id('plain'))));
    await refused(makeSecret(server.admin, id('0x0405')), /nor begin with 0x/);
  });

  test('a key has one identifier: none by its label beside its CKA_ID, nor the other way round', async () => {
    aes(Buffer.from('by its id').toString('hex'), 'by its label');
    aes('0a0b', 'alone with it');
    for (const name of ['by its label', '0x0a0b']) await refused(kmip(server.admin, 'Encrypt', identifier(id(name)), bytes('Data', 'AB')), /not found/);
    for (const name of ['by its id', 'alone with it']) await done(kmip(server.admin, 'Encrypt', identifier(id(name)), bytes('Data', 'AB')));
    const found = await located('SymmetricKey');
    for (const name of ['by its label', '0x0a0b', 'by its id', 'alone with it']) assert.equal(found.includes(id(name)), !/label|0x/.test(name), name);
  });

  test('a key that is gone is destroyed, and not the one that only has its name as a label', async () => {
    await done(makeSecret(server.admin, id('taken away')));
    server.hsm.tool(server.slot, "destroy(4, 'taken away') + aes('taken away', Buffer.from('of its own'))");
    await done(kmip(server.admin, 'Destroy', identifier(id('taken away'))));
    await done(kmip(server.admin, 'Encrypt', identifier(id('of its own')), bytes('Data', 'AB')));
  });

  test('a key that somebody makes with the name of a destroyed one is found by a search, or by who wants it', async () => {
    for (const name of ['listed anew', 'wanted anew']) {
      await done(makeSecret(server.admin, id(name)));
      await done(kmip(server.admin, 'Destroy', identifier(id(name))));
      assert.ok(!(await located('SymmetricKey')).includes(id(name)));
      aes(Buffer.from(name).toString('hex'), name);
      if (name === 'wanted anew') await refused(makeSecret(server.admin, id(name)), /^Object_Already_Exists/);
      else assert.ok((await located('SymmetricKey')).includes(id(name)));
      await done(kmip(server.admin, 'Encrypt', identifier(id(name)), bytes('Data', 'AB')));
      await done(kmip(server.admin, 'Destroy', identifier(id(name))));
      assert.ok(!(server.hsm.tool(server.slot, 'labels(4)') as string[]).includes(name));
    }
  });

  test('a key that is called by its CKA_ID stays so when nobody else has its label any more', async () => {
    for (const cka of ['0401', '0402']) aes(cka, 'of both');
    assert.ok((await located('SymmetricKey')).includes(id('0x0401')));
    await done(kmip(server.admin, 'Destroy', identifier(id('0x0402'))));
    const found = await located('SymmetricKey');
    assert.deepEqual([found.includes(id('0x0401')), found.includes(id('of both'))], [true, false]);
    await refused(kmip(server.admin, 'Encrypt', identifier(id('of both')), bytes('Data', 'AB')), /not found/);
  });

  test('a public key that is none, and pairs of one name, are left out of a search', async () => {
    for (const [cka, point] of [
      ['garbage', 'deadbeef'],
      ['off the curve', `044104${'11'.repeat(64)}`],
      ['empty', ''],
    ] as const) {
      publicKey(cka, point);
      await refused(kmip(server.admin, 'GetAttributes', identifier(id(`${cka}_pk`))), /^Object_Not_Found/);
    }
    for (const name of ['one', 'twice', 'twice']) server.hsm.tool(server.slot, `pair('${name}')`);
    assert.deepEqual(await located('PublicKey'), [id('one_pk')]);
    assert.deepEqual(await located('PrivateKey'), [id('one')]);
  });

  test('a name that several keys of a token have is told as such, and none of them is taken for it', async () => {
    for (const name of ['same id', 'same id']) aes(Buffer.from(name).toString('hex'), name);
    for (const label of ['own label', 'other label']) aes(Buffer.from('id of two').toString('hex'), label);
    for (const cka of ['0501', '0502']) aes(cka, 'label of two');
    const several = (kind: string, name: string) => new RegExp(`^Invalid_Field: the token has 2 ${kind} keys of the name ${name}: give each its own CKA_ID$`);
    const found = await located('SymmetricKey');
    for (const name of ['same id', 'id of two', 'label of two']) {
      assert.ok(!found.includes(id(name)), name);
      for (const operation of ['Encrypt', 'Destroy'])
        await refused(kmip(server.admin, operation, identifier(id(name)), ...(operation === 'Encrypt' ? [bytes('Data', 'AB')] : [])), several('secret', name));
      await refused(makeSecret(server.admin, id(name)), /^Object_Already_Exists: the token already has a secret key/);
      assert.match((await kmip(server.user, 'Encrypt', identifier(id(name)), bytes('Data', 'AB'))).body.message, /^Item_Not_Found: object not found/);
    }
    await refused(kmip(server.admin, 'Encrypt', identifier(id('own label')), bytes('Data', 'AB')), several('secret', 'id of two'));
    await refused(kmip(server.admin, 'Sign', identifier(id('twice')), bytes('Data', 'AB')), several('private', 'twice'));
    await refused(kmip(server.admin, 'Get', identifier(id('twice_pk'))), several('public', 'twice'));
    const signed = await server.admin('POST', '/v1/crypto/sign', { body: { kid: id('twice'), alg: 'ES256', data: 'aGVsbG8' } });
    assert.deepEqual([signed.status, signed.body.error], [400, 'bad_request']);
    assert.match(signed.body.description, /^the token has 2 private keys of the name twice/);
    for (const cka of ['0501', '0502']) assert.ok(found.includes(id(`0x${cka}`)));
  });

  test('a key that gets a double is told as such when it is searched for again', async () => {
    await done(makeSecret(server.admin, id('doubled')));
    aes(Buffer.from('doubled').toString('hex'), 'doubled');
    const said = /^Invalid_Field: the token has 2 secret keys of the name doubled: give each its own CKA_ID$/;
    await refused(kmip(server.admin, 'Encrypt', identifier(id('doubled')), bytes('Data', 'AB')), said);
  });

  test('a pair with two labels, and one with the label of a secret key, sign and are verified by either half', async () => {
    pairOf('0301', 'key of a card', 'public key of a card');
    aes('0302', 'of two');
    pairOf('0303', 'of two');
    const ask = async (path: string, body: object) => (await server.admin('POST', `/v1/crypto/${path}`, { body })).body;
    for (const [name, publicName] of [
      ['key of a card', 'public key of a card'],
      ['0x0303', 'of two'],
    ] as const) {
      for (const type of ['PrivateKey', 'PublicKey']) assert.ok((await located(type)).includes(id(type === 'PublicKey' ? `${publicName}_pk` : name)), name);
      const signed = await ask('sign', { kid: id(name), alg: 'ES256', data: 'aGVsbG8' });
      for (const kid of [id(name), id(`${publicName}_pk`)]) assert.equal((await ask('verify', { ...signed, kid, data: 'aGVsbG8' })).valid, true, kid);
    }
    assert.ok((await located('SymmetricKey')).includes(id('of two')));
    const replaced = await done(kmip(server.admin, 'ReKeyKeyPair', text('PrivateKeyUniqueIdentifier', id('key of a card'))));
    assert.equal(replaced['PublicKeyUniqueIdentifier'], id('key of a card::1_pk'));
    for (const type of ['PrivateKey', 'PublicKey']) assert.equal((await located(type)).filter((each) => each.includes('card::1')).length, 1, type);
  });

  test('a private key on a curve whose public key is not on the token is found, and signs', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const scalar = Buffer.from(String(privateKey.export({ format: 'jwk' }).d), 'base64url').toString('hex');
    server.hsm.tool(
      server.slot,
      `p.C_CreateObject(s, [{ type: 0, value: 3 }, { type: 0x100, value: 3 }, ...named('without a half', Buffer.from('d3', 'hex')), { type: 0x108, value: true },
        { type: 0x180, value: Buffer.from('06082a8648ce3d030107', 'hex') }, { type: 0x11, value: Buffer.from('${scalar}', 'hex') }]).length`,
    );
    assert.ok((await located('PrivateKey')).includes(id('without a half')));
    const { text: described } = await kmip(server.admin, 'GetAttributes', identifier(id('without a half')));
    assert.match(described, /"P_256"/);
    assert.doesNotMatch(described, /LinkType/);
    const { SignatureData: signature = '' } = await done(kmip(server.admin, 'Sign', identifier(id('without a half')), bytes('Data', 'AB')));
    assert.ok(verify('sha256', Buffer.from([0xab]), publicKey, Buffer.from(signature, 'hex')));
    await done(kmip(server.admin, 'Destroy', identifier(id('without a half'))));
  });

  test('a private key on a curve is verified by its name from when its public key comes to the token', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x, y, d } = Object.fromEntries(
      Object.entries(privateKey.export({ format: 'jwk' })).map(([name, value]) => [name, Buffer.from(String(value), 'base64url').toString('hex')]),
    );
    server.hsm.tool(
      server.slot,
      `p.C_CreateObject(s, [{ type: 0, value: 3 }, { type: 0x100, value: 3 }, ...named('half later'), { type: 0x108, value: true },
        { type: 0x180, value: Buffer.from('06082a8648ce3d030107', 'hex') }, { type: 0x11, value: Buffer.from('${d}', 'hex') }]).length`,
    );
    const signed = (await server.admin('POST', '/v1/crypto/sign', { body: { kid: id('half later'), alg: 'ES256', data: 'aGVsbG8' } })).body;
    const verified = async () => (await server.admin('POST', '/v1/crypto/verify', { body: { ...signed, data: 'aGVsbG8' } })).body;
    assert.equal((await verified()).error, 'not_found');
    publicKey('half later', `044104${x}${y}`);
    assert.ok((await located('PublicKey')).includes(id('half later_pk')));
    assert.equal((await verified()).valid, true);
  });

  test('a private key that alone tells its public key is verified by either name, also one made anew', async () => {
    const sign = async (name: string) => (await server.admin('POST', '/v1/crypto/sign', { body: { kid: id(name), alg: 'RS256', data: 'aGVsbG8' } })).body;
    const isValid = async (signed: object, name: string) =>
      (await server.admin('POST', '/v1/crypto/verify', { body: { ...signed, kid: id(name), data: 'aGVsbG8' } })).body.valid;
    for (const [name, cka] of [
      ['first', 'd401'],
      ['second', 'd402'],
    ] as const) {
      loneRsa(cka, 'numbers only');
      // The first is met by its name, the other by a search.
      if (name === 'second')
        for (const type of ['PrivateKey', 'PublicKey'])
          assert.ok(
            (await located(type)).some((each) => each.includes('numbers only')),
            type,
          );
      const signed = await sign('numbers only');
      for (const kid of ['numbers only', 'numbers only_pk']) assert.equal(await isValid(signed, kid), true, `${name} ${kid}`);
      await done(kmip(server.admin, 'Destroy', identifier(id('numbers only'))));
    }
    loneRsa('d403', 'half destroyed');
    const signed = await sign('half destroyed');
    await done(kmip(server.admin, 'Destroy', identifier(id('half destroyed_pk'))));
    await located('PublicKey');
    assert.equal(await isValid(signed, 'half destroyed'), undefined);
    loneRsa('d404', 'met by its half');
    const { text: told } = await kmip(server.admin, 'GetAttributes', identifier(id('met by its half_pk')));
    assert.match(told, /"PublicKey"/);
    const { PublicKeyUniqueIdentifier } = await done(kmip(server.admin, 'ReKeyKeyPair', text('PrivateKeyUniqueIdentifier', id('met by its half'))));
    assert.equal(PublicKeyUniqueIdentifier, id('met by its half::1_pk'));
  });

  test('a public key that its private key alone tells encrypts once the token has it, as does its next one', async () => {
    const bring = loneRsa('d406', 'decrypts');
    const encrypt = (name: string) => kmip(server.admin, 'Encrypt', identifier(id(name)), OAEP, bytes('Data', 'AB'));
    const opened = async (name: string) => {
      const { Data: sealed = '' } = await done(encrypt(`${name}_pk`));
      return (await done(kmip(server.admin, 'Decrypt', identifier(id(name)), OAEP, bytes('Data', sealed))))['Data'];
    };
    assert.ok((await located('PublicKey')).includes(id('decrypts_pk')));
    await refused(encrypt('decrypts_pk'), /^Item_Not_Found: the token has no public key decrypts$/);
    await done(kmip(server.admin, 'ReKeyKeyPair', text('PrivateKeyUniqueIdentifier', id('decrypts'))));
    assert.equal(await opened('decrypts::1'), 'AB');
    bring();
    assert.equal(await opened('decrypts'), 'AB');
    for (const name of ['decrypts', 'decrypts::1']) for (const end of ['', '_pk']) await done(kmip(server.admin, 'Destroy', identifier(id(name + end))));
  });

  if (!IS_ON_POSTGRES)
    test('a public key that an older version left on a private key alone is found by a search', async () => {
      loneRsa('d405', 'of an older version');
      assert.ok((await located('PublicKey')).includes(id('of an older version_pk')));
      const db = new DatabaseSync(join(server.dataDir, 'gatehouse.db'), { timeout: 5_000 });
      for (const [table, column] of [
        ['kms_attribute', 'object_id'],
        ['kms_object', 'id'],
      ] as const)
        db.prepare(`DELETE FROM ${table} WHERE ${column} = ?`).run(id('of an older version_pk'));
      db.close();
      assert.ok((await located('PublicKey')).includes(id('of an older version_pk')));
    });

  test('a public key without any name is left alone: no identifier stands for it', async () => {
    const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
    publicKey('', `044104${[x, y].map((number) => Buffer.from(String(number), 'base64url').toString('hex')).join('')}`);
    const nameless = () => (server.hsm.tool(server.slot, 'labels(2)') as string[]).filter((label) => label === '').length;
    const before = nameless();
    for (const operation of ['GetAttributes', 'Destroy'])
      await refused(kmip(server.admin, operation, identifier(id('_pk'))), /_pk not found: a key in this HSM is called hsm::soft_hsm::<slot>::<name>$/);
    assert.equal(nameless(), before);
  });

  test('ReKey and ReKeyKeyPair go past a next generation that is on the token already', async () => {
    await done(makeSecret(server.admin, id('secret of two')));
    aes(Buffer.from('secret of two::1').toString('hex'), '');
    await done(makePair(server.admin, id('pair of two'), enumeration('CryptographicAlgorithm', 'EC'), curve('P_256')));
    pairOf(Buffer.from('pair of two::1').toString('hex'), '');
    const { UniqueIdentifier } = await done(kmip(server.admin, 'ReKey', identifier(id('secret of two'))));
    assert.equal(UniqueIdentifier, id('secret of two::2'));
    const pair = await done(kmip(server.admin, 'ReKeyKeyPair', text('PrivateKeyUniqueIdentifier', id('pair of two'))));
    assert.deepEqual([pair['PrivateKeyUniqueIdentifier'], pair['PublicKeyUniqueIdentifier']], [id('pair of two::2'), id('pair of two::2_pk')]);
    for (const name of ['secret of two::1', 'pair of two::1', 'pair of two::1_pk']) await done(kmip(server.admin, 'Destroy', identifier(id(name))));
  });

  test('a key of this server has one identifier, however long its name is', async () => {
    const name = 'long'.repeat(25);
    await done(makeSecret(server.admin, id(name)));
    const cka = `0x${Buffer.from(name).toString('hex')}`;
    assert.ok(!(await located('SymmetricKey')).includes(id(cka)));
    await refused(kmip(server.admin, 'Destroy', identifier(id(cka))), /not found/);
    await done(kmip(server.admin, 'Encrypt', identifier(id(name)), bytes('Data', 'AB')));
  });

  test('a private key that tells no public key keeps its name: no secret key takes it', async () => {
    server.hsm.tool(server.slot, "pair('alone')");
    server.hsm.tool(server.slot, "destroy(2, 'alone')");
    await refused(makeSecret(server.admin, id('alone')), /^Object_Already_Exists: the token already has a private key alone$/);
    aes(Buffer.from('secret').toString('hex'), 'secret');
    const pair = makePair(server.admin, id('secret'), enumeration('CryptographicAlgorithm', 'EC'), curve('P_256'));
    await refused(pair, /^Object_Already_Exists: the token already has a secret key secret$/);
    const labels = (kind: number) => server.hsm.tool(server.slot, `labels(${kind})`) as string[];
    assert.ok(labels(3).includes('alone') && !labels(4).includes('alone') && labels(4).includes('secret') && !labels(3).includes('secret'));
  });

  test.run();
}
