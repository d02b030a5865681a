// Takes in keys that vendor tools made on tokens: each gets a row, so that it is found, used, granted and destroyed as any other.
import { setTimeout } from 'node:timers/promises';
import { Fault } from '../../../../kernel/fault.ts';
import { refusalOf } from '../../../../kmip/crypto-refusal.ts';
import { isPublicName } from '../../../../kmip/pair-name.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import type { SlotPlace, TokenKey, TokenKeyKind } from '../../../hsm/api.ts';
import type { ObjectTransaction, OperationContext } from '../../operation-context.ts';
import { linkedTo } from '../create.ts';
import type { DatabaseParts } from '../database-objects.ts';
import { identifierOf, namesById, placeOf, type TokenPlace } from '../hsm-identifier.ts';
import { isDestroyed } from '../life/lifecycle.ts';
import type { Draft } from '../managed-object.ts';
import { draftOf, foundIdentifier, toldHalf } from './found-key.ts';
import type { OwnKeys } from './own-keys.ts';
import { linkHalves } from './pair-links.ts';
import { isReplaced, renew } from './replaced-key.ts';
import { kindOf } from './shape.ts';
import { refusalOf as refusalBy } from './token-refusal.ts';
import type { Tokens } from './tokens.ts';

/** Only for callers who administer the instance: what others may know of is in the database. @param id in full; undefined for all keys of all slots @param own keys of the server, which are left alone */
export async function discoverKeys(tokens: Tokens, parts: DatabaseParts, ctx: OperationContext, id: string | undefined, own: OwnKeys): Promise<void> {
  const { administers = [] } = ctx.caller;
  // A transaction must not wait for a token.
  if (administers.length === 0 || ctx.reader !== ctx.server.store) return;
  if (id === undefined) {
    const places = administers.flatMap((prefix) => tokens.slotsOf(prefix).map((slot) => ({ prefix, slot })));
    // All at once: a search waits for slots that do not answer as long as for one of them.
    const lists = await Promise.all(places.map(async (at) => ({ at, keys: await listOf(tokens, at) })));
    // A list may be older than the destruction of a key.
    const again = async (place: TokenPlace, { kind }: TokenKey) => (await orNone(foundOf(tokens, place, [kind]).then(({ keys }) => keys)))[0];
    for (const { at, keys } of lists) await takeIn({ parts, ctx, own, again }, keys, at);
    return;
  }
  const place = placeOf(id, tokens.prefixes, isPublicName(id));
  if (!place || !administers.includes(place.prefix) || tokens.absence(place) !== undefined) return;
  // Each use of a key by an administrator asks this of the memory; a list of all keys would fill it.
  if (own.has(id)) return;
  const known = (await parts.cache.get(id, false))?.object.state;
  if (known !== undefined && !isDestroyed(known)) return;
  const kinds: readonly TokenKeyKind[] = isPublicName(id) ? ['public', 'private'] : ['secret', 'private'];
  // What is destroyed is told of also while its token is away, but another key may have its name.
  const { keys, ambiguous } = await foundOf(tokens, place, kinds).catch((error: unknown) => {
    if (known === undefined || !(error instanceof Refusal)) throw error;
    return { keys: [], ambiguous: undefined };
  });
  if (ambiguous && keys.length === 0) throw ambiguous;
  await takeIn({ parts, ctx, own }, [...keys, ...(await publicHalves(tokens, keys, place))], place);
}

/** A private key comes with its public key: what is done to a pair, such as its revocation, would leave alone one that is not known yet. */
async function publicHalves(tokens: Tokens, keys: readonly TokenKey[], at: SlotPlace): Promise<readonly TokenKey[]> {
  if (keys.some(({ kind }) => kind === 'public')) return [];
  const names = keys.flatMap(({ kind, half, name, pairName }) => (kind === 'private' && half === 'there' ? [pairName ?? name] : []));
  const found = await Promise.all(names.map((name) => foundOf(tokens, { prefix: at.prefix, slot: at.slot, name }, ['public'])));
  return found.flatMap((each) => each.keys);
}

/** For who makes a key of a name that the token has already, as from a call whose maker did not wait for it: it becomes an object that can be found and destroyed, and of which a replacement numbers its generation. */
export async function takeInTaken(tokens: Tokens, parts: DatabaseParts, ctx: OperationContext, place: TokenPlace, own: OwnKeys): Promise<void> {
  const { keys } = await foundOf(tokens, place, ['secret', 'private', 'public']);
  await takeIn({ parts, ctx, own }, keys, place);
}

interface FoundKeys {
  readonly keys: readonly TokenKey[];
  /** Several of one kind have the name, so nobody knows which is meant. */
  readonly ambiguous: Refusal | undefined;
}

async function foundOf(tokens: Tokens, place: TokenPlace, kinds: readonly TokenKeyKind[]): Promise<FoundKeys> {
  const keys: TokenKey[] = [];
  let ambiguous: Refusal | undefined;
  for (const kind of kinds) {
    const answer = await tokens.ask(place, (hsm, slot) => hsm.find(slot, { name: place.name, kind }));
    if (answer.ok) keys.push(answer.value);
    else if (answer.failure.why !== 'absent') {
      const refusal = refusalBy(answer.failure, place, 'to find a key');
      if (answer.failure.why !== 'ambiguous') throw refusal;
      ambiguous ??= refusal;
    }
  }
  return { keys, ambiguous };
}

/** A search does not wait longer for the slots, in milliseconds. The instance keeps a list that comes later for the next search. */
const LIST_MS = 2_000;

