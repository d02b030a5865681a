// Valid requests for every operation, in the shape of KMIP 2.1, over the objects of `objects.ts`: what the fuzzer of the operations breaks.
import { downgradePayload } from '../../kmip/message/legacy.ts';
import { toThird } from '../../kmip/message/third-version.ts';
import type { OperationName } from '../../kmip/operation-name.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { enumOf } from '../../kmip/ttlv/enumeration-of.ts';
import {
  bigInteger,
  boolean,
  bytes,
  dateTime,
  enumeration,
  integer,
  interval,
  longInteger,
  type Node,
  type Structure,
  structure,
  TYPE,
  text,
} from '../../kmip/ttlv/node.ts';
import { enumerationValueExists, operationExists, tagExists } from '../../kmip/ttlv/since.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import type { Version } from '../../kmip/version.ts';

export interface Request {
  readonly operation: OperationName;
  /** Members of the payload. */
  readonly payload: readonly Node[];
  /** It stands for its operation alone: it must succeed in every version that has all of it. Others continue a stream, or need an asynchronous request. */
  readonly alone: boolean;
}

/** What only the server can make, and later requests need. */
export interface Made {
  readonly ciphertext: { readonly data: Uint8Array; readonly tag: Uint8Array };
  readonly sealed: Uint8Array;
  readonly signature: Uint8Array;
  readonly mac: Uint8Array;
  /** A KeyBlock wrapped by `wrapper`. */
  readonly wrapped: Structure;
  readonly certificate: Structure;
  readonly ticket: Structure;
}

import {
  ANY_USE,
  active,
  aes,
  attributes,
  BROUGHT,
  CERTIFICATE_REQUEST,
  certificateLink,
  certificateRequest,
  code,
  correlation,
  custom,
  data,
  derivation,
  derivationData,
  final,
  gcm,
  IV,
  id,
  init,
  iv,
  keyBlock,
  link,
  mask,
  name,
  newAttribute,
  opaque,
  pairOf,
  parameters,
  password,
  reference,
  SECONDS,
  sha256,
  subject,
  symmetricKey,
  vendor,
  vendorReference,
  wrapping,
} from './members.ts';

type Table = { readonly [N in OperationName]?: (made: Made) => readonly (readonly Node[])[] };

