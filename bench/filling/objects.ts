// Fills a store with keys: AES keys with the attributes that Create gives them, sealed as the key server seals them, of several owners.
import { randomUUIDv7 } from 'node:crypto';

import type { Draft } from '../../actors/kmip/object/managed-object.ts';
import { ObjectRows } from '../../actors/kmip/object/rows/rows.ts';
import { generateKey } from '../../crypto/key/symmetric-key.ts';
import type { DataKey } from '../../kernel/keys/data-key.ts';
import type { Store } from '../../kernel/store/store.ts';
import { AttributeSet } from '../../kmip/attribute/set.ts';
import { symmetricKey } from '../../kmip/key-block.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { boolean, dateTime, enumeration, integer, type Node, structure, text } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { Bulk } from './bulk.ts';
import { userAt } from './people.ts';

/** Of one owner: the default of `[keys.quotas] objects_per_identity`. */
const MOST_OF_ONE = 1_000_000;
const AT_ONCE = 2_000;
/** Each tenth object belongs to one of so many users, who have granted it to the administrator. */
const GRANTING_USERS = 100;
const DAY_SECONDS = 86_400;
const { State } = ENUM;
const USED = new Set(['decrypt', 'encrypt']);

export const keyName = (at: number): string => `key ${at}`;
const nameNode = (value: string): Node => structure(TAG.Name, [text(TAG.NameValue, value), enumeration(TAG.NameType, ENUM.NameType.UninterpretedTextString)]);
export const groupOf = (at: number): string => `group ${Math.floor(at / 1_000)}`;
/** All keys have the first tag, a tenth the second, few the third, one of 10 000 the last. */
const tagsOf = (at: number): string[] => ['all', `tenth ${at % 10}`, `few ${Math.floor(at / 50)}`, ...(at % 10_000 === 7 ? ['rare'] : [])];

/** Of each ten, nine belong to the administrator and to others with as many. */
const ownersOf = (objects: number): number => Math.ceil((objects * 0.9) / MOST_OF_ONE);
/** @returns how many of so many the administrator owns */
export const ownOf = (objects: number): number => Math.floor((objects * 0.9) / ownersOf(objects));

interface Filling {
  readonly store: Store;
  readonly dataKey: DataKey;
  /** The account that owns most. */
  readonly owner: string;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** @param from number of the first @param to that of the last and one @param onDone called with the number of those that are there */
export async function fillObjects({ store, dataKey, owner, now }: Filling, from: number, to: number, onDone: (there: number) => boolean): Promise<void> {
  const rows = new ObjectRows(dataKey, now);
  const owners = ownersOf(to);
  const ownerOf = (at: number) => {
    if (at % 10 === 9) return userAt(Math.floor(at / 10) % GRANTING_USERS);
    const place = Math.floor(at / 10) % owners;
    return place === 0 ? owner : userAt(GRANTING_USERS + place);
  };
  // The database writes a batch while the next one is made.
  let written: Promise<void> = Promise.resolve();
  for (let begin = from; begin < to; begin += AT_ONCE) {
    const end = Math.min(to, begin + AT_ONCE);
    const bulk = new Bulk();
    await dataKey.retrying(store, async () => {
      bulk.clear();
      for (let at = begin; at < end; at++) {
        const draft = objectAt(at, ownerOf(at), Math.floor(now() / 1000));
        await rows.insert(bulk.tx, draft);
        if (at % 10 === 9) await rows.grants.write(bulk.tx, draft.id, rows.markOf(draft), owner, USED);
      }
    });
    await written;
    written = bulk.write(store);
    // Its failure is told where it is awaited.
    written.catch(() => {});
    if (!onDone(end)) break;
  }
  await written;
}

/** One of 100 is deactivated, one of 1000 pre-active, one of 10 000 compromised; one of 100 is shorter. */
function objectAt(at: number, owner: string, now: number): Draft {
  const length = at % 100 === 3 ? 128 : 256;
  const created = now - (at % 300) * DAY_SECONDS;
  const state = at % 10_000 === 21 ? State.Compromised : at % 1_000 === 11 ? State.PreActive : at % 100 === 1 ? State.Deactivated : State.Active;
  const attributes = [
    enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES),
    integer(TAG.CryptographicLength, length),
    integer(TAG.CryptographicUsageMask, at % 4 === 0 ? 0x0c : 0x04),
    nameNode(keyName(at)),
    text(TAG.ObjectGroup, groupOf(at)),
    structure(TAG.Attribute, [
      text(TAG.VendorIdentification, 'gatehouse'),
      text(TAG.AttributeName, 'tag'),
      text(TAG.AttributeValue, JSON.stringify(tagsOf(at))),
    ]),
    dateTime(TAG.InitialDate, created),
    dateTime(TAG.OriginalCreationDate, created),
    dateTime(TAG.LastChangeDate, created),
    ...(state === State.PreActive ? [] : [dateTime(TAG.ActivationDate, created)]),
    ...(state === State.Deactivated ? [dateTime(TAG.DeactivationDate, created + 1)] : []),
    enumeration(TAG.KeyFormatType, ENUM.KeyFormatType.Raw),
    boolean(TAG.Fresh, true),
    boolean(TAG.Sensitive, false),
    boolean(TAG.AlwaysSensitive, false),
    boolean(TAG.Extractable, true),
    boolean(TAG.NeverExtractable, false),
  ];
  const content = symmetricKey(generateKey('AES', length), 'AES');
  const set = AttributeSet.of(structure(TAG.Attributes, attributes));
  return { id: randomUUIDv7(), type: ENUM.ObjectType.SymmetricKey, state, owner, archived: false, attributes: set, content };
}
