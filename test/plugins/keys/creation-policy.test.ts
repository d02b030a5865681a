// SetConstraints, GetConstraints and SetDefaults: a caller's constraints and defaults apply to its own new objects, however they are made, and to nobody else's.
import assert from 'node:assert/strict';
import { Agent } from 'undici';
import { test } from 'uvu';
import { downgradePayload } from '../../../kmip/message/legacy.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { boolean, enumeration, integer, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { children, codeOf, integerOf, required, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { caller } from './caller.ts';
import { KmipClient } from './kmip-client.ts';

const alice = caller('alice');
const client = alice.client({ major: 2, minor: 1, encoding: 'json' });
const older = alice.client({ major: 1, minor: 4, encoding: 'binary' });

const type = (name: keyof typeof ENUM.ObjectType): Node => enumeration(TAG.ObjectType, ENUM.ObjectType[name]);
const algorithm = (name: keyof typeof ENUM.CryptographicAlgorithm): Node => enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[name]);
const length = (bits: number): Node => integer(TAG.CryptographicLength, bits);
const mask = (bits: number): Node => integer(TAG.CryptographicUsageMask, bits);
const group = (name: string): Node => text(TAG.ObjectGroup, name);
const attributes = (...nodes: Node[]): Structure => structure(TAG.Attributes, nodes);
const groups = (...names: string[]): Structure => structure(TAG.ObjectGroups, names.map(group));
const types = (...names: (keyof typeof ENUM.ObjectType)[]): Structure => structure(TAG.ObjectTypes, names.map(type));
const constraint = (...members: Structure[]): Structure => structure(TAG.Constraint, members);
const constraints = (...all: Structure[]): Structure => structure(TAG.Constraints, all);
const defaults = (...all: Structure[]): Structure => structure(TAG.DefaultsInformation, all);
const objectDefaults = (...members: Node[]): Structure => structure(TAG.ObjectDefaults, members);

const create = (...nodes: Node[]): Node[] => [type('SymmetricKey'), attributes(...nodes)];
const inOlderForm = (payload: Node[]): Node[] => [...downgradePayload('Register', payload, { major: 1, minor: 4 })];
const idOf = (payload: Structure): string => required(textOf(payload, TAG.UniqueIdentifier), TAG.UniqueIdentifier);
const shapeOf = async (id: string): Promise<readonly (number | undefined)[]> => {
  const held = required(structureOf(await client.do('GetAttributes', text(TAG.UniqueIdentifier, id)), TAG.Attributes), TAG.Attributes);
  return [codeOf(held, TAG.CryptographicAlgorithm), integerOf(held, TAG.CryptographicLength), integerOf(held, TAG.CryptographicUsageMask)];
};
const reasonsOf = async (
  by: KmipClient,
  operation: 'Create' | 'CreateKeyPair' | 'Register' | 'Import' | 'SetConstraints' | 'SetDefaults',
  requests: Node[][],
) => (await by.refusals(operation, requests)).map((each) => each?.reason);

const LARGE = constraint(types('SymmetricKey'), groups('vault'), attributes(algorithm('AES'), length(256)));
const SMALL = constraint(types('SymmetricKey'), attributes(algorithm('AES'), length(192), mask(0x0c)));

test('constraints are told as they were set, and gone when none are set', async () => {
  assert.deepEqual(await client.do('GetConstraints'), structure(TAG.ResponsePayload, [constraints()]));
  await client.do('SetConstraints', constraints(LARGE, SMALL));
  assert.deepEqual(await client.do('GetConstraints'), structure(TAG.ResponsePayload, [constraints(LARGE, SMALL)]));
  await client.do('SetConstraints');
  assert.deepEqual(await client.do('GetConstraints'), structure(TAG.ResponsePayload, [constraints()]));
});

test('a new object keeps to the constraints for its groups, or else to those for all', async () => {
  await client.do('SetConstraints', constraints(LARGE, SMALL));
  const [wrongSize, wrongUse, wrongGroup, ...kept] = await client.refusals('Create', [
    create(algorithm('AES'), length(256), mask(0x0c)),
    create(algorithm('AES'), length(192), mask(0x0d)),
    create(algorithm('AES'), length(192), mask(0x0c), group('vault')),
    create(algorithm('AES'), length(192), mask(0x0c)),
    create(algorithm('AES'), length(192), mask(0x04)),
    create(algorithm('AES'), length(256), mask(0x0d), group('vault')),
    [type('SecretData'), attributes()],
  ]);
  for (const each of [wrongSize, wrongUse, wrongGroup]) assert.equal(each?.reason, 'ConstraintViolation');
  assert.match(wrongSize?.message ?? '', /^the SymmetricKey keeps to none of the constraints that SetConstraints has set for it; look at CryptographicLength$/);
  assert.match(wrongUse?.message ?? '', /look at CryptographicUsageMask$/);
  assert.deepEqual(kept, [undefined, undefined, undefined, undefined]);
});

