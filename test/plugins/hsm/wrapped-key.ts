// Keys of the database that are stored wrapped by a key on a token.
import { createCipheriv } from 'node:crypto';
import type { Ask } from '../../server.ts';
import { bytes, done, enumeration, identifier, integer, type Json, kmip, parameters, structure } from './hsm-server.ts';

/** A key in software is not Active by itself. */
const ACTIVE: Json = { tag: 'ActivationDate', type: 'DateTime', value: '2024-01-01T00:00:00Z' };
export const KEY_WRAP = parameters(enumeration('BlockCipherMode', 'NISTKeyWrap'));
const ALL_USES = 0x3fffff;

export interface Wrapped {
  readonly type?: 'SymmetricKey' | 'SecretData' | 'PrivateKey';
  readonly format?: string;
  readonly algorithm?: string;
  readonly bits: number;
  /** How it is wrapped. */
  readonly how?: Json;
  /** The identifier of the wrapping key. */
  readonly by: string;
  readonly data: Uint8Array;
  readonly iv?: string | undefined;
  readonly encoding?: string;
}

export async function storeWrapped(as: Ask, id: string, wish: Wrapped): Promise<void> {
  const { type = 'SymmetricKey', format = 'Raw', algorithm, bits, how = KEY_WRAP, by, data, iv, encoding = 'NoEncoding' } = wish;
  const wrapping = structure(
    'KeyWrappingData',
    enumeration('WrappingMethod', 'Encrypt'),
    structure('EncryptionKeyInformation', identifier(by), how),
    ...(iv === undefined ? [] : [bytes('IVCounterNonce', iv)]),
    enumeration('EncodingOption', encoding),
  );
  const facts = [...(algorithm === undefined ? [] : [enumeration('CryptographicAlgorithm', algorithm)]), integer('CryptographicLength', bits)];
  const block = structure('KeyBlock', enumeration('KeyFormatType', format), bytes('KeyValue', data), ...facts, wrapping);
  const kept = structure(type, ...(type === 'SecretData' ? [enumeration('SecretDataType', 'Password')] : []), block);
  const attributes = structure('Attributes', identifier(id), ...facts, integer('CryptographicUsageMask', ALL_USES), ACTIVE);
  await done(kmip(as, 'Register', enumeration('ObjectType', type), attributes, kept));
}

/** Stores a key in clear, or brings it to a token. */
export async function storeClear(as: Ask, id: string, value: Uint8Array, algorithm = 'AES'): Promise<void> {
  const facts = [enumeration('CryptographicAlgorithm', algorithm), integer('CryptographicLength', value.length * 8)];
  const block = structure('KeyBlock', enumeration('KeyFormatType', 'Raw'), structure('KeyValue', bytes('KeyMaterial', value)), ...facts);
  const attributes = structure('Attributes', identifier(id), ...facts, integer('CryptographicUsageMask', ALL_USES), ...(id.includes('::') ? [] : [ACTIVE]));
  await done(kmip(as, 'Register', enumeration('ObjectType', 'SymmetricKey'), attributes, structure('SymmetricKey', block)));
}

const KEY_WRAP_IV = Buffer.alloc(8, 0xa6);

/** RFC 3394. @param key 32 bytes */
export function keyWrapped(key: Uint8Array, value: Uint8Array): Buffer {
  const cipher = createCipheriv('id-aes256-wrap', key, KEY_WRAP_IV);
  return Buffer.concat([cipher.update(value), cipher.final()]);
}