/** Nothing from a slot that is not there, or whose instance does not answer: a search goes on without it. */
const orNone = (keys: Promise<readonly TokenKey[]>): Promise<readonly TokenKey[]> =>
  keys.catch((error: unknown) => {
    if (error instanceof Refusal || error instanceof Fault) return [];
    throw error;
  });

async function listOf(tokens: Tokens, place: SlotPlace): Promise<readonly TokenKey[]> {
  const listed = orNone(tokens.call(place, 'to list its keys', (hsm, slot) => hsm.list(slot)));
  const enough = new AbortController();
  const late = setTimeout(LIST_MS, [], { signal: enough.signal }).catch(() => []);
  const keys = await Promise.race([listed, late]);
  enough.abort();
  return keys;
}

interface Taking {
  readonly parts: DatabaseParts;
  readonly ctx: OperationContext;
  readonly own: OwnKeys;
  /** The key if it is on the token still; undefined if it was found just now. */
  again?(place: TokenPlace, key: TokenKey): Promise<TokenKey | undefined>;
}

/** Whether the key has no object. A destroyed object has given its name back, so another key on the token may have it. */
async function isNew({ parts: { rows, store }, again }: Taking, key: TokenKey, at: SlotPlace): Promise<boolean> {
  const stored = async (name: string) => (await rows.describe(store, identifierOf({ ...at, name }, key.kind === 'public')))?.object;
  const before = await stored(key.name);
  if (before) return isDestroyed(before.state) && (!again || (await again({ ...at, name: key.name }, key)) !== undefined);
  for (const name of namesById(key)) {
    const other = await stored(name);
    if (other && !isDestroyed(other.state) && kindOf(other) === key.kind) return false;
  }
  return true;
}

/** Keys that are taken in at the same time: their transactions share a commit. */
const AT_ONCE = 32;

async function takeIn(taking: Taking, keys: readonly TokenKey[], at: SlotPlace): Promise<void> {
  for (let from = 0; from < keys.length; from += AT_ONCE) {
    const outcomes = await Promise.allSettled(keys.slice(from, from + AT_ONCE).map((key) => takeInOne(taking, key, at)));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    const [full] = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? (outcome.value ?? []) : []));
    if (full !== undefined) return taking.ctx.server.log.warn({ ...at, error: full }, 'keys on a token are left out');
  }
}

/** Whether the link of a private key leads to nothing that has ever been here. */
async function lacksHalf({ parts: { rows, store } }: Taking, key: TokenKey, half: TokenKey, at: SlotPlace): Promise<boolean> {
  const before = (await rows.describe(store, foundIdentifier(key, at)))?.object;
  const id = foundIdentifier(half, at);
  return before !== undefined && linkedTo(before, 'PublicKeyLink') === id && !(await rows.describe(store, id));
}

/** New objects: that of the key, and that of the public key which it alone tells. */
async function draftsOf(taking: Taking, key: TokenKey, at: SlotPlace): Promise<Draft[]> {
  const { ctx } = taking;
  const half = toldHalf(key);
  const own = (await isNew(taking, key, at)) ? draftOf(ctx, key, at) : undefined;
  const told = half && (own || (await lacksHalf(taking, key, half, at))) ? draftOf(ctx, half, at) : undefined;
  // Beside a new key it takes the place of what had its name before, which is not on the token any more.
  if (own) return [{ ...own, found: 'there' }, ...(told ? [{ ...told, found: 'instead' as const }] : [])];
  return told ? [{ ...told, found: 'there' }] : [];
}

/** Another program may have put another key under the name. What is listed is asked for again: this server may have made it anew meanwhile. */
async function renewIfReplaced({ parts: { rows, store }, ctx, again }: Taking, key: TokenKey, at: SlotPlace): Promise<void> {
  const id = foundIdentifier(key, at);
  const before = (await rows.describe(store, id))?.object;
  const listed = before && !isDestroyed(before.state) && draftOf(ctx, key, at);
  if (!listed || !(await isReplaced(before, listed, () => rows.read(store, id)))) return;
  const there = again ? await again({ ...at, name: key.name }, key) : key;
  for (const each of there ? [there, toldHalf(there)] : []) {
    const now = each && draftOf(ctx, each, at);
    if (now) await ctx.change((tx) => renewTo(tx, now, ctx.now));
  }
}

async function renewTo(tx: ObjectTransaction, now: Draft, seconds: number): Promise<void> {
  const object = await tx.readWhole(now.id);
  if (!object || isDestroyed(object.state) || !(await isReplaced(object, now, async () => object))) return;
  renew(object, now, seconds);
  await tx.update(object);
  await tx.audit('key.replaced', now.id);
}

/** @returns the quota that leaves no room for more keys */
async function takeInOne(taking: Taking, key: TokenKey, at: SlotPlace): Promise<string | undefined> {
  const { ctx, own } = taking;
  if (own.isFound(key, at)) return undefined;
  const id = foundIdentifier(key, at);
  try {
    const drafts = await draftsOf(taking, key, at);
    if (drafts.length === 0) return void (await renewIfReplaced(taking, key, at));
    await ctx.change(async (tx) => {
      for (const draft of drafts) {
        await linkHalves(tx, draft, ctx.now);
        await tx.insert(draft);
        await tx.audit('key.discover', draft.id);
      }
    });
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    if (refusal.reason === 'ServerLimitExceeded') return refusal.message;
    // Another thread has taken it in. Any other key that cannot be taken in is like one that is not there: it must not spoil a search.
    if (refusal.reason !== 'ObjectAlreadyExists') ctx.server.log.debug({ id, error: refusal.message }, 'a key on a token is left out');
  }
  return undefined;
}
