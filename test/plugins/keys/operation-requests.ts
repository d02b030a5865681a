// A request of every operation that succeeds, in the form of KMIP 2.1, with the objects that it is about.
import assert from 'node:assert/strict';
import type { OperationName } from '../../../kmip/operation-name.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { bytes, enumeration, integer, longInteger, type Node, type Structure, structure, TYPE, text } from '../../../kmip/ttlv/node.ts';
import { children } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { type KmipClient, name, textIn } from './kmip-client.ts';

const { ObjectType, CryptographicAlgorithm, KeyFormatType, HashingAlgorithm, BlockCipherMode, PaddingMethod } = ENUM;
const UNRESTRICTED = 0x200000;
const PAST: Node = { tag: TAG.ActivationDate, type: TYPE.DateTime, value: 1 };

export const ID = (id: string): Node => text(TAG.UniqueIdentifier, id);
const attributes = (...nodes: readonly Node[]): Structure => structure(TAG.Attributes, nodes);
const type = (of: keyof typeof ObjectType): Node => enumeration(TAG.ObjectType, ObjectType[of]);
const data = (value: string): Node => bytes(TAG.Data, Buffer.from(value));
const described = (comment: string): Structure => structure(TAG.NewAttribute, [text(TAG.Comment, comment)]);
const IV = bytes(TAG.IVCounterNonce, Buffer.alloc(16, 1));
const CBC = structure(TAG.CryptographicParameters, [
  enumeration(TAG.BlockCipherMode, BlockCipherMode.CBC),
  enumeration(TAG.PaddingMethod, PaddingMethod.PKCS5),
]);
const SHA = structure(TAG.CryptographicParameters, [enumeration(TAG.HashingAlgorithm, HashingAlgorithm.SHA_256)]);
const HMAC = structure(TAG.CryptographicParameters, [enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.HMAC_SHA256)]);
const REVOCATION = structure(TAG.RevocationReason, [enumeration(TAG.RevocationReasonCode, ENUM.RevocationReasonCode.CessationOfOperation)]);
const SUBJECT = [text(TAG.CertificateSubjectCN, 'somebody')];

const aes = (...more: readonly Node[]): Node[] => [
  type('SymmetricKey'),
  attributes(
    enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.AES),
    integer(TAG.CryptographicLength, 128),
    integer(TAG.CryptographicUsageMask, UNRESTRICTED),
    PAST,
    ...more,
  ),
];

/** The content of an AES key. */
export const keyContent = (...inKeyValue: readonly Node[]): Structure =>
  structure(TAG.SymmetricKey, [
    structure(TAG.KeyBlock, [
      enumeration(TAG.KeyFormatType, KeyFormatType.Raw),
      structure(TAG.KeyValue, [bytes(TAG.KeyMaterial, new Uint8Array(16).fill(7)), ...inKeyValue]),
      enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.AES),
      integer(TAG.CryptographicLength, 128),
    ]),
  ]);

/** An AES key, active and unrestricted. */
export async function newKey(client: KmipClient, ...more: readonly Node[]): Promise<string> {
  return textIn(await client.do('Create', ...aes(...more)), TAG.UniqueIdentifier);
}

export async function newPair(client: KmipClient): Promise<{ privateKey: string; publicKey: string }> {
  const made = await client.do('CreateKeyPair', ...PAIR);
  return { privateKey: textIn(made, TAG.PrivateKeyUniqueIdentifier), publicKey: textIn(made, TAG.PublicKeyUniqueIdentifier) };
}

const PAIR = [
  structure(TAG.CommonAttributes, [
    enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.ECDSA),
    structure(TAG.CryptographicDomainParameters, [enumeration(TAG.RecommendedCurve, ENUM.RecommendedCurve.P_256)]),
    integer(TAG.CryptographicUsageMask, UNRESTRICTED),
    PAST,
  ]),
];

export async function newCertificate(client: KmipClient): Promise<string> {
  const { publicKey } = await newPair(client);
  return textIn(await client.do('Certify', ID(publicKey), attributes(...SUBJECT)), TAG.UniqueIdentifier);
}

