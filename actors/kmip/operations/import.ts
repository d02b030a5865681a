// Import: adds an object with the identifier and attributes that it had elsewhere (KMIP 2.1 section 6.1.25).
import { checkAttribute } from '../../../kmip/attribute/rules.ts';
import { AttributeSet } from '../../../kmip/attribute/set.ts';
import { CONTENT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import type { ObjectType, State } from '../../../kmip/object-type.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { dateTime, type Node, type Structure, TYPE, text } from '../../../kmip/ttlv/node.ts';
import { booleanOf, codeOf, nameOf, required, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Version } from '../../../kmip/version.ts';
import { isGuessable } from '../object/attributes/digest.ts';
import { withEncapsulated } from '../object/attributes/encapsulated.ts';
import { completeMask, requireMask, requireType, takeAttribute } from '../object/attributes/new-attributes.ts';
import { newObject, requireCreation } from '../object/create.ts';
import { fileIn, takeCompanions } from '../object/forms/pkcs12-import.ts';
import { keeping } from '../object/kept-keys.ts';
import { dateAttribute, isDestroyed, settle } from '../object/life/lifecycle.ts';
import type { Draft } from '../object/managed-object.ts';
import { placeFor } from '../object/place.ts';
import { contentIn, contentType, describeContent } from '../object/registered.ts';
import { asksUnwrapped, unwrapContent } from '../object/wrapping/wrapping.ts';
import type { Operation } from '../operation.ts';
import type { ObjectTransaction, OperationContext } from '../operation-context.ts';
import { owns } from '../principal.ts';

/**
 * Attributes that are not set as given: the request states them elsewhere, they follow from the identifier or the content, or they tell
 * where the object is stored.
 */
const NOT_TAKEN: ReadonlySet<number> = new Set([
  TAG.UniqueIdentifier,
  TAG.ObjectType,
  TAG.State,
  TAG.ObjectClass,
  TAG.ShortUniqueIdentifier,
  TAG.ProtectionStorageMask,
  TAG.ArchiveDate,
  TAG.KeyValuePresent,
]);

export const importObject = {
  name: 'Import',
  members: payloadMembers(['UniqueIdentifier', 'ObjectType', 'ReplaceExisting', 'KeyWrapType', 'Attributes', ...CONTENT]),
  leaves: [{ tag: TAG.UniqueIdentifier, code: ENUM.UniqueIdentifier.Import }],
  event: 'key.import',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  await requireCreation(ctx);
  const chosen = textOf(request, TAG.UniqueIdentifier);
  const type = typeOf(request, ctx.version);
  const place = placeFor(ctx, { type, chosen: chosen === '' ? undefined : chosen });
  const brought = contentIn(request, type);
  const unwrapped = asksUnwrapped(request) ? await unwrapContent(brought, ctx) : brought;
  const file = await fileIn(unwrapped, type, request, ctx);
  const content = file?.content ?? unwrapped;
  const given = AttributeSet.of(structureOf(withEncapsulated(file?.request ?? request, content, type), TAG.Attributes));
  const attributes = attributesOf(ctx, given, type, content);
  const replace = booleanOf(request, TAG.ReplaceExisting) ?? false;
  const { keeper } = place.source;
  const stored = keeper ? await taken(keeper.take(ctx, place.id, type, content, attributes), replace) : content;
  const brings = [place.id];
  await keeping(keeper, brings, async () => {
    const draft = newObject(ctx, { place, type, content: stored, attributes, brought: true, complete: true });
    takeState(draft, given.first(TAG.State), ctx.now);
    const companions = file?.companions(draft) ?? [];
    await taken(takeCompanions(ctx, keeper, companions, brings), replace);
    await ctx.change(async (tx) => {
      await keeper?.linkTaken(tx, draft, ctx.now);
      for (const each of [draft, ...companions]) await put(tx, each, replace, ctx);
    });
  });
  return [text(TAG.UniqueIdentifier, place.id)];
}

/** What a token has destroyed cannot be put back, as when the new key is refused then. */
async function taken<T>(work: Promise<T>, replace: boolean): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!replace || !(error instanceof Refusal) || error.reason !== 'ObjectAlreadyExists') throw error;
    throw new Refusal(error.reason, `${error.message}; ReplaceExisting replaces no key in an HSM: Destroy it first`, error);
  }
}

/** The payload of KMIP 1.4 has no ObjectType (section 4.41), so the type comes from the object itself. */
function typeOf(request: Structure, version: Version): ObjectType {
  const told = codeOf(request, TAG.ObjectType) ?? (version.major === 1 ? contentType(request) : undefined);
  // Some clients, such as kmip-go, leave out the object itself.
  if (told === undefined && version.major === 1) throw new Refusal('InvalidMessage', 'missing field: the object to import, for example a SymmetricKey');
  return required(told, TAG.ObjectType) as ObjectType;
}

/** @param given those of the request, with those that come with the content */
function attributesOf(ctx: OperationContext, given: AttributeSet, type: ObjectType, content: Structure): AttributeSet {
  const attributes = new AttributeSet();
  for (const node of given.nodes()) {
    const checked = checkAttribute(node, type);
    if (node.tag === TAG.ObjectType) requireType(node, type);
    if (node.tag === TAG.RotateGeneration && Number(checked.value) < 0) throw new Refusal('InvalidAttributeValue', 'RotateGeneration must not be negative');
    // With the digest, a password could be guessed.
    const isTaken = !NOT_TAKEN.has(node.tag) && !(node.tag === TAG.Digest && isGuessable(type));
    if (isTaken) takeAttribute(attributes, checked);
  }
  if (given.first(TAG.State)?.value === ENUM.State.Deactivated) datedEnd(attributes, ctx.now);
  requireMask(ctx.version, type, given.nodes(), 'Import');
  completeMask(attributes, type);
  describeContent(type, content, attributes, ctx.server.args.algorithms);
  return attributes;
}

/** The server sets the date of every end, and a search for the state counts on it. Where nobody says it, it has passed by now, and protection with it. */
function datedEnd(attributes: AttributeSet, now: number): void {
  if (attributes.has(TAG.DeactivationDate)) return;
  attributes.set(dateTime(TAG.DeactivationDate, Math.max(now, dateAttribute(attributes, TAG.ProtectStopDate) ?? now)));
}

/** An imported object keeps its state, but a destroyed object cannot be imported. */
function takeState(draft: Draft, state: Node | undefined, now: number): void {
  const isOver = state?.type === TYPE.Enumeration && isDestroyed(state.value as State);
  if (isOver || draft.attributes.has(TAG.DestroyDate)) throw new Refusal('InvalidField', 'a destroyed object cannot be imported');
  if (state?.type !== TYPE.Enumeration) return;
  // An object in a state that only others know could be neither revoked nor destroyed.
  nameOf('State', state.value);
  draft.state = state.value as State;
  settle(draft, now);
}

async function put(tx: ObjectTransaction, draft: Draft, replace: boolean, { caller, server }: OperationContext): Promise<void> {
  // The name was free when the token took the key: a row is that of a destroyed one, or of a search that has met this one, and makes room.
  const existing = server.objects.sourceOf(draft.id).keeper ? undefined : await tx.read(draft.id);
  if (existing) {
    // Only the owner may replace an object; no grant includes that right.
    if (!owns(caller, existing.owner) || !replace) throw new Refusal('ObjectAlreadyExists', `an object ${draft.id} already exists`);
    await tx.overwrite(draft);
  } else await tx.insert(draft);
  await tx.audit('key.import', draft.id);
}
