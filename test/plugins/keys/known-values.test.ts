// Answers hold no tag, value or bit that their version has not, and 1.x has its usage masks from the client.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { attributeByName } from '../../../kmip/attribute/rules.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumOf } from '../../../kmip/ttlv/enumeration-of.ts';
import { bytes, enumeration, integer, type Node, type Structure, structure, TYPE, text } from '../../../kmip/ttlv/node.ts';
import { children, codeOf, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { enumerationValueExists, tagExists } from '../../../kmip/ttlv/since.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { caller } from './caller.ts';
import { type KmipClient, name, textIn, VERSIONS } from './kmip-client.ts';
import { ID, keyContent, newCertificate, newKey, newPair } from './operation-requests.ts';

const alice = caller('alice');

type Version = (typeof VERSIONS)[number];
const speaking = (version: Version, encoding: 'binary' | 'json' | 'xml' = 'binary') => alice.client({ ...version, encoding });

const { ObjectType, CryptographicAlgorithm, QueryFunction, KeyFormatType } = ENUM;
const UNRESTRICTED = 0x200000;
/** Tables 224 of 1.0, 325 of 1.4, 455 of 2.0 and 496 of 2.1; extensions are of no version. */
const BITS = { 1: 0x000fffff, 2: 0x00f03bbf, 3: 0x00f03bbf } as const;

/** What of an answer is not of the version. */
function foreign(nodes: readonly Node[], version: Version, attribute?: string): string[] {
  return nodes.flatMap((node): string[] => {
    const name = Object.entries(TAG).find(([, code]) => code === node.tag)?.[0] ?? String(node.tag);
    if (!tagExists(node.tag, version)) return [`tag ${name}`];
    if (node.type === TYPE.Structure) return foreign(node.value, version, textOf(node, TAG.AttributeName)).map((each) => `${name}/${each}`);
    const tag = node.tag === TAG.AttributeValue && attribute !== undefined ? (attributeByName(attribute) ?? node.tag) : node.tag;
    const table = enumOf(tag);
    if (node.type === TYPE.Enumeration && table && !enumerationValueExists(table, node.value, version)) return [`${name} ${table} ${node.value}`];
    if (node.type === TYPE.Integer && tag === TAG.CryptographicUsageMask && (node.value & ~BITS[version.major]) !== 0)
      return [`${name} ${attribute} 0x${node.value.toString(16)}`];
    return [];
  });
}

const attributes = (...nodes: readonly Node[]): Structure => structure(TAG.Attributes, nodes);
const algorithm = (of: keyof typeof CryptographicAlgorithm): Node => enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm[of]);
const type = (of: keyof typeof ObjectType): Node => enumeration(TAG.ObjectType, ObjectType[of]);

async function pair(client: KmipClient, ...nodes: readonly Node[]): Promise<string[]> {
  const made = await client.do('CreateKeyPair', structure(TAG.CommonAttributes, nodes));
  return [textIn(made, TAG.PrivateKeyUniqueIdentifier), textIn(made, TAG.PublicKeyUniqueIdentifier)];
}

/** One of each version that has brought some. */
const FORMATS = [KeyFormatType.PKCS_8, KeyFormatType.TransparentECPrivateKey, KeyFormatType.X_509];
let kept: string[] | undefined;

