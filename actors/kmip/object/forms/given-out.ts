// The content of an object as Get and Export return it: in the requested format, and wrapped if the client or the object requires it.
import { andThen } from '../../../../kernel/at-once.ts';
import { isAttributeIn } from '../../../../kmip/attribute/rules.ts';
import { keyBlock, keyBlockHead, keyBlockOf, lacksKeyValue } from '../../../../kmip/key-block.ts';
import { exportKey } from '../../../../kmip/key-format/key-format.ts';
import { keyValueIn } from '../../../../kmip/message/legacy.ts';
import type { OperationName } from '../../../../kmip/operation-name.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { boolean, type Structure, structure } from '../../../../kmip/ttlv/node.ts';
import { child, children, codeOf, nameOf, structureOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { OperationContext } from '../../operation-context.ts';
import { withNamedAttributes } from '../attributes/encapsulated.ts';
import { flagOf } from '../flag.ts';
import { keyOf } from '../key.ts';
import { requireOnLine } from '../life/availability.ts';
import { isDestroyed, settle, stateAt } from '../life/lifecycle.ts';
import type { ManagedObject } from '../managed-object.ts';
import { isWrapped, openWrapped } from '../wrapping/opened.ts';
import { asksUnwrapped, unencodedFormat, wrapContent, wrapThere } from '../wrapping/wrapping.ts';
import { wrapperOf, wrappingSpecification } from '../wrapping-policy.ts';
import { askedFormat, compressPoints, formatIn, inFormat } from './format.ts';
import { asPkcs12 } from './pkcs12-export.ts';

const { ObjectType } = ENUM;
const { NoEncoding, TTLVEncoding } = ENUM.EncodingOption;

/** @throws Refusal Sensitive, NotExtractable, KeyFormatTypeNotSupported, KeyCompressionTypeNotSupported, and the refusals of wrapping */
export function givenOut(request: Structure, object: ManagedObject, ctx: OperationContext): Structure | Promise<Structure> {
  return andThen(contentFor(request, object, ctx), (content) => andThen(noteGivenOut(object, ctx), () => content));
}

function contentFor(request: Structure, object: ManagedObject, ctx: OperationContext): Structure | Promise<Structure> {
  const specification = structureOf(request, TAG.KeyWrappingSpecification);
  if (flagOf(object.attributes, TAG.Sensitive, false) && !specification)
    throw new Refusal('Sensitive', 'DENIED: the object is sensitive and is returned only in wrapped form');
  if (!flagOf(object.attributes, TAG.Extractable, true)) throw new Refusal('NotExtractable', 'DENIED: the object is not extractable');
  if (object.content && lacksKeyValue(object.content)) {
    if (!ctx.server.objects.sourceOf(object.id).keeper) return keptElsewhere(request, object, object.content, ctx);
    return fromKeeper(request, object, specification, ctx);
  }
  const clear = wantsClear(request, object, ctx);
  // What is stored wrapped is unwrapped first if the request says so: only then can its format be another, or another key wrap it.
  const opened = clear && isWrapped(object) ? openWrapped(object, ctx) : object;
  return andThen(opened, (each) => shapedFor(request, each, clear, ctx));
}

/** In the format and the wrapping that the request or the object requires. */
function shapedFor(request: Structure, object: ManagedObject, clear: boolean, ctx: OperationContext): Structure | Promise<Structure> {
  const specification = structureOf(request, TAG.KeyWrappingSpecification);
  const compression = codeOf(request, TAG.KeyCompressionType);
  const asked = askedFormat(request) ?? (specification && unencodedFormat(object, specification));
  const formatted = compression === undefined ? inFormat(object, asked ?? formatIn(object, ctx), ctx) : compressPoints(object, asked, compression, ctx);
  return andThen(formatted, (content) => {
    if (specification) return wrapContent(wrappable(content, specification, object, ctx), specification, ctx);
    const wrapper = wrapperOf(object);
    if (wrapper !== undefined && !clear) return wrapContent(keyValueIn(content, ctx.version), wrappingSpecification(wrapper), ctx);
    return withMask(content, object, ctx);
  });
}

/**
 * Clients of the compact spelling wrap keys by themselves and look inside the wrapping key for its permission to wrap.
 * KeyValue may contain attributes (KMIP 2.1 section 3.2).
 */
function withMask(content: Structure, object: ManagedObject, ctx: OperationContext): Structure {
  if (ctx.server.args.jsonNames !== 'compact' || !structureOf(content, TAG.KeyBlock) || !object.attributes.has(TAG.CryptographicUsageMask)) return content;
  const isSaid = keyBlockOf(content).attributes.length > 0;
  return isSaid ? content : withNamedAttributes(content, ['Cryptographic Usage Mask'], object, ctx);
}

/** A key on a token: wrapped there by another, or with its value, if that may leave. */
async function fromKeeper(request: Structure, object: ManagedObject, specification: Structure | undefined, ctx: OperationContext): Promise<Structure> {
  const format = askedFormat(request);
  const isOwn = format === undefined || format === keyBlockHead(object.content as Structure).format;
  const wrapped = specification && flagOf(object.attributes, TAG.Sensitive, false) && isOwn && (await wrapThere(object, specification, ctx));
  return wrapped || contentFor(request, await withValue(object, ctx), ctx);
}

async function withValue(object: ManagedObject, ctx: OperationContext): Promise<ManagedObject> {
  const content = object.content as Structure;
  const { algorithm, length, format: own } = keyBlockHead(content);
  const key = await keyOf(object, ctx).material();
  const format = key.type === 'secret' ? own : 'PKCS_8';
  const material = new Uint8Array(key.type === 'secret' ? key.export() : (exportKey(key, format) as Uint8Array));
  const block = keyBlock({ format, material, algorithm, length });
  return {
    ...object,
    content: structure(
      content.tag,
      content.value.map((member) => (member.tag === TAG.KeyBlock ? block : member)),
    ),
  };
}

/** For a key that is kept elsewhere: a KeyBlock without KeyValue, which came with 1.2. The request must not ask for more. */
function keptElsewhere(request: Structure, object: ManagedObject, content: Structure, ctx: OperationContext): Structure {
  const { version } = ctx;
  const asksForMore = [TAG.KeyWrappingSpecification, TAG.KeyCompressionType].some((tag) => child(request, tag));
  const format = askedFormat(request) ?? formatIn(object, ctx);
  if (asksForMore || !isAttributeIn(TAG.KeyValuePresent, version) || (format !== undefined && format !== keyBlockHead(content).format)) keyBlockOf(content);
  return content;
}

/** Adds the attributes before wrapping, in the form of the client's version, because wrapped content cannot be changed later. */
function wrappable(content: Structure, specification: Structure, object: ManagedObject, ctx: OperationContext): Structure {
  if (child(specification, TAG.MACSignatureKeyInformation))
    throw new Refusal('KeyWrapTypeNotSupported', 'only the wrapping method Encrypt is supported; leave out MACSignatureKeyInformation');
  const names = children(specification, TAG.AttributeName).map(({ value }) => String(value));
  const encoding = codeOf(specification, TAG.EncodingOption) ?? TTLVEncoding;
  if (encoding !== TTLVEncoding && encoding !== NoEncoding) throw new Refusal('EncodingOptionError', 'EncodingOption must be NoEncoding or TTLVEncoding');
  const isEncoded = encoding === TTLVEncoding;
  return keyValueIn(isEncoded && structureOf(content, TAG.KeyBlock) ? withNamedAttributes(content, names, object, ctx) : content, ctx.version);
}

/**
 * As givenOut, but as a PKCS#12 file. Whoever chose its password can open the file, so keys that may leave only in wrapped form are refused.
 * @param named the certificate, if the request names the certificate
 */
export async function fileGivenOut(
  request: Structure,
  key: ManagedObject,
  named: ManagedObject,
  right: OperationName,
  ctx: OperationContext,
): Promise<Structure> {
  if (key.type !== ObjectType.PrivateKey) return inFormat(key, 'PKCS_12', ctx);
  if (flagOf(key.attributes, TAG.Sensitive, false)) throw new Refusal('Sensitive', 'DENIED: the object is sensitive and is returned only wrapped by a key');
  if (!flagOf(key.attributes, TAG.Extractable, true)) throw new Refusal('NotExtractable', 'DENIED: the object is not extractable');
  const file = await asPkcs12(key, named, request, right, ctx);
  await noteGivenOut(key, ctx);
  return file;
}

/** Follows KeyWrapType of the request, or else the configuration, which lists object types that old clients must get unwrapped. */
function wantsClear(request: Structure, { type }: ManagedObject, { server }: OperationContext): boolean {
  const asked = asksUnwrapped(request);
  if (asked !== undefined) return asked;
  const { defaultUnwrapType } = server.args;
  return defaultUnwrapType.includes('All') || defaultUnwrapType.includes(nameOf('ObjectType', type));
}

/** Clears Fresh once the object is given out for the first time, wrapped or not (2.1 section 4.24). */
function noteGivenOut(object: ManagedObject, ctx: OperationContext): void | Promise<void> {
  if (!flagOf(object.attributes, TAG.Fresh, false)) return;
  return ctx.change(async (tx) => {
    const draft = await tx.read(object.id);
    if (!draft) return;
    settle(draft, ctx.now);
    draft.attributes.set(boolean(TAG.Fresh, false));
    await tx.update(draft);
  });
}

export function refuseByState(object: ManagedObject, now: number): void {
  const state = stateAt(object, now);
  if (isDestroyed(state)) throw new Refusal('ObjectDestroyed', 'DENIED: the object is destroyed');
  requireOnLine(object);
}
