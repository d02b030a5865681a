// PKCS#12 files in and out, with the chain: what the openssl program writes is registered, what the server writes the program reads.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { boolean, enumeration, integer, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf, codeOf, required, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { active, attributes, code, data, id, keyBlock, link, mask, newAttribute, password, subject } from '../../fuzz/members.ts';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import { KmipClient, textIn } from './kmip-client.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl) console.log('skipped: the openssl program is not here');

let server: SecureServer;
let agent: Agent;
let client: KmipClient;
let old: KmipClient;
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pkcs12-'));
const at = (name: string) => join(folder, name);
const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });

const SECRET = 'pässword of the file';

/** A key, its certificate, and two issuers. */
function chain(): void {
  const made = (name: string, issuer: string | undefined, extensions: string) => {
    writeFileSync(at(`${name}.cnf`), `[req]\ndistinguished_name=dn\n[dn]\n[x]\n${extensions}\n`);
    openssl(
      'req',
      '-new',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      at(`${name}.key`),
      '-out',
      at(`${name}.csr`),
      '-subj',
      `/CN=${name}`,
    );
    const by = issuer === undefined ? ['-signkey', at(`${name}.key`)] : ['-CA', at(`${issuer}.pem`), '-CAkey', at(`${issuer}.key`), '-CAcreateserial'];
    openssl('x509', '-req', '-in', at(`${name}.csr`), ...by, '-days', '30', '-extfile', at(`${name}.cnf`), '-extensions', 'x', '-out', at(`${name}.pem`));
  };
  made('root', undefined, 'basicConstraints=critical,CA:TRUE');
  made('middle', 'root', 'basicConstraints=critical,CA:TRUE');
  made('leaf', 'middle', 'keyUsage=digitalSignature');
  made('other', 'root', 'keyUsage=digitalSignature');
  writeFileSync(at('issuers.pem'), ['other', 'root', 'middle'].map((name) => readFileSync(at(`${name}.pem`), 'utf8')).join(''));
}

/** What the program makes of the chain. */
function written(secret: string, ...more: readonly string[]): Uint8Array {
  const parts = ['-inkey', at('leaf.key'), '-in', at('leaf.pem'), '-certfile', at('issuers.pem'), '-name', 'My Key'];
  openssl('pkcs12', '-export', ...parts, '-passout', `pass:${secret}`, '-out', at('given.p12'), ...more);
  return new Uint8Array(readFileSync(at('given.p12')));
}

test.before(async () => {
  if (hasOpenssl) chain();
  server = await startSecureServer();
  const { cert, key } = await server.client('alice');
  agent = new Agent({ connect: { ca: server.authority.cert, cert, key } });
  client = new KmipClient({ address: server.address, agent }, { major: 2, minor: 1, encoding: 'json' });
  old = new KmipClient({ address: server.address, agent }, { major: 1, minor: 4, encoding: 'binary' });
});
test.after(async () => {
  rmSync(folder, { recursive: true });
  await agent?.close();
  await server?.end();
});

const { Sign, Verify } = MASK.CryptographicUsageMask;
const fileOf = (file: Uint8Array) => structure(TAG.PrivateKey, [keyBlock(file, 'PKCS_12')]);
const by = (name: string) => link('PKCS_12PasswordLink', name);
const asFile = code('KeyFormatType', 'PKCS_12');
const withPassword = (name: string) =>
  structure(TAG.KeyWrappingSpecification, [code('WrappingMethod', 'Encrypt'), structure(TAG.EncryptionKeyInformation, [id(name)])]);

async function secretData(value = SECRET, ...given: readonly Node[]): Promise<string> {
  const payload = [code('ObjectType', 'SecretData'), attributes(mask(Verify), ...(given.length > 0 ? given : [active])), password(Buffer.from(value))];
  return textIn(await client.do('Register', ...payload), TAG.UniqueIdentifier);
}

const importing = (file: Uint8Array, name: string | undefined, ...more: readonly Node[]): readonly Node[] => [
  id(''),
  code('ObjectType', 'PrivateKey'),
  attributes(active, ...(name === undefined ? [] : [by(name)]), ...more),
  fileOf(file),
];
const imported = async (file: Uint8Array, name: string | undefined, ...more: readonly Node[]) =>
  textIn(await client.do('Import', ...importing(file, name, ...more)), TAG.UniqueIdentifier);

