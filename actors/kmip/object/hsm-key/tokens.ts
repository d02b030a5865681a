// The tokens of all HSM instances as a thread of the key server sees them: the only holder of the channels to the actors of HSMs.
import { callWith, type PinnedRef, type Remote } from '../../../../kernel/actor.ts';
import { andThen } from '../../../../kernel/at-once.ts';
import type { Log } from '../../../../kernel/log-entry.ts';
import type { FlatAnswer, HsmAnswer, HsmApi, HsmFacts } from '../../../hsm/api.ts';
import type { Principal } from '../../api.ts';
import { callerName } from '../../principal.ts';
import type { TokenPlace } from './identifier.ts';
import { refusalOf } from './token-refusal.ts';
import { failUnanswered } from './unanswered.ts';

type Instance = Remote<HsmApi>;
export type Slot = Pick<TokenPlace, 'prefix' | 'slot'>;
/** Between two attempts to ask an instance what the configuration says of it. */
const ASK_AGAIN_MS = 1_000;
/** After the start, calls wait so long for instances that start too. */
const BEGIN_MS = 2_000;
/** The mechanisms of a token change seldom, as with an update of its firmware. */
const MECHANISMS_MS = 5_000;
const EVERYBODY = '*';

export class Tokens {
  readonly prefixes: readonly string[];
  readonly #instances: Map<string, Instance>;
  readonly #facts = new Map<string, HsmFacts>();
  readonly #asking = new Map<string, Promise<HsmFacts | undefined>>();
  /** The mechanisms of a slot, by its place without name. */
  readonly #mechanisms = new Map<string, { readonly names: ReadonlySet<string>; readonly readAt: number }>();
  readonly #log: Log;
  /** Settles once the instances have answered, or had the time to; undefined after that. */
  #begun: Promise<unknown> | undefined;
  #isClosed = false;

  constructor(instances: PinnedRef<HsmApi>, log: Log) {
    this.prefixes = instances.keys();
    this.#instances = new Map(this.prefixes.map((prefix) => [prefix, instances.at(prefix)]));
    this.#log = log;
    const facts = Promise.all(this.prefixes.map((prefix) => this.facts(prefix)));
    this.#begun = Promise.race([facts, new Promise((late) => setTimeout(late, BEGIN_MS).unref())]).then(() => {
      this.#begun = undefined;
    });
  }

  /** What the configuration says of an instance; undefined while its actor does not answer. */
  facts(prefix: string): Promise<HsmFacts | undefined> {
    const known = this.#facts.get(prefix);
    if (known) return Promise.resolve(known);
    const asking = this.#asking.get(prefix) ?? this.#ask(prefix);
    this.#asking.set(prefix, asking);
    return asking;
  }

  async #ask(prefix: string): Promise<HsmFacts | undefined> {
    try {
      const facts = await (this.#instances.get(prefix) as Instance).facts();
      this.#facts.set(prefix, facts);
      if (facts.serials.includes(undefined)) this.#later(() => void this.#ask(prefix));
      const { deadlineMs } = facts;
      if (deadlineMs !== undefined) this.#instances.set(prefix, callWith(this.#instances.get(prefix) as Instance, { deadlineMs }));
      return facts;
    } catch (error) {
      this.#log.debug({ prefix, error: String(error) }, 'an HSM instance does not answer yet');
      this.#later(() => {
        this.#asking.delete(prefix);
        void this.facts(prefix);
      });
      return undefined;
    }
  }

  #later(ask: () => void): void {
    setTimeout(() => {
      if (!this.#isClosed) ask();
    }, ASK_AGAIN_MS).unref();
  }

  /** The caller with the instances that it administers. */
  acting(caller: Principal): Principal | Promise<Principal> {
    return andThen(this.#begun, () => ({ ...caller, administers: this.#administered(caller) }));
  }

  /** Asks the instances nothing more by itself. */
  close(): void {
    this.#isClosed = true;
  }

  #administered(caller: Principal): readonly string[] {
    const name = callerName(caller);
    return this.prefixes.filter((prefix) => this.#facts.get(prefix)?.admins.some((admin) => admin === name || admin === EVERYBODY));
  }

  /** @returns why the slot cannot hold keys; undefined if it can */
  absence({ prefix, slot }: Pick<TokenPlace, 'prefix' | 'slot'>): string | undefined {
    const facts = this.#facts.get(prefix);
    if (!facts) return `${prefix} does not answer yet; try again`;
    return facts.slots.includes(slot) ? undefined : `slot ${slot} is not accessible: hsm_slot of ${prefix} does not list it`;
  }

  /** Whether two places may be one: two instances may open one token. What is not known counts as the same. */
  isSame(one: TokenPlace, other: TokenPlace): boolean {
    return one.name === other.name && this.#haveOneToken(one, other) !== false;
  }

  /** The places of a key that are known to be one: one for each instance that opens its token. */
  allOf(place: TokenPlace): TokenPlace[] {
    return [...this.#facts].flatMap(([prefix, { slots }]) =>
      slots.map((slot) => ({ prefix, slot, name: place.name })).filter((each) => this.#haveOneToken(each, place) === true),
    );
  }

  /** @returns undefined if that is not known */
  #haveOneToken(one: Slot, other: Slot): boolean | undefined {
    if (one.prefix === other.prefix && one.slot === other.slot) return true;
    const [first, second] = [this.#facts.get(one.prefix), this.#facts.get(other.prefix)];
    if (!first || !second) return undefined;
    if (first.library !== second.library) return false;
    const [serial, otherSerial] = [first.serials[first.slots.indexOf(one.slot)], second.serials[second.slots.indexOf(other.slot)]];
    return serial === undefined || otherSerial === undefined ? undefined : serial === otherSerial;
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
  async call<T>(place: Slot, what: string, work: (instance: Instance, slot: number) => Promise<HsmAnswer<T>>): Promise<T> {
    return this.#settled(await work(this.#instances.get(place.prefix) as Instance, place.slot).catch(failUnanswered), place, what);
  }

  /** As call, for a use with little data. It is one promise, because each costs as much as the rest of this. */
  async use<T>(place: Slot, what: string, read: (answer: FlatAnswer) => HsmAnswer<T>, use: Parameters<HsmApi['use']>): Promise<T> {
    let answer: FlatAnswer;
    try {
      answer = await (this.#instances.get(place.prefix) as Instance).use(...use);
    } catch (error) {
      failUnanswered(error);
    }
    return this.#settled(read(answer), place, what);
  }

  #settled<T>(answer: HsmAnswer<T>, place: Slot, what: string): T {
    this.#note(answer, place);
    if (answer.ok) return answer.value;
    throw refusalOf(answer.failure, place, what);
  }

  /** As call, for those to whom a refusal of the token is an answer. */
  async ask<T>(place: Slot, work: (instance: Instance, slot: number) => Promise<HsmAnswer<T>>): Promise<HsmAnswer<T>> {
    const answer = await work(this.#instances.get(place.prefix) as Instance, place.slot).catch(failUnanswered);
    this.#note(answer, place);
    return answer;
  }

  #note(answer: HsmAnswer<unknown>, { prefix, slot }: Slot): void {
    if (!answer.ok && (answer.failure.why === 'unavailable' || answer.failure.why === 'mechanism')) this.#mechanisms.delete(`${prefix} ${slot}`);
  }
}
