// Grants as the /access endpoints have them: an owner's objects, what others let one do, and who may create.
import { Fault } from '../../kernel/fault.ts';
import type { AuditEvent } from '../../kernel/store/audit.ts';
import type { Transaction } from '../../kernel/store/store.ts';
import type { AccessApi, Grantee, ObtainedObject, OwnedObject, Principal } from './api.ts';
import { readHeld } from './object/cache.ts';
import { mayCreate } from './object/create.ts';
import type { GrantRow } from './object/grant-rows.ts';
import { EVERYTHING, granteesOf, isGranted, isKnown, parseOperations, rightOf } from './object/grants.ts';
import { tagsOf } from './object/index-terms.ts';
import { stateAt } from './object/lifecycle.ts';
import type { ManagedObject } from './object/managed-object.ts';
import { NO_MARK } from './object/row-seal.ts';
import { Refusal } from './refusal.ts';
import type { KeyServer } from './server.ts';
import { binarySize } from './ttlv/binary.ts';
import { encodeJson } from './ttlv/json.ts';
import { nameOf } from './ttlv/read.ts';

const LONGEST_USER = 512;
/** Users and realms that one object is granted to: they are read with it. */
const MOST_GRANTEES = 10_000;
/** Objects that are read together. */
const AT_ONCE = 128;
/** Bytes of the attributes in one list, in the binary encoding; of the objects after them only type and tags are told. */
const MOST_DESCRIBED = 33_554_432;

export function createAccess(server: KeyServer): AccessApi {
  const { store, rows, cache, args } = server;
  const seconds = () => Math.floor(server.now() / 1000);
  const isPrivileged = (caller: Principal) => args.privilegedUsers.includes(caller.user);

  /** @throws Fault KEYS_OBJECT_NOT_FOUND for what the caller may not know of, KEYS_NOT_OWNER for what is another's */
  async function owned(id: string, caller: Principal): Promise<ManagedObject> {
    const held = await cache.get(id);
    if (!held || (held.object.owner !== caller.user && !isKnown(held.grants, caller))) throw new Fault('KEYS_OBJECT_NOT_FOUND');
    requireOwner(held.object, caller);
    return held.object;
  }

  async function change(id: string, user: string, operations: readonly string[], caller: Principal, granting: boolean): Promise<void> {
    const rights = named(operations);
    requireGrantee(user, caller);
    const event: AuditEvent = {
      event: granting ? 'key.grant' : 'key.grant.revoke',
      outcome: 'success',
      target: id,
      reason: `${user}: ${[...rights].join(' ')}`.slice(0, 512),
      ...who(caller),
    };
    await store.transaction(async (tx) => {
      const mark = await requireMayGrant(tx, id, rights, caller);
      const grants = await rows.grants.read(tx, id, mark);
      if (granting && !grants.has(user) && grants.size >= MOST_GRANTEES)
        throw new Fault('KEYS_REFUSED', { detail: `Server_Limit_Exceeded: an object is granted to ${MOST_GRANTEES} users at most, a realm counts as one` });
      const before = grants.get(user) ?? new Set<string>();
      const after = granting ? before.union(rights) : before.difference(rights);
      // Rights that are taken away are void for good: a row that was kept aside and put back is bound to what the object was.
      if (granting || id === EVERYTHING) await rows.grants.write(tx, id, mark, user, after);
      else await rows.grants.writeAll(tx, id, await rows.renewMark(tx, id), new Map(grants).set(user, after));
      await tx.audit(event);
    });
    cache.bump([id]);
  }

  /** The right to create is on no object: those who always have it give it. @returns what the grants of the object are bound to */
  async function requireMayGrant(tx: Transaction, id: string, rights: ReadonlySet<string>, caller: Principal): Promise<Uint8Array> {
    if (id !== EVERYTHING) {
      if (rights.has('create')) throw new Fault('KEYS_REFUSED', { detail: 'Invalid_Field: create is granted on * only, it is about no object' });
      const held = await readHeld(rows, tx, id);
      if (!held || (held.object.owner !== caller.user && !isKnown(held.grants, caller))) throw new Fault('KEYS_OBJECT_NOT_FOUND');
      requireOwner(held.object, caller);
      return rows.markOf(held.object);
    }
    if (!isPrivileged(caller)) throw new Fault('KEYS_NOT_PRIVILEGED');
    if (rights.size !== 1 || !rights.has('create')) throw new Fault('KEYS_REFUSED', { detail: 'Invalid_Field: on * nothing but create can be granted' });
    return NO_MARK;
  }

  return {
    async owned(caller) {
      const found = await store.all<{ id: string }>('SELECT id FROM kms_object WHERE owner = $1 ORDER BY seq DESC', [caller.user]);
      const listed: OwnedObject[] = [];
      let bytes = 0;
      for (let at = 0; at < found.length; at += AT_ONCE) {
        const part = found.slice(at, at + AT_ONCE).map(({ id }) => id);
        for (const object of await rows.describeAll(store, part)) {
          if (object.owner !== caller.user) continue;
          bytes += binarySize(object.attributes.toStructure());
          listed.push({ object_id: object.id, state: stateName(object, seconds()), attributes: described(object, bytes <= MOST_DESCRIBED) });
        }
      }
      return listed;
    },
    async obtained(caller) {
      const found = new Map<string, GrantRow[]>();
      for (const row of await rows.grants.ofUsers(store, granteesOf(caller))) found.set(row.object_id, [...(found.get(row.object_id) ?? []), row]);
      const objects = await rows.describeAll(store, [...found.keys()]);
      const rightsOn = (object: ManagedObject): ReadonlySet<string> => {
        const own = (found.get(object.id) ?? []).filter((row) => rows.grants.isOwn(row, rows.markOf(object)));
        return new Set(own.flatMap(({ operations }) => [...parseOperations(operations)]));
      };
      return objects
        .filter(({ owner }) => owner !== caller.user)
        .map((object) => ({ object, rights: rightsOn(object) }))
        .filter(({ rights }) => rights.size > 0)
        .map(
          ({ object, rights }): ObtainedObject => ({
            object_id: object.id,
            owner_id: object.owner,
            state: stateName(object, seconds()),
            operations: [...rights].sort(),
          }),
        );
    },
    async grantees(id, caller) {
      await owned(id, caller);
      return [...((await readHeld(rows, store, id))?.grants ?? [])].map(([user_id, operations]): Grantee => ({ user_id, operations: [...operations].sort() }));
    },
    grant: (id, user, operations, caller) => change(id, user, operations, caller, true),
    revoke: (id, user, operations, caller) => change(id, user, operations, caller, false),
    mayCreate: (caller) => mayCreate({ server, caller }),
    isPrivileged: async (caller) => isPrivileged(caller),
    async check(id, user, operations, caller) {
      const rights = named(operations);
      const held = await cache.get(id);
      const visible = held && (held.object.owner === caller.user || isKnown(held.grants, caller));
      const subject = user === undefined || user === caller.user ? caller : { user, scheme: '', source: '', ...realmOf(user) };
      if (subject !== caller && visible) requireOwner(held.object, caller);
      const may = (right: string) => visible === true && (held.object.owner === subject.user || isGranted(held.grants, subject, right));
      return Object.fromEntries([...rights].map((right) => [right, may(right)]));
    },
  };
}