async function linksOf(object: string): Promise<Map<string, string>> {
  const payload = await client.do('GetAttributes', id(object), enumeration(TAG.AttributeReference, TAG.Link));
  const links = (structureOf(payload, TAG.Attributes)?.value ?? []) as readonly Structure[];
  const nameOf = (type: number | undefined) => Object.entries(ENUM.LinkType).find(([, value]) => value === type)?.[0] ?? '';
  return new Map(links.map((each) => [nameOf(codeOf(each, TAG.LinkType)), textOf(each, TAG.LinkedObjectIdentifier) ?? '']));
}

async function linked(object: string, type: keyof typeof ENUM.LinkType): Promise<string> {
  return (await linksOf(object)).get(type) ?? assert.fail(`${object} has no ${type}`);
}

async function certificateOf(object: string): Promise<X509Certificate> {
  const content = required(structureOf(await client.do('Get', id(object)), TAG.Certificate), TAG.Certificate);
  return new X509Certificate(required(bytesOf(content, TAG.CertificateValue), TAG.CertificateValue));
}

function materialIn(payload: Structure): Uint8Array {
  const block = required(structureOf(required(structureOf(payload, TAG.PrivateKey), TAG.PrivateKey), TAG.KeyBlock), TAG.KeyBlock);
  return required(bytesOf(required(structureOf(block, TAG.KeyValue), TAG.KeyValue), TAG.KeyMaterial), TAG.KeyMaterial);
}

async function isLeafKey(key: string): Promise<boolean> {
  const material = materialIn(await client.do('Get', id(key), code('KeyFormatType', 'PKCS_8')));
  return createPrivateKey({ key: Buffer.from(material), format: 'der', type: 'pkcs8' }).equals(createPrivateKey(readFileSync(at('leaf.key'))));
}