async function newParts(client: KmipClient): Promise<string[]> {
  return children(await client.do('CreateSplitKey', ...SPLIT), TAG.UniqueIdentifier).map(({ value }) => String(value));
}

/** The correlation value of an asynchronous request. */
async function pending(client: KmipClient): Promise<Node[]> {
  const { item } = await client.askWith([enumeration(TAG.AsynchronousIndicator, ENUM.AsynchronousIndicator.Mandatory)], 'Ping');
  return children(item, TAG.AsynchronousCorrelationValue);
}

const SPLIT = [
  type('SplitKey'),
  integer(TAG.SplitKeyParts, 3),
  integer(TAG.SplitKeyThreshold, 2),
  enumeration(TAG.SplitKeyMethod, ENUM.SplitKeyMethod.PolynomialSharingGF28),
  attributes(enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.AES), integer(TAG.CryptographicLength, 128)),
];

/** A request on a new key. */
const onKey =
  (...rest: readonly Node[]) =>
  async (client: KmipClient): Promise<Node[]> => [ID(await newKey(client)), ...rest];

/** What a request needs of an earlier answer. */
async function made(client: KmipClient, operation: OperationName, tag: number, request: readonly Node[]): Promise<Node> {
  const node = (await client.do(operation, ...request)).value.find((each) => each.tag === tag);
  assert.ok(node, operation);
  return node;
}

