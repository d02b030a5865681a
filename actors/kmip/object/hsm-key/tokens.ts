// The tokens of all HSM instances as a thread of the key server sees them: the only holder of the channels to the actors of HSMs.
import { callWith, type PinnedRef, type Remote } from '../../../../kernel/actor.ts';
import type { Log } from '../../../../kernel/log/log-entry.ts';
import type { FlatAnswer, HsmAbout, HsmAnswer, HsmApi, SlotPlace } from '../../../hsm/api.ts';
import type { Principal } from '../../api.ts';
import { callerName } from '../../principal.ts';
import type { TokenPlace } from '../hsm-identifier.ts';
import { refusalOf } from './token-refusal.ts';
import { failUnanswered } from './unanswered.ts';

type Instance = Remote<HsmApi>;
/** Between two questions for serial numbers, until all are known. */
const ASK_AGAIN_MS = 1_000;
/** The mechanisms of a token change seldom, as with an update of its firmware. */
const MECHANISMS_MS = 5_000;
const EVERYBODY = '*';

export class Tokens {
  readonly prefixes: readonly string[];
  readonly #instances: ReadonlyMap<string, Instance>;
  readonly #about: ReadonlyMap<string, HsmAbout>;
  /** Serial numbers of the tokens, as far as they are known, in the order of the slots of an instance. */
  readonly #serials = new Map<string, readonly (string | undefined)[]>();
  /** The mechanisms of a slot, by its place without name. */
  readonly #mechanisms = new Map<string, { readonly names: ReadonlySet<string>; readonly readAt: number }>();
  readonly #log: Log;
  #isClosed = false;

  constructor(instances: PinnedRef<HsmApi>, log: Log) {
    this.prefixes = instances.keys();
    this.#about = new Map(this.prefixes.map((prefix) => [prefix, instances.about(prefix) as HsmAbout]));
    this.#instances = new Map([...this.#about].map(([prefix, { deadlineMs }]) => [prefix, within(instances.at(prefix), deadlineMs)]));
    this.#log = log;
    for (const prefix of this.prefixes) void this.#askSerials(prefix);
  }

  /** The slots of an instance that its configuration lists. */
  slotsOf(prefix: string): readonly number[] {
    return this.#about.get(prefix)?.slots ?? [];
  }

  async #askSerials(prefix: string): Promise<void> {
    try {
      const serials = await (this.#instances.get(prefix) as Instance).serials();
      this.#serials.set(prefix, serials);
      if (!serials.includes(undefined)) return;
    } catch (error) {
      this.#log.debug({ prefix, error: String(error) }, 'an HSM instance does not answer yet');
    }
    this.#later(() => void this.#askSerials(prefix));
  }

  #later(ask: () => void): void {
    setTimeout(() => {
      if (!this.#isClosed) ask();
    }, ASK_AGAIN_MS).unref();
  }

