// Keys as objects in memory, payloads, and what comes back, for the tests of operations.
import assert from 'node:assert/strict';
import type { KeyObject } from 'node:crypto';
import type { Draft, ManagedObject } from '../../actors/kmip/object/managed-object.ts';
import { pairKeyOf, secretOf } from '../../actors/kmip/object/software-key/material.ts';
import type { Operation } from '../../actors/kmip/operation.ts';
import type { OperationContext } from '../../actors/kmip/operation-context.ts';
import type { CryptographicAlgorithm, CryptographicParameters } from '../../crypto/parameters.ts';
import { refusalOf } from '../../kmip/crypto-refusal.ts';
import { keyBlock, symmetricKey } from '../../kmip/key-block.ts';
import type { Refusal } from '../../kmip/refusal.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../kmip/ttlv/mask.ts';
import { boolean, bytes, enumeration, integer, type Node, type Structure, structure, text } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { draft, type ObjectOptions } from './objects.ts';

const BIT = MASK.CryptographicUsageMask;

export const hex = (digits: string): Uint8Array => new Uint8Array(Buffer.from(digits.replaceAll(' ', ''), 'hex'));
export const utf8 = (value: string): Uint8Array => new Uint8Array(Buffer.from(value));

/** What is inside a stored symmetric key or secret data. */
export const secretBytes = (object: ManagedObject): Uint8Array => new Uint8Array(secretOf(object).export());
/** What is inside a stored key of a pair. */
export const pairKey = (object: ManagedObject): KeyObject => pairKeyOf(object);

export interface KeyOptions extends Omit<ObjectOptions, 'content' | 'type'> {
  /** All uses by default; undefined for none at all. */
  readonly mask?: number | undefined;
}

function attributesOf(algorithm: CryptographicAlgorithm, options: KeyOptions): Node[] {
  const mask = 'mask' in options ? options.mask : BIT.Unrestricted;
  return [
    enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[algorithm]),
    ...(mask === undefined ? [] : [integer(TAG.CryptographicUsageMask, mask)]),
    ...(options.attributes ?? []),
  ];
}

export function secret(id: string, material: Uint8Array, algorithm: CryptographicAlgorithm = 'AES', options: KeyOptions = {}): Draft {
  return draft(id, { ...options, attributes: attributesOf(algorithm, options), content: symmetricKey(material, algorithm) });
}

export function secretData(id: string, material: Uint8Array, options: KeyOptions = {}): Draft {
  const content = structure(TAG.SecretData, [
    enumeration(TAG.SecretDataType, ENUM.SecretDataType.Password),
    keyBlock({ format: 'Opaque', material, length: material.length * 8 }),
  ]);
  return draft(id, { ...options, type: ENUM.ObjectType.SecretData, attributes: attributesOf('AES', options).slice(1), content });
}

export function privateKey(id: string, key: KeyObject, algorithm: CryptographicAlgorithm, options: KeyOptions = {}): Draft {
  const material = new Uint8Array(key.export({ format: 'der', type: 'pkcs8' }));
  const content = structure(TAG.PrivateKey, [keyBlock({ format: 'PKCS_8', material, algorithm })]);
  return draft(id, { ...options, type: ENUM.ObjectType.PrivateKey, attributes: attributesOf(algorithm, options), content });
}

export function publicKey(id: string, key: KeyObject, algorithm: CryptographicAlgorithm, options: KeyOptions = {}): Draft {
  const material = new Uint8Array(key.export({ format: 'der', type: 'spki' }));
  const content = structure(TAG.PublicKey, [keyBlock({ format: 'X_509', material, algorithm })]);
  return draft(id, { ...options, type: ENUM.ObjectType.PublicKey, attributes: attributesOf(algorithm, options), content });
}