/** Objects of every kind, with values that came with every version. */
async function collection(): Promise<string[]> {
  const newest = speaking({ major: 2, minor: 1 });
  const made = async (...[operation, ...request]: Parameters<KmipClient['do']>) => textIn(await newest.do(operation, ...request), TAG.UniqueIdentifier);
  const sha3 = structure(TAG.CryptographicParameters, [enumeration(TAG.HashingAlgorithm, ENUM.HashingAlgorithm.SHA3_256)]);
  const aead = structure(TAG.CryptographicParameters, [enumeration(TAG.BlockCipherMode, ENUM.BlockCipherMode.AEAD)]);
  const registered = async (kind: keyof typeof ObjectType, content: Structure, ...nodes: readonly Node[]) =>
    made('Register', type(kind), attributes(...nodes), content);
  const block = structureOf(keyContent(), TAG.KeyBlock) as Structure;
  return [
    await newKey(newest, sha3, aead, enumeration(TAG.NISTKeyType, ENUM.NISTKeyType.SymmetricDataEncryptionKey), text(TAG.Comment, 'of 1.4')),
    await made('Create', type('SymmetricKey'), attributes(algorithm('ChaCha20Poly1305'), integer(TAG.CryptographicUsageMask, 0xf00000))),
    await made('Create', type('SymmetricKey'), attributes(algorithm('AES'), integer(TAG.CryptographicLength, 256))),
    await made('Create', type('SecretData'), attributes()),
    ...Object.values(await newPair(newest)),
    ...(await pair(newest, algorithm('Ed25519'))),
    ...(await pair(newest, algorithm('MLKEM_768'))),
    ...(await pair(newest, algorithm('RSA'), integer(TAG.CryptographicLength, 2048), enumeration(TAG.KeyFormatType, KeyFormatType.PKCS_8))),
    await newCertificate(newest),
    await registered(
      'OpaqueObject',
      structure(TAG.OpaqueObject, [enumeration(TAG.OpaqueDataType, 0x80000001), bytes(TAG.OpaqueDataValue, Buffer.from('opaque'))]),
    ),
    await registered('PGPKey', structure(TAG.PGPKey, [integer(TAG.PGPKeyVersion, 4), block])),
    await registered('SymmetricKey', keyContent(attributes(sha3, text(TAG.Comment, 'inside'), integer(TAG.CryptographicUsageMask, UNRESTRICTED)))),
  ];
}

for (const version of VERSIONS)
  test(`KMIP ${version.major}.${version.minor}: no answer is of a newer version`, async () => {
    const client = speaking(version, 'binary');
    const found: string[] = [];
    let successes = 0;
    const look = async (...[operation, ...request]: Parameters<KmipClient['ask']>) => {
      const { item, payload, status } = await client.ask(operation, ...request);
      if (status === 'Success') successes += 1;
      // What operation was asked for is repeated, whether there is one or not.
      const told = item.value.filter(({ tag }) => tag !== TAG.Operation);
      for (const each of [...foreign(payload.value, version), ...foreign(told, version)]) found.push(`${operation}: ${each}`);
    };
    kept ??= await collection();
    for (const id of kept) {
      for (const operation of ['GetAttributes', 'GetAttributeList', 'Get', 'Check', 'Export', 'ObtainLease'] as const) await look(operation, ID(id));
      for (const format of FORMATS) await look('Get', ID(id), enumeration(TAG.KeyFormatType, format));
      await look('Encrypt', ID(id), bytes(TAG.Data, Buffer.alloc(16)));
      await look('AddAttribute', ID(id), client.isOld ? client.custom('by', 'hand') : structure(TAG.NewAttribute, [client.custom('by', 'hand')]));
    }
    for (const query of Object.values(QueryFunction)) await look('Query', enumeration(TAG.QueryFunction, query));
    await look('Locate', ...client.conditions());
    await look('Get', ID('nothing'));
    await look('Check', ID(await newKey(speaking({ major: 2, minor: 1 }))), integer(TAG.CryptographicUsageMask, 0x4));
    assert.deepEqual([...new Set(found)], []);
    assert.ok(successes > 50, `${successes} answers only were looked at`);
  });

test('objects that a version has not are not located, got or told of by it', async () => {
  const newest = speaking({ major: 2, minor: 1 });
  const content = structure(TAG.CertificateRequest, [
    enumeration(TAG.CertificateRequestType, ENUM.CertificateRequestType.CRMF),
    bytes(TAG.CertificateRequestValue, Buffer.from('a request')),
  ]);
  const id = textIn(await newest.do('Register', type('CertificateRequest'), attributes(name('asked for')), content), TAG.UniqueIdentifier);
  for (const version of VERSIONS) {
    const client = speaking(version);
    const located = children(await client.do('Locate', ...client.conditions(name('asked for'))), TAG.UniqueIdentifier).map(({ value }) => value);
    assert.deepEqual(located, client.isOld ? [] : [id]);
    if (client.isOld) assert.equal(await client.refused('Get', ID(id)), 'PermissionDenied');
    else assert.equal(codeOf(await client.do('Get', ID(id)), TAG.ObjectType), ObjectType.CertificateRequest);
  }
});