/** Several for an operation that takes very different ones. */
const ALONE: Table = {
  Activate: () => [[id('new')]],
  AddAttribute: () => [
    [id('aes'), newAttribute(name('another'))],
    [id('aes'), newAttribute(custom('4711'))],
    [id('aes'), newAttribute(link('ParentLink', 'hmac'))],
    [id('new'), newAttribute(dateTime(TAG.ActivationDate, SECONDS + 1))],
  ],
  AdjustAttribute: () => [[id('set'), reference(TAG.RotateInterval), code('AdjustmentType', 'Increment'), integer(TAG.AdjustmentValue, 60)]],
  Archive: () => [[id('aes')]],
  Certify: () => [
    [id('ec_pk'), attributes(subject('Leaf'), certificateLink, link('PrivateKeyLink', 'root-key'))],
    [
      code('CertificateRequestType', 'PKCS_10'),
      bytes(TAG.CertificateRequestValue, CERTIFICATE_REQUEST),
      attributes(
        certificateLink,
        link('PrivateKeyLink', 'root-key'),
        vendor('requested_validity_days', '30'),
        vendor(
          'x509-extension',
          '[ v3_ca ]\nbasicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign,crlSign\nsubjectAltName=DNS:example.com,IP:192.0.2.1\n',
        ),
      ),
    ],
    [id('stored-request'), attributes(certificateLink, link('PrivateKeyLink', 'root-key'))],
    [attributes(subject('Self'), code('CryptographicAlgorithm', 'EC'), integer(TAG.CryptographicLength, 256), mask(ANY_USE))],
  ],
  Cancel: () => [[bytes(TAG.AsynchronousCorrelationValue, IV)]],
  Check: () => [
    [id('aes'), mask(12), interval(TAG.LeaseTime, 1)],
    [id('limited'), longInteger(TAG.UsageLimitsCount, 5n)],
  ],
  Create: () => [
    [
      code('ObjectType', 'SymmetricKey'),
      aes(
        256,
        name('made'),
        vendor('tag', '["red","blue"]'),
        structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, 100n), code('UsageLimitsUnit', 'Byte')]),
      ),
    ],
    [
      code('ObjectType', 'SymmetricKey'),
      attributes(code('CryptographicAlgorithm', 'HMAC_SHA512'), integer(TAG.CryptographicLength, 512), mask(ANY_USE), active),
    ],
    [code('ObjectType', 'SecretData'), attributes(code('SecretDataType', 'Seed'), integer(TAG.CryptographicLength, 256), mask(ANY_USE))],
  ],
  CreateKeyPair: () => [
    [
      pairOf(code('CryptographicAlgorithm', 'EC'), structure(TAG.CryptographicDomainParameters, [code('RecommendedCurve', 'P_384')])),
      structure(TAG.PrivateKeyAttributes, [mask(1), name('own')]),
      structure(TAG.PublicKeyAttributes, [mask(2)]),
    ],
    [pairOf(code('CryptographicAlgorithm', 'Ed25519'), mask(ANY_USE))],
    [pairOf(code('CryptographicAlgorithm', 'MLKEM_512'), mask(ANY_USE))],
  ],
  CreateSplitKey: () => [
    [
      code('ObjectType', 'SymmetricKey'),
      integer(TAG.SplitKeyParts, 3),
      integer(TAG.SplitKeyThreshold, 2),
      code('SplitKeyMethod', 'PolynomialSharingGF28'),
      aes(128),
    ],
    [
      code('ObjectType', 'SymmetricKey'),
      id('aes'),
      integer(TAG.SplitKeyParts, 3),
      integer(TAG.SplitKeyThreshold, 2),
      code('SplitKeyMethod', 'PolynomialSharingPrimeField'),
      bigInteger(TAG.PrimeFieldSize, 2n ** 521n - 1n),
      attributes(),
    ],
    [
      code('ObjectType', 'SecretData'),
      id('password'),
      integer(TAG.SplitKeyParts, 2),
      integer(TAG.SplitKeyThreshold, 2),
      code('SplitKeyMethod', 'XOR'),
      attributes(),
    ],
  ],
  Decrypt: ({ ciphertext, sealed }) => [
    [id('aes'), gcm, data(ciphertext.data), iv, bytes(TAG.AuthenticatedEncryptionAdditionalData, IV), bytes(TAG.AuthenticatedEncryptionTag, ciphertext.tag)],
    [id('rsa'), parameters(code('PaddingMethod', 'OAEP'), sha256), data(sealed)],
  ],
  DeleteAttribute: () => [
    [id('aes'), reference(TAG.Name)],
    [id('aes'), vendorReference],
    [id('aes'), structure(TAG.CurrentAttribute, [name('first')])],
  ],
  Deactivate: () => [
    [id('aes'), structure(TAG.DeactivationReason, [code('DeactivationReasonCode', 'UsageLimit'), text(TAG.DeactivationMessage, 'worn out')])],
    [id('aes')],
  ],
  // Of X25519 the base point (RFC 7748 section 4.1).
  Decapsulate: () => [[id('agree'), data(Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? 9 : 0)))]],
  DeriveKey: () => [
    derivation('HMAC', 'aes', parameters(sha256), derivationData),
    derivation('PBKDF2', 'password', parameters(sha256), bytes(TAG.Salt, IV), integer(TAG.IterationCount, 10)),
    derivation(
      'ENCRYPT',
      'aes',
      parameters(code('BlockCipherMode', 'CBC'), code('PaddingMethod', 'PKCS5')),
      bytes(TAG.InitializationVector, new Uint8Array(16)),
      derivationData,
    ),
    derivation('NIST800_108_C', 'hmac', parameters(sha256), derivationData),
    derivation('HASH', 'aes', parameters(sha256)),
    [
      code('ObjectType', 'SecretData'),
      id('aes'),
      code('DerivationMethod', 'HMAC'),
      structure(TAG.DerivationParameters, [parameters(sha256), derivationData]),
      attributes(integer(TAG.CryptographicLength, 128), mask(ANY_USE)),
    ],
    [
      code('ObjectType', 'SecretData'),
      id('agree'),
      id('agree_pk'),
      code('DerivationMethod', 'AsymmetricKey'),
      structure(TAG.DerivationParameters, []),
      attributes(integer(TAG.CryptographicLength, 256), mask(ANY_USE)),
    ],
  ],
  Destroy: () => [[id('new')], [id('new'), boolean(TAG.Remove, true)]],
  DiscoverVersions: () => [[], [structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, 1), integer(TAG.ProtocolVersionMinor, 2)])]],
  Encapsulate: () => [[id('agree_pk'), parameters(code('KEMAlgorithm', 'DHKEM')), attributes(mask(ANY_USE))], [id('kem_pk')]],
  Encrypt: () => [
    [id('aes'), gcm, data(), iv, bytes(TAG.AuthenticatedEncryptionAdditionalData, IV)],
    [id('aes'), parameters(code('BlockCipherMode', 'CBC'), code('PaddingMethod', 'PKCS5'), boolean(TAG.RandomIV, true)), data()],
    [id('aes'), parameters(code('BlockCipherMode', 'CTR'), integer(TAG.IVLength, 128)), data()],
    [id('aes'), parameters(code('BlockCipherMode', 'CCM'), integer(TAG.TagLength, 12)), data()],
    [id('aes'), parameters(code('BlockCipherMode', 'NISTKeyWrap')), data(new Uint8Array(32))],
    [id('xts'), parameters(code('BlockCipherMode', 'XTS')), data(new Uint8Array(40))],
    [id('fpe'), data(new Uint8Array(Buffer.from('4111111111111111')))],
    [id('chacha'), parameters(code('CryptographicAlgorithm', 'ChaCha20Poly1305')), data()],
    [id('rsa_pk'), parameters(code('PaddingMethod', 'OAEP'), sha256, code('MaskGenerator', 'MGF1')), data()],
    [id('rsa_pk'), parameters(code('PaddingMethod', 'PKCS1V1_5')), data()],
    [id('kem_pk')],
    [id('limited'), data()],
  ],
  Export: () => [[id('aes')], [id('ec'), code('KeyFormatType', 'PKCS_8')], [id('aes'), wrapping]],
  Get: () => [
    [id('aes')],
    [id('aes'), code('KeyFormatType', 'TransparentSymmetricKey')],
    [id('aes'), wrapping],
    [id('rsa'), code('KeyFormatType', 'TransparentRSAPrivateKey')],
    [id('ec'), code('KeyFormatType', 'TransparentECPrivateKey')],
    [id('root')],
    [id('password')],
    [id('opaque')],
    [id('wrapped')],
  ],
  GetAttributeList: () => [[id('aes')], [id('root')]],
  GetAttributes: () => [[id('aes')], [id('rsa'), reference(TAG.State), reference(TAG.Link)], [id('root')], [id('set')], [id('destroyed')]],
  GetUsageAllocation: () => [[id('limited'), longInteger(TAG.UsageLimitsCount, 5n)]],
  GetConstraints: () => [[]],
  Hash: () => [
    [parameters(sha256), data()],
    [parameters(code('HashingAlgorithm', 'SHA3_512')), data()],
  ],
  Import: ({ wrapped }) => [
    [id('imported'), code('ObjectType', 'SymmetricKey'), aes(128, code('State', 'Active'), active), symmetricKey(BROUGHT)],
    [id('aes'), code('ObjectType', 'SymmetricKey'), boolean(TAG.ReplaceExisting, true), aes(128), symmetricKey(BROUGHT)],
    [id('unwrapped'), code('ObjectType', 'SymmetricKey'), code('KeyWrapType', 'NotWrapped'), attributes(mask(ANY_USE)), structure(TAG.SymmetricKey, [wrapped])],
  ],
  Interop: () => [[code('InteropFunction', 'Begin'), text(TAG.InteropIdentifier, 'a test')]],
  JoinSplitKey: () => [[code('ObjectType', 'SymmetricKey'), id('parts_1'), id('parts_3'), attributes()]],
  Locate: () => [
    [attributes(code('ObjectType', 'SymmetricKey'), code('State', 'Active'))],
    [integer(TAG.MaximumItems, 2), integer(TAG.OffsetItems, 1), attributes(vendor('tag', '["blue"]'))],
    [attributes(name('first'))],
    [integer(TAG.StorageStatusMask, 3), attributes(dateTime(TAG.InitialDate, 0), dateTime(TAG.InitialDate, 2 ** 40))],
    [code('ObjectGroupMember', 'GroupMemberFresh'), attributes(text(TAG.ObjectGroup, 'group'), mask(4), link('PublicKeyLink', 'rsa_pk'), id('aes'))],
  ],
  Log: () => [[text(TAG.LogMessage, 'said by a client')]],
  Login: () => [[], [interval(TAG.LeaseTime, 60), integer(TAG.RequestCount, 3)]],
  DelegatedLogin: () => [
    [
      integer(TAG.RequestCount, 3),
      structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, 5n), code('UsageLimitsUnit', 'Object')]),
      structure(TAG.Rights, [
        structure(TAG.Right, [structure(TAG.Operations, [code('Operation', 'Get'), code('Operation', 'Ping')]), structure(TAG.Objects, [id('aes')])]),
        structure(TAG.Right, [structure(TAG.ObjectGroups, [text(TAG.ObjectGroup, 'group')])]),
      ]),
    ],
  ],
  Logout: ({ ticket }) => [[ticket]],
  Ping: () => [[]],
  MAC: () => [
    [id('hmac'), data()],
    [id('aes'), parameters(code('BlockCipherMode', 'CMAC')), data()],
  ],
  MACVerify: ({ mac }) => [[id('hmac'), data(), bytes(TAG.MACData, mac)]],
  ModifyAttribute: () => [
    [id('aes'), structure(TAG.CurrentAttribute, [name('first')]), newAttribute(name('renamed'))],
    [id('aes'), structure(TAG.CurrentAttribute, [custom('1')]), newAttribute(custom('2'))],
    [id('set'), newAttribute(interval(TAG.RotateInterval, 60))],
  ],
  Obliterate: () => [[id('destroyed')], [id('new')]],
  ObtainLease: () => [[id('aes')]],
  PKCS_11: () => [[code('PKCS_11Function', 'C_Initialize')], [text(TAG.PKCS_11Interface, 'PKCS 11'), code('PKCS_11Function', 'C_GetInfo')]],
  Query: () => [Object.values(ENUM.QueryFunction).map((value) => enumeration(TAG.QueryFunction, value))],
  RNGRetrieve: () => [[integer(TAG.DataLength, 32)]],
  RNGSeed: () => [[data()]],
  QueryAsynchronousRequests: () => [
    [],
    [structure(TAG.AsynchronousCorrelationValues, [bytes(TAG.AsynchronousCorrelationValue, IV)]), structure(TAG.Operations, [code('Operation', 'Create')])],
  ],
  ReCertify: () => [[id('leaf')], [id('root'), interval(TAG.Offset, 10), attributes(subject('Renewed'))]],
  ReKey: () => [[id('aes')], [id('aes'), interval(TAG.Offset, 60), attributes(integer(TAG.CryptographicLength, 128))], [id('set@latest')]],
  ReKeyKeyPair: () => [[text(TAG.PrivateKeyUniqueIdentifier, 'ec'), interval(TAG.Offset, 60)]],
  Recover: () => [[id('archived')]],
  Register: ({ wrapped, certificate }) => [
    [code('ObjectType', 'SymmetricKey'), attributes(mask(ANY_USE), name('registered')), symmetricKey(BROUGHT)],
    [
      code('ObjectType', 'SymmetricKey'),
      attributes(mask(ANY_USE)),
      structure(TAG.SymmetricKey, [
        keyBlock([bytes(TAG.Key, BROUGHT)], 'TransparentSymmetricKey', code('CryptographicAlgorithm', 'AES'), integer(TAG.CryptographicLength, 128)),
      ]),
    ],
    [code('ObjectType', 'SecretData'), attributes(mask(ANY_USE)), password(BROUGHT)],
    [code('ObjectType', 'OpaqueObject'), attributes(), opaque(BROUGHT)],
    [code('ObjectType', 'SymmetricKey'), attributes(mask(ANY_USE)), structure(TAG.SymmetricKey, [wrapped])],
    [code('ObjectType', 'Certificate'), attributes(), certificate],
    [code('ObjectType', 'CertificateRequest'), attributes(), certificateRequest],
    [
      code('ObjectType', 'PublicKey'),
      attributes(mask(ANY_USE)),
      structure(TAG.PublicKey, [
        keyBlock(
          [bigInteger(TAG.Modulus, 2n ** 2047n + 0x1234567890abcdefn), bigInteger(TAG.PublicExponent, 65537n)],
          'TransparentRSAPublicKey',
          code('CryptographicAlgorithm', 'RSA'),
          integer(TAG.CryptographicLength, 2048),
        ),
      ]),
    ],
    [
      code('ObjectType', 'PrivateKey'),
      attributes(mask(ANY_USE)),
      structure(TAG.PrivateKey, [
        keyBlock(
          [code('RecommendedCurve', 'P_256'), bigInteger(TAG.D, 12345678901234567890123456789n)],
          'TransparentECPrivateKey',
          code('CryptographicAlgorithm', 'EC'),
          integer(TAG.CryptographicLength, 256),
        ),
      ]),
    ],
    [
      code('ObjectType', 'SplitKey'),
      attributes(mask(ANY_USE)),
      structure(TAG.SplitKey, [
        integer(TAG.SplitKeyParts, 3),
        integer(TAG.KeyPartIdentifier, 1),
        integer(TAG.SplitKeyThreshold, 2),
        code('SplitKeyMethod', 'PolynomialSharingGF28'),
        keyBlock(BROUGHT, 'Raw', code('CryptographicAlgorithm', 'AES'), integer(TAG.CryptographicLength, 128)),
      ]),
    ],
  ],
  Revoke: () => [
    [
      id('aes'),
      structure(TAG.RevocationReason, [code('RevocationReasonCode', 'KeyCompromise'), text(TAG.RevocationMessage, 'lost')]),
      dateTime(TAG.CompromiseOccurrenceDate, 6),
    ],
  ],
  SetAttribute: () => [
    [id('aes'), newAttribute(text(TAG.Description, 'described'))],
    [id('set'), newAttribute(interval(TAG.RotateInterval, 3600))],
    [id('aes'), newAttribute(boolean(TAG.Sensitive, true))],
  ],
  SetConstraints: () => [
    [structure(TAG.Constraints, [structure(TAG.Constraint, [structure(TAG.ObjectGroups, [text(TAG.ObjectGroup, 'nobody')]), aes(256)])])],
    [structure(TAG.Constraints, [])],
  ],
  SetDefaults: () => [[structure(TAG.DefaultsInformation, [structure(TAG.ObjectDefaults, [code('ObjectType', 'SymmetricKey'), aes(256)])])], []],
  SetEndpointRole: () => [[code('EndpointRole', 'Server')]],
  Sign: () => [
    [id('rsa'), parameters(code('PaddingMethod', 'PSS'), sha256, integer(TAG.SaltLength, 32)), data()],
    [id('ec'), data()],
    [id('ed'), data()],
    [id('rsa'), parameters(code('DigitalSignatureAlgorithm', 'SHA_256WithRSAEncryption')), bytes(TAG.DigestedData, new Uint8Array(32))],
  ],
  SignatureVerify: ({ signature }) => [[id('ed_pk'), data(), bytes(TAG.SignatureData, signature)]],
  Validate: ({ certificate }) => [[id('leaf')], [certificate, dateTime(TAG.ValidityDate, SECONDS)]],
};

