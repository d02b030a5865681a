// A second place for objects, in memory, as an HSM is one: what plugs in to the router is one source, and nothing else knows of it.
import type { Grants } from '../../actors/kmip/object/grants.ts';
import type { DescriptionDraft, Draft } from '../../actors/kmip/object/managed-object.ts';
import type { ObjectSource, ObjectWriter } from '../../actors/kmip/object/object-source.ts';
import { Refusal } from '../../kmip/refusal.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';

export interface Tray extends ObjectSource {
  readonly objects: Map<string, Draft>;
}

const NO_GRANTS: Grants = new Map();

/** Takes symmetric keys and secret data; a search finds all that have the ObjectType asked for. */
export function tray(prefix: string): Tray {
  const objects = new Map<string, Draft>();
  const copyOf = (id: string): Draft | undefined => {
    const object = objects.get(id);
    return object && { ...object, attributes: object.attributes.copy() };
  };
  const held = (id: string) => {
    const object = copyOf(id);
    return object && { object, contentBytes: 0, grants: NO_GRANTS };
  };
  const put = async (object: DescriptionDraft) => {
    objects.set(object.id, object as Draft);
    return [];
  };
  const writer: ObjectWriter = {
    held: async (id) => held(id),
    readWhole: async ({ object }) => held(object.id),
    describe: async (id) => copyOf(id),
    read: async (id) => copyOf(id),
    insert: put,
    update: put,
    remove: async (id) => void objects.delete(id),
    async copyGrants() {},
  };
  let made = 0;
  return {
    ...writer,
    objects,
    prefix,
    newIdentifier: () => `${prefix}::made ${++made}`,
    requirePlace(id, type) {
      if (type !== ENUM.ObjectType.SymmetricKey && type !== ENUM.ObjectType.SecretData)
        throw new Refusal('InvalidField', `${id}: the tray takes no such object`);
    },
    absence: (name) => `${name} is not in the tray`,
    within: () => writer,
    async find(ctx, { attributes, offset, limit }) {
      const type = attributes.find(({ tag }) => tag === TAG.ObjectType)?.value;
      const ids = [...objects.values()]
        .filter((object) => object.owner === ctx.caller.user && (type === undefined || object.type === type))
        .map(({ id }) => id);
      return { ids: ids.slice(offset, offset + limit), total: ids.length };
    },
  };
}
