// Holds up the end of a key by which objects are stored wrapped, because nobody can open them without it: until that is meant, or until they are wrapped by its replacement.
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import type { ObjectTransaction, OperationContext } from '../operation-context.ts';
import { linkedTo } from './create.ts';
import { shortForm } from './hsm-identifier.ts';
import { stateAt } from './life/lifecycle.ts';
import type { DescriptionDraft } from './managed-object.ts';
import { isWrapped } from './wrapping/opened.ts';
import { wrapperOf } from './wrapping-policy.ts';

const { ObjectType, State } = ENUM;
const WRAPS: ReadonlySet<number> = new Set([ObjectType.SymmetricKey, ObjectType.PrivateKey]);

/** Of those that the index names, so many are looked at. */
const LOOKED_AT = 1_000;

/**
 * Whoever has revoked a key has said that it is to end. A replaced one is wrapped away from by this server, which may not have come to the end of it.
 * @throws Refusal WrongKeyLifecycleState
 */
export async function requireNotNeeded(tx: ObjectTransaction, draft: DescriptionDraft, ctx: OperationContext): Promise<void> {
  if (!WRAPS.has(draft.type)) return;
  const isActive = stateAt(draft, ctx.now) === State.Active;
  const isOnToken = ctx.server.objects.sourceOf(draft.id).keeper !== undefined;
  const isReplaced = !isOnToken && draft.type === ObjectType.SymmetricKey && linkedTo(draft, 'ReplacementObjectLink') !== undefined;
  if (!isActive && !isReplaced) return;
  // Keys on tokens wrap what others own. Of keys in software, others could otherwise say that theirs are wrapped by it.
  if (!(await isNeeded(tx, draft, isOnToken ? undefined : draft.owner, ctx))) return;
  const what = `objects are stored wrapped by ${draft.id}, and nobody can open them without it`;
  if (isActive) throw new Refusal('WrongKeyLifecycleState', `DENIED: ${what}; if that is meant, revoke it by itself before you destroy it`);
  throw new Refusal('WrongKeyLifecycleState', `DENIED: ${what}: the server wraps them by its replacement, within minutes; destroy those that stay`);
}

/** @param owner of the objects; undefined for all */
async function isNeeded(tx: ObjectTransaction, draft: DescriptionDraft, owner: string | undefined, { server }: OperationContext): Promise<boolean> {
  const publicKey = draft.type === ObjectType.PrivateKey ? linkedTo(draft, 'PublicKeyLink') : undefined;
  const full = publicKey === undefined ? [draft.id] : [draft.id, publicKey];
  const short = full.flatMap((id) => shortForm(id) ?? []).filter((id) => full.includes(server.objects.canonical(id)));
  const names = [...full, ...short];
  for (const name of names) {
    const ids = await tx.wrappedBy(name, owner, LOOKED_AT);
    // There may be others.
    if (ids.length === LOOKED_AT) return true;
    for (const id of ids) if (await isStoredWrapped(tx, id, name)) return true;
  }
  return false;
}

/** Those that are only given out wrapped by it are stored in clear; one that came wrapped may say that it is to be given out so. */
async function isStoredWrapped(tx: ObjectTransaction, id: string, name: string): Promise<boolean> {
  const object = await tx.read(id);
  if (!object || wrapperOf(object) !== name) return object !== undefined;
  const whole = await tx.readWhole(id);
  return whole !== undefined && isWrapped(whole);
}
