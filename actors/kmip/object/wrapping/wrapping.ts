// Wraps key blocks for Get and Export, and unwraps them for Register and Import (KMIP 2.1 sections 3.3 and 7.18).
import type { Wrapped } from '../../../../crypto/cipher/wrap.ts';
import type { CryptographicParameters } from '../../../../crypto/parameters.ts';
import { keyBlockHead, keyBlockOf } from '../../../../kmip/key-block.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { decodeBinary, encodeBinary } from '../../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { bytes, type Node, type Structure, structure, TYPE, text } from '../../../../kmip/ttlv/node.ts';
import { bytesOf, child, children, codeOf, nameOf, required, structureOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { OperationContext } from '../../operation-context.ts';
import { parametersOf as readParameters } from '../cryptographic-parameters.ts';
import { type Key, keyOf, type WrappedMaterial } from '../key.ts';
import { spendWrapping } from '../life/usage-limits.ts';
import type { ManagedObject } from '../managed-object.ts';
import { unwrappingKey, wrappingKey } from './wrapping-key.ts';
import { ownParameters, requireWrappingAlgorithm, unwrapEither, withOwnParameters } from './wrapping-parameters.ts';

const { WrappingMethod, KeyWrapType } = ENUM;

/** @param specification KeyWrappingSpecification @throws Refusal for an unsupported method, an unusable key or unsupported parameters */
export async function wrapContent(content: Structure, specification: Structure, ctx: OperationContext): Promise<Structure> {
  const block = structureOf(content, TAG.KeyBlock);
  if (!block) throw new Refusal('InvalidObjectType', 'only keys and secret data can be wrapped; this object is neither');
  if (structureOf(block, TAG.KeyWrappingData)) throw new Refusal('IllegalObjectType', 'the key is already stored wrapped and cannot be wrapped again');
  const wrapper = await wrappingKey(ctx, encryptingKeyIn(specification));
  const completed = withOwnParameters(specification, wrapper);
  requireWrappingAlgorithm(wrapper, parametersOf(encryptingKeyIn(completed)));
  return wrapWith(keyOf(wrapper, ctx), content, completed, (size) => spendWrapping(ctx, wrapper, size));
}

/** As wrapContent, with a key whose use is already permitted. @param count counts the use, which wraps this number of bytes */
export async function wrapWith(
  key: Key,
  content: Structure,
  specification: Structure,
  count?: (size: number) => Promise<void> | undefined,
): Promise<Structure> {
  const block = required(structureOf(content, TAG.KeyBlock), TAG.KeyBlock);
  const information = required(structureOf(specification, TAG.EncryptionKeyInformation), TAG.EncryptionKeyInformation);
  const encoding = codeOf(specification, TAG.EncodingOption) ?? ENUM.EncodingOption.TTLVEncoding;
  const plain = plainOf(block, specification, encoding);
  await count?.(plain.length);
  return wrappedContent(content, specification, key, await key.wrap(parametersOf(information), plain));
}

/** The content with its KeyValue wrapped by the key. */
function wrappedContent(content: Structure, specification: Structure, key: Key, { data, iv }: Wrapped): Structure {
  const block = required(structureOf(content, TAG.KeyBlock), TAG.KeyBlock);
  const information = required(structureOf(specification, TAG.EncryptionKeyInformation), TAG.EncryptionKeyInformation);
  const wrapping = structure(TAG.KeyWrappingData, [
    ...specification.value.filter(({ tag }) => tag === TAG.WrappingMethod),
    addKeyIdentity(information, key),
    ...(iv ? [bytes(TAG.IVCounterNonce, iv)] : []),
    ...specification.value.filter(({ tag }) => tag === TAG.EncodingOption),
  ]);
  const wrapped = block.value.flatMap((member): Node[] => (member.tag === TAG.KeyValue ? [] : [member]));
  wrapped.splice(wrapped.findLastIndex(({ tag }) => tag === TAG.KeyFormatType || tag === TAG.KeyCompressionType) + 1, 0, bytes(TAG.KeyValue, data));
  return replaceKeyBlock(content, structure(TAG.KeyBlock, [...wrapped, wrapping]));
}

/**
 * Wraps a key that lies where its wrapping key does, and stays there.
 * @returns undefined if they do not lie in the same place @throws Refusal as wrapContent, EncodingOptionError for an encoding of the key with its attributes
 */
export async function wrapThere(object: ManagedObject, specification: Structure, ctx: OperationContext): Promise<Structure | undefined> {
  const found = await wrappingKey(ctx, encryptingKeyIn(specification));
  const wrapper = keyOf(found, ctx);
  if (!wrapper.wrapThere) return undefined;
  if (codeOf(specification, TAG.EncodingOption) !== ENUM.EncodingOption.NoEncoding)
    throw new Refusal('EncodingOptionError', `${object.id} does not leave its place in clear: it can be wrapped with NoEncoding only`);
  if (children(specification, TAG.AttributeName).length > 0) throw new Refusal('EncodingOptionError', 'attributes can be wrapped only with TTLVEncoding');
  const completed = withOwnParameters(specification, found);
  const wrapped = await wrapper.wrapThere(parametersOf(encryptingKeyIn(completed)), keyOf(object, ctx));
  if (!wrapped) return undefined;
  await spendWrapping(ctx, found, Math.ceil((keyBlockHead(object.content as Structure).length ?? 0) / 8));
  return wrappedContent(object.content as Structure, completed, wrapper, wrapped);
}

/** @throws Refusal KeyWrapTypeNotSupported */
function encryptingKeyIn(specification: Structure): Structure {
  const method = required(codeOf(specification, TAG.WrappingMethod), TAG.WrappingMethod);
  if (method !== WrappingMethod.Encrypt || child(specification, TAG.MACSignatureKeyInformation))
    throw new Refusal('KeyWrapTypeNotSupported', `the wrapping method ${nameOf('WrappingMethod', method)} is not supported; use Encrypt alone`);
  return required(structureOf(specification, TAG.EncryptionKeyInformation), TAG.EncryptionKeyInformation);
}

/** The bytes to encrypt: the material alone, or the whole KeyValue with the attributes that the client wants inside. */
function plainOf(block: Structure, specification: Structure, encoding: number): Uint8Array {
  const value = required(structureOf(block, TAG.KeyValue), TAG.KeyValue);
  if (encoding === ENUM.EncodingOption.TTLVEncoding) return encodeBinary(value);
  if (children(specification, TAG.AttributeName).length > 0) throw new Refusal('EncodingOptionError', 'attributes can be wrapped only with TTLVEncoding');
  const material = child(value, TAG.KeyMaterial);
  if (material?.type !== TYPE.ByteString)
    throw new Refusal('EncodingOptionError', 'NoEncoding needs a key format that consists of bytes; give one as KeyFormatType');
  return material.value;
}

/** The default format of an object that is wrapped without encoding: Raw if the material is stored as a structure, which has no bytes to wrap. */
export function unencodedFormat({ content }: ManagedObject, specification: Structure): 'Raw' | undefined {
  if (codeOf(specification, TAG.EncodingOption) !== ENUM.EncodingOption.NoEncoding || !content || !structureOf(content, TAG.KeyBlock)) return undefined;
  const { material, wrapping } = keyBlockOf(content);
  return wrapping || material instanceof Uint8Array ? undefined : 'Raw';
}

/** Tags, keysets and placeholders may later resolve to another key, so the wrapped object stores the identifier of the key itself. */
function addKeyIdentity(information: Structure, { id }: Key): Structure {
  return structure(TAG.EncryptionKeyInformation, [text(TAG.UniqueIdentifier, id), ...information.value.filter(({ tag }) => tag !== TAG.UniqueIdentifier)]);
}

function parametersOf(information: Structure): CryptographicParameters {
  const given = structureOf(information, TAG.CryptographicParameters);
  return given ? readParameters(given) : {};
}

interface Unwrapper {
  readonly key: Key;
  readonly own: CryptographicParameters | undefined;
  readonly material: WrappedMaterial | undefined;
}

/** The key that unwraps the content, and what it unwraps; undefined for material in an encoding that no token knows. */
export async function unwrapperOf(content: Structure, ctx: OperationContext): Promise<Unwrapper> {
  const { wrapping, format } = keyBlockOf(content);
  const information = encryptedBy(required(wrapping, TAG.KeyWrappingData));
  const wrapper = await unwrappingKey(ctx, information);
  const [key, own] = [keyOf(wrapper, ctx), ownParameters(information, wrapper)];
  if (!wrapping || codeOf(wrapping, TAG.EncodingOption) !== ENUM.EncodingOption.NoEncoding) return { key, own, material: undefined };
  const iv = bytesOf(wrapping, TAG.IVCounterNonce);
  return { key, own, material: { data: wrappedBytes(content), ...(iv && { iv }), parameters: parametersOf(information), format } };
}

/** What KeyWrapType of the request asks for; undefined without one. @throws Refusal KeyWrapTypeNotSupported */
export function asksUnwrapped(request: Structure): boolean | undefined {
  const asked = codeOf(request, TAG.KeyWrapType);
  if (asked === undefined) return undefined;
  if (asked === KeyWrapType.NotWrapped || asked === KeyWrapType.AsRegistered) return asked === KeyWrapType.NotWrapped;
  throw new Refusal('KeyWrapTypeNotSupported', 'KeyWrapType must be NotWrapped or AsRegistered');
}

/**
 * The key that encrypted the material. A MAC or a signature of the material is not passed over: who gave one relies on it.
 * @throws Refusal KeyWrapTypeNotSupported
 */
function encryptedBy(wrapping: Structure): Structure {
  const method = codeOf(wrapping, TAG.WrappingMethod) ?? WrappingMethod.Encrypt;
  const isEncryptedOnly = method === WrappingMethod.Encrypt && ![TAG.MACSignatureKeyInformation, TAG.MACSignature].some((tag) => child(wrapping, tag));
  if (!isEncryptedOnly)
    throw new Refusal('KeyWrapTypeNotSupported', 'the key is wrapped with a MAC or a signature, which is not verified here; use Encrypt alone');
  return required(structureOf(wrapping, TAG.EncryptionKeyInformation), TAG.EncryptionKeyInformation);
}

/** The content, unwrapped if it is wrapped. @throws Refusal if the wrapping key is missing or does not unwrap it, or if it is wrapped otherwise than by Encrypt */
export async function unwrapContent(content: Structure, ctx: OperationContext): Promise<Structure> {
  const block = structureOf(content, TAG.KeyBlock);
  const wrapping = block && keyBlockOf(content).wrapping;
  if (!block || !wrapping) return content;
  const information = encryptedBy(wrapping);
  const wrapper = await unwrappingKey(ctx, information);
  return unwrapWith(keyOf(wrapper, ctx), content, ownParameters(information, wrapper));
}

/** As unwrapContent, with a key whose use is already permitted. @param own its parameters, if only they say how it wraps */
export async function unwrapWith(key: Key, content: Structure, own?: CryptographicParameters): Promise<Structure> {
  const block = required(structureOf(content, TAG.KeyBlock), TAG.KeyBlock);
  const wrapping = required(structureOf(block, TAG.KeyWrappingData), TAG.KeyWrappingData);
  const information = encryptedBy(wrapping);
  const iv = bytesOf(wrapping, TAG.IVCounterNonce);
  const wrapped = { data: wrappedBytes(content), ...(iv && { iv }) };
  const plain = await unwrapEither(parametersOf(information), own, (by) => key.unwrap(by, wrapped));
  const encoding = codeOf(wrapping, TAG.EncodingOption) ?? ENUM.EncodingOption.TTLVEncoding;
  const value = encoding === ENUM.EncodingOption.TTLVEncoding ? keyValueOf(plain) : structure(TAG.KeyValue, [bytes(TAG.KeyMaterial, plain)]);
  const members = block.value.filter(({ tag }) => tag !== TAG.KeyWrappingData).map((member): Node => (member.tag === TAG.KeyValue ? value : member));
  return replaceKeyBlock(content, structure(TAG.KeyBlock, members));
}

/** The KeyValue as bytes. Some clients, such as PyKMIP, put the same bytes into a KeyValue structure as its KeyMaterial. */
function wrappedBytes(content: Structure): Uint8Array {
  const { material } = keyBlockOf(content);
  if (material instanceof Uint8Array) return material;
  throw new Refusal('InvalidMessage', 'the KeyValue of a wrapped key must be a ByteString');
}

function keyValueOf(plain: Uint8Array): Structure {
  const value = decodeBinary(plain);
  if (value.tag !== TAG.KeyValue) throw new Refusal('CryptographicFailure', 'the unwrapped data is not a KeyValue');
  return value;
}

function replaceKeyBlock(content: Structure, block: Structure): Structure {
  return structure(
    content.tag,
    content.value.map((member) => (member.tag === TAG.KeyBlock ? block : member)),
  );
}