test('they hold for what is brought, for pairs, for REST and for 1.x, and for no other caller', async () => {
  await client.do('SetConstraints', constraints(SMALL, constraint(types('PrivateKey'), attributes(algorithm('Ed25519')))));
  const block = structure(TAG.KeyBlock, [
    enumeration(TAG.KeyFormatType, ENUM.KeyFormatType.Raw),
    structure(TAG.KeyValue, [{ tag: TAG.KeyMaterial, type: 8, value: new Uint8Array(16) } as Node]),
    algorithm('AES'),
    length(128),
  ]);
  const brought = [attributes(mask(4)), structure(TAG.SymmetricKey, [block])];
  assert.deepEqual(await reasonsOf(client, 'Register', [[type('SymmetricKey'), ...brought]]), ['ConstraintViolation']);
  // Also in the place of an object that is there.
  const id = idOf(await client.do('Create', ...create(algorithm('AES'), length(192), mask(4))));
  const again = [text(TAG.UniqueIdentifier, id), type('SymmetricKey'), boolean(TAG.ReplaceExisting, true), ...brought];
  assert.deepEqual(await reasonsOf(client, 'Import', [again]), ['ConstraintViolation']);
  const pair = (name: 'Ed25519' | 'RSA', ...more: Node[]): Node[] => [structure(TAG.CommonAttributes, [algorithm(name), mask(3), ...more])];
  assert.deepEqual(await reasonsOf(client, 'CreateKeyPair', [pair('RSA', length(2048)), pair('Ed25519')]), ['ConstraintViolation', undefined]);
  assert.deepEqual(await reasonsOf(older, 'Create', [inOlderForm(create(algorithm('AES'), length(128), mask(4)))]), ['PermissionDenied']);
  const ask = alice.server.as(await alice.server.client('alice'));
  const refused = await ask('POST', '/v1/crypto/keys', { body: { kty: 'oct', alg: 'A128GCM' } });
  assert.deepEqual([refused.status < 500, /constraints that SetConstraints has set/.test(refused.text)], [true, true], refused.text);
  const { cert, key } = await alice.server.client('bob');
  const agent = new Agent({ connect: { ca: alice.server.authority.cert, cert, key } });
  const bob = new KmipClient({ address: alice.address, agent }, { major: 2, minor: 1, encoding: 'binary' });
  assert.deepEqual(await reasonsOf(bob, 'Create', [create(algorithm('AES'), length(128), mask(0x0d))]), [undefined]);
  assert.deepEqual(await bob.do('GetConstraints'), structure(TAG.ResponsePayload, [constraints()]));
  await agent.close();
  await client.do('SetConstraints');
  assert.deepEqual(await reasonsOf(client, 'Create', [create(algorithm('AES'), length(128), mask(4))]), [undefined]);
});

test('a pair that takes long is refused before it is generated, as far as the request tells', async () => {
  const pair = (name: 'RSA' | 'EC', bits: number, uses = 3): Node[] => [structure(TAG.CommonAttributes, [algorithm(name), mask(uses), length(bits)])];
  const large = constraint(attributes(algorithm('RSA'), length(2048), mask(3), text(TAG.Comment, 'told')), types('PrivateKey', 'PublicKey'));
  await client.do('SetConstraints', constraints(large));
  // The generator takes no RSA of 512 bits: it was never asked for them.
  assert.deepEqual(await reasonsOf(client, 'CreateKeyPair', [pair('RSA', 512), pair('RSA', 512, 7), pair('EC', 256)]), Array(3).fill('ConstraintViolation'));
  await client.do('SetConstraints', constraints(constraint(attributes(algorithm('RSA')))));
  assert.deepEqual(await reasonsOf(client, 'CreateKeyPair', [pair('RSA', 512)]), ['InvalidField']);
  await client.do('SetConstraints');
});

test('what a request does not give is taken from the defaults, those of its groups first', async () => {
  const { SymmetricKey } = ENUM.ObjectType;
  await client.do(
    'SetDefaults',
    defaults(
      objectDefaults(enumeration(TAG.ObjectType, SymmetricKey), attributes(algorithm('AES'), length(256), mask(0x0c))),
      objectDefaults(types('SymmetricKey', 'SecretData'), attributes(length(512), mask(4)), groups('hashes')),
    ),
  );
  const { AES, HMAC_SHA256, ChaCha20 } = ENUM.CryptographicAlgorithm;
  const made = async (...nodes: Node[]) => shapeOf(idOf(await client.do('Create', ...create(...nodes))));
  assert.deepEqual(await made(), [AES, 256, 0x0c]);
  assert.deepEqual(await made(length(128)), [AES, 128, 0x0c]);
  assert.deepEqual(await made(algorithm('AES'), mask(8)), [AES, 256, 8]);
  // A length of AES is none of another algorithm.
  assert.deepEqual((await made(algorithm('ChaCha20'), length(256)))[0], ChaCha20);
  assert.deepEqual(await made(algorithm('HMAC_SHA256'), group('hashes')), [HMAC_SHA256, 512, 4]);
  assert.deepEqual((await made(algorithm('HMAC_SHA256')))[2], 0x0c);
});

