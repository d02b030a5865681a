// Names are unique among the objects of an owner (KMIP 1.4 section 3.2, 2.1 section 4.32): checked in the transaction that sets one.
import type { Reader } from '../../../kernel/store/store.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { type Structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Principal } from '../api.ts';
import { owns } from '../principal.ts';
import { linkedTo } from './create.ts';
import { type IndexTerm, termOf } from './index-terms.ts';
import type { DescriptionDraft } from './managed-object.ts';

const { Destroyed, DestroyedCompromised } = ENUM.State;
/** Before this rule, owners could have several objects with one Name. Reading this many rows is enough to find a conflict, if there is one. */
const MAX_LOOKED_AT = 64;

/**
 * A destroyed object gives up its Name; an archived one keeps it. The two keys of a pair, and the parts of a split key, may share a Name.
 * The database serializes transactions that set the same Name at the same time.
 * @param added index terms that the object did not have before
 * @param kin objects that the same request has created, and named, together with this one
 * @throws Refusal NonUniqueNameAttribute
 */
export async function requireUniqueNames(
  from: Reader,
  draft: DescriptionDraft,
  added: readonly IndexTerm[],
  caller: Principal,
  kin: readonly string[] = [],
): Promise<void> {
  if (draft.state === Destroyed || draft.state === DestroyedCompromised) return;
  for (const { tag, value } of added) {
    if (tag !== TAG.Name) continue;
    const sql = `SELECT o.id FROM kms_attribute a JOIN kms_object o ON o.id = a.object_id
      WHERE a.owner = $1 AND a.tag = $2 AND a.value = $3 AND o.id <> $4 AND o.state NOT IN (${Destroyed}, ${DestroyedCompromised}) LIMIT ${MAX_LOOKED_AT}`;
    const found = await from.all<{ id: string }>(sql, [draft.owner, tag, value, draft.id]);
    const others = new Set([linkedTo(draft, 'PrivateKeyLink'), linkedTo(draft, 'PublicKeyLink'), ...kin]);
    const other = found.find(({ id }) => !others.has(id));
    if (other) throw nameTaken(draft, value, other.id, caller);
  }
}

/** Only the owner may learn which object has the Name. */
function nameTaken({ attributes, owner }: DescriptionDraft, term: string, id: string, caller: Principal): Refusal {
  const node = attributes.all(TAG.Name).find((each) => termOf(each.node).value === term)?.node;
  const name = node?.type === TYPE.Structure ? textOf(node as Structure, TAG.NameValue) : undefined;
  const holder = owns(caller, owner) ? `the object ${id}` : 'another object of its owner';
  return new Refusal(
    'NonUniqueNameAttribute',
    `DENIED: ${holder} already has the Name ${JSON.stringify(name)}; Names must be unique among the objects of an owner`,
  );
}