/** CryptographicParameters of the fields that tests use. */
export function parameters(fields: CryptographicParameters): Structure {
  const found: Node[] = [];
  const { blockCipherMode, paddingMethod, hashingAlgorithm, digitalSignatureAlgorithm, cryptographicAlgorithm, randomIv, ivLength, tagLength } = fields;
  if (blockCipherMode) found.push(enumeration(TAG.BlockCipherMode, ENUM.BlockCipherMode[blockCipherMode]));
  if (paddingMethod) found.push(enumeration(TAG.PaddingMethod, ENUM.PaddingMethod[paddingMethod]));
  if (hashingAlgorithm) found.push(enumeration(TAG.HashingAlgorithm, ENUM.HashingAlgorithm[hashingAlgorithm]));
  if (digitalSignatureAlgorithm) found.push(enumeration(TAG.DigitalSignatureAlgorithm, ENUM.DigitalSignatureAlgorithm[digitalSignatureAlgorithm]));
  if (cryptographicAlgorithm) found.push(enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[cryptographicAlgorithm]));
  if (randomIv !== undefined) found.push(boolean(TAG.RandomIV, randomIv));
  if (ivLength !== undefined) found.push(integer(TAG.IVLength, ivLength));
  if (tagLength !== undefined) found.push(integer(TAG.TagLength, tagLength));
  return structure(TAG.CryptographicParameters, found);
}

export interface Request {
  readonly id?: string;
  readonly parameters?: CryptographicParameters | Structure;
  readonly data?: Uint8Array;
  readonly digest?: Uint8Array;
  readonly iv?: Uint8Array;
  readonly aad?: Uint8Array;
  readonly tag?: Uint8Array;
  readonly signature?: Uint8Array;
  readonly mac?: Uint8Array;
  readonly value?: Uint8Array;
  readonly init?: boolean;
  readonly final?: boolean;
  readonly more?: readonly Node[];
}

const isStructure = (value: CryptographicParameters | Structure): value is Structure => 'tag' in value;

const BYTES = {
  data: TAG.Data,
  digest: TAG.DigestedData,
  iv: TAG.IVCounterNonce,
  aad: TAG.AuthenticatedEncryptionAdditionalData,
  tag: TAG.AuthenticatedEncryptionTag,
  signature: TAG.SignatureData,
  mac: TAG.MACData,
  value: TAG.CorrelationValue,
} as const;

export function payload(request: Request): Structure {
  const members: Node[] = [...(request.more ?? [])];
  if (request.id !== undefined) members.push(text(TAG.UniqueIdentifier, request.id));
  if (request.parameters) members.push(isStructure(request.parameters) ? request.parameters : parameters(request.parameters));
  for (const [name, tag] of Object.entries(BYTES)) {
    const value = request[name as keyof typeof BYTES];
    if (value) members.push(bytes(tag, value));
  }
  if (request.init !== undefined) members.push(boolean(TAG.InitIndicator, request.init));
  if (request.final !== undefined) members.push(boolean(TAG.FinalIndicator, request.final));
  return structure(TAG.RequestPayload, members);
}

export interface Response {
  readonly id?: string;
  readonly data?: Uint8Array;
  readonly iv?: Uint8Array;
  readonly tag?: Uint8Array;
  readonly signature?: Uint8Array;
  readonly mac?: Uint8Array;
  readonly value?: Uint8Array;
  readonly valid?: boolean;
}

/** Runs an operation. Members of the answer by name; what it does not have is not there. */
export async function run(operation: Operation, ctx: OperationContext, request: Request): Promise<Response> {
  const found: Record<string, unknown> = {};
  for (const { tag, value } of (await operation.run(payload(request), ctx)) as Node[]) {
    const name = Object.entries(BYTES).find(([, known]) => known === tag)?.[0];
    if (name) found[name] = new Uint8Array(value as Uint8Array);
    else if (tag === TAG.UniqueIdentifier) found['id'] = value;
    else if (tag === TAG.ValidityIndicator) found['valid'] = value === ENUM.ValidityIndicator.Valid;
    else assert.fail(`unexpected member 0x${tag.toString(16)}`);
  }
  return found;
}

/** Holds that the work is refused for this reason, with a message that has the text. */
export async function refused(work: Promise<unknown> | (() => unknown), reason: Refusal['reason'], message: string | RegExp = ''): Promise<void> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    assert.equal(refusal.reason, reason, refusal.message);
    if (typeof message === 'string') assert.ok(refusal.message.includes(message), refusal.message);
    else assert.match(refusal.message, message);
    return;
  }
  assert.fail(`not refused with ${reason}`);
}