/** Parts of multi-part operations; the correlation value is that of the last answer that had one. */
const PARTS: Table = {
  Encrypt: () => [
    [id('aes'), gcm, data(), init],
    [id('aes'), data(), correlation],
    [id('aes'), data(), correlation, final],
  ],
  Decrypt: ({ ciphertext: { tag } }) => [
    [id('aes'), gcm, data(), iv, init],
    [id('aes'), data(), correlation, bytes(TAG.AuthenticatedEncryptionTag, tag), final],
  ],
  Sign: () => [
    [id('ec'), data(), init],
    [id('ed'), data(), init],
    [id('ec'), data(), correlation],
    [id('ed'), data(), correlation, final],
  ],
  SignatureVerify: () => [
    [id('ec_pk'), data(), init],
    [id('ec_pk'), data(), correlation, final, bytes(TAG.SignatureData, IV)],
  ],
  MAC: () => [
    [id('hmac'), data(), init],
    [id('hmac'), data(), correlation, final],
  ],
  MACVerify: () => [
    [id('hmac'), data(), init],
    [id('hmac'), data(), correlation, final, bytes(TAG.MACData, IV)],
  ],
  Hash: () => [
    [parameters(sha256), data(), init],
    [data(), correlation],
    [correlation, final],
  ],
  Poll: () => [[bytes(TAG.AsynchronousCorrelationValue, IV)]],
  Process: () => [[bytes(TAG.AsynchronousCorrelationValue, IV)]],
  PKCS_11: () => [
    [code('PKCS_11Function', 'C_GetInfo'), correlation],
    [code('PKCS_11Function', 'C_Finalize'), correlation],
  ],
};

