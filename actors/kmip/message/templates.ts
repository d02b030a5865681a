// Finds the templates that a request of KMIP 1.x names (specification 1.4 section 2.1.8).
import { type Templates, templateNames } from '../../../kmip/message/legacy.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { enumeration, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { attributesOf } from '../object/attributes/template.ts';
import type { OperationContext } from '../operation-context.ts';

const { OnLineStorage, ArchivalStorage } = MASK.StorageStatusMask;
const NO_TEMPLATES: Templates = new Map();

/**
 * The newest template of each name, first among the caller's own, then among those that others have granted. Missing ones are left out.
 * @throws Refusal ObjectArchived
 */
export function findTemplates(payload: Structure, ctx: OperationContext): Templates | Promise<Templates> {
  const names = ctx.version.major === 1 ? templateNames(payload) : [];
  return names.length === 0 ? NO_TEMPLATES : findNamed(new Set(names), ctx);
}

async function findNamed(names: ReadonlySet<string>, ctx: OperationContext): Promise<Templates> {
  const found = new Map<string, readonly Node[]>();
  for (const name of names) {
    const attributes = [enumeration(TAG.ObjectType, ENUM.ObjectType.Template), structure(TAG.Name, [text(TAG.NameValue, name)])];
    const query = { attributes, storage: OnLineStorage | ArchivalStorage, groupMember: undefined, offset: 0, limit: 1 };
    const [id] = (await ctx.server.objects.find(ctx, query)).ids;
    if (id === undefined) continue;
    const { content, archived } = await ctx.byId(id, 'Get');
    if (archived) throw new Refusal('ObjectArchived', `the template ${name} is archived; recover it first`);
    if (content) found.set(name, attributesOf(content));
  }
  return found;
}