test('a value or bit that a version has not is refused by name where it is given', async () => {
  const old = speaking({ major: 1, minor: 2 });
  const create = (...nodes: readonly Node[]) => [type('SymmetricKey'), old.attributes(...nodes)];
  const mask = (bits: number) => integer(TAG.CryptographicUsageMask, bits);
  const [chacha, unrestricted, format] = [
    ...(await old.refusals('Create', [
      create(algorithm('ChaCha20'), mask(4)),
      create(algorithm('AES'), integer(TAG.CryptographicLength, 128), mask(UNRESTRICTED)),
    ])),
    ...(await old.refusals('Get', [[ID('any'), enumeration(TAG.KeyFormatType, KeyFormatType.PKCS_12)]])),
  ];
  assert.deepEqual(chacha, { reason: 'InvalidField', message: 'KMIP 1.2 has no CryptographicAlgorithm ChaCha20' });
  assert.deepEqual(unrestricted, { reason: 'InvalidField', message: 'KMIP 1.2 has no bits 0x00200000 in CryptographicUsageMask' });
  assert.deepEqual(format, { reason: 'InvalidField', message: 'KMIP 1.2 has no KeyFormatType PKCS_12' });
  // Bits of 1.x that 2.x reserves are taken, for those who have them, and not shown to others.
  const newest = speaking({ major: 2, minor: 0 });
  const made = textIn(
    await newest.do('Create', type('SymmetricKey'), attributes(algorithm('AES'), integer(TAG.CryptographicLength, 128), mask(0x44))),
    TAG.UniqueIdentifier,
  );
  assert.equal((await newest.valueOf(made, TAG.CryptographicUsageMask))?.value, 0x4);
  assert.equal((await old.valueOf(made, TAG.CryptographicUsageMask))?.value, 0x44);
});

test('KMIP 1.x makes and registers keys with a usage mask only; 2.x has one for those without', async () => {
  for (const version of VERSIONS) {
    const client = speaking(version, 'xml');
    const length = integer(TAG.CryptographicLength, 128);
    const create = [type('SymmetricKey'), client.attributes(algorithm('AES'), length)];
    const register = [type('SymmetricKey'), client.attributes(algorithm('AES'), length), keyContent()];
    const ofKey = (tag: number, ...nodes: readonly Node[]) => ({ ...client.attributes(...nodes), tag });
    const [common, ofPrivate] = client.isOld
      ? [TAG.CommonTemplateAttribute, TAG.PrivateKeyTemplateAttribute]
      : [TAG.CommonAttributes, TAG.PrivateKeyAttributes];
    const halves = [
      ofKey(common, algorithm('EC'), structure(TAG.CryptographicDomainParameters, [enumeration(TAG.RecommendedCurve, 7)])),
      ofKey(ofPrivate, integer(TAG.CryptographicUsageMask, 1)),
    ];
    const secret = structure(TAG.SecretData, [enumeration(TAG.SecretDataType, 1), structureOf(keyContent(), TAG.KeyBlock) as Structure]);
    if (client.isOld) {
      assert.equal(await client.refused('Create', ...create), 'InvalidMessage');
      assert.equal(await client.refused('Register', ...register), 'InvalidMessage');
      const ecdsa = [
        { ...(halves[0] as Structure), value: [client.attribute(algorithm('ECDSA')), ...(halves[0] as Structure).value.slice(1)] },
        halves[1] as Structure,
      ];
      const [answer] = await client.refusals('CreateKeyPair', [ecdsa]);
      assert.deepEqual([answer?.reason, /Cryptographic Usage Mask.*PublicKey/.test(answer?.message ?? '')], ['InvalidMessage', true]);
      // The SASED profile of these versions registers a password without one.
      await client.do('Register', type('SecretData'), client.attributes(), secret);
    } else {
      for (const request of [['Create', create] as const, ['Register', register] as const]) {
        const id = textIn(await client.do(request[0], ...request[1]), TAG.UniqueIdentifier);
        assert.equal((await client.valueOf(id, TAG.CryptographicUsageMask))?.value, UNRESTRICTED);
      }
      await client.do('CreateKeyPair', ...halves);
    }
  }
});

test('what has no restriction may do all that 1.x has a bit for', async () => {
  const id = await newKey(speaking({ major: 2, minor: 1 }));
  const old = speaking({ major: 1, minor: 4 });
  assert.equal((await old.valueOf(id, TAG.CryptographicUsageMask))?.value, BITS[1]);
  await old.do('Check', ID(id), integer(TAG.CryptographicUsageMask, 0xc));
});

test.run();