export function requestsOver(made: Made): readonly Request[] {
  const from = (table: Table, alone: boolean) =>
    Object.entries(table).flatMap(([operation, build]) => build(made).map((payload) => ({ operation: operation as OperationName, payload, alone })));
  return [...from(ALONE, true), ...from(PARTS, false)];
}

/** The request as a client of this version writes it; undefined where the version has not all of it. */
export function inVersion({ operation, payload }: Request, version: Version): Pick<Request, 'operation' | 'payload'> | undefined {
  if (!operationExists(ENUM.Operation[operation], version) || !payload.every((node) => isValueIn(node, version))) return undefined;
  // Names of certificates are attributes that KMIP 1.x has not: they would be left out. Nor does it store certificate requests.
  if (version.major === 1 && payload.some((node) => holds(node, TAG.CertificateAttributes) || node.tag === TAG.CertificateRequest)) return undefined;
  const written = inForm(payload, version);
  return written.length >= payload.length && written.every((node) => exists(node, version)) ? { operation, payload: written } : undefined;
}

function inForm(payload: readonly Node[], { major }: Version): readonly Node[] {
  if (major === 1) return downgradePayload('Register', payload, LAST_1).map(inVersion1);
  return major === 3 ? toThird(payload) : payload;
}

const LAST_1: Version = { major: 1, minor: 4 };
const inVersion1 = (node: Node): Node => (node.tag === TAG.CertificateRequestValue ? ({ ...node, tag: TAG.CertificateRequest } as Node) : node);

function holds(node: Node, tag: number): boolean {
  return node.tag === tag || (node.type === TYPE.Structure && node.value.some((member) => holds(member, tag)));
}

/** Values that the version has not are refused. */
function isValueIn(node: Node, version: Version): boolean {
  if (node.type === TYPE.Structure) return node.value.every((member) => isValueIn(member, version));
  if (node.tag === TAG.AttributeReference && node.type === TYPE.Enumeration && !tagExists(node.value, version)) return false;
  const name = node.type === TYPE.Enumeration ? enumOf(node.tag) : undefined;
  return name === undefined || enumerationValueExists(name, node.value as number, version);
}

function exists(node: Node, version: Version): boolean {
  return tagExists(node.tag, version) && (node.type !== TYPE.Structure || node.value.every((member) => exists(member, version)));
}
