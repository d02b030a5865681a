// The compact spelling: the names in JSON of another key server and its command line, if they differ from the profile's names.
import { nameText } from '../../crypto/x509/distinguished-name.ts';
import { type ResultReason, spellReason } from '../refusal.ts';
import { ENUM, type EnumName } from './enumeration.ts';
import { type Node, type Structure, TYPE, text } from './node.ts';
import { TAG, type TagName } from './tag.ts';

type Spellings = { readonly [E in EnumName]?: { readonly [N in keyof (typeof ENUM)[E]]?: string } };

/**
 * The compact names, exactly as that server writes them: some are errors (`MFG1`, `Page166Of230McEliece`), some mean something else (`URI` is `OnPremise`).
 * No compact name is the profile's name of another value in the same enumeration, so a reader can accept both spellings at once.
 */
const SPELLINGS: Spellings = {
  AlternativeNameType: { X_500DistinguishedName: 'X500DirectoryName' },
  AttestationType: { TPMQuote: 'TPM_Quote', TCGIntegrityReport: 'TCG_Integrity_Report', SAMLAssertion: 'SAML_Assertion' },
  BlockCipherMode: { CBC_MAC: 'CBCMAC', X9_102AESKW: 'X9102AESKW', X9_102TDKW: 'X9102TDKW', X9_102AKW1: 'X9102AKW1', X9_102AKW2: 'X9102AKW2' },
  CertificateRequestType: { PKCS_10: 'PKCS10' },
  CertificateType: { X_509: 'X509' },
  ClientRegistrationMethod: {
    ServerPreGenerated: 'ServerPreRegistered',
    ServerOnDemand: 'ServerPreregisteredPadding',
    ClientGenerated: 'ServerTrustedPlatformModule',
    ClientRegistered: 'ServerClientAttestation',
  },
  CryptographicAlgorithm: {
    DES3: 'THREE_DES',
    HMAC_SHA1: 'HMACSHA1',
    HMAC_SHA224: 'HMACSHA224',
    HMAC_SHA256: 'HMACSHA256',
    HMAC_SHA384: 'HMACSHA384',
    HMAC_SHA512: 'HMACSHA512',
    HMAC_MD5: 'HMACMD5',
    SHA3_224: 'SHA3224',
    SHA3_256: 'SHA3256',
    SHA3_384: 'SHA3384',
    SHA3_512: 'SHA3512',
    HMAC_SHA3_224: 'HMACSHA3224',
    HMAC_SHA3_256: 'HMACSHA3256',
    HMAC_SHA3_384: 'HMACSHA3384',
    HMAC_SHA3_512: 'HMACSHA3512',
    SHAKE_128: 'SHAKE128',
    SHAKE_256: 'SHAKE256',
    GOSTR34_10_2012: 'GOSTR34102012',
    GOSTR34_11_2012: 'GOSTR34112012',
    GOSTR34_13_2015: 'GOSTR34132015',
    GOST28147_89: 'GOST2814789',
    McEliece: 'Page166Of230McEliece',
    McEliece_6960119: 'McEliece6960119',
    McEliece_8192128: 'McEliece8192128',
  },
  DerivationMethod: {
    NIST800_108_C: 'NIST800_108C',
    NIST800_108_F: 'NIST800_108F',
    NIST800_108_DPI: 'NIST800_108DPI',
    AsymmetricKey: 'Asymmetric_Key',
    AWSSignatureVersion4: 'AWS_Signature_Version_4',
  },
  DigitalSignatureAlgorithm: {
    SHA_1WithRSAEncryption: 'SHA1WithRSAEncryption',
    SHA_224WithRSAEncryption: 'SHA224WithRSAEncryption',
    SHA_256WithRSAEncryption: 'SHA256WithRSAEncryption',
    SHA_384WithRSAEncryption: 'SHA384WithRSAEncryption',
    SHA_512WithRSAEncryption: 'SHA512WithRSAEncryption',
    RSASSA_PSS: 'RSASSAPSS',
    DSAWithSHA_1: 'DSAWithSHA1',
    ECDSAWithSHA_1: 'ECDSAWithSHA1',
    SHA3_256WithRSAEncryption: 'SHA3256WithRSAEncryption',
    SHA3_384WithRSAEncryption: 'SHA3384WithRSAEncryption',
    SHA3_512WithRSAEncryption: 'SHA3512WithRSAEncryption',
  },
  DRBGAlgorithm: { Dual_EC: 'DualEC' },
  HashingAlgorithm: {
    SHA_1: 'SHA1',
    SHA_224: 'SHA224',
    SHA_256: 'SHA256',
    SHA_384: 'SHA384',
    SHA_512: 'SHA512',
    RIPEMD_160: 'RIPEMD160',
    SHA_512_224: 'SHA512224',
    SHA_512_256: 'SHA512256',
    SHA3_224: 'SHA3224',
    SHA3_256: 'SHA3256',
    SHA3_384: 'SHA3384',
    SHA3_512: 'SHA3512',
  },
  KeyCompressionType: {
    ECPublicKeyTypeX9_62CompressedPrime: 'ECPublicKeyTypeX962CompressedPrime',
    ECPublicKeyTypeX9_62CompressedChar2: 'ECPublicKeyTypeX962CompressedChar2',
    ECPublicKeyTypeX9_62Hybrid: 'ECPublicKeyTypeX962Hybrid',
  },
  KeyFormatType: { PKCS_1: 'PKCS1', PKCS_8: 'PKCS8', X_509: 'X509', PKCS_12: 'PKCS12', PKCS_10: 'PKCS10', PKCS_7: 'PKCS7' },
  KeyValueLocationType: { UninterpretedTextString: 'Unspecified', URI: 'OnPremise' },
  LinkType: { PKCS_12CertificateLink: 'PKCS12CertificateLink', PKCS_12PasswordLink: 'PKCS12PasswordLink' },
  MaskGenerator: { MGF1: 'MFG1' },
  ObjectGroupMember: { GroupMemberFresh: 'Group_Member_Fresh', GroupMemberDefault: 'Group_Member_Default' },
  Operation: { PKCS_11: 'PKCS11' },
  PaddingMethod: { ANSIX9_23: 'ANSI_X923', PKCS1V1_5: 'PKCS1v15', X9_31: 'X931' },
  ProfileName: {
    CompleteServerTLSV1_2: 'CompleteServerTLSv12',
    OpaqueManagedObjectStoreClient: 'OpaqueMangedObjectStoreClient',
    OpaqueManagedObjectStoreServer: 'OpaqueMangedObjectStoreServer',
    PKCS_11Client: 'PKCS11Client',
    PKCS_11Server: 'PKCS11Server',
  },
  RecommendedCurve: {
    P_192: 'P192',
    K_163: 'K163',
    B_163: 'B163',
    P_224: 'P224',
    K_233: 'K233',
    B_233: 'B233',
    P_256: 'P256',
    K_283: 'K283',
    B_283: 'B283',
    P_384: 'P384',
    K_409: 'K409',
    B_409: 'B409',
    P_521: 'P521',
    K_571: 'K571',
    B_571: 'B571',
  },
  ResultReason: Object.fromEntries((Object.keys(ENUM.ResultReason) as ResultReason[]).map((name) => [name, spellReason(name)])),
  RNGAlgorithm: { ANSIX9_31: 'ANSI_X931', ANSIX9_62: 'ANSI_X962' },
  ShreddingAlgorithm: { Unsupported: 'Unsupervised' },
  SplitKeyMethod: { PolynomialSharingGF216: 'PolynomialSharingGf216', PolynomialSharingGF28: 'PolynomialSharingGf28' },
  State: { DestroyedCompromised: 'Destroyed_Compromised' },
  UniqueIdentifier: {
    ReKey: 'Rekey',
    ReCertify: 'Recertify',
    ReKeyKeyPair: 'RekeyKeyPair',
    ReKeyKeyPairPrivateKey: 'RekeyKeyPairPrivateKey',
    ReKeyKeyPairPublicKey: 'RekeyKeyPairPublicKey',
  },
  UnwrapMode: { Processed: 'UsingWrappingKey', NotProcessed: 'UsingTransportKey' },
  ValidationAuthorityType: { Unspecified: 'CommonCriteriaTestingLaboratory', NISTCMVP: 'Nvlap', CommonCriteria: 'Niap' },
  WrappingMethod: { TR_31: 'TR31' },
};

