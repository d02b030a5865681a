// Objects that clients bring: their content is read once, held against what the attributes say of it, and described by attributes.
import { keyFacts } from '../crypto/key-algorithm.ts';
import { importKey } from '../crypto/key-format.ts';
import { fitsLength } from '../crypto/symmetric-key.ts';
import { Refusal } from '../refusal.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { enumeration, integer, type Structure, structure, TYPE } from '../ttlv/node.ts';
import { bytesOf, child, codeOf, nameOf, required } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';
import type { AttributeSet } from './attributes.ts';
import { describeCertificate } from './certificate-attributes.ts';
import { keyBlockOf } from './key-material.ts';
import type { ObjectType as ObjectTypeCode } from './managed-object.ts';
import { givenAlgorithm, givenCurve, givenLength, requireAllowed } from './new-attributes.ts';
import { requireTemplate } from './template.ts';

const { ObjectType } = ENUM;

/** The tag of an object's content, by its kind. */
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

/** The object in a Register or Import payload. @throws Refusal for a missing one, or one of another kind */
export function contentIn(request: Structure, type: number): Structure {
  const tag = CONTENT_TAG[type];
  if (tag === undefined) throw new Refusal('InvalidField', `objects of type ${nameOf('ObjectType', type)} cannot be registered: not supported`);
  const content = child(request, tag);
  if (content?.type === TYPE.Structure) return content;
  throw new Refusal('InvalidMessage', `missing field: a ${nameOf('ObjectType', type)}`);
}

/** Adds what the content says of itself to the attributes. @throws Refusal where the two disagree, or the content is malformed */
export function describeContent(type: ObjectTypeCode, content: Structure, attributes: AttributeSet, allowed: readonly string[]): void {
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
      attributes.set(enumeration(TAG.OpaqueDataType, required(codeOf(content, TAG.OpaqueDataType), TAG.OpaqueDataType)));
      return;
    case ObjectType.SecretData:
      required(codeOf(content, TAG.SecretDataType), TAG.SecretDataType);
      keyBlockOf(content);
      return;
    case ObjectType.CertificateRequest:
      required(codeOf(content, TAG.CertificateRequestType), TAG.CertificateRequestType);
      required(bytesOf(content, TAG.CertificateRequestValue), TAG.CertificateRequestValue);
      return;
    case ObjectType.Template:
      return requireTemplate(content);
    default:
      keyBlockOf(content);
  }
}

function describeSymmetric(content: Structure, attributes: AttributeSet, allowed: readonly string[]): void {
  const { algorithm = givenAlgorithm(attributes), material, wrapping, length = givenLength(attributes) } = keyBlockOf(content);
  if (algorithm === undefined) throw new Refusal('InvalidField', 'the cryptographic algorithm must be specified');
  requireAllowed(algorithm, allowed);
  requireSame('cryptographic algorithm', givenAlgorithm(attributes), algorithm);
  requireSame('cryptographic length', givenLength(attributes), length);
  attributes.set(enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[algorithm]));
  if (wrapping) return;
  const raw = material instanceof Uint8Array ? material : required(bytesOf(material, TAG.Key), TAG.Key);
  const bits = length ?? raw.length * 8;
  if (!fitsLength(algorithm, bits, raw.length))
    throw new Refusal('InvalidField', `KeyMaterial: ${raw.length} bytes are no ${algorithm} key with a cryptographic length of ${bits}`);
  attributes.set(integer(TAG.CryptographicLength, bits));
}

function describeAsymmetric(type: ObjectTypeCode, content: Structure, attributes: AttributeSet, allowed: readonly string[]): void {
  const { algorithm = givenAlgorithm(attributes), format, material, wrapping } = keyBlockOf(content);
  if (wrapping) return;
  const key = importKey(type === ObjectType.PrivateKey ? 'PrivateKey' : 'PublicKey', format, material, algorithm, givenCurve(attributes));
  const facts = keyFacts(key);
  const named = algorithm ?? facts.algorithm;
  requireAllowed(named, allowed);
  requireSame('cryptographic algorithm', givenAlgorithm(attributes), named);
  requireSame('cryptographic length', givenLength(attributes), facts.length);
  attributes.set(enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[named]));
  attributes.set(integer(TAG.CryptographicLength, facts.length));
  if (facts.curve !== undefined && !attributes.has(TAG.CryptographicDomainParameters))
    attributes.set(structure(TAG.CryptographicDomainParameters, [enumeration(TAG.RecommendedCurve, ENUM.RecommendedCurve[facts.curve])]));
}

function requireSame<T>(what: string, given: T | undefined, own: T | undefined): void {
  if (given !== undefined && own !== undefined && given !== own)
    throw new Refusal('InvalidField', `the ${what} of the key is ${own}, the attribute says ${given}`);
}
