// Finds the objects that a payload names, and checks the caller's rights.
import { andThen } from '../../../../kernel/at-once.ts';
import type { OperationName } from '../../../../kmip/operation-name.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import type { Structure } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { Principal } from '../../api.ts';
import type { Operations } from '../../operation.ts';
import type { Batch, Objects, OperationContext } from '../../operation-context.ts';
import { owns } from '../../principal.ts';
import { isWithin, requireWithin } from '../../rights.ts';
import { linkedTo } from '../create.ts';
import { isGranted } from '../grants.ts';
import { requireOnLine } from '../life/availability.ts';
import { stateAt } from '../life/lifecycle.ts';
import { hasContent, type ObjectDescription } from '../managed-object.ts';
import type { ObjectRouter } from '../object-router.ts';
import type { FoundIn } from '../object-source.ts';
import type { Held } from '../rows/cache.ts';
import { isCalled } from './called.ts';
import { requireExpected } from './expected-type.ts';
import { generationsMeant } from './generation.ts';
import { identifierText, isServerMade, keysetAddress, keysetMembers } from './identifier.ts';
import { type Purpose, purposeOf, taggedObject } from './tagged.ts';

/** The name of a keyset does not select generations in these states. */
const NOT_MEANT: ReadonlySet<number> = new Set([ENUM.State.PreActive, ENUM.State.Destroyed, ENUM.State.DestroyedCompromised]);

/** Reads objects for a caller, from the cache or inside a transaction. Large content is read only for callers who may use it. */
export class Finder<T extends D, D extends ObjectDescription> implements Objects<T, D> {
  readonly #caller: Principal;
  readonly #batch: Batch;
  readonly #source: FoundIn<T, D>;
  readonly #now: number;
  readonly #operations: Operations;
  readonly #objects: ObjectRouter;
  /** The client uses KMIP 1.x. */
  readonly #isOld: boolean;

  /** @param now seconds since the epoch */
  constructor({ caller, batch, now, version, server }: Pick<OperationContext, 'caller' | 'batch' | 'now' | 'version' | 'server'>, source: FoundIn<T, D>) {
    this.#caller = caller;
    this.#batch = batch;
    this.#now = now;
    this.#operations = server.operations;
    this.#objects = server.objects;
    this.#isOld = version.major === 1;
    this.#source = source;
  }

