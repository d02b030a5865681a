// Probes which slots of an instance are usable, one probe at a time, and restarts the library if that may bring tokens back.
import type pkcs11js from 'pkcs11js';
import type { ActorContext } from '../../../kernel/actor.ts';
import type { HsmArgs, SlotStatus } from '../api.ts';
import type { Cryptoki } from '../token/cryptoki.ts';
import { nameOf } from '../token/return-value.ts';
import type { SlotHost } from './slot-session.ts';
import type { SlotWatch } from './slot-watch.ts';

/** A result is reused for this long, in milliseconds. */
const FRESH_MS = 1_000;
const RESTART_EVERY = 3;

/** Writes the audit row of a slot that became accessible, or that is not any more. */
export type SlotAudit = (slot: number, problem: string | undefined) => Promise<void>;

type Probed = Pick<HsmArgs, 'prefix' | 'probeSeconds'>;

export class Prober implements SlotHost {
  readonly #ctx: ActorContext;
  readonly #prefix: string;
  readonly #probeMs: number;
  readonly #cryptoki: Cryptoki;
  readonly #watches: readonly SlotWatch[];
  readonly #audit: SlotAudit;
  /** By slot number: whether the last row of the slot says that it is accessible. */
  readonly #recorded = new Map<number, boolean>();
  #probedAt = Number.NEGATIVE_INFINITY;
  /** Consecutive probes that found a token missing, of those that are counted. */
  #failures = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  #probing: Promise<readonly SlotStatus[]> | undefined;

  constructor(ctx: ActorContext, { prefix, probeSeconds }: Probed, cryptoki: Cryptoki, watches: readonly SlotWatch[], audit: SlotAudit) {
    this.#audit = audit;
    this.#ctx = ctx;
    this.#prefix = prefix;
    this.#probeMs = probeSeconds * 1000;
    this.#cryptoki = cryptoki;
    this.#watches = watches;
  }

  /** The result of the last probe, or of a new one if the last is too old. */
  async status(): Promise<readonly SlotStatus[]> {
    const isFresh = this.#probing === undefined && this.#ctx.clock.monotonic() - this.#probedAt < FRESH_MS;
    return isFresh ? this.#statuses() : this.probe();
  }

  /**
   * The library, once the slot is logged in. A slot whose session just ended is logged in again; one that does not work is probed at most once a second.
   * @throws Error that says why the slot cannot be used
   */
  async ready(watch: SlotWatch): Promise<pkcs11js.PKCS11> {
    if (watch.problem !== undefined) {
      if (watch.hasEnded) await watch.probe(await this.#cryptoki.open());
      else await this.status();
    }
    if (watch.problem !== undefined) throw new Error(watch.problem);
    return this.#cryptoki.open();
  }

  atHand({ problem }: SlotWatch): pkcs11js.PKCS11 | undefined {
    return problem === undefined ? this.#cryptoki.opened : undefined;
  }

  probe(): Promise<readonly SlotStatus[]> {
    this.#probing ??= this.#probeAll().finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  /** Slots whose tokens are missing take another one. */
  async acceptChange(): Promise<void> {
    for (const watch of this.#watches) watch.acceptChange(this.#watches);
    await this.probe();
  }

  /** Resolves when no probe is running. */
  async idle(): Promise<void> {
    await this.#probing;
  }

  #statuses(): SlotStatus[] {
    return this.#watches.map(({ number, problem }) => ({ slot_id: number, accessible: problem === undefined }));
  }

  async #probeAll(): Promise<readonly SlotStatus[]> {
    const before = this.#problems();
    try {
      await this.#probeSlots();
      if (this.#isRestartDue()) {
        this.#tellRenewed();
        if (this.#cryptoki.restart()) this.#reset('the library was restarted');
        // Others use the library, so it cannot be restarted: the slot only logs in again.
        else if (!this.#cryptoki.isAlone) for (const watch of this.#watches) watch.isRenewed = false;
        await this.#probeSlots();
      }
    } catch (error) {
      this.#reset(nameOf(error));
    }
    this.#probedAt = this.#ctx.clock.monotonic();
    this.#report(before !== this.#problems());
    await this.#record();
    return this.#statuses();
  }

  async #probeSlots(): Promise<void> {
    const open = await this.#cryptoki.open();
    await Promise.all(this.#watches.map((watch) => watch.readClaims()));
    for (const watch of this.#watches) await watch.probe(open);
  }

  /** The next login may work at once, and nobody would know. */
  #tellRenewed(): void {
    for (const { number, isRenewed, problem } of this.#watches)
      if (isRenewed) this.#ctx.log.warn({ prefix: this.#prefix, slot: number, note: problem }, 'an HSM token has changed');
  }

  #reset(problem: string): void {
    for (const watch of this.#watches) watch.reset(problem);
  }

  #problems(): string {
    return JSON.stringify(this.#watches.map(({ problem }) => problem));
  }

  /**
   * Some libraries detect a token that is back only after a restart. A restart also ends the sessions of healthy slots, so it happens at every
   * probe while no slot works, but only at every third one while some do, and not for a slot whose token another one has. A token that may have been
   * initialised anew is a reason for a restart at once: until then some libraries take the PIN that it had before.
   */
  #isRestartDue(): boolean {
    if (this.#watches.some(({ isRenewed }) => isRenewed)) return true;
    const gone = this.#watches.filter(({ problem, refused }) => problem !== undefined && !refused);
    const isThird = this.#countMissing(gone.some(({ isTaken }) => !isTaken));
    return gone.length > 0 && (gone.length === this.#watches.length || isThird);
  }

  /** Calls and status pages may cause a probe every second, so one in each `probe_seconds` is counted. @returns whether this one is counted and is a third */
  #countMissing(isMissing: boolean): boolean {
    if (!isMissing) {
      this.#failures = 0;
      return false;
    }
    const now = this.#ctx.clock.monotonic();
    if (now - this.#countedAt < this.#probeMs) return false;
    this.#countedAt = now;
    return ++this.#failures % RESTART_EVERY === 0;
  }

  /** A row that cannot be written now is written after the next probe. */
  async #record(): Promise<void> {
    for (const { number, problem } of this.#watches) {
      const isAccessible = problem === undefined;
      if (this.#recorded.get(number) === isAccessible) continue;
      try {
        await this.#audit(number, problem);
        this.#recorded.set(number, isAccessible);
      } catch (error) {
        this.#ctx.log.error({ prefix: this.#prefix, slot: number, error: nameOf(error) }, 'the status of an HSM slot could not be written to the audit log');
      }
    }
  }

  #report(hasChanged: boolean): void {
    const failing = this.#watches.filter(({ problem }) => problem !== undefined);
    const isReady = failing.length === 0;
    const note = failing.map(({ number, problem }) => `slot ${number}: ${problem}`).join('; ');
    const detail = this.#statuses();
    this.#ctx.report(isReady ? { ready: true, detail } : { ready: false, note, detail });
    if (hasChanged) this.#ctx.log[isReady ? 'info' : 'warn']({ prefix: this.#prefix, note }, isReady ? 'HSM accessible' : 'HSM not accessible');
  }
}
