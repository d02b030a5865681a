// The only place that turns stored key material into a key for an algorithm, once for each object in the cache.
import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { certificateFacts } from '../../../../crypto/x509/certificate-facts.ts';
import { keyBlockOf } from '../../../../kmip/key-block.ts';
import { importKey } from '../../../../kmip/key-format/key-format.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import type { Structure } from '../../../../kmip/ttlv/node.ts';
import { bytesOf, required } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { algorithmOf, curveOf } from '../key-attributes.ts';
import type { ManagedObject } from '../managed-object.ts';

const { ObjectType } = ENUM;

const opened = new WeakMap<ManagedObject, KeyObject>();
const publicHalves = new WeakMap<KeyObject, KeyObject>();

/** A symmetric key or secret data. @throws Refusal InvalidObjectType for another kind of object, ObjectDestroyed, WrappingObjectDestroyed */
export function secretOf(object: ManagedObject): KeyObject {
  if (object.type !== ObjectType.SymmetricKey && object.type !== ObjectType.SecretData)
    throw new Refusal('InvalidObjectType', `a symmetric key is needed, but ${object.id} is another kind of object`);
  return opened.get(object) ?? remember(object, createSecretKey(secretBytes(object)));
}

/** A private key, a public key, or the public key of a certificate. @throws Refusal as `secretOf` */
export function pairKeyOf(object: ManagedObject): KeyObject {
  return opened.get(object) ?? remember(object, readPairKey(object));
}

/** The public key of a pair, also if the object is its private key. @throws Refusal as `secretOf` */
export function publicKeyOf(object: ManagedObject): KeyObject {
  const key = pairKeyOf(object);
  if (key.type !== 'private') return key;
  let half = publicHalves.get(key);
  if (half === undefined) {
    half = createPublicKey(key);
    publicHalves.set(key, half);
  }
  return half;
}

function remember(object: ManagedObject, key: KeyObject): KeyObject {
  opened.set(object, key);
  return key;
}

function secretBytes(object: ManagedObject): Uint8Array {
  const { material, wrapping } = keyBlockOf(contentOf(object));
  if (wrapping) throw stillWrapped(object);
  return material instanceof Uint8Array ? material : required(bytesOf(material, TAG.Key), TAG.Key);
}

function readPairKey(object: ManagedObject): KeyObject {
  const content = contentOf(object);
  if (object.type === ObjectType.Certificate) return certificateFacts(required(bytesOf(content, TAG.CertificateValue), TAG.CertificateValue)).publicKey;
  if (object.type !== ObjectType.PrivateKey && object.type !== ObjectType.PublicKey)
    throw new Refusal('InvalidObjectType', `a public or private key is needed, but ${object.id} is another kind of object`);
  const { format, material, algorithm, wrapping } = keyBlockOf(content);
  if (wrapping) throw stillWrapped(object);
  const kind = object.type === ObjectType.PrivateKey ? 'PrivateKey' : 'PublicKey';
  return importKey(kind, format, material, algorithm ?? algorithmOf(object), curveOf(object));
}

function contentOf(object: ManagedObject): Structure {
  if (!object.content) throw new Refusal('ObjectDestroyed', 'the object is destroyed');
  return object.content;
}

function stillWrapped({ id }: ManagedObject): Refusal {
  return new Refusal('WrappingObjectDestroyed', `${id} is stored wrapped; it cannot be used without its wrapping key`);
}