test('Query tells the defaults that were set before those of the server, for groups it is asked for', async () => {
  const told = async (...more: Node[]) => {
    const answer = await client.do('Query', enumeration(TAG.QueryFunction, ENUM.QueryFunction.QueryDefaultsInformation), ...more);
    return children(required(structureOf(answer, TAG.DefaultsInformation), TAG.DefaultsInformation), TAG.ObjectDefaults).length;
  };
  const all = await told();
  assert.deepEqual([await told(groups('hashes')), await told(groups('others'))], [all, all - 1]);
  await client.do('SetDefaults');
  assert.equal(await told(), all - 2);
  assert.deepEqual(await reasonsOf(client, 'Create', [create()]), ['InvalidField']);
});

test('the parts of a key, a certificate and the keys made for it take their defaults too', async () => {
  await client.do(
    'SetDefaults',
    defaults(
      objectDefaults(type('SplitKey'), attributes(algorithm('AES'), length(192), mask(0x0c), text(TAG.Comment, 'of a part'))),
      objectDefaults(type('Certificate'), attributes(algorithm('EC'), length(256), text(TAG.Comment, 'of a certificate'))),
      objectDefaults(types('PrivateKey', 'PublicKey'), attributes(text(TAG.Comment, 'of a pair'))),
    ),
  );
  const heldBy = async (id: string) => required(structureOf(await client.do('GetAttributes', text(TAG.UniqueIdentifier, id)), TAG.Attributes), TAG.Attributes);
  const commentOf = async (id: string) => textOf(await heldBy(id), TAG.Comment);
  const method = enumeration(TAG.SplitKeyMethod, ENUM.SplitKeyMethod.XOR);
  const counts = [integer(TAG.SplitKeyParts, 2), integer(TAG.SplitKeyThreshold, 2), method];
  const part = idOf(await client.do('CreateSplitKey', type('SymmetricKey'), ...counts));
  assert.deepEqual([await shapeOf(part), await commentOf(part)], [[ENUM.CryptographicAlgorithm.AES, 192, 0x0c], 'of a part']);
  const named = structure(TAG.CertificateAttributes, [text(TAG.CertificateSubjectCN, 'subject')]);
  const linkIn = (of: Structure, link: number) =>
    required(
      children(of, TAG.Link).find((each) => codeOf(each as Structure, TAG.LinkType) === link),
      TAG.Link,
    ) as Structure;
  const certificate = await heldBy(idOf(await client.do('Certify', attributes(named, mask(3)))));
  assert.equal(textOf(certificate, TAG.Comment), 'of a certificate');
  for (const link of [ENUM.LinkType.PublicKeyLink, ENUM.LinkType.PrivateKeyLink])
    assert.equal(await commentOf(required(textOf(linkIn(certificate, link), TAG.LinkedObjectIdentifier), TAG.LinkedObjectIdentifier)), 'of a pair');
  await client.do('SetDefaults');
});

test('what cannot hold for any object is refused by its name, and nothing is set', async () => {
  const many = constraints(...Array.from({ length: 65 }, () => SMALL));
  assert.deepEqual(
    await reasonsOf(client, 'SetConstraints', [
      [many],
      [constraints(constraint(attributes(text(TAG.CryptographicLength, 'long'))))],
      [constraints(constraint(structure(TAG.ObjectTypes, [enumeration(TAG.ObjectType, 0x7f)])))],
      [constraints(constraint(attributes(group('x'.repeat(20_000)))))],
      [constraints(constraint(attributes(text(TAG.LogMessage, 'no attribute'))))],
    ]),
    ['ServerLimitExceeded', 'InvalidAttributeValue', 'InvalidField', 'ServerLimitExceeded', 'InvalidAttribute'],
  );
  const named = structure(TAG.Name, [text(TAG.NameValue, 'one'), enumeration(TAG.NameType, ENUM.NameType.UninterpretedTextString)]);
  assert.deepEqual(
    await reasonsOf(client, 'SetDefaults', [
      [defaults(objectDefaults(type('SymmetricKey'), attributes(named)))],
      [defaults(objectDefaults(type('SymmetricKey'), attributes(enumeration(TAG.State, ENUM.State.Active))))],
      [defaults(objectDefaults(attributes(length(256))))],
      [defaults(objectDefaults(type('SymmetricKey'), types('SecretData'), attributes(length(256))))],
    ]),
    ['InvalidField', 'AttributeReadOnly', 'InvalidMessage', 'InvalidMessage'],
  );
  assert.deepEqual(await client.do('GetConstraints'), structure(TAG.ResponsePayload, [constraints()]));
});

test.run();
