// Imports and exports keys in the key formats of KMIP (specification 2.1 sections 3, 4.26 and 11.25).
import type { KeyObject } from 'node:crypto';
import { isEncryptedKey } from '../../crypto/key/encrypted-key.ts';
import { isOfAlgorithm, keyFacts } from '../../crypto/key/key-algorithm.ts';
import { exportRaw, importRaw, isConsistent } from '../../crypto/key/raw-key.ts';
import { readPrivateKey } from '../../crypto/key/read-private-key.ts';
import { readPublicKey } from '../../crypto/key/read-public-key.ts';
import { isRsaPublicKey, rsaToPkcs1 } from '../../crypto/key/rsa-key.ts';
import type { CryptographicAlgorithm, RecommendedCurve } from '../../crypto/parameters.ts';
import { refusalOf } from '../crypto-refusal.ts';
import { Refusal } from '../refusal.ts';
import type { ENUM } from '../ttlv/enumeration.ts';
import type { Node, Structure } from '../ttlv/node.ts';
import type { KeyFormatType } from './key-format-type.ts';
import { exportTransparent, importTransparent, type Kind, transparent } from './transparent-key.ts';

const RSA_LENGTH = { minimum: 512, maximum: 16384 };

/**
 * Reads a key from KeyMaterial. The Raw format is that of FIPS 203 to 205, RFC 7748 and RFC 8032, the point or scalar of SEC 1,
 * and PKCS#1 for RSA. Clients declare PKCS#8 for both keys of a pair, so a PKCS#8 public key is read as SubjectPublicKeyInfo.
 * DH keys lose the parameter J, and Q in formats that are not transparent.
 * @param material bytes or, for a transparent format, the KeyMaterial structure
 * @param algorithm if given, the key must be of this algorithm
 * @param curve used for Raw; if given, the key must be on this curve
 * @throws Refusal KeyFormatTypeNotSupported, InvalidMessage, InvalidField, MissingData
 */
export function importKey(
  kind: Kind,
  format: KeyFormatType,
  material: Uint8Array | Structure,
  algorithm: CryptographicAlgorithm | undefined,
  curve?: RecommendedCurve,
): KeyObject {
  let key: KeyObject;
  try {
    key = material instanceof Uint8Array ? fromBytes(kind, format, material, algorithm, curve) : fromStructure(kind, format, material);
  } catch (cause) {
    // The client must not see OpenSSL's error message about the key.
    if (refusalOf(cause)) throw cause;
    const why = material instanceof Uint8Array ? whyUnreadable(material) : '';
    throw new Refusal('InvalidField', `KeyMaterial: cannot be read as a ${kind} in the format ${format}${why}`);
  }
  checkDeclared(key, algorithm, curve);
  return key;
}

/** What the client may have taken for the format. */
function whyUnreadable(material: Uint8Array): string {
  if (isEncryptedKey(material)) return ': it is an encrypted PKCS#8 key; send it decrypted, or in a PKCS#12 file with its password';
  const isPem = Buffer.from(material.subarray(0, 11)).toString('latin1') === '-----BEGIN ';
  return isPem ? ': it is PEM; send it in DER' : '';
}

function checkDeclared(key: KeyObject, algorithm: CryptographicAlgorithm | undefined, curve: RecommendedCurve | undefined): void {
  const facts = keyFacts(key);
  if (algorithm !== undefined && !isOfAlgorithm(facts, algorithm))
    throw new Refusal('InvalidField', `KeyMaterial: the algorithm of the key is ${facts.algorithm}, but ${algorithm} was declared`);
  if (curve !== undefined && facts.curve !== curve) throw new Refusal('InvalidField', `KeyMaterial: the key is not on the declared curve ${curve}`);
  if (facts.algorithm === 'RSA' && (facts.length < RSA_LENGTH.minimum || facts.length > RSA_LENGTH.maximum))
    throw new Refusal('InvalidField', `KeyMaterial: an RSA key must have ${RSA_LENGTH.minimum} to ${RSA_LENGTH.maximum} bits`);
  if (facts.algorithm === 'RSA' && !isRsaPublicKey(key))
    throw new Refusal('InvalidField', 'KeyMaterial: modulus and public exponent are not those of an RSA key');
  if (!isConsistent(key)) throw new Refusal('InvalidField', 'KeyMaterial: the private key does not match its curve or its public key');
}

