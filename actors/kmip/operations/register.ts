// Register: stores an object that the client has created (KMIP 2.1 section 6.1.43).
import { isAttributeIn } from '../../../kmip/attribute/rules.ts';
import { CONTENT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import type { ObjectType } from '../../../kmip/object-type.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { codeOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { requireStorage } from '../creation/protection-storage.ts';
import { isToldOfCertificate, requireTold } from '../object/attributes/certificate-attributes.ts';
import { withEncapsulated } from '../object/attributes/encapsulated.ts';
import { attributesIn, newAttributes, requireMask } from '../object/attributes/new-attributes.ts';
import { newObject, requireCreation } from '../object/create.ts';
import { fileIn, takeCompanions } from '../object/forms/pkcs12-import.ts';
import { createBrought, keeping } from '../object/kept-keys.ts';
import { chosenIn, placeFor } from '../object/place.ts';
import { contentIn, describeContent } from '../object/registered.ts';
import { addWrappingLink } from '../object/wrapping/wrapping-link.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { withDefaults } from '../policy/defaults.ts';

export const register = {
  name: 'Register',
  members: payloadMembers(['ObjectType', 'Attributes', 'ProtectionStorageMasks', ...CONTENT]),
  leaves: [{ tag: TAG.UniqueIdentifier, code: ENUM.UniqueIdentifier.Register }],
  event: 'key.register',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  await requireCreation(ctx);
  const type = required(codeOf(request, TAG.ObjectType), TAG.ObjectType) as ObjectType;
  const place = placeFor(ctx, { type, chosen: chosenIn(attributesIn(request, TAG.Attributes)) });
  const brought = contentIn(request, type, isAttributeIn(TAG.KeyValuePresent, ctx.version));
  const file = await fileIn(brought, type, request, ctx);
  const content = file?.content ?? brought;
  requireStorage(request, TAG.ProtectionStorageMasks);
  const own = withEncapsulated(file?.request ?? request, content, type);
  const { told, rest } = type === ENUM.ObjectType.Certificate ? withoutTold(own) : { told: [], rest: own };
  const whole = withDefaults(rest, (await ctx.policy()).defaults, { type, tags: [TAG.Attributes], isBrought: true });
  const attributes = newAttributes(whole, type, TAG.Attributes);
  requireMask(ctx.version, type, attributesIn(whole, TAG.Attributes), 'Register');
  describeContent(type, content, attributes, ctx.server.args.algorithms);
  requireTold(told, attributes);
  const { keeper } = place.source;
  const stored = keeper ? await keeper.take(ctx, place.id, type, content, attributes) : content;
  if (!keeper) await addWrappingLink(attributes, content, ctx);
  const taken = [place.id];
  await keeping(keeper, taken, async () => {
    const draft = newObject(ctx, { place, type, content: stored, attributes, brought: true });
    const companions = file?.companions(draft) ?? [];
    await takeCompanions(ctx, keeper, companions, taken);
    await createBrought(ctx, keeper, [draft, ...companions], register.event);
  });
  return [text(TAG.UniqueIdentifier, place.id)];
}

/** Apart from the attributes that only the server sets, because a client has to tell them here. */
function withoutTold(request: Structure): { readonly told: readonly Node[]; readonly rest: Structure } {
  const given = attributesIn(request, TAG.Attributes);
  const rest = structure(
    TAG.Attributes,
    given.filter((node) => !isToldOfCertificate(node)),
  );
  return {
    told: given.filter(isToldOfCertificate),
    rest: structure(
      request.tag,
      request.value.map((node) => (node.tag === TAG.Attributes ? rest : node)),
    ),
  };
}
