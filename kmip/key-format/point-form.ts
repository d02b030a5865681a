// Points of elliptic curves in the forms of ANSI X9.62: compressed, uncompressed and hybrid (KMIP 1.4 section 9.1.3.2.2, SEC 1 section 2.3.3).
import { ECDH, type KeyObject } from 'node:crypto';
import { bits, DER, readElement, readInside, sequence } from '../../crypto/der.ts';
import { domainOf, opensslCurve } from '../../crypto/key/curve.ts';
import { keyFacts } from '../../crypto/key/key-algorithm.ts';
import { exportRaw } from '../../crypto/key/raw-key.ts';
import type { RecommendedCurve } from '../../crypto/parameters.ts';
import { Refusal } from '../refusal.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { bytes, type Node } from '../ttlv/node.ts';
import { TAG } from '../ttlv/tag.ts';
import { exportKey } from './key-format.ts';
import type { KeyFormatType } from './key-format-type.ts';

const { KeyCompressionType } = ENUM;
type Form = 'compressed' | 'uncompressed' | 'hybrid';

/** The form of a key compression type. Prime and binary curves have different types for the compressed form. */
function formOf(compression: number, curve: RecommendedCurve): Form | undefined {
  const isPrime = domainOf(curve).prime !== undefined;
  if (compression === KeyCompressionType.ECPublicKeyTypeUncompressed) return 'uncompressed';
  if (compression === KeyCompressionType.ECPublicKeyTypeX9_62Hybrid) return 'hybrid';
  if (compression === (isPrime ? KeyCompressionType.ECPublicKeyTypeX9_62CompressedPrime : KeyCompressionType.ECPublicKeyTypeX9_62CompressedChar2))
    return 'compressed';
  return undefined;
}

/**
 * The KeyMaterial of a public key, with its point in the form of a key compression type.
 * @throws Refusal KeyCompressionTypeNotSupported if the key has no point or the type does not match its curve, KeyFormatTypeNotSupported
 */
export function exportPoint(key: KeyObject, format: KeyFormatType, compression: number): Uint8Array | Node[] {
  const { curve } = keyFacts(key);
  const form = key.type === 'public' && key.asymmetricKeyType === 'ec' && curve !== undefined ? formOf(compression, curve) : undefined;
  if (form === undefined || curve === undefined)
    throw new Refusal(
      'KeyCompressionTypeNotSupported',
      'KeyCompressionType needs a public key with a point on an elliptic curve, and must match the field of the curve (prime or binary)',
    );
  const point = ECDH.convertKey(exportRaw(key), opensslCurve(curve), undefined, undefined, form) as Buffer;
  const material = exportKey(key, format);
  if (!(material instanceof Uint8Array)) return material.map((node) => (node.tag === TAG.QString ? bytes(TAG.QString, new Uint8Array(point)) : node));
  if (format === 'Raw') return new Uint8Array(point);
  const [algorithm] = readInside(readElement(material, 'SubjectPublicKeyInfo'), DER.sequence, 'SubjectPublicKeyInfo');
  return new Uint8Array(sequence((algorithm as { whole: Buffer }).whole, bits(point)));
}