const unsupported = (kind: Kind, format: KeyFormatType): Refusal =>
  new Refusal('KeyFormatTypeNotSupported', `this ${kind} cannot have the key format ${format}`);

function fromStructure(kind: Kind, format: KeyFormatType, material: Structure): KeyObject {
  const described = transparent(format);
  if (described === undefined) throw new Refusal('InvalidField', `KeyMaterial: the format ${format} takes a ByteString, not a Structure`);
  if (described.kind !== kind) throw unsupported(kind, format);
  return importTransparent(described.family, kind, material);
}

type DerType = 'pkcs1' | 'pkcs8' | 'sec1' | 'spki';

/** The DER form of a key format; undefined if it has none. */
function derType(kind: Kind, format: KeyFormatType): DerType | undefined {
  if (format === 'PKCS_1') return 'pkcs1';
  if (kind === 'PublicKey') return format === 'X_509' || format === 'PKCS_8' ? 'spki' : undefined;
  return format === 'PKCS_8' ? 'pkcs8' : format === 'ECPrivateKey' ? 'sec1' : undefined;
}

function fromBytes(kind: Kind, format: KeyFormatType, material: Uint8Array, algorithm?: CryptographicAlgorithm, curve?: RecommendedCurve): KeyObject {
  if (transparent(format) !== undefined) throw new Refusal('InvalidField', `KeyMaterial: the format ${format} takes a Structure, not a ByteString`);
  if (format === 'Raw' && algorithm === undefined) throw new Refusal('InvalidField', 'KeyMaterial: a raw key needs a CryptographicAlgorithm');
  if (format === 'Raw' && algorithm !== undefined && algorithm !== 'RSA') {
    if (algorithm === 'DSA' || algorithm === 'DH') throw unsupported(kind, format);
    return importRaw(kind, material, algorithm, curve);
  }
  const type = format === 'Raw' ? 'pkcs1' : derType(kind, format);
  if (type === undefined) throw unsupported(kind, format);
  const key = Buffer.from(material.buffer, material.byteOffset, material.length);
  if (kind === 'PrivateKey') return readPrivateKey(key, type as 'pkcs8');
  return readPublicKey({ key, format: 'der', type });
}

/**
 * The KeyMaterial of a key: bytes or, for a transparent format, the members of the structure.
 * @throws Refusal KeyFormatTypeNotSupported if the key cannot have this format
 */
export function exportKey(key: KeyObject, format: KeyFormatType): Uint8Array | Node[] {
  const kind: Kind = key.type === 'private' ? 'PrivateKey' : 'PublicKey';
  const described = transparent(format);
  if (described !== undefined) {
    if (described.kind !== kind) throw unsupported(kind, format);
    return exportTransparent(described.family, key);
  }
  const { algorithm } = keyFacts(key);
  if (format === 'Raw' && algorithm !== 'RSA') {
    if (algorithm === 'DSA' || algorithm === 'DH') throw unsupported(kind, format);
    return exportRaw(key);
  }
  const type = format === 'Raw' ? 'pkcs1' : derType(kind, format);
  if (type === undefined || (type === 'pkcs1' && algorithm !== 'RSA') || (type === 'sec1' && key.asymmetricKeyType !== 'ec')) throw unsupported(kind, format);
  if (type === 'pkcs1') return rsaToPkcs1(key);
  return key.export({ format: 'der', type: type as 'pkcs8' });
}

type ObjectType = keyof typeof ENUM.ObjectType;

const DEFAULTS: Partial<Record<ObjectType, KeyFormatType>> = { Certificate: 'X_509', CertificateRequest: 'PKCS_10', OpaqueObject: 'Opaque' };

/** The format of an object if the client does not ask for one (specification 2.1 table 81); Raw for objects that the table does not list. */
export function defaultFormat(objectType: ObjectType, algorithm?: CryptographicAlgorithm): KeyFormatType {
  if (objectType !== 'PrivateKey' && objectType !== 'PublicKey') return DEFAULTS[objectType] ?? 'Raw';
  if (algorithm === 'RSA') return 'PKCS_1';
  if (algorithm === 'DSA' || algorithm === 'DH') return `Transparent${algorithm}${objectType}`;
  const isElliptic = algorithm === 'EC' || algorithm === 'ECDSA' || algorithm === 'ECDH' || algorithm === 'ECMQV';
  return isElliptic ? `TransparentEC${objectType}` : 'Raw';
}
