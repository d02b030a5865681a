// Import: an object under the identifier and with the attributes that it had elsewhere (KMIP 2.1 section 6.1.25).

import { checkAttribute } from '../object/attribute-rules.ts';
import { AttributeSet } from '../object/attributes.ts';
import { newObject, requireCreation } from '../object/create.ts';
import { requireChosen } from '../object/identifier.ts';
import { settle } from '../object/lifecycle.ts';
import type { Draft, ObjectType, State } from '../object/managed-object.ts';
import { takeAttribute } from '../object/new-attributes.ts';
import { fileIn } from '../object/pkcs12-import.ts';
import { contentIn, describeContent } from '../object/registered.ts';
import { unwrapContent } from '../object/wrapping.ts';
import { Refusal } from '../refusal.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { MASK } from '../ttlv/mask.ts';
import { integer, type Node, type Structure, TYPE, text } from '../ttlv/node.ts';
import { booleanOf, codeOf, required, structureOf, textOf } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';
import type { ObjectTransaction, Operation, OperationContext } from './operation.ts';

/** Set anew here: they are about the object in this server, or follow from its content. */
const NOT_TAKEN: ReadonlySet<number> = new Set([
  TAG.UniqueIdentifier,
  TAG.ObjectType,
  TAG.State,
  TAG.Digest,
  TAG.Fresh,
  TAG.InitialDate,
  TAG.LastChangeDate,
  TAG.LeaseTime,
  TAG.ShortUniqueIdentifier,
  TAG.AlwaysSensitive,
  TAG.NeverExtractable,
  TAG.ProtectionStorageMask,
]);

export const importObject: Operation = async (request, ctx) => {
  await requireCreation(ctx);
  const given = textOf(request, TAG.UniqueIdentifier);
  const id = given === undefined || given === '' ? undefined : requireChosen(given);
  const type = required(codeOf(request, TAG.ObjectType), TAG.ObjectType) as ObjectType;
  const brought = contentIn(request, type);
  const unwrap = codeOf(request, TAG.KeyWrapType) === ENUM.KeyWrapType.NotWrapped;
  const unwrapped = unwrap ? await unwrapContent(brought, ctx) : brought;
  const file = await fileIn(unwrapped, type, request, ctx);
  const draft = newDraft(ctx, file?.request ?? request, type, file?.content ?? unwrapped, id);
  const all = [draft, ...(file?.companions(draft) ?? [])];
  await ctx.change(async (tx) => {
    for (const each of all) await put(tx, each, booleanOf(request, TAG.ReplaceExisting) ?? false, ctx);
  });
  return [text(TAG.UniqueIdentifier, draft.id)];
};

function newDraft(ctx: OperationContext, request: Structure, type: ObjectType, content: Structure, id: string | undefined): Draft {
  const given = AttributeSet.of(structureOf(request, TAG.Attributes));
  const attributes = new AttributeSet();
  for (const node of given.nodes()) {
    const checked = checkAttribute(node, type);
    if (!NOT_TAKEN.has(node.tag)) takeAttribute(attributes, checked);
  }
  if (!attributes.has(TAG.CryptographicUsageMask)) attributes.set(integer(TAG.CryptographicUsageMask, MASK.CryptographicUsageMask.Unrestricted));
  describeContent(type, content, attributes, ctx.server.args.algorithms);
  const draft = newObject(ctx, { type, content, attributes, brought: true, ...(id === undefined ? {} : { idHint: id }) });
  takeState(draft, given.first(TAG.State), ctx.now);
  return draft;
}

/** An imported object keeps the state it had; what is destroyed has nothing to import. */
function takeState(draft: Draft, state: Node | undefined, now: number): void {
  if (state?.type !== TYPE.Enumeration) return;
  const { Destroyed, DestroyedCompromised } = ENUM.State;
  if (state.value === Destroyed || state.value === DestroyedCompromised) throw new Refusal('InvalidField', 'a destroyed object cannot be imported');
  draft.state = state.value as State;
  settle(draft, now);
}

async function put(tx: ObjectTransaction, draft: Draft, replace: boolean, { caller }: OperationContext): Promise<void> {
  const existing = await tx.read(draft.id);
  if (existing) {
    // Whose it is decides, not a grant: replacing is more than any right.
    if (existing.owner !== caller.user || !replace) throw new Refusal('ObjectAlreadyExists', `an object ${draft.id} already exists`);
    await tx.resize(draft);
  } else await tx.insert(draft);
  await tx.audit('key.import', draft.id);
}
