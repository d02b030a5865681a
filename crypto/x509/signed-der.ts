// The common form of certificates, certificate requests and revocation lists: a body, an algorithm, a signature (RFC 5280 section 4.1.1).
import type { KeyObject } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { bits, DER, type Element, nullElement, oid, readBits, readElement, readInside, readOid, sequence } from '../der.ts';
import { keyFacts } from '../key/key-algorithm.ts';
import type { CryptographicParameters, DigitalSignatureAlgorithm } from '../parameters.ts';
import { verify } from '../signature/sign.ts';
import { pssFor, readPss, writePss } from './pss-parameters.ts';

const PKCS1 = '1.2.840.113549.1.1';
const NIST_SIGNATURE = '2.16.840.1.101.3.4.3';
const PSS = `${PKCS1}.10`;

const BY_OID: Readonly<Record<string, DigitalSignatureAlgorithm>> = {
  [`${PKCS1}.2`]: 'MD2WithRSAEncryption',
  [`${PKCS1}.4`]: 'MD5WithRSAEncryption',
  [`${PKCS1}.5`]: 'SHA_1WithRSAEncryption',
  [PSS]: 'RSASSA_PSS',
  [`${PKCS1}.11`]: 'SHA_256WithRSAEncryption',
  [`${PKCS1}.12`]: 'SHA_384WithRSAEncryption',
  [`${PKCS1}.13`]: 'SHA_512WithRSAEncryption',
  [`${PKCS1}.14`]: 'SHA_224WithRSAEncryption',
  '1.2.840.10040.4.3': 'DSAWithSHA_1',
  [`${NIST_SIGNATURE}.1`]: 'DSAWithSHA224',
  [`${NIST_SIGNATURE}.2`]: 'DSAWithSHA256',
  [`${NIST_SIGNATURE}.14`]: 'SHA3_256WithRSAEncryption',
  [`${NIST_SIGNATURE}.15`]: 'SHA3_384WithRSAEncryption',
  [`${NIST_SIGNATURE}.16`]: 'SHA3_512WithRSAEncryption',
  '1.2.840.10045.4.1': 'ECDSAWithSHA_1',
  '1.2.840.10045.4.3.1': 'ECDSAWithSHA224',
  '1.2.840.10045.4.3.2': 'ECDSAWithSHA256',
  '1.2.840.10045.4.3.3': 'ECDSAWithSHA384',
  '1.2.840.10045.4.3.4': 'ECDSAWithSHA512',
};

export interface SignedDer {
  /** The members of the body. */
  readonly fields: readonly Element[];
  readonly body: Buffer;
  /** The AlgorithmIdentifier. */
  readonly algorithm: Element;
  readonly signature: Buffer;
}

/** @throws CryptoError invalid */
export function readSigned(der: Uint8Array, what: string): SignedDer {
  const [body, algorithm, signature] = readInside(readElement(der, what), DER.sequence, what);
  const fields = readInside(body, DER.sequence, what);
  return { fields, body: body?.whole as Buffer, algorithm: algorithm as Element, signature: readBits(signature, what) };
}

/** KMIP's name of the algorithm; undefined if its enumeration has no such name, as for Ed25519. */
export function signatureAlgorithm(algorithm: Element, what: string): DigitalSignatureAlgorithm | undefined {
  return BY_OID[readOid(readInside(algorithm, DER.sequence, what)[0], what)];
}

/** Also false if the algorithm is not supported or does not match the key. */
export function isSignedBy({ body, algorithm, signature }: SignedDer, key: KeyObject, what: string): boolean {
  try {
    const parameters = parametersOf(algorithm, key, what);
    return parameters !== undefined && verify(key, parameters, { data: body }, signature);
  } catch (error) {
    if (error instanceof CryptoError) return false;
    throw error;
  }
}

function parametersOf(algorithm: Element, key: KeyObject, what: string): CryptographicParameters | undefined {
  const name = signatureAlgorithm(algorithm, what);
  if (name === 'RSASSA_PSS') return readPss(readInside(algorithm, DER.sequence, what)[1], what);
  if (name !== undefined) return { digitalSignatureAlgorithm: name };
  // For algorithms such as Ed25519 and ML-DSA, the identifier of the signature is that of the key.
  return algorithm.whole.equals(keyIdentifier(key)) ? {} : undefined;
}

/** The AlgorithmIdentifier of the public key's SubjectPublicKeyInfo. */
function keyIdentifier(key: KeyObject): Buffer {
  const spki = readElement(key.export({ format: 'der', type: 'spki' }), 'the public key');
  return readInside(spki, DER.sequence, 'the public key')[0]?.whole as Buffer;
}

/** Uses SHA-256, and for EC keys a hash that is at least as strong as the curve (RFC 5480 section 4). */
function algorithmFor(publicKey: KeyObject): { identifier: Buffer; parameters: CryptographicParameters } {
  const { algorithm, length, isForPssOnly } = keyFacts(publicKey);
  if (isForPssOnly) {
    const parameters = pssFor(publicKey);
    return { identifier: sequence(oid(PSS), writePss(parameters)), parameters };
  }
  const strong = length > 384 ? 'ECDSAWithSHA512' : length > 256 ? 'ECDSAWithSHA384' : 'ECDSAWithSHA256';
  const named: Partial<Record<string, DigitalSignatureAlgorithm>> = { RSA: 'SHA_256WithRSAEncryption', DSA: 'DSAWithSHA256', EC: strong };
  const name = named[algorithm];
  if (name === undefined) return { identifier: keyIdentifier(publicKey), parameters: {} };
  const dotted = Object.entries(BY_OID).find(([, each]) => each === name)?.[0] as string;
  return { identifier: sequence(oid(dotted), ...(algorithm === 'RSA' ? [nullElement()] : [])), parameters: { digitalSignatureAlgorithm: name } };
}

/** The data to sign, for the caller that can use the private key. */
export interface Unsigned {
  readonly data: Buffer;
  /** The parameters for signing. */
  readonly parameters: CryptographicParameters;
  /** The AlgorithmIdentifier for these parameters. */
  readonly identifier: Buffer;
}

/** @param body makes the body from the algorithm's identifier, because certificates repeat it inside */
export function unsignedDer(publicKey: KeyObject, body: (identifier: Buffer) => Buffer): Unsigned {
  const { identifier, parameters } = algorithmFor(publicKey);
  return { data: body(identifier), parameters, identifier };
}

export function signedDer({ data, identifier }: Unsigned, signature: Uint8Array): Buffer {
  return sequence(data, identifier, bits(Buffer.from(signature)));
}