/** The members of a request that succeeds, on objects of its own. */
export const REQUESTS: Readonly<Record<string, (client: KmipClient) => Promise<Node[]>>> = {
  Activate: async (client) => [ID(textIn(await client.do('Register', type('SymmetricKey'), attributes(), keyContent()), TAG.UniqueIdentifier))],
  AddAttribute: onKey(described('added')),
  AdjustAttribute: async (client) => [
    ID(await newKey(client)),
    enumeration(TAG.AttributeReference, TAG.RotateInterval),
    enumeration(TAG.AdjustmentType, ENUM.AdjustmentType.Increment),
    integer(TAG.AdjustmentValue, 5),
  ],
  Archive: onKey(),
  Certify: async (client) => [ID((await newPair(client)).publicKey), attributes(...SUBJECT)],
  Cancel: async () => [bytes(TAG.AsynchronousCorrelationValue, new Uint8Array(16))],
  Check: onKey(integer(TAG.CryptographicUsageMask, 0x4)),
  Create: async () => aes(),
  CreateKeyPair: async () => PAIR,
  CreateSplitKey: async () => SPLIT,
  Decrypt: async (client) => {
    const id = ID(await newKey(client));
    return [id, CBC, IV, await made(client, 'Encrypt', TAG.Data, [id, CBC, IV, data('secret')])];
  },
  Deactivate: onKey(structure(TAG.DeactivationReason, [enumeration(TAG.DeactivationReasonCode, ENUM.DeactivationReasonCode.UsageLimit)])),
  Decapsulate: async (client) => {
    const { privateKey, publicKey } = await newPair(client);
    return [ID(privateKey), await made(client, 'Encapsulate', TAG.Data, [ID(publicKey)])];
  },
  DeleteAttribute: async (client) => [ID(await newKey(client, text(TAG.Comment, 'old'))), enumeration(TAG.AttributeReference, TAG.Comment)],
  DeriveKey: onKey(
    type('SymmetricKey'),
    enumeration(TAG.DerivationMethod, ENUM.DerivationMethod.HMAC),
    structure(TAG.DerivationParameters, [SHA, bytes(TAG.DerivationData, Buffer.from('label'))]),
    attributes(enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.AES), integer(TAG.CryptographicLength, 128)),
  ),
  Destroy: async (client) => [ID(textIn(await client.do('Register', type('SymmetricKey'), attributes(), keyContent()), TAG.UniqueIdentifier))],
  DiscoverVersions: async () => [],
  Encapsulate: async (client) => [ID((await newPair(client)).publicKey)],
  Encrypt: onKey(CBC, IV, data('secret')),
  Export: onKey(),
  Get: onKey(),
  GetAttributeList: onKey(),
  GetAttributes: onKey(enumeration(TAG.AttributeReference, TAG.State)),
  GetConstraints: async () => [],
  GetUsageAllocation: async (client) => {
    const limits = [longInteger(TAG.UsageLimitsTotal, 5n), enumeration(TAG.UsageLimitsUnit, ENUM.UsageLimitsUnit.Object)];
    return [ID(await newKey(client, structure(TAG.UsageLimits, limits))), longInteger(TAG.UsageLimitsCount, 1n)];
  },
  Hash: async () => [SHA, data('hashed')],
  Import: async () => [ID(`imported ${crypto.randomUUID()}`), type('SymmetricKey'), attributes(), keyContent()],
  Interop: async () => [enumeration(TAG.InteropFunction, ENUM.InteropFunction.Begin), text(TAG.InteropIdentifier, 'a test')],
  JoinSplitKey: async (client) => [...(await newParts(client)).slice(0, 2).map(ID), type('SymmetricKey'), attributes()],
  Locate: async () => [attributes(name('nobody'))],
  Log: async () => [text(TAG.LogMessage, 'said')],
  Ping: async () => [],
  Login: async () => [integer(TAG.RequestCount, 3)],
  DelegatedLogin: async () => [structure(TAG.Rights, [structure(TAG.Right, [structure(TAG.Operations, [enumeration(TAG.Operation, ENUM.Operation.Ping)])])])],
  Logout: async (client) => children(await client.do('Login'), TAG.Ticket),
  MAC: onKey(HMAC, data('told')),
  MACVerify: async (client) => {
    const id = ID(await newKey(client));
    return [id, HMAC, data('told'), await made(client, 'MAC', TAG.MACData, [id, HMAC, data('told')])];
  },
  ModifyAttribute: async (client) => [ID(await newKey(client, text(TAG.Comment, 'old'))), described('new')],
  Obliterate: async (client) => [ID(textIn(await client.do('Register', type('SymmetricKey'), attributes(), keyContent()), TAG.UniqueIdentifier))],
  ObtainLease: onKey(),
  PKCS_11: async () => [enumeration(TAG.PKCS_11Function, ENUM.PKCS_11Function.C_Initialize)],
  Poll: async (client) => {
    const asked = await pending(client);
    await client.do('Process', ...asked);
    return asked;
  },
  Process: (client) => pending(client),
  QueryAsynchronousRequests: async () => [],
  Query: async () => [enumeration(TAG.QueryFunction, ENUM.QueryFunction.QueryObjects)],
  RNGRetrieve: async () => [integer(TAG.DataLength, 8)],
  RNGSeed: async () => [data('seed')],
  ReCertify: async (client) => [ID(await newCertificate(client))],
  ReKey: onKey(),
  ReKeyKeyPair: async (client) => [text(TAG.PrivateKeyUniqueIdentifier, (await newPair(client)).privateKey)],
  Recover: async (client) => {
    const id = ID(await newKey(client));
    await client.do('Archive', id);
    return [id];
  },
  Register: async () => [type('SymmetricKey'), attributes(), keyContent()],
  Revoke: onKey(REVOCATION),
  SetAttribute: onKey(described('set')),
  SetConstraints: async () => [structure(TAG.Constraints, [])],
  SetDefaults: async () => [structure(TAG.DefaultsInformation, [])],
  SetEndpointRole: async () => [enumeration(TAG.EndpointRole, ENUM.EndpointRole.Server)],
  Sign: async (client) => [ID((await newPair(client)).privateKey), SHA, data('signed')],
  SignatureVerify: async (client) => {
    const { privateKey, publicKey } = await newPair(client);
    return [ID(publicKey), SHA, data('signed'), await made(client, 'Sign', TAG.SignatureData, [ID(privateKey), SHA, data('signed')])];
  },
  Validate: async (client) => [ID(await newCertificate(client))],
};