/** Tags, which are also the values of AttributeReference. */
const TAG_SPELLINGS: { readonly [N in TagName]?: string } = {
  PKCS_11Function: 'PKCS11Function',
  PKCS_11InputParameters: 'PKCS11InputParameters',
  PKCS_11Interface: 'PKCS11Interface',
  PKCS_11OutputParameters: 'PKCS11OutputParameters',
  PKCS_11ReturnCode: 'PKCS11ReturnCode',
  PKCS_12FriendlyName: 'PKCS12FriendlyName',
  X_509CertificateIdentifier: 'X509CertificateIdentifier',
  X_509CertificateIssuer: 'X509CertificateIssuer',
  X_509CertificateSubject: 'X509CertificateSubject',
};

/** Names for values in the extension range; the profile writes these values as numbers. */
const EXTENSIONS: { readonly [E in EnumName]?: Readonly<Record<string, number>> } = {
  OpaqueDataType: { Unknown: 0x80000001, Vendor: 0x80123456 },
};

/** The codes by their compact names, if these differ from the profile's. */
export function compactCodes(enumeration: EnumName): Readonly<Record<string, number>> {
  return { ...codesOf(SPELLINGS[enumeration] ?? {}, ENUM[enumeration]), ...EXTENSIONS[enumeration] };
}

export const COMPACT_TAGS: Readonly<Record<string, number>> = codesOf(TAG_SPELLINGS, TAG);

function codesOf(spellings: Readonly<Record<string, string>>, codes: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(spellings).map(([name, other]) => [other, codes[name] as number]));
}

type Plain = (node: Structure) => Node | undefined;

/** The member with this tag, if there is exactly one. */
const member =
  (tag: number): Plain =>
  ({ value }) => {
    const [only, ...more] = value.filter((each) => each.tag === tag);
    return more.length === 0 ? only : undefined;
  };

/** The distinguished name as text. */
const name =
  (tag: number): Plain =>
  ({ value }) => {
    const der = value.find((each) => each.tag === tag);
    return der?.type === TYPE.ByteString ? text(tag, nameText(der.value)) : undefined;
  };

const mask = member(TAG.ProtectionStorageMask);

/**
 * Structures that the compact spelling writes as a plain value: the value of the node that the function returns.
 * If it returns undefined, the structure is written as a structure. Requests may use either form for the first two.
 */
export const COMPACT_PLAIN: ReadonlyMap<number, Plain> = new Map([
  [TAG.RotateName, member(TAG.RotateNameValue)],
  [TAG.ProtectionStorageMasks, mask],
  [TAG.X_509CertificateIssuer, name(TAG.IssuerDistinguishedName)],
  [TAG.X_509CertificateSubject, name(TAG.SubjectDistinguishedName)],
]);