/** What the program reads in a file. */
function read(file: Uint8Array, secret: string): { readonly subjects: string[]; readonly names: string[]; readonly key: string; readonly information: string } {
  writeFileSync(at('got.p12'), file);
  const { status, stdout, stderr } = spawnSync('openssl', ['pkcs12', '-in', at('got.p12'), '-passin', `pass:${secret}`, '-nodes', '-info'], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return {
    subjects: [...stdout.matchAll(/^subject=.*CN = (.*)$/gm)].map(([, name]) => name as string),
    names: [...stdout.matchAll(/friendlyName: (.*)$/gm)].map(([, name]) => name as string),
    key: /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----/.exec(stdout)?.[0] ?? '',
    information: stderr,
  };
}

async function said(operation: 'Import' | 'Get' | 'Register', ...payload: readonly Node[]): Promise<string> {
  const { status, reason, item } = await client.ask(operation, ...payload);
  assert.equal(status, 'OperationFailed', operation);
  return `${reason}: ${textOf(item, TAG.ResultMessage)}`;
}

if (hasOpenssl) {
  test('a file registered by KMIP 1.4 with a secret data as password becomes a key with its chain, and back', async () => {
    const secret = await secretData();
    const given = old.attributes(active, mask(Sign), by(secret));
    const key = textIn(await old.do('Register', code('ObjectType', 'PrivateKey'), given, fileOf(written(SECRET))), TAG.UniqueIdentifier);
    assert.ok(await isLeafKey(key));
    assert.equal((await client.valueOf(key, TAG.PKCS_12FriendlyName))?.value, 'My Key');
    const publicKey = await linked(key, 'PublicKeyLink');
    const leaf = await linked(publicKey, 'CertificateLink');
    const middle = await linked(leaf, 'CertificateLink');
    const root = await linked(middle, 'CertificateLink');
    const subjects = await Promise.all([leaf, middle, root].map(async (each) => (await certificateOf(each)).subject));
    assert.deepEqual(subjects, ['CN=leaf', 'CN=middle', 'CN=root']);
    assert.equal((await linksOf(root)).size, 0);
    assert.equal(await linked(leaf, 'PrivateKeyLink'), key);
    assert.equal((await client.valueOf(leaf, TAG.CryptographicUsageMask))?.value, Verify);
    assert.ok(bytesOf(await client.do('Sign', id(key), data()), TAG.SignatureData));
    for (const asked of [old, client]) {
      const { subjects: certificates, names, key: pem, information } = read(materialIn(await asked.do('Get', id(key), asFile)), SECRET);
      assert.deepEqual(certificates, ['leaf', 'middle', 'root']);
      assert.deepEqual(names, ['My Key', 'My Key']);
      assert.ok(createPrivateKey(pem).equals(createPrivateKey(readFileSync(at('leaf.key')))));
      assert.match(information, /PBES2, PBKDF2, AES-256-CBC, Iteration \d{5,}, PRF hmacWithSHA256/);
    }
  });

  test('the password itself in the place of an identifier opens and closes a file, and is kept nowhere', async () => {
    const key = await imported(written(SECRET), SECRET, text(TAG.PKCS_12FriendlyName, 'my KEY'));
    assert.ok(await isLeafKey(key));
    const all = JSON.stringify(await client.do('GetAttributes', id(key)));
    assert.ok(!all.includes(SECRET));
    const leaf = await linked(await linked(key, 'PublicKeyLink'), 'CertificateLink');
    for (const [operation, object] of [
      ['Get', key],
      ['Export', leaf],
    ] as const) {
      const payload = await client.do(operation, id(object), asFile, withPassword('another one'));
      assert.equal(textIn(payload, TAG.UniqueIdentifier), key);
      assert.equal(codeOf(payload, TAG.ObjectType), ENUM.ObjectType.PrivateKey);
      assert.deepEqual(read(materialIn(payload), 'another one').subjects, ['leaf', 'middle', 'root']);
    }
    const again = materialIn(await client.do('Get', id(key), asFile, withPassword('x')));
    assert.ok(await isLeafKey(await imported(again, 'x')));
  });

  test('the objects of a file have a group that is given twice once', async () => {
    const groups = ['one', 'other', 'one'].map((each) => text(TAG.ObjectGroup, each));
    const key = await imported(written(SECRET), SECRET, ...groups);
    const publicKey = await linked(key, 'PublicKeyLink');
    for (const object of [key, publicKey, await linked(publicKey, 'CertificateLink')]) {
      const told = await client.do('GetAttributes', id(object), enumeration(TAG.AttributeReference, TAG.ObjectGroup));
      assert.deepEqual(structureOf(told, TAG.Attributes)?.value, groups.slice(0, 2));
    }
  });

  test('what the program encrypts and authenticates in other ways is read as well', async () => {
    for (const [secret, ...more] of [
      ['x', '-certpbe', 'AES-128-CBC', '-keypbe', 'AES-192-CBC', '-macalg', 'sha512'],
      ['x', '-certpbe', 'DES-EDE3-CBC', '-keypbe', 'DES-EDE3-CBC', '-macalg', 'sha384', '-iter', '10'],
      ['old', '-certpbe', 'PBE-SHA1-3DES', '-keypbe', 'PBE-SHA1-3DES', '-macalg', 'sha1'],
      ['old', '-certpbe', 'PBE-SHA1-2DES', '-keypbe', 'PBE-SHA1-2DES', '-nomaciter'],
      ['plain', '-certpbe', 'NONE', '-keypbe', 'NONE'],
      ['', '-certpbe', 'PBE-SHA1-3DES', '-keypbe', 'PBE-SHA1-3DES'],
    ] as const)
      assert.ok(await isLeafKey(await imported(written(secret, ...more), secret || undefined)), more.join(' '));
  });

  test('what cannot be opened says why, and says it before work that the file asks for', async () => {
    assert.match(await said('Import', ...importing(written(SECRET), 'wrong')), /^CryptographicFailure: the password does not open the PKCS#12 file/);
    const changed = written(SECRET);
    changed[100] = (changed[100] as number) ^ 1;
    assert.match(await said('Import', ...importing(changed, SECRET)), /^(CryptographicFailure: .*changed|InvalidField: )/);
    assert.match(await said('Import', ...importing(written('x', '-nomac'), 'x')), /^InvalidField: .*no MAC/);
    assert.match(await said('Import', ...importing(written('x', '-iter', '600000'), 'x')), /^InvalidField: .*too many iterations/);
    assert.match(await said('Import', ...importing(new Uint8Array(2_000_000), 'x')), /^InvalidField: .*longer than 1048576 bytes/);
    assert.match(await said('Import', ...importing(new Uint8Array(20), 'x')), /^InvalidField: .*well-formed/);
    assert.match(await said('Import', ...importing(written(SECRET), SECRET, text(TAG.PKCS_12FriendlyName, 'nobody'))), /^InvalidField: .*friendly name/);
    openssl('pkcs12', '-export', '-nokeys', '-in', at('leaf.pem'), '-passout', 'pass:x', '-out', at('certificates.p12'));
    assert.match(await said('Import', ...importing(new Uint8Array(readFileSync(at('certificates.p12'))), 'x')), /^InvalidField: .*no private key/);
    openssl('pkcs12', '-export', '-nocerts', '-inkey', at('leaf.key'), '-passout', 'pass:x', '-out', at('key.p12'));
    assert.match(await said('Import', ...importing(new Uint8Array(readFileSync(at('key.p12'))), 'x')), /^InvalidField: .*no certificate for its private key/);
    const legacy = spawnSync('openssl', [
      'pkcs12',
      '-export',
      '-legacy',
      '-inkey',
      at('leaf.key'),
      '-in',
      at('leaf.pem'),
      '-passout',
      'pass:x',
      '-out',
      at('legacy.p12'),
    ]);
    if (legacy.status === 0) assert.match(await said('Import', ...importing(new Uint8Array(readFileSync(at('legacy.p12'))), 'x')), /^InvalidField: .*RC2/);
  });

  test('the password is one active secret data of the type Password', async () => {
    const file = written(SECRET);
    const bytesOnly = textIn(
      await client.do(
        'Create',
        code('ObjectType', 'SymmetricKey'),
        attributes(code('CryptographicAlgorithm', 'AES'), mask(Sign), active, integer(TAG.CryptographicLength, 128)),
      ),
      TAG.UniqueIdentifier,
    );
    assert.match(await said('Import', ...importing(file, bytesOnly)), /^BadPassword: .*not secret data of type Password/);
    assert.match(await said('Import', ...importing(file, await secretData(SECRET, text(TAG.Comment, 'later')))), /^BadPassword: .*not Active/);
    assert.match(await said('Import', ...importing(file, SECRET, by('another'))), /^BadPassword: .*only one link/);
    const key = await imported(file, SECRET);
    assert.match(await said('Get', id(key), asFile), /^BadPassword: .*PKCS_12PasswordLink/);
    assert.equal(await old.refused('Get', id(key), asFile), 'InvalidField');
    await client.do('SetAttribute', id(key), newAttribute(by(await secretData('set later'))));
    assert.deepEqual(read(materialIn(await client.do('Get', id(key), asFile)), 'set later').subjects, ['leaf', 'middle', 'root']);
  });

  test('a password lets no key out that may leave wrapped by a key only, or not at all', async () => {
    const sensitive = await imported(written(SECRET), SECRET, boolean(TAG.Sensitive, true));
    assert.match(await said('Get', id(sensitive), asFile, withPassword('x')), /^Sensitive: /);
    const kept = await imported(written(SECRET), SECRET, boolean(TAG.Extractable, false));
    assert.match(await said('Get', id(kept), asFile, withPassword('x')), /^NotExtractable: /);
    const certificate = await linked(await linked(kept, 'PublicKeyLink'), 'CertificateLink');
    assert.match(await said('Get', id(certificate), asFile, withPassword('x')), /^NotExtractable: /);
  });

  test('keys and certificates that the server has made leave as a file with their chain', async () => {
    const pair = async () => {
      const masks = [structure(TAG.PrivateKeyAttributes, [mask(Sign)]), structure(TAG.PublicKeyAttributes, [mask(Verify)])];
      const made = await client.do('CreateKeyPair', structure(TAG.CommonAttributes, [code('CryptographicAlgorithm', 'Ed25519'), active]), ...masks);
      return { privateKey: textIn(made, TAG.PrivateKeyUniqueIdentifier), publicKey: textIn(made, TAG.PublicKeyUniqueIdentifier) };
    };
    const [issuer, own] = [await pair(), await pair()];
    assert.match(await said('Get', id(own.privateKey), asFile, withPassword('x')), /no certificate is linked/);
    const root = textIn(await client.do('Certify', id(issuer.publicKey), attributes(subject('issuer'), active)), TAG.UniqueIdentifier);
    const issuing = attributes(subject('own'), active, link('CertificateLink', root), link('PrivateKeyLink', issuer.privateKey));
    const leaf = textIn(await client.do('Certify', id(own.publicKey), issuing), TAG.UniqueIdentifier);
    const file = materialIn(await client.do('Get', id(own.privateKey), asFile, withPassword(SECRET)));
    assert.deepEqual(read(file, SECRET).names, ['alias', 'alias']);
    assert.deepEqual(read(file, SECRET).subjects, ['own', 'issuer']);
    const bob = await server.client('bob');
    const grant = async (object: string) => {
      const body = { unique_identifier: object, user_id: 'bob', operation_types: ['get'] };
      assert.equal((await server.as(await server.client('alice'))('POST', '/access/grant', { body })).status, 200);
    };
    for (const object of [own.privateKey, own.publicKey, leaf]) await grant(object);
    const asBob = new Agent({ connect: { ca: server.authority.cert, cert: bob.cert, key: bob.key } });
    const other = new KmipClient({ address: server.address, agent: asBob }, client.speech);
    assert.equal(await other.refused('Get', id(own.privateKey), asFile, withPassword('x')), 'ObjectNotFound');
    await grant(root);
    await other.do('Get', id(own.privateKey), asFile, withPassword('x'));
    await asBob.close();
  });
}

test.run();
