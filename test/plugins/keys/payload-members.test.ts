// Every field of a request is read or refused by its name: no operation passes over what a client asks for.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { Operation } from '../../../actors/kmip/operation.ts';
import { OPERATIONS } from '../../../actors/kmip/operations/index.ts';
import type { OperationName } from '../../../kmip/operation-name.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { tagName } from '../../../kmip/ttlv/names.ts';
import { boolean, bytes, dateTime, enumeration, integer, type Node, structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { bytesOf, children, codeOf, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { operationExists } from '../../../kmip/ttlv/since.ts';
import { TAG, type TagName } from '../../../kmip/ttlv/tag.ts';
import { WORKING_VERSION } from '../../../kmip/version.ts';
import { caller } from './caller.ts';
import { ID, keyContent, newKey, newPair, REQUESTS } from './operation-requests.ts';

const alice = caller('alice');
const of2 = alice.client({ major: 2, minor: 1, encoding: 'binary' });
const of3 = alice.client({ major: 3, minor: 0, encoding: 'binary' });
/** Of the first version that has the operation. */
const clientOf = (operation: OperationName) => (operationExists(ENUM.Operation[operation], WORKING_VERSION) ? of2 : of3);

const SERVED = Object.keys(OPERATIONS) as OperationName[];
const declared = (operation: OperationName): Operation => OPERATIONS[operation] as Operation;
const membersOf = (operation: OperationName): readonly TagName[] => {
  const { one, many } = declared(operation).members;
  return [...one, ...many].map((tag) => tagName(tag) as TagName);
};
const required = async (operation: OperationName): Promise<Node[]> => {
  const request = REQUESTS[operation];
  assert.ok(request, `a request of ${operation} is missing in operation-requests.ts`);
  return request(clientOf(operation));
};

test('no field of an operation may be there both once and any number of times', () => {
  for (const operation of SERVED) assert.ok(declared(operation).members.one.isDisjointFrom(declared(operation).members.many), operation);
});

/** Fields of the request payloads of KMIP 2.1 section 6.1, and of 1.4 section 4 where it has others, that the table must not have forgotten. */
const OF_SPECIFICATION: Readonly<Partial<Record<OperationName, readonly TagName[]>>> = {
  Check: ['UniqueIdentifier', 'UsageLimitsCount', 'CryptographicUsageMask', 'LeaseTime'],
  CreateSplitKey: ['ObjectType', 'UniqueIdentifier', 'SplitKeyParts', 'SplitKeyThreshold', 'SplitKeyMethod', 'PrimeFieldSize', 'Attributes'],
  Export: ['UniqueIdentifier', 'KeyFormatType', 'KeyWrapType', 'KeyCompressionType', 'KeyWrappingSpecification'],
  Get: ['UniqueIdentifier', 'KeyFormatType', 'KeyWrapType', 'KeyCompressionType', 'KeyWrappingSpecification'],
  Import: ['UniqueIdentifier', 'ObjectType', 'ReplaceExisting', 'KeyWrapType', 'Attributes', 'PGPKey', 'Template'],
  Locate: ['MaximumItems', 'OffsetItems', 'StorageStatusMask', 'ObjectGroupMember', 'Attributes'],
  PKCS_11: ['PKCS_11Interface', 'PKCS_11Function', 'CorrelationValue', 'PKCS_11InputParameters'],
  Query: ['QueryFunction', 'ObjectGroups'],
  ReCertify: ['UniqueIdentifier', 'CertificateRequestUniqueIdentifier', 'CertificateRequestType', 'CertificateRequestValue', 'Offset', 'Attributes'],
  Revoke: ['UniqueIdentifier', 'RevocationReason', 'CompromiseOccurrenceDate'],
  Validate: ['Certificate', 'UniqueIdentifier', 'ValidityDate'],
};

test('the fields of the specification are among them', () => {
  for (const [operation, names] of Object.entries(OF_SPECIFICATION))
    for (const each of names) assert.ok(membersOf(operation as OperationName).includes(each), `${operation} ${each}`);
});

/** Tags of the protocol and its extensions, with one that nobody has. */
const EVERY: readonly (readonly [string, number])[] = [...Object.entries(TAG), ['0x54ABCD', 0x54abcd]];

for (const operation of SERVED) {
  test(`${operation}: a field that it has not is refused by its name`, async () => {
    const own = new Set<string>(membersOf(operation));
    const foreign = EVERY.filter(([name]) => !own.has(name));
    const base = await required(operation);
    const answers = await clientOf(operation).refusals(
      operation,
      foreign.map(([, tag]) => [...base, integer(tag, 1)]),
    );
    for (const [at, [name]] of foreign.entries()) {
      assert.ok(answers[at], `${operation} passes over ${name}`);
      assert.ok(answers[at]?.message.includes(name), `${operation} ${name}: ${answers[at]?.message}`);
    }
  });

  test(`${operation}: each field is read`, async () => {
    const base = await required(operation);
    for (const name of membersOf(operation)) {
      const payload = [...base.filter(({ tag }) => tag !== TAG[name]), misshapen(name)];
      const [answer] = await clientOf(operation).refusals(operation, [payload]);
      assert.ok(answer, `${operation} does not look at ${name}`);
      assert.ok(answer.message.includes(name.replace(/^.*(?=UniqueIdentifier)/, '')), `${operation} ${name}: ${answer.message}`);
    }
    // Nothing of all that was done, and what is well-formed is.
    assert.deepEqual(await clientOf(operation).refusals(operation, [base]), [undefined]);
  });

  test(`${operation}: a field that it has once is not taken twice`, async () => {
    const base = await required(operation);
    const { many } = declared(operation).members;
    for (const node of base) {
      const name = EVERY.find(([, tag]) => tag === node.tag)?.[0] as string;
      if (many.has(node.tag)) continue;
      const [answer] = await clientOf(operation).refusals(operation, [[...base, node]]);
      assert.equal(answer?.reason, 'InvalidMessage');
      assert.match(answer.message, new RegExp(`${operation} takes only one ${name}`));
    }
  });
}

const OF_ATTRIBUTES = /Attributes?$|AttributeReference|Masks$|Specification$|Reason$|Parameters$/;
const OF_OPERATIONS = /^ProtocolVersion$|^ObjectGroups$|^Constraints$|^DefaultsInformation$|CorrelationValues$|^Operations$/;
const CONTENT = /^(Certificate|SymmetricKey|PublicKey|PrivateKey|SplitKey|Template|SecretData|OpaqueObject|PGPKey|CertificateRequest)$/;

/** The field in a type that it has nowhere. */
function misshapen(name: TagName): Node {
  const isStructured = ((OF_ATTRIBUTES.test(name) || OF_OPERATIONS.test(name)) && name !== 'PKCS_11InputParameters') || CONTENT.test(name);
  return isStructured ? { tag: TAG[name], type: TYPE.DateTime, value: 5 } : structure(TAG[name], []);
}

const expecting = (of: keyof typeof ENUM.ObjectType): Node => enumeration(TAG.ExpectedObjectType, ENUM.ObjectType[of]);

test('what is not of the expected type is left alone, by every operation on an object', async () => {
  for (const operation of SERVED.filter((each) => membersOf(each).includes('ExpectedObjectType'))) {
    const base = await required(operation);
    if (!base.some(({ tag }) => tag === TAG.UniqueIdentifier || tag === TAG.PrivateKeyUniqueIdentifier)) continue;
    const [other] = await clientOf(operation).refusals(operation, [[...base, expecting('OpaqueObject')]]);
    assert.equal(other?.reason, 'InvalidObjectType', `${operation}: ${other?.message}`);
    assert.match(other?.message ?? '', /the request expects a OpaqueObject/);
    const [kind] = ['Certificate', 'PrivateKey', 'PublicKey', 'SplitKey', 'SymmetricKey'].filter((each) => other?.message.includes(`is a ${each},`));
    assert.ok(kind, other?.message);
    assert.deepEqual(await clientOf(operation).refusals(operation, [[...base, expecting(kind as keyof typeof ENUM.ObjectType)]]), [undefined], operation);
  }
});

test('a request that names no object expects none', async () => {
  const [answer] = await of2.refusals('CreateSplitKey', [[...(await required('CreateSplitKey')), expecting('SymmetricKey')]]);
  assert.deepEqual([answer?.reason, answer?.message.includes('ExpectedObjectType')], ['InvalidField', true]);
});

test('the expected type is told by its name and by its code, in JSON', async () => {
  const made = await alice.server.client('alice');
  const ask = alice.server.as(made);
  const destroy = (id: string, expected: string) =>
    ask('POST', '/kmip/2_1', {
      body: {
        tag: 'Destroy',
        value: [
          { tag: 'UniqueIdentifier', type: 'TextString', value: id },
          { tag: 'ExpectedObjectType', type: 'Enumeration', value: expected },
        ],
      },
    });
  const wrong = { PrivateKey: 422, '0x00000004': 422 };
  const right = ['SymmetricKey', '0x00000002'];
  for (const expected of right) {
    const id = String((await REQUESTS['Destroy']?.(of2))?.[0]?.value);
    for (const [each, status] of Object.entries(wrong)) {
      const refused = await destroy(id, each);
      assert.equal(refused.status, status, refused.text);
      assert.match(refused.text, /Invalid_Object_Type/);
    }
    assert.equal((await of2.valueOf(id, TAG.State))?.value, ENUM.State.PreActive);
    assert.equal((await destroy(id, expected)).status, 200);
    assert.equal((await of2.valueOf(id, TAG.State))?.value, ENUM.State.Destroyed);
  }
});

test('a cascade begins with what is expected', async () => {
  const { privateKey, publicKey } = await newPair(of2);
  const reason = structure(TAG.RevocationReason, [enumeration(TAG.RevocationReasonCode, ENUM.RevocationReasonCode.Superseded)]);
  const request = [ID(publicKey), reason, boolean(TAG.Cascade, true)];
  const [refused] = await of2.refusals('Revoke', [[...request, expecting('PrivateKey')]]);
  assert.equal(refused?.reason, 'InvalidObjectType');
  for (const id of [privateKey, publicKey]) assert.equal((await of2.valueOf(id, TAG.State))?.value, ENUM.State.Active);
  await of2.do('Revoke', ...request, expecting('PublicKey'));
  for (const id of [privateKey, publicKey]) assert.equal((await of2.valueOf(id, TAG.State))?.value, ENUM.State.Deactivated);
});

test('what is to be authenticated is not taken by a mode that authenticates nothing', async () => {
  const id = ID(await newKey(of2));
  const cbc = structure(TAG.CryptographicParameters, [
    enumeration(TAG.BlockCipherMode, ENUM.BlockCipherMode.CBC),
    enumeration(TAG.PaddingMethod, ENUM.PaddingMethod.PKCS5),
  ]);
  const additional = bytes(TAG.AuthenticatedEncryptionAdditionalData, Buffer.from('context'));
  const request = [id, cbc, bytes(TAG.Data, Buffer.from('secret')), bytes(TAG.IVCounterNonce, Buffer.alloc(16))];
  const [refused, parts] = await of2.refusals('Encrypt', [
    [...request, additional],
    [...request, additional, boolean(TAG.InitIndicator, true)],
  ]);
  for (const each of [refused, parts])
    assert.match(each?.message ?? '', /AES-128-CBC does not authenticate data; leave out AuthenticatedEncryptionAdditionalData/);
  const data = bytesOf(await of2.do('Encrypt', ...request), TAG.Data) as Uint8Array;
  const back = [id, cbc, bytes(TAG.Data, data), bytes(TAG.IVCounterNonce, Buffer.alloc(16))];
  for (const tag of [TAG.AuthenticatedEncryptionAdditionalData, TAG.AuthenticatedEncryptionTag]) {
    const [answer] = await of2.refusals('Decrypt', [[...back, bytes(tag, Buffer.alloc(16))]]);
    assert.equal(answer?.reason, 'InvalidField');
  }
  await of2.do('Decrypt', ...back);
});

/** With the private key, which decrypts what the public key encrypts, and the member of the answer to Encrypt that Decrypt takes. */
async function encryptingPair(algorithm: 'RSA' | 'MLKEM_768') {
  const usage = integer(TAG.CryptographicUsageMask, MASK.CryptographicUsageMask.Encrypt | MASK.CryptographicUsageMask.Decrypt);
  const facts = [enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[algorithm]), usage, dateTime(TAG.ActivationDate, 0)];
  const made = await of2.do('CreateKeyPair', structure(TAG.CommonAttributes, facts));
  const idOf = (tag: number) => ID(textOf(made, tag) as string);
  const ciphertext = algorithm === 'RSA' ? TAG.Data : TAG.IVCounterNonce;
  return { privateKey: idOf(TAG.PrivateKeyUniqueIdentifier), publicKey: idOf(TAG.PublicKeyUniqueIdentifier), ciphertext };
}

test('what is to be authenticated is not taken by keys of pairs that authenticate nothing', async () => {
  for (const algorithm of ['RSA', 'MLKEM_768'] as const) {
    const { privateKey, publicKey, ciphertext } = await encryptingPair(algorithm);
    const request = [publicKey, bytes(TAG.Data, Buffer.from('secret'))];
    const back = [privateKey, bytes(TAG.Data, bytesOf(await of2.do('Encrypt', ...request), ciphertext) as Uint8Array)];
    const [additional, tag] = [TAG.AuthenticatedEncryptionAdditionalData, TAG.AuthenticatedEncryptionTag];
    const refused = [
      ...(await of2.refusals('Encrypt', [[...request, bytes(additional, Buffer.alloc(16))]])),
      ...(await of2.refusals(
        'Decrypt',
        [additional, tag].map((each) => [...back, bytes(each, Buffer.alloc(16))]),
      )),
    ];
    assert.deepEqual([...new Set(refused.map((each) => each?.reason))], ['InvalidField'], algorithm);
    for (const each of refused) assert.match(each?.message ?? '', /does not authenticate data; leave out AuthenticatedEncryption/);
    await of2.do('Decrypt', ...back, bytes(additional, new Uint8Array()));
  }
});

test('one object at a time is registered', async () => {
  const base = (await required('Register')).filter(({ tag }) => tag !== TAG.SymmetricKey);
  const other = structure(TAG.PrivateKey, keyContent().value);
  const [answer] = await of2.refusals('Register', [[...base, keyContent(), other]]);
  assert.deepEqual([answer?.reason, answer?.message.includes('PrivateKey')], ['InvalidField', true]);
});

test('Query tells the defaults, and of a function that there is not that there is none', async () => {
  const { DefaultsInformation } = TAG;
  const answer = await of2.do('Query', enumeration(TAG.QueryFunction, ENUM.QueryFunction.QueryDefaultsInformation));
  const defaults = children(structureOf(answer, DefaultsInformation) ?? answer, TAG.ObjectDefaults);
  assert.ok(defaults.length > 0);
  for (const each of defaults) assert.ok(each.type === TYPE.Structure && codeOf(each, TAG.ObjectType) !== undefined);
  const [unknown] = await of2.refusals('Query', [[enumeration(TAG.QueryFunction, 0x7f)]]);
  assert.equal(unknown?.reason, 'InvalidField');
});

test.run();
