// The content of an object as Get and Export give it out: in the format asked for, and wrapped where the client or the object wants it.
import type { OperationContext, OperationName } from '../operations/operation.ts';
import { Refusal } from '../refusal.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { boolean, type Structure } from '../ttlv/node.ts';
import { codeOf, nameOf, structureOf } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';
import { flagOf } from './flag.ts';
import { askedFormat, inFormat } from './format.ts';
import { algorithmOf } from './key-material.ts';
import { settle } from './lifecycle.ts';
import type { ManagedObject } from './managed-object.ts';
import { asPkcs12 } from './pkcs12-export.ts';
import { unencodedFormat, unwrapContent, wrapContent } from './wrapping.ts';
import { wrapperOf, wrappingSpecification } from './wrapping-policy.ts';

const { ObjectType, KeyWrapType } = ENUM;

/** @throws Refusal Sensitive, NotExtractable, KeyFormatTypeNotSupported, KeyCompressionTypeNotSupported and those of wrapping */
export async function givenOut(request: Structure, object: ManagedObject, ctx: OperationContext): Promise<Structure> {
  const specification = structureOf(request, TAG.KeyWrappingSpecification);
  requireUncompressed(codeOf(request, TAG.KeyCompressionType), object);
  if (flagOf(object.attributes, TAG.Sensitive, false) && !specification)
    throw new Refusal('Sensitive', 'DENIED: the object is sensitive, it is given out wrapped only');
  if (!flagOf(object.attributes, TAG.Extractable, true)) throw new Refusal('NotExtractable', 'DENIED: the object is not extractable');
  const content = inFormat(object, askedFormat(request) ?? (specification && unencodedFormat(object, specification)));
  if (specification) return wrapContent(content, specification, ctx);
  const clear = wantsClear(request, object, ctx);
  const wrapper = wrapperOf(object);
  if (wrapper !== undefined && !clear) return wrapContent(content, wrappingSpecification(wrapper), ctx);
  if (flagOf(object.attributes, TAG.Fresh, false)) await notFreshAnyMore(object.id, ctx);
  return clear ? unwrapContent(content, ctx) : content;
}

/**
 * The same as a PKCS#12 file, which is open to whoever has given its password: what may leave wrapped only does not leave so.
 * @param named the certificate, where the file was asked for by it
 */
export async function fileGivenOut(
  request: Structure,
  key: ManagedObject,
  named: ManagedObject,
  right: OperationName,
  ctx: OperationContext,
): Promise<Structure> {
  if (key.type !== ObjectType.PrivateKey) return inFormat(key, 'PKCS_12');
  if (flagOf(key.attributes, TAG.Sensitive, false)) throw new Refusal('Sensitive', 'DENIED: the object is sensitive, it is given out wrapped by a key only');
  if (!flagOf(key.attributes, TAG.Extractable, true)) throw new Refusal('NotExtractable', 'DENIED: the object is not extractable');
  const file = await asPkcs12(key, named, request, right, ctx);
  if (flagOf(key.attributes, TAG.Fresh, false)) await notFreshAnyMore(key.id, ctx);
  return file;
}

const POINTS: ReadonlySet<string> = new Set(['EC', 'ECDSA', 'ECDH', 'ECMQV']);

/** Points of elliptic curves are given out uncompressed, and no other key has a compression. */
function requireUncompressed(compression: number | undefined, object: ManagedObject): void {
  if (compression === undefined) return;
  const hasPoint = object.type === ObjectType.PublicKey && POINTS.has(algorithmOf(object) ?? '');
  if (!hasPoint || compression !== ENUM.KeyCompressionType.ECPublicKeyTypeUncompressed)
    throw new Refusal('KeyCompressionTypeNotSupported', 'public keys of elliptic curves are given out uncompressed, and only they have a compression');
}

/** By KeyWrapType of the request, else by the configuration for kinds of objects that old clients must get unwrapped. */
function wantsClear(request: Structure, { type }: ManagedObject, { server }: OperationContext): boolean {
  const asked = codeOf(request, TAG.KeyWrapType);
  if (asked !== undefined) return asked === KeyWrapType.NotWrapped;
  const { defaultUnwrapType } = server.args;
  return defaultUnwrapType.includes('All') || defaultUnwrapType.includes(nameOf('ObjectType', type));
}

/** The first time that material leaves in clear. */
async function notFreshAnyMore(id: string, ctx: OperationContext): Promise<void> {
  await ctx.change(async (tx) => {
    const draft = await tx.read(id);
    if (!draft) return;
    settle(draft, ctx.now);
    draft.attributes.set(boolean(TAG.Fresh, false));
    await tx.update(draft);
  });
}