  use(payload: Structure, right: OperationName, tag: number = TAG.UniqueIdentifier): T | Promise<T> {
    const name = identifierText(payload, tag, this.#batch);
    const found = this.#resolve(name, right, purposeOf(payload, right), true);
    return found instanceof Promise ? found.then((all) => this.#use(all, payload, right, tag)) : this.#use(found, payload, right, tag);
  }

  #use(found: readonly Held<D>[], payload: Structure, right: OperationName, tag: number): T | Promise<T> {
    const meant = this.#meant(found, right);
    // A certificate request that the payload also names does not count as this object.
    if (tag !== TAG.CertificateRequestUniqueIdentifier) requireExpected(payload, meant.object);
    return this.#open(meant, right);
  }

  byId(name: string, right: OperationName): T | Promise<T> {
    return andThen(this.#resolve(name, right, right, true), (found) => this.#open(this.#meant(found, right), right));
  }

  describe(payload: Structure, right: OperationName): D | Promise<D> {
    const name = identifierText(payload, TAG.UniqueIdentifier, this.#batch);
    const found = this.#resolve(name, right, purposeOf(payload, right), false);
    return found instanceof Promise ? found.then((all) => this.#describe(all, payload, right)) : this.#describe(found, payload, right);
  }

  #describe(found: readonly Held<D>[], payload: Structure, right: OperationName): D {
    const { object } = this.#meant(found, right);
    requireExpected(payload, object);
    return object;
  }

  describeById(name: string, right: OperationName): D | Promise<D> {
    return andThen(this.#resolve(name, right, right, false), (found) => this.#meant(found, right).object);
  }

  /** The object with exactly this identifier; undefined if it does not exist or the caller does not have the right. */
  async findPermitted(id: string, right: OperationName): Promise<D | undefined> {
    const held = await this.#source.held(id, false);
    return held && this.#may(held, right) && isWithin(this.#batch.reach, held.object) ? held.object : undefined;
  }

  async candidates(payload: Structure, right: OperationName): Promise<readonly T[]> {
    const found: T[] = [];
    const all = await this.#resolve(identifierText(payload, TAG.UniqueIdentifier, this.#batch), right, right, true);
    for (const { object } of all) {
      requireWithin(this.#batch.reach, object);
      requireExpected(payload, object);
    }
    for (const held of all) found.push(await this.#open(held, right));
    return found;
  }

  /**
   * Picks the newest generation in use. A replacement can be created ahead of time or destroyed; then the generation before it is picked.
   * A revoked generation still counts as the newest, because otherwise its revocation would bring back the old ones.
   */
  #meant(found: readonly Held<D>[], right: OperationName): Held<D> {
    const meant = found.find(({ object }) => !NOT_MEANT.has(stateAt(object, this.#now))) ?? (found[0] as Held<D>);
    requireWithin(this.#batch.reach, meant.object);
    // KMIP 1.x, section 11: every operation but Recover refuses archived objects. In 2.x operations that use or change an object
    // refuse it themselves: who reads its attributes sees ArchiveDate, which it has only now.
    if (this.#isOld && right !== 'Recover') requireOnLine(meant.object);
    return meant;
  }

  #open(held: Held<D>, right: OperationName): T | Promise<T> {
    return hasContent(held.object) ? (held.object as unknown as T) : this.#readWhole(held, right);
  }

  async #readWhole(held: Held<D>, right: OperationName): Promise<T> {
    const whole = await this.#source.readWhole(held);
    // Read again, because the owner may have changed meanwhile.
    if (!whole || !this.#may(whole, right)) throw this.#absent(right, held.object.id);
    return whole.object;
  }

  /**
   * The objects that a name stands for, at least one. Other users may give their objects any identifier, tag or keyset name and grant
   * them to everybody. So the caller's own objects come first. Objects that the caller may not know of are skipped, in the same
   * steps as missing ones.
   */
  #resolve(given: string, right: OperationName, purpose: Purpose, content: boolean): readonly Held<D>[] | Promise<readonly Held<D>[]> {
    const name = this.#objects.canonical(given);
    const held = this.#source.held(name, content);
    return held instanceof Promise
      ? held.then((found) => this.#choose(found, name, right, purpose, content))
      : this.#choose(held, name, right, purpose, content);
  }

  #choose(held: Held<D> | undefined, name: string, right: OperationName, purpose: Purpose, content: boolean): readonly Held<D>[] | Promise<readonly Held<D>[]> {
    if (held && this.#isOwn(held.object)) return [held];
    const granted = held && this.#may(held, right) ? held : undefined;
    // A name of this form is no keyset of the caller's and an object of somebody else's at once (`requireUnshadowed`), nor is one on a token.
    if (granted && (isServerMade(name) || this.#objects.sourceOf(name).absence(name) !== undefined)) return [granted];
    return this.#findElsewhere(name, right, purpose, content, granted);
  }

  async #findElsewhere(name: string, right: OperationName, purpose: Purpose, content: boolean, granted: Held<D> | undefined): Promise<readonly Held<D>[]> {
    const found = await this.#elsewhere(name, right, purpose, content);
    if (granted) return found.some(({ object }) => this.#isOwn(object)) ? found : [granted];
    if (found.length === 0) throw this.#absent(right, name);
    return found;
  }

  #absent(right: OperationName, name: string, message = `object not found for identifier ${name}`): Refusal {
    return new Refusal(this.#operations[right]?.absentReason ?? 'ObjectNotFound', message);
  }

  #isOwn({ owner }: D): boolean {
    return owns(this.#caller, owner);
  }

  #may({ object, grants }: Held<D>, right: OperationName): boolean {
    return this.#isOwn(object) || isGranted(grants, this.#caller, right, object.owner);
  }

  /** Names that are not identifiers: tags, and addresses in a keyset. */
  async #elsewhere(name: string, right: OperationName, purpose: Purpose, content: boolean): Promise<Held<D>[]> {
    const ids = name.startsWith('[') ? await this.#findTagged(name, purpose) : await this.#generations(name, purpose);
    const absence = ids.length === 0 ? this.#objects.sourceOf(name).absence(name) : undefined;
    if (absence !== undefined) throw this.#absent(right, name, absence);
    const found: Held<D>[] = [];
    for (const id of ids) {
      const held = await this.#source.held(id, content);
      // The index has no MAC, so it is only a hint about where to look.
      if (held && !isCalled(held.object, name)) continue;
      if (held && !this.#may(held, right)) throw this.#absent(right, name);
      if (held) found.push(held);
    }
    return found;
  }

  async #findTagged(name: string, purpose: Purpose): Promise<string[]> {
    const id = await taggedObject(this.#source.from, name, this.#caller, purpose, async (privateKey, publicKey) => {
      const held = await this.#source.held(privateKey, false);
      return held !== undefined && linkedTo(held.object, 'PublicKeyLink') === publicKey;
    });
    return id === undefined ? [] : [id];
  }

  async #generations(name: string, purpose: Purpose): Promise<readonly string[]> {
    const address = keysetAddress(name);
    const members = await keysetMembers(this.#source.from, address?.name ?? name, this.#caller);
    return generationsMeant(address, members, purpose, async (id) => (await this.#source.held(id, false))?.object);
  }
}