  /** The caller with the instances that it administers. */
  acting(caller: Principal): Principal {
    return { ...caller, administers: this.#administered(caller) };
  }

  /** Asks the instances nothing more by itself. */
  close(): void {
    this.#isClosed = true;
  }

  #administered(caller: Principal): readonly string[] {
    const name = callerName(caller);
    return this.prefixes.filter((prefix) => this.#about.get(prefix)?.admins.some((admin) => admin === name || admin === EVERYBODY));
  }

  /** @returns why the slot cannot hold keys; undefined if it can */
  absence({ prefix, slot }: SlotPlace): string | undefined {
    return this.slotsOf(prefix).includes(slot) ? undefined : `slot ${slot} is not accessible: hsm_slot of ${prefix} does not list it`;
  }

  /** Whether two places may be one: two instances may open one token. What is not known counts as the same. */
  isSame(one: TokenPlace, other: TokenPlace): boolean {
    return one.name === other.name && this.#haveOneToken(one, other) !== false;
  }

  /** The places of a key that are known to be one: one for each instance that opens its token. */
  allOf(place: TokenPlace): TokenPlace[] {
    return [...this.#about].flatMap(([prefix, { slots }]) =>
      slots.map((slot) => ({ prefix, slot, name: place.name })).filter((each) => this.#haveOneToken(each, place) === true),
    );
  }

  /** @returns undefined if that is not known */
  #haveOneToken(one: SlotPlace, other: SlotPlace): boolean | undefined {
    if (one.prefix === other.prefix && one.slot === other.slot) return true;
    if (this.#about.get(one.prefix)?.library !== this.#about.get(other.prefix)?.library) return false;
    const [serial, otherSerial] = [this.#serialOf(one), this.#serialOf(other)];
    return serial === undefined || otherSerial === undefined ? undefined : serial === otherSerial;
  }

  #serialOf({ prefix, slot }: SlotPlace): string | undefined {
    return this.#serials.get(prefix)?.[this.slotsOf(prefix).indexOf(slot)];
  }

  /** The mechanisms of a slot, if they were read before. */
  knownMechanisms({ prefix, slot }: TokenPlace): ReadonlySet<string> | undefined {
    const known = this.#mechanisms.get(`${prefix} ${slot}`);
    return known && performance.now() - known.readAt < MECHANISMS_MS ? known.names : undefined;
  }

  /** Reads the mechanisms of a slot. Without an answer every mechanism is tried. */
  async learn({ prefix, slot }: TokenPlace): Promise<void> {
    const answer = await this.#instances.get(prefix)?.mechanisms(slot).catch(failUnanswered);
    if (answer?.ok) this.#mechanisms.set(`${prefix} ${slot}`, { names: new Set(answer.value), readAt: performance.now() });
  }

  /** Tells all instances that the key of an object, and those that it has wrapped, are not used any longer. They end by themselves too. */
  giveUp(id: string): void {
    for (const [prefix, instance] of this.#instances)
      void instance.giveUp(id).catch((error: unknown) => this.#log.debug({ prefix, error: String(error) }, 'an HSM instance does not give up a key'));
  }

  /** @throws Refusal if the token does not do it; a Fault that isUnanswered knows if the instance does not answer */
  async call<T>(place: SlotPlace, what: string, work: (instance: Instance, slot: number) => Promise<HsmAnswer<T>>): Promise<T> {
    return this.#settled(await work(this.#instances.get(place.prefix) as Instance, place.slot).catch(failUnanswered), place, what);
  }

  /** As call, for a use with little data. It is one promise, because each costs as much as the rest of this. */
  async use<T>(place: SlotPlace, what: string, read: (answer: FlatAnswer) => HsmAnswer<T>, use: Parameters<HsmApi['use']>): Promise<T> {
    let answer: FlatAnswer;
    try {
      answer = await (this.#instances.get(place.prefix) as Instance).use(...use);
    } catch (error) {
      failUnanswered(error);
    }
    return this.#settled(read(answer), place, what);
  }

  #settled<T>(answer: HsmAnswer<T>, place: SlotPlace, what: string): T {
    this.#note(answer, place);
    if (answer.ok) return answer.value;
    throw refusalOf(answer.failure, place, what);
  }

  /** As call, for those to whom a refusal of the token is an answer. */
  async ask<T>(place: SlotPlace, work: (instance: Instance, slot: number) => Promise<HsmAnswer<T>>): Promise<HsmAnswer<T>> {
    const answer = await work(this.#instances.get(place.prefix) as Instance, place.slot).catch(failUnanswered);
    this.#note(answer, place);
    return answer;
  }

  #note(answer: HsmAnswer<unknown>, { prefix, slot }: SlotPlace): void {
    if (!answer.ok && (answer.failure.why === 'unavailable' || answer.failure.why === 'mechanism')) this.#mechanisms.delete(`${prefix} ${slot}`);
  }
}

const within = (instance: Instance, deadlineMs: number | undefined): Instance => (deadlineMs === undefined ? instance : callWith(instance, { deadlineMs }));