/** The realm that a session's identity begins with. */
function realmOf(user: string): { realm?: string } {
  const slash = user.indexOf('/');
  const realm = user.slice(0, Math.max(0, slash));
  return realm === '' || realm.includes(':') ? {} : { realm };
}

function requireOwner(object: ManagedObject, caller: Principal): void {
  if (object.owner !== caller.user) throw new Fault('KEYS_NOT_OWNER', { detail: `the object ${object.id} is not owned by ${caller.user}` });
}

function named(operations: readonly string[]): ReadonlySet<string> {
  try {
    return new Set(operations.map(rightOf));
  } catch (error) {
    throw error instanceof Refusal ? new Fault('BAD_REQUEST', { detail: `operation_types: ${error.message}` }) : error;
  }
}

function requireGrantee(user: string, caller: Principal): void {
  if (user === caller.user) throw new Fault('KEYS_GRANT_SELF');
  if (user.length === 0 || user.length > LONGEST_USER || /\p{Cc}/u.test(user))
    throw new Fault('BAD_REQUEST', { detail: `user_id: has 1 to ${LONGEST_USER} characters, no control character` });
}

const who = ({ user, realm, scheme, source }: Principal) => ({ actor: user, realm, scheme, source });
const stateName = (object: ManagedObject, now: number): string => nameOf('State', stateAt(object, now));

/** Attributes for a person to read: the JSON of the tree, unless there are too many before it, and the tags. */
function described(object: ManagedObject, whole: boolean): unknown {
  const short = { object_type: nameOf('ObjectType', object.type), tags: tagsOf(object) };
  if (!whole) return short;
  return {
    ...short,
    attributes: JSON.parse(Buffer.from(encodeJson(object.attributes.toStructure())).toString()).value,
  };
}
