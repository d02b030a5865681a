// Keys that leave wrapped by a public key or certificate come back by its private key; what is missing for it is named to those who may know.
import assert from 'node:assert/strict';
import { Agent } from 'undici';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { bytes, enumeration, integer, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf, codeOf, required, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { ANY_USE, active, aes, attributes, code, DATA, data, gcm, id, link, mask, subject } from '../../fuzz/members.ts';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import type { Ask } from '../../server.ts';
import { KmipClient, textIn } from './kmip-client.ts';

let server: SecureServer;
let alice: KmipClient;
let bob: KmipClient;
let asAlice: Ask;
const agents: Agent[] = [];

test.before(async () => {
  server = await startSecureServer();
  const made = await Promise.all(['alice', 'bob'].map((name) => server.client(name)));
  [alice, bob] = made.map(({ cert, key }) => {
    const agent = new Agent({ connect: { ca: server.authority.cert, cert, key } });
    agents.push(agent);
    return new KmipClient({ address: server.address, agent }, { major: 2, minor: 1, encoding: 'binary' });
  }) as [KmipClient, KmipClient];
  asAlice = server.as(made[0]);
});
test.after(async () => {
  await Promise.all(agents.map((agent) => agent.close()));
  await server?.end();
});

const { WrapKey, UnwrapKey, Sign, Verify } = MASK.CryptographicUsageMask;
const notWrapped = code('KeyWrapType', 'NotWrapped');
const noEncoding = code('EncodingOption', 'NoEncoding');
const named = (wrapper: string, ...more: readonly Node[]) =>
  structure(TAG.KeyWrappingSpecification, [code('WrappingMethod', 'Encrypt'), structure(TAG.EncryptionKeyInformation, [id(wrapper)]), ...more]);
const usedFor = (tag: number, bits: number) => structure(tag, [mask(bits)]);

interface Pair {
  readonly privateKey: string;
  readonly publicKey: string;
}

async function pair(algorithm: readonly Node[], privateBits: number = UnwrapKey, publicBits: number = WrapKey): Promise<Pair> {
  const common = structure(TAG.CommonAttributes, [...algorithm, active]);
  const masks = [usedFor(TAG.PrivateKeyAttributes, privateBits), usedFor(TAG.PublicKeyAttributes, publicBits)];
  const made = await alice.do('CreateKeyPair', common, ...masks);
  return { privateKey: textIn(made, TAG.PrivateKeyUniqueIdentifier), publicKey: textIn(made, TAG.PublicKeyUniqueIdentifier) };
}

const RSA = [code('CryptographicAlgorithm', 'RSA'), integer(TAG.CryptographicLength, 2048)];
const P256 = [
  code('CryptographicAlgorithm', 'EC'),
  structure(TAG.CryptographicDomainParameters, [enumeration(TAG.RecommendedCurve, ENUM.RecommendedCurve.P_256)]),
];

const symmetric = async () => textIn(await alice.do('Create', code('ObjectType', 'SymmetricKey'), aes(256, active)), TAG.UniqueIdentifier);
const contentIn = (payload: Structure, tag: number = TAG.SymmetricKey): Structure => required(structureOf(payload, tag), tag);
const got = async (key: string, ...more: readonly Node[]) => contentIn(await alice.do('Get', id(key), ...more));

function blockOf(content: Structure): Structure {
  return required(structureOf(content, TAG.KeyBlock), TAG.KeyBlock);
}

function materialOf(content: Structure): Uint8Array {
  return required(bytesOf(required(structureOf(blockOf(content), TAG.KeyValue), TAG.KeyValue), TAG.KeyMaterial), TAG.KeyMaterial);
}

const imported = (content: Structure, ...more: readonly Node[]): readonly Node[] => [
  id(''),
  code('ObjectType', 'SymmetricKey'),
  ...more,
  attributes(active, mask(ANY_USE)),
  content,
];

async function comesBack(key: string, wrapped: Structure): Promise<void> {
  const clear = materialOf(await got(key));
  assert.ok(structureOf(blockOf(wrapped), TAG.KeyWrappingData));
  const opened = textIn(await alice.do('Import', ...imported(wrapped, notWrapped)), TAG.UniqueIdentifier);
  assert.deepEqual(materialOf(await got(opened)), clear);
  const kept = textIn(await alice.do('Import', ...imported(wrapped)), TAG.UniqueIdentifier);
  assert.ok(structureOf(blockOf(await got(kept)), TAG.KeyWrappingData), 'stored as it came');
  assert.deepEqual(materialOf(await got(kept, notWrapped)), clear);
  const { value } = await alice.do('Encrypt', id(kept), gcm, data());
  const decrypted = await alice.do('Decrypt', id(key), gcm, ...value.filter(({ tag }) => tag !== TAG.UniqueIdentifier));
  assert.deepEqual(bytesOf(decrypted, TAG.Data), DATA);
}

for (const [name, algorithm] of [
  ['RSA', RSA],
  ['P-256', P256],
] as const)
  for (const [encoding, more] of [
    ['TTLV', []],
    ['no encoding', [noEncoding]],
  ] as const)
    test(`a key wrapped by a public key of ${name} in ${encoding} comes back by Import, Get and use`, async () => {
      const { publicKey } = await pair(algorithm);
      const key = await symmetric();
      await comesBack(key, await got(key, named(publicKey, ...more)));
    });

test('a key that is stored wrapped is wrapped by another key for who asks for it unwrapped, and only then', async () => {
  const [inner, outer] = [await pair(RSA), await pair(RSA)];
  const key = await symmetric();
  const kept = textIn(await alice.do('Import', ...imported(await got(key, named(inner.publicKey)))), TAG.UniqueIdentifier);
  await comesBack(key, await got(kept, notWrapped, named(outer.publicKey)));
  assert.equal(await alice.refused('Get', id(kept), named(outer.publicKey)), 'IllegalObjectType');
  await alice.do('Revoke', id(inner.privateKey), structure(TAG.RevocationReason, [code('RevocationReasonCode', 'KeyCompromise')]));
  await alice.do('Destroy', id(inner.privateKey));
  assert.ok(await alice.refused('Get', id(kept), notWrapped, named(outer.publicKey)));
});

const links = async (client: KmipClient, object: string) =>
  (structureOf(await client.do('GetAttributes', id(object), enumeration(TAG.AttributeReference, TAG.Link)), TAG.Attributes)?.value ??
    []) as readonly Structure[];

test('a key that is registered wrapped is linked to its wrapping key, if the server has it, and its heirs', async () => {
  const wrapper = await symmetric();
  const wrapped = await got(await symmetric(), named(wrapper));
  const register = async (client: KmipClient, content: Structure, ...more: readonly Node[]) =>
    textIn(
      await client.do('Register', code('ObjectType', 'SymmetricKey'), attributes(code('CryptographicAlgorithm', 'AES'), mask(ANY_USE), ...more), content),
      TAG.UniqueIdentifier,
    );
  const kept = await register(alice, wrapped);
  assert.deepEqual(await links(alice, kept), [link('WrappingKeyLink', wrapper)]);
  assert.deepEqual(await links(alice, await register(alice, wrapped, link('WrappingKeyLink', 'elsewhere'))), [link('WrappingKeyLink', 'elsewhere')]);
  assert.deepEqual(await links(alice, await register(alice, await by('missing', wrapped))), []);
  assert.deepEqual(await links(bob, await register(bob, wrapped)), []);
  const next = textIn(await alice.do('ReKey', id(wrapper)), TAG.UniqueIdentifier);
  assert.deepEqual(await links(alice, kept), [link('WrappingKeyLink', next)]);
  await alice.do('Get', id(kept), notWrapped);
});

test('a KeyWrapType or EncodingOption that nobody knows is refused, and what is asked for stays', async () => {
  const { publicKey } = await pair(RSA);
  const key = await symmetric();
  const wrapped = await got(key, named(publicKey));
  const unknown = enumeration(TAG.KeyWrapType, 0xfe);
  for (const operation of ['Get', 'Export'] as const)
    for (const more of [[], [named(publicKey)]]) assert.equal(await alice.refused(operation, id(key), unknown, ...more), 'KeyWrapTypeNotSupported');
  assert.equal(await alice.refused('Import', ...imported(wrapped, unknown)), 'KeyWrapTypeNotSupported');
  const encoded = named(publicKey, enumeration(TAG.EncodingOption, 0xfe));
  for (const operation of ['Get', 'Export'] as const) assert.equal(await alice.refused(operation, id(key), encoded), 'EncodingOptionError');
});

test('a key is not wrapped with another algorithm than the one that its KeyWrappingData would tell', async () => {
  const made = async () => textIn(await alice.do('Create', code('ObjectType', 'SymmetricKey'), aes(128, active)), TAG.UniqueIdentifier);
  const [key, wrapper] = [await made(), await made()];
  const by = (algorithm: keyof typeof ENUM.CryptographicAlgorithm) =>
    structure(TAG.KeyWrappingSpecification, [
      code('WrappingMethod', 'Encrypt'),
      structure(TAG.EncryptionKeyInformation, [
        id(wrapper),
        structure(TAG.CryptographicParameters, [code('CryptographicAlgorithm', algorithm), code('BlockCipherMode', 'NISTKeyWrap')]),
      ]),
    ]);
  assert.equal(await alice.refused('Get', id(key), by('DES3')), 'BadCryptographicParameters');
  await alice.do('Get', id(key), by('AES'));
});

test('a key wrapped by a certificate comes back by the private key of its public key', async () => {
  const { publicKey } = await pair(RSA, UnwrapKey | Sign, WrapKey | Verify);
  const certificate = textIn(await alice.do('Certify', id(publicKey), attributes(subject('Wrapper'), active)), TAG.UniqueIdentifier);
  const key = await symmetric();
  await comesBack(key, await got(key, named(certificate)));
  await alice.do('DeleteAttribute', id(certificate), structure(TAG.CurrentAttribute, [link('PrivateKeyLink', (await linkOf(certificate)) ?? '')]));
  await comesBack(key, await got(key, named(certificate)));
});

async function linkOf(certificate: string): Promise<string | undefined> {
  const payload = await alice.do('GetAttributes', id(certificate), enumeration(TAG.AttributeReference, TAG.Link));
  const links = required(structureOf(payload, TAG.Attributes), TAG.Attributes).value as readonly Structure[];
  const found = links.find((each) => codeOf(each, TAG.LinkType) === ENUM.LinkType.PrivateKeyLink);
  return found && textOf(found, TAG.LinkedObjectIdentifier);
}

async function said(client: KmipClient, operation: 'Get' | 'Import' | 'Encrypt', ...payload: readonly Node[]): Promise<string> {
  const { status, reason, item } = await client.ask(operation, ...payload);
  assert.equal(status, 'OperationFailed', operation);
  return `${reason}: ${textOf(item, TAG.ResultMessage)}`;
}

const grant = async (key: string, ...operations: readonly string[]) => {
  const { status, text: body } = await asAlice('POST', '/access/grant', { body: { unique_identifier: key, user_id: 'bob', operation_types: operations } });
  assert.equal(status, 200, body);
};

test('a refused unwrap names the missing permission and the key, and reveals no absent object', async () => {
  const { publicKey, privateKey } = await pair(RSA);
  const wrapped = await got(await symmetric(), named(publicKey));
  const [unknown, missing] = await Promise.all([
    said(bob, 'Import', ...imported(wrapped, notWrapped)),
    said(bob, 'Import', ...imported(await by('missing', wrapped), notWrapped)),
  ]);
  assert.equal(unknown.replaceAll(publicKey, 'X'), missing.replaceAll('missing', 'X'));
  await grant(publicKey, 'encrypt');
  const first = await said(bob, 'Import', ...imported(wrapped, notWrapped));
  assert.match(first, /^WrappingObjectNotFound: /);
  assert.ok(first.includes(privateKey), first);
  assert.match(first, /permission Decrypt\b.*unwrap/);
  await grant(privateKey, 'decrypt');
  await bob.do('Import', ...imported(wrapped, notWrapped));
});

/** The same as if another key had wrapped it. */
async function by(wrapper: string, { tag, value }: Structure): Promise<Structure> {
  const changed = (node: Node): Node => {
    if (node.tag === TAG.UniqueIdentifier) return text(TAG.UniqueIdentifier, wrapper);
    return Array.isArray(node.value) ? structure(node.tag, (node as Structure).value.map(changed)) : node;
  };
  return structure(tag, value.map(changed));
}

test('who may not wrap is told which permission of which key is missing for it', async () => {
  const wrapper = await symmetric();
  const key = await symmetric();
  await grant(key, 'get');
  await grant(wrapper, 'encrypt');
  const first = await said(bob, 'Get', id(key), named(wrapper));
  assert.ok(first.startsWith('WrappingObjectNotFound: ') && first.includes(wrapper), first);
  assert.match(first, /permission Get\b.*wrap/);
});

test('a public key without its private key unwraps nothing, and says what it misses', async () => {
  const { publicKey, privateKey } = await pair(RSA);
  const wrapped = await got(await symmetric(), named(publicKey));
  await alice.do('DeleteAttribute', id(publicKey), structure(TAG.CurrentAttribute, [link('PrivateKeyLink', privateKey)]));
  const first = await said(alice, 'Import', ...imported(wrapped, notWrapped));
  assert.ok(first.includes(publicKey) && first.includes('PrivateKeyLink'), first);
});

test('a mask that does not permit it, and a mask that is not there, are told as such', async () => {
  const signing = await pair(RSA, Sign, WrapKey);
  const wrapped = await got(await symmetric(), named(signing.publicKey));
  const unwrapping = await said(alice, 'Import', ...imported(wrapped, notWrapped));
  assert.ok(unwrapping.startsWith('IncompatibleCryptographicUsageMask: ') && unwrapping.includes(signing.privateKey), unwrapping);
  assert.match(unwrapping, /does not permit UnwrapKey/);
  const verifying = await pair(RSA, Sign, Verify);
  const wrapping = await said(alice, 'Get', id(await symmetric()), named(verifying.publicKey));
  assert.ok(wrapping.includes(verifying.publicKey), wrapping);
  assert.match(wrapping, /does not permit WrapKey/);
});

test('without encoding, a key kept as a structure is wrapped as Raw unless the request names a format', async () => {
  const wrapper = await symmetric();
  const { privateKey } = await pair(P256);
  const content = (...more: readonly Node[]) => alice.do('Get', id(privateKey), ...more).then((payload) => contentIn(payload, TAG.PrivateKey));
  const formatOf = (each: Structure) => codeOf(blockOf(each), TAG.KeyFormatType);
  const raw = materialOf(await content(code('KeyFormatType', 'Raw')));
  const wrapped = await content(named(wrapper, noEncoding));
  assert.equal(formatOf(wrapped), ENUM.KeyFormatType.Raw);
  const given = attributes(active, mask(UnwrapKey), ...P256);
  const back = textIn(await alice.do('Import', id(''), code('ObjectType', 'PrivateKey'), notWrapped, given, wrapped), TAG.UniqueIdentifier);
  assert.deepEqual(materialOf(contentIn(await alice.do('Get', id(back), code('KeyFormatType', 'Raw')), TAG.PrivateKey)), raw);
  assert.equal(formatOf(await content(code('KeyFormatType', 'PKCS_8'), named(wrapper, noEncoding))), ENUM.KeyFormatType.PKCS_8);
  const transparent = structure(TAG.SymmetricKey, [
    structure(TAG.KeyBlock, [
      code('KeyFormatType', 'TransparentSymmetricKey'),
      structure(TAG.KeyValue, [structure(TAG.KeyMaterial, [bytes(TAG.Key, new Uint8Array(16).fill(7))])]),
      code('CryptographicAlgorithm', 'AES'),
      integer(TAG.CryptographicLength, 128),
    ]),
  ]);
  const registered = textIn(
    await alice.do('Register', code('ObjectType', 'SymmetricKey'), attributes(active, mask(ANY_USE)), transparent),
    TAG.UniqueIdentifier,
  );
  const clear = await comingBack(await got(registered, named(wrapper, noEncoding)));
  assert.deepEqual(clear, new Uint8Array(16).fill(7));
});

async function comingBack(wrapped: Structure): Promise<Uint8Array> {
  return materialOf(await got(textIn(await alice.do('Import', ...imported(wrapped, notWrapped)), TAG.UniqueIdentifier)));
}

test('a key that was given out, wrapped or not, is not found as a fresh member of its group', async () => {
  const wrapper = textIn(await alice.do('Create', code('ObjectType', 'SymmetricKey'), aes(256, active)), TAG.UniqueIdentifier);
  const ways: readonly (readonly Node[])[] = [[], [named(wrapper)], [named(wrapper, noEncoding)]];
  for (const [at, way] of ways.entries()) {
    const group = text(TAG.ObjectGroup, `group ${at}`);
    const key = textIn(await alice.do('Create', code('ObjectType', 'SymmetricKey'), aes(256, active, group)), TAG.UniqueIdentifier);
    const fresh = async () => textOf(await alice.do('Locate', code('ObjectGroupMember', 'GroupMemberFresh'), attributes(group)), TAG.UniqueIdentifier);
    assert.equal(await fresh(), key);
    await got(key, ...way);
    assert.equal(await fresh(), undefined);
    assert.equal((await alice.valueOf(key, TAG.Fresh))?.value, false);
  }
});

test('a wrapping key is named: what an earlier item has made is no substitute', async () => {
  const wrapper = await symmetric();
  const content = contentIn(await alice.do('Get', id(await symmetric()), named(wrapper)));
  const unnamed = structure(TAG.KeyWrappingSpecification, [code('WrappingMethod', 'Encrypt'), structure(TAG.EncryptionKeyInformation, [])]);
  const wrapping = structure(TAG.KeyWrappingData, [code('WrappingMethod', 'Encrypt'), structure(TAG.EncryptionKeyInformation, []), noEncoding]);
  const block = structure(TAG.KeyBlock, [...blockOf(content).value.filter(({ tag }) => tag !== TAG.KeyWrappingData), wrapping]);
  const items = await alice.askAll(
    [],
    [
      ['Create', code('ObjectType', 'SymmetricKey'), aes(256, active)],
      ['Get', unnamed],
      ['Import', ...imported(structure(TAG.SymmetricKey, [block]), notWrapped)],
    ],
  );
  assert.deepEqual(
    items.map((item) => textOf(item, TAG.ResultMessage)),
    [undefined, ...Array.from({ length: 2 }, () => 'missing field: UniqueIdentifier')],
  );
});

test.run();
