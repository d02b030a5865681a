// Objects that clients register or import: reads the content once, checks it against the given attributes, and sets the attributes that describe it.
import { isCurveLength } from '../../../crypto/key/curve.ts';
import { keyFacts } from '../../../crypto/key/key-algorithm.ts';
import { flawOf } from '../../../crypto/key/sound-key.ts';
import { fitsLength } from '../../../crypto/key/symmetric-key.ts';
import { readCertificateRequest } from '../../../crypto/x509/certificate-request.ts';
import type { AttributeSet } from '../../../kmip/attribute/set.ts';
import { keyBlockHead, keyBlockOf, lacksKeyValue } from '../../../kmip/key-block.ts';
import { requireDeclaredFormat } from '../../../kmip/key-format/declared-format.ts';
import { importKey } from '../../../kmip/key-format/key-format.ts';
import { requireMaterialForm } from '../../../kmip/key-format/material-form.ts';
import { rsaStructureFlaw } from '../../../kmip/key-format/rsa-structure.ts';
import { requireKnownCodes } from '../../../kmip/message/known-codes.ts';
import type { ObjectType as ObjectTypeCode } from '../../../kmip/object-type.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { tagName } from '../../../kmip/ttlv/names.ts';
import { boolean, enumeration, integer, type Structure, structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { bytesOf, child, codeOf, integerOf, nameOf, required, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { describeCertificate, describePublicKey } from './attributes/certificate-attributes.ts';
import { givenAlgorithm, givenCurve, givenLength, requireAllowed } from './attributes/new-attributes.ts';
import { requireTemplate } from './attributes/template.ts';
import { SYMMETRIC_FORMATS } from './forms/format.ts';
import { splitParametersOf } from './forms/split-key.ts';

const { ObjectType } = ENUM;

/** The tag of an object's content, by object type. */
const CONTENT_TAG: Readonly<Record<number, number>> = {
  [ObjectType.Certificate]: TAG.Certificate,
  [ObjectType.SymmetricKey]: TAG.SymmetricKey,
  [ObjectType.PublicKey]: TAG.PublicKey,
  [ObjectType.PrivateKey]: TAG.PrivateKey,
  [ObjectType.SplitKey]: TAG.SplitKey,
  [ObjectType.Template]: TAG.Template,
  [ObjectType.SecretData]: TAG.SecretData,
  [ObjectType.OpaqueObject]: TAG.OpaqueObject,
  [ObjectType.PGPKey]: TAG.PGPKey,
  [ObjectType.CertificateRequest]: TAG.CertificateRequest,
};

const TYPES: ReadonlyMap<number, number> = new Map(Object.entries(CONTENT_TAG).map(([type, tag]) => [tag, Number(type)]));

/** The type of the object in a payload, by its tag. */
export function contentType({ value }: Structure): number | undefined {
  return value.map(({ tag }) => TYPES.get(tag)).find((type) => type !== undefined);
}

/**
 * The object in a Register or Import payload.
 * @param mayLackKeyValue whether the key may be kept elsewhere
 * @throws Refusal if it is missing or of another type
 */
export function contentIn(request: Structure, type: number, mayLackKeyValue = false): Structure {
  const tag = CONTENT_TAG[type];
  if (tag === undefined) throw new Refusal('InvalidField', `objects of type ${nameOf('ObjectType', type)} cannot be registered: not supported`);
  const other = request.value.find((node) => node.tag !== tag && TYPES.has(node.tag));
  if (other)
    throw new Refusal(
      'InvalidField',
      `the request is for a ${nameOf('ObjectType', type)}, but also contains a ${tagName(other.tag)}; send one object at a time`,
    );
  const content = child(request, tag);
  if (content?.type === TYPE.Structure) {
    requireKnownCodes(content);
    if (!mayLackKeyValue && lacksKeyValue(content)) throw new Refusal('InvalidMessage', 'missing field: KeyValue');
    return content;
  }
  throw new Refusal('InvalidMessage', `missing field: a ${nameOf('ObjectType', type)}`);
}

/** Adds the facts that the content states to the attributes. @throws Refusal if the two disagree, or the content is malformed */
export function describeContent(type: ObjectTypeCode, content: Structure, attributes: AttributeSet, allowed: readonly string[]): void {
  if (lacksKeyValue(content)) return describeKeptElsewhere(type, content, attributes, allowed);
  requireMaterialForm(content);
  switch (type) {
    case ObjectType.SymmetricKey:
      return describeSymmetric(content, attributes, allowed);
    case ObjectType.PrivateKey:
    case ObjectType.PublicKey:
      return describeAsymmetric(type, content, attributes, allowed);
    case ObjectType.Certificate:
      return describeCertificate(content, attributes);
    case ObjectType.OpaqueObject:
      required(bytesOf(content, TAG.OpaqueDataValue), TAG.OpaqueDataValue);
      attributes.set(enumeration(TAG.OpaqueDataType, statedCode(content, TAG.OpaqueDataType, attributes)));
      attributes.set(enumeration(TAG.KeyFormatType, ENUM.KeyFormatType.Opaque));
      return;
    case ObjectType.SecretData:
      // A length does not apply to secret data (specification 2.1 section 3), and clients give others than that of its bytes.
      statedCode(content, TAG.SecretDataType, attributes);
      keyBlockOf(content);
      return;
    case ObjectType.CertificateRequest:
      return describeRequest(content, attributes);
    case ObjectType.SplitKey:
      return requireSplitKey(content);
    case ObjectType.Template:
      return requireTemplate(content);
    default:
      // A PGP key is the only one that is left.
      required(integerOf(content, TAG.PGPKeyVersion), TAG.PGPKeyVersion);
      keyBlockOf(content);
  }
}

const KEPT_ELSEWHERE: ReadonlySet<number> = new Set([ObjectType.SymmetricKey, ObjectType.PrivateKey, ObjectType.SplitKey, ObjectType.SecretData]);

/** A key whose value stays with the client: nothing more is known than what the request says (KMIP 1.2 sections 3.41 and 3.42). */
function describeKeptElsewhere(type: ObjectTypeCode, content: Structure, attributes: AttributeSet, allowed: readonly string[]): void {
  if (!KEPT_ELSEWHERE.has(type)) throw new Refusal('InvalidMessage', `missing field: KeyValue, which a ${nameOf('ObjectType', type)} must have`);
  if (child(required(structureOf(content, TAG.KeyBlock), TAG.KeyBlock), TAG.KeyWrappingData))
    throw new Refusal('InvalidField', 'KeyWrappingData is given without the KeyValue that it describes; give both or none');
  const { algorithm = givenAlgorithm(attributes), length = givenLength(attributes) } = keyBlockHead(content);
  if (type === ObjectType.SecretData) statedCode(content, TAG.SecretDataType, attributes);
  else if (algorithm === undefined || length === undefined)
    throw new Refusal('InvalidField', 'the cryptographic algorithm and length must be specified for a key without KeyValue');
  if (type === ObjectType.SplitKey) requireSplitParameters(content);
  if (algorithm !== undefined) requireAllowed(algorithm, allowed);
  requireSame('cryptographic algorithm', givenAlgorithm(attributes), algorithm);
  requireSame('cryptographic length', givenLength(attributes), length);
  attributes.set(boolean(TAG.KeyValuePresent, false));
}

/** @throws Refusal InvalidCSR for a malformed PKCS#10 request; other kinds of requests are stored unchecked */
function describeRequest(content: Structure, attributes: AttributeSet): void {
  const type = required(codeOf(content, TAG.CertificateRequestType), TAG.CertificateRequestType);
  const value = required(bytesOf(content, TAG.CertificateRequestValue), TAG.CertificateRequestValue);
  attributes.remove(TAG.KeyFormatType);
  if (type !== ENUM.CertificateRequestType.PKCS_10 && type !== ENUM.CertificateRequestType.PEM) return;
  describePublicKey('certificate request', readCertificateRequest(value).subjectPublicKey, attributes);
  attributes.set(enumeration(TAG.KeyFormatType, ENUM.KeyFormatType.PKCS_10));
}

/** @throws Refusal InvalidField for a part that cannot come from any split (specification 2.1 section 2.8) */
function requireSplitKey(content: Structure): void {
  keyBlockOf(content);
  requireSplitParameters(content);
}

function requireSplitParameters(content: Structure): void {
  const { method, parts, threshold, primeField } = splitParametersOf(content);
  const identifier = required(integerOf(content, TAG.KeyPartIdentifier), TAG.KeyPartIdentifier);
  if (identifier < 1 || identifier > parts) throw new Refusal('InvalidField', `KeyPartIdentifier must be between 1 and the number of parts, ${parts}`);
  if (threshold < 1 || threshold > parts) throw new Refusal('InvalidField', `SplitKeyThreshold must be between 1 and the number of parts, ${parts}`);
  if (method === 'PolynomialSharingPrimeField' && primeField === undefined) throw new Refusal('InvalidField', `${method} needs PrimeFieldSize`);
}

function describeSymmetric(content: Structure, attributes: AttributeSet, allowed: readonly string[]): void {
  const { algorithm = givenAlgorithm(attributes), format, material, wrapping, length = givenLength(attributes) } = keyBlockOf(content);
  if (algorithm === undefined) throw new Refusal('InvalidField', 'the cryptographic algorithm must be specified');
  requireAllowed(algorithm, allowed);
  requireSame('cryptographic algorithm', givenAlgorithm(attributes), algorithm);
  requireSame('cryptographic length', givenLength(attributes), length);
  attributes.set(enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[algorithm]));
  if (wrapping) return;
  if (!SYMMETRIC_FORMATS.has(format)) throw new Refusal('KeyFormatTypeNotSupported', `${format} is not a format for symmetric keys: not supported`);
  const raw = material instanceof Uint8Array ? material : required(bytesOf(material, TAG.Key), TAG.Key);
  const bits = length ?? raw.length * 8;
  if (!fitsLength(algorithm, bits, raw.length))
    throw new Refusal('InvalidField', `KeyMaterial: ${raw.length} bytes do not fit the algorithm ${algorithm} and a cryptographic length of ${bits}`);
  attributes.set(integer(TAG.CryptographicLength, bits));
}

function describeAsymmetric(type: ObjectTypeCode, content: Structure, attributes: AttributeSet, allowed: readonly string[]): void {
  const { algorithm = givenAlgorithm(attributes), length, format, material, wrapping } = keyBlockOf(content);
  if (wrapping) return;
  const kind = type === ObjectType.PrivateKey ? 'PrivateKey' : 'PublicKey';
  const key = importKey(kind, format, material, algorithm, givenCurve(attributes));
  const facts = keyFacts(key);
  // Asked of new keys only: what was taken before still opens.
  const flaw = flawOf(key) ?? (material instanceof Uint8Array || format !== 'TransparentRSAPrivateKey' ? undefined : rsaStructureFlaw(material, key));
  if (flaw !== undefined) throw new Refusal('InvalidField', `KeyMaterial: ${flaw}`);
  if (material instanceof Uint8Array) requireDeclaredFormat(kind, format, facts.algorithm === 'RSA', material);
  const named = algorithm ?? facts.algorithm;
  requireAllowed(named, allowed);
  requireSame('cryptographic algorithm', givenAlgorithm(attributes), named);
  const isLength = (given: number | undefined) =>
    given === undefined || (facts.curve === undefined ? given === facts.length : isCurveLength(facts.curve, given));
  if (!isLength(givenLength(attributes))) requireSame('cryptographic length', givenLength(attributes), facts.length);
  if (!isLength(length)) throw new Refusal('InvalidField', `the cryptographic length of the key is ${facts.length}, but its KeyBlock says ${length}`);
  attributes.set(enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[named]));
  attributes.set(integer(TAG.CryptographicLength, facts.length));
  if (facts.curve !== undefined && !attributes.has(TAG.CryptographicDomainParameters))
    attributes.set(structure(TAG.CryptographicDomainParameters, [enumeration(TAG.RecommendedCurve, ENUM.RecommendedCurve[facts.curve])]));
}

/** The code that the content has to state. @throws Refusal InvalidField if the attribute of the same name differs */
function statedCode(content: Structure, tag: number, attributes: AttributeSet): number {
  const own = required(codeOf(content, tag), tag);
  const given = attributes.first(tag);
  if (given !== undefined && given.value !== own) throw new Refusal('InvalidField', `the attribute ${tagName(tag)} does not match that of the object`);
  return own;
}

function requireSame<T>(what: string, given: T | undefined, own: T | undefined): void {
  if (given !== undefined && own !== undefined && given !== own)
    throw new Refusal('InvalidField', `the ${what} of the key is ${own}, but the attribute says ${given}`);
}
