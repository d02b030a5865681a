// The tokens of HSMs as a source of objects: the keys are there, their attributes, grants and history are rows of the database.
import { andThen } from '../../../../kernel/at-once.ts';
import { lacksKeyValue } from '../../../../kmip/key-block.ts';
import type { ObjectType as ObjectTypeCode } from '../../../../kmip/object-type.ts';
import { isPublicName, PUBLIC_END } from '../../../../kmip/pair-name.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import type { Principal } from '../../api.ts';
import type { OperationContext } from '../../operation-context.ts';
import { owns } from '../../principal.ts';
import { type DatabaseParts, databaseObjects } from '../database-objects.ts';
import { canonical, HSM, nextGeneration, placeOf } from '../hsm-identifier.ts';
import { isDestroyed } from '../life/lifecycle.ts';
import type { Draft } from '../managed-object.ts';
import type { ObjectSource, ObjectWriter } from '../object-source.ts';
import { discoverKeys, takeInTaken } from './discovery.ts';
import { TokenKeeper } from './keeper.ts';
import { NameReservations } from './name-reservations.ts';
import { OwnKeys } from './own-keys.ts';
import type { Tokens } from './tokens.ts';

const { ObjectType } = ENUM;
const KINDS: ReadonlySet<number> = new Set([ObjectType.SymmetricKey, ObjectType.SecretData, ObjectType.PrivateKey, ObjectType.PublicKey]);

/** @param keyEncryptionKeys the identifiers of the server's own keys, which are used for nothing else */
export function hsmObjects(tokens: Tokens, parts: DatabaseParts, keyEncryptionKeys: readonly string[]): ObjectSource {
  const rows = databaseObjects(parts);
  const own = new OwnKeys(tokens, keyEncryptionKeys);
  const names = new NameReservations(parts.store);
  const full = (id: string): string => canonical(id, tokens.prefixes);
  const isFree = async (id: string) => {
    const state = (await parts.rows.describe(parts.store, id))?.object.state;
    return state === undefined || isDestroyed(state);
  };
  return {
    ...rows,
    prefix: HSM,
    canonical: full,
    keeper: new TokenKeeper(tokens, names, isFree, (ctx, place) => takeInTaken(tokens, parts, ctx, place, own)),
    newIdentifier(replaced) {
      if (replaced === undefined) throw new Refusal('InvalidField', 'a key in an HSM needs an identifier: hsm::<model>::<slot>::<name>');
      return nextGeneration(replaced);
    },
    requirePlace(id, type, caller, isFound) {
      requireName(id, requirePlace(tokens, full(id), type, caller), isFound);
      if (own.has(id)) throw new Refusal('ItemNotFound', `object not found for identifier ${id}`);
    },
    absence: (name) => absence(tokens, full(name)),
    held: (id, content) =>
      andThen(own.isOne(id), (isOwn) => {
        if (isOwn) return undefined;
        const place = content ? placeOf(id, tokens.prefixes, isPublicName(id)) : undefined;
        const learnt = place && !tokens.knownMechanisms(place) ? tokens.learn(place) : undefined;
        return andThen(learnt, () => rows.held(full(id), content));
      }),
    within: (tx, caller) => writer(rows.within(tx, caller), own, (id) => names.end(tx, id)),
    find: async () => ({ ids: [], total: 0 }),
    async discover(ctx, id) {
      if (id === undefined || !(await own.isOne(id))) await discoverKeys(tokens, parts, ctx, id === undefined ? undefined : full(id), own);
      if (id === undefined && ctx.reader === parts.store) await forgetRows(parts, ctx, own);
    },
  };
}

/** An older version stored the server's own keys under names that it did not know to be theirs. Nobody can use these rows, so no search shows them. */
async function forgetRows({ rows, store }: DatabaseParts, ctx: OperationContext, own: OwnKeys): Promise<void> {
  for (const id of own.otherIdentifiers()) {
    if (!(await rows.describe(store, id))) continue;
    await ctx.change(async (tx) => {
      await tx.remove(id);
      await tx.audit('key.forget', id);
    });
  }
}

/** Names that no new key may have, and that no key of others has: one without a name has its CKA_ID in hexadecimal. */
const [NOT_NEW, NOT_FOUND] = [/[@\p{Cc}]|^0x/u, /[@\p{Cc}]|^0x(?!([0-9a-f]{2})+$)/u];

function requireName(id: string, name: string, isFound: boolean): void {
  if ((isFound ? NOT_FOUND : NOT_NEW).test(name))
    throw new Refusal('InvalidField', `${id}: the name of a key in an HSM must not contain '@', nor begin with 0x`);
}

/** @returns the name of the key @throws Refusal */
function requirePlace(tokens: Tokens, id: string, type: ObjectTypeCode, caller: Principal): string {
  const place = placeOf(id, tokens.prefixes, type === ObjectType.PublicKey);
  if (!place) throw new Refusal('InvalidField', absence(tokens, id));
  const { prefix, name } = place;
  if (!owns(caller, prefix)) throw new Refusal('PermissionDenied', `Only an HSM admin of ${prefix} can create keys there`);
  const absent = tokens.absence(place);
  if (absent !== undefined) throw new Refusal('InvalidField', absent);
  if (!KINDS.has(type)) throw new Refusal('InvalidField', `${id}: an HSM holds keys only`);
  if ((type === ObjectType.PublicKey) !== isPublicName(id))
    throw new Refusal('InvalidField', `${id}: the identifier of a public key in an HSM ends with ${PUBLIC_END}, and no other does`);
  return name;
}

function absence(tokens: Tokens, id: string): string {
  const place = placeOf(id, tokens.prefixes, isPublicName(id));
  if (place) return tokens.absence(place) ?? `object not found for identifier ${id}`;
  const prefix = tokens.prefixes.find((each) => id === each || id.startsWith(`${each}::`));
  if (prefix !== undefined) return `${id} not found: a key in this HSM is called ${prefix}::<slot>::<name>`;
  return `${id} not found: no HSM has this prefix; the prefixes are ${tokens.prefixes.join(', ')}, followed by ::<slot>::<name>`;
}

/**
 * What is destroyed frees its identifier, because the token has the name free again. A search may have taken in a key between its making and the
 * row of its maker, who saw the name free here and on the token: that row makes room.
 */
function writer(rows: ObjectWriter, own: OwnKeys, endReservation: (id: string) => Promise<void>): ObjectWriter {
  return {
    ...rows,
    held: async (id, content) => (own.has(id) ? undefined : rows.held(id, content)),
    describe: async (id) => (own.has(id) ? undefined : rows.describe(id)),
    read: async (id) => (own.has(id) ? undefined : rows.read(id)),
    async insert(object, along) {
      requireKept(object);
      await endReservation(object.id);
      const before = await rows.describe(object.id);
      if (before && (object.found !== 'there' || isDestroyed(before.state))) await rows.remove(object.id);
      return rows.insert(object, along);
    },
  };
}

/** @throws Refusal for an operation that would store the key itself */
function requireKept({ id, type, content }: Draft): void {
  if (type === ObjectType.PublicKey || (content && lacksKeyValue(content))) return;
  throw new Refusal('InvalidField', `${id}: this operation cannot make keys in an HSM; make it elsewhere and register it`);
}
