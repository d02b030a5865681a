// Returns an object in the key format that a client asks for (KMIP 2.1 sections 4.26 and 11.25).
import { andThen } from '../../../../kernel/at-once.ts';
import { type KeyBlock, keyBlock, keyBlockOf } from '../../../../kmip/key-block.ts';
import { defaultFormat, exportKey } from '../../../../kmip/key-format/key-format.ts';
import type { KeyFormatType } from '../../../../kmip/key-format/key-format-type.ts';
import { exportPoint } from '../../../../kmip/key-format/point-form.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { bytes, type Structure, structure } from '../../../../kmip/ttlv/node.ts';
import { bytesOf, codeOf, required, structureOf } from '../../../../kmip/ttlv/read.ts';
import { enumerationValueExists } from '../../../../kmip/ttlv/since.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { Version } from '../../../../kmip/version.ts';
import { type KeyContext, keyOf } from '../key.ts';
import { algorithmOf } from '../key-attributes.ts';
import type { ManagedObject } from '../managed-object.ts';

const { ObjectType } = ENUM;
/** Key formats of symmetric keys and secret data. */
export const SYMMETRIC_FORMATS: ReadonlySet<string> = new Set(['Raw', 'TransparentSymmetricKey', 'Opaque']);

/** Of objects whose content is no key block. */
const ONLY_FORMAT: ReadonlyMap<number, KeyFormatType> = new Map([
  [ObjectType.Certificate, 'X_509'],
  [ObjectType.OpaqueObject, 'Opaque'],
  [ObjectType.CertificateRequest, 'PKCS_10'],
]);

/**
 * The content of an object in the requested format, by default as it was registered or created. Attributes inside its KeyValue stay there.
 * @throws Refusal KeyFormatTypeNotSupported
 */
export function inFormat(object: ManagedObject, format: KeyFormatType | undefined, ctx: KeyContext): Structure | Promise<Structure> {
  const content = object.content as Structure;
  if (object.type === ObjectType.Template) {
    if (format !== undefined) throw unsupported(object, format);
    return content;
  }
  const only = ONLY_FORMAT.get(object.type);
  if (only !== undefined) {
    if (format !== undefined && format !== only) throw unsupported(object, format);
    return content;
  }
  const block = keyBlockOf(content);
  if (block.wrapping) {
    if (format !== undefined && format !== block.format)
      throw new Refusal('KeyFormatTypeNotSupported', `the key is stored wrapped; it is available only as ${block.format}`);
    return content;
  }
  const asked = format ?? block.format;
  if (asked === block.format) return block.attributes.length === 0 ? content : rebuild(object, asked, block.material, block);
  if (object.type === ObjectType.SymmetricKey || object.type === ObjectType.SecretData) {
    if (!SYMMETRIC_FORMATS.has(asked)) throw unsupported(object, asked);
    const raw = block.material instanceof Uint8Array ? block.material : required(bytesOf(block.material, TAG.Key), TAG.Key);
    return rebuild(object, asked, symmetricMaterial(raw, asked), block);
  }
  if (object.type !== ObjectType.PrivateKey && object.type !== ObjectType.PublicKey) throw unsupported(object, asked);
  return andThen(keyOf(object, ctx).material(), (material) => {
    const exported = exportKey(material, asked);
    return rebuild(object, asked, exported instanceof Uint8Array ? exported : structure(TAG.KeyMaterial, exported), block);
  });
}

/**
 * A public key of an elliptic curve, with its point in the form that a KeyCompressionType asks for.
 * @throws Refusal KeyCompressionTypeNotSupported, KeyFormatTypeNotSupported
 */
export async function compressPoints(object: ManagedObject, format: KeyFormatType | undefined, compression: number, ctx: KeyContext): Promise<Structure> {
  if (object.type !== ObjectType.PublicKey)
    throw new Refusal('KeyCompressionTypeNotSupported', 'KeyCompressionType applies only to public keys of elliptic curves');
  const block = keyBlockOf(object.content as Structure);
  if (block.wrapping) throw new Refusal('KeyCompressionTypeNotSupported', 'the key is stored wrapped, so the form of its point cannot be changed');
  const asked = format ?? block.format;
  const exported = exportPoint(await keyOf(object, ctx).publicKey(), asked, compression);
  const told = compression === ENUM.KeyCompressionType.ECPublicKeyTypeUncompressed ? undefined : compression;
  const material = exported instanceof Uint8Array ? exported : structure(TAG.KeyMaterial, exported);
  return rebuild(object, asked, material, block, told);
}

/** The material of a symmetric key in a key format. */
function symmetricMaterial(raw: Uint8Array, format: KeyFormatType): Uint8Array | Structure {
  return format === 'TransparentSymmetricKey' ? structure(TAG.KeyMaterial, [bytes(TAG.Key, raw)]) : raw;
}

function unsupported({ id }: ManagedObject, format: string): Refusal {
  return new Refusal('KeyFormatTypeNotSupported', `${id} cannot be returned as ${format}: unsupported key format`);
}

function rebuild(
  object: ManagedObject,
  format: KeyFormatType,
  material: Uint8Array | Structure,
  { algorithm, length, attributes }: KeyBlock,
  compression?: number,
): Structure {
  const content = object.content as Structure;
  const block = keyBlock({ format, material: material instanceof Uint8Array ? material : material.value, algorithm, length, attributes, compression });
  return structure(
    content.tag,
    content.value.map((member) => (member.tag === TAG.KeyBlock ? block : member)),
  );
}

/** The format to return if the client asks for none and its version of KMIP does not define the format in which the object is stored. */
export function formatIn(object: ManagedObject, ctx: KeyContext & { readonly version: Version }): KeyFormatType | undefined {
  const { version } = ctx;
  const block = object.content && structureOf(object.content, TAG.KeyBlock);
  const own = block && codeOf(block, TAG.KeyFormatType);
  if (own === undefined || structureOf(block as Structure, TAG.KeyWrappingData) || enumerationValueExists('KeyFormatType', own, version)) return undefined;
  const kind = object.type === ObjectType.PrivateKey ? 'PrivateKey' : object.type === ObjectType.PublicKey ? 'PublicKey' : undefined;
  const algorithm = algorithmOf(object);
  const usual = kind && algorithm && defaultFormat(kind, algorithm);
  if (usual === undefined || enumerationValueExists('KeyFormatType', ENUM.KeyFormatType[usual], version)) return usual;
  // The structures of elliptic keys came with 1.3. Before, ECPrivateKey exists only for the curves that SEC 1 describes.
  if (kind === 'PublicKey') return 'X_509';
  return keyOf(object, ctx).algorithm === 'EC' ? 'ECPrivateKey' : 'PKCS_8';
}

/** The format that the payload asks for. */
export function askedFormat(request: Structure): KeyFormatType | undefined {
  const code = codeOf(request, TAG.KeyFormatType);
  if (code === undefined) return undefined;
  const name = Object.entries(ENUM.KeyFormatType).find(([, value]) => value === code)?.[0];
  if (name === undefined) throw new Refusal('KeyFormatTypeNotSupported', `there is no key format type 0x${code.toString(16).padStart(8, '0')}: unsupported`);
  return name as KeyFormatType;
}
