// The fronts of a server in threads of their own: opens their ports, gives them what they need, adds up what they count, and takes further ones in.
import type { TlsOptions } from 'node:tls';
import { describe } from '../fault.ts';
import type { FrontsView } from '../health/readiness.ts';
import { Totals } from '../metrics/totals.ts';
import type { Supervisor } from '../runtime/supervise/supervisor.ts';
import { boundOf } from './bound-ports.ts';
import { FrontMember } from './front-member.ts';
import type { FrontAddresses } from './front-task.ts';
import type { FrontsOptions } from './fronts-options.ts';
import { watchBeats } from './heartbeat.ts';
import { kernelApi } from './kernel-api.ts';
import type { BoundPorts } from './ports.ts';

/** How long a scrape or /ready waits for a front; then it does without. */
const ASK_MS = 2_000;

export class Fronts implements FrontsView {
  readonly #options: FrontsOptions;
  readonly #totals = new Totals();
  readonly #members: FrontMember[] = [];
  /** Those that have opened their ports once. One that comes later is not missed before. */
  readonly #joined = new Set<FrontMember>();
  #tls: TlsOptions;
  #bound: BoundPorts | undefined;
  #isStopped = false;
  readonly #endWatch: () => void;

  constructor(options: FrontsOptions) {
    this.#options = options;
    this.#tls = options.tls;
    const stuck = (member: FrontMember) => {
      options.onStuck(member.thread);
      void this.#end(member, `its thread has not turned for ${limitMs} ms`, 'a front is stuck: it is ended, and another takes its place');
    };
    const limitMs = options.task.config.http.stuck_seconds * 1_000;
    this.#endWatch = watchBeats(limitMs, () => this.#members, stuck);
  }

  get supervisors(): readonly Supervisor[] {
    return this.#members.filter((member) => this.#joined.has(member)).map(({ supervisor }) => supervisor);
  }

  /** Starts the fronts and opens the ports. The first front chooses the numbers of ports that are not configured. */
  async open(count: number): Promise<FrontAddresses> {
    for (let thread = 1; thread <= count; thread += 1) this.#joined.add(this.#member(thread));
    const [first, ...others] = this.#members as [FrontMember, ...FrontMember[]];
    await Promise.all(this.#members.map((member) => member.supervisor.start()));
    const addresses = await first.open(null);
    const bound = boundOf(addresses);
    await Promise.all(others.map((member) => member.open(bound)));
    this.#bound = bound;
    return addresses;
  }

  /** Another front has opened the ports: the main thread. @param addresses where it has */
  joinPorts(addresses: FrontAddresses): void {
    this.#bound = boundOf(addresses);
  }

  /** Starts one more front, which shares the open ports. If its start fails, it is tried again as after a crash. @returns their number */
  async grow(): Promise<number> {
    const member = this.#member(this.#members.length + 1);
    await member.supervisor.start().catch(() => {});
    return this.#members.length;
  }

  /** @returns how busy the event loop of each front that runs was since the last call: 0 to 1. One that does not answer is busy. */
  async busy(): Promise<readonly number[]> {
    const running = this.#members.filter(({ supervisor }) => supervisor.state === 'running');
    return Promise.all(running.map((member) => member.ask(ASK_MS).busy().catch(alwaysBusy)));
  }

  /** Settles when all ports use the new options. A front that cannot use them is ended, and the one in its place begins with them. */
  async applyTls(tls: TlsOptions): Promise<void> {
    this.#tls = tls;
    await this.#askAll((member) =>
      member
        .ask()
        .applyTls(tls)
        .catch((error: unknown) => this.#end(member, error, 'a front cannot use the changed TLS files; it is started again')),
    );
  }

  /** The metrics of all threads, in the text format of Prometheus. */
  async scrape(): Promise<string> {
    await this.#askAll(async (member) => this.#totals.note(member.thread, await member.ask(ASK_MS).figures()));
    return `${await this.#options.processText()}\n${await this.#totals.text(await this.#options.figures())}`;
  }

  notReady(): Promise<readonly string[]> {
    return this.#options.notReady(this);
  }

  degraded(): readonly string[] {
    return this.#options.degraded(this);
  }

  async overdue(): Promise<ReadonlyMap<string, number>> {
    const sums = new Map<string, number>();
    await this.#askAll(async (member) => {
      for (const [name, count] of await member.ask(ASK_MS).overdue()) sums.set(name, (sums.get(name) ?? 0) + count);
    });
    return sums;
  }

  /** Ends one front after its running requests, and puts another in its place. @param thread its number, from 1 */
  async replace(thread: number): Promise<void> {
    await this.#members.find((member) => member.thread === thread)?.replace();
  }

  drain(): Promise<void> {
    return this.#askAll((member) => member.ask(ASK_MS).drain());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endWatch();
    await Promise.all(this.#members.map((member) => member.stop()));
  }

  /** Asks every front that runs. What one of them does not answer is left out. */
  async #askAll(ask: (member: FrontMember) => Promise<unknown>): Promise<void> {
    const running = this.#members.filter(({ supervisor }) => supervisor.state === 'running');
    await Promise.all(
      running.map((member) =>
        ask(member).catch((error: unknown) => this.#options.log.warn({ front: member.thread, error: describe(error) }, 'a front does not answer')),
      ),
    );
  }

  #member(thread: number): FrontMember {
    const { task, shared, clock, log, versions, runtime, onSpans } = this.#options;
    const made = new FrontMember({
      ...{ thread, clock, log, versions, runtime, onSpans, kernel: kernelApi(this, this.#options) },
      task: () => ({ ...task, thread, tls: this.#tls, shared: shared.regions.memory }),
      onRunning: (member) => void this.#reopen(member),
      giveBack: () => this.#giveBack(thread),
    });
    this.#members.push(made);
    return made;
  }

  /** Opens the ports of a front that has taken the place of another. */
  async #reopen(member: FrontMember): Promise<void> {
    const bound = this.#bound;
    if (!bound) return;
    try {
      if (member.task?.tls !== this.#tls) await member.ask().applyTls(this.#tls);
      await member.open(bound);
      if (this.#joined.has(member)) return;
      this.#joined.add(member);
      this.#options.log.info({ front: member.thread }, 'the fronts were busy: one more serves requests');
      this.#options.onMore();
      await this.#askAll(async (other) => other !== member && other.ask().renew());
    } catch (error) {
      if (this.#isStopped) return;
      await this.#end(member, error, 'the ports of a front cannot be opened; it is started again');
    }
  }

  async #end(member: FrontMember, error: unknown, message: string): Promise<void> {
    this.#options.log.error({ front: member.thread, error: describe(error) }, message);
    await member.supervisor.incarnation?.kill();
  }

  async #giveBack(thread: number): Promise<boolean> {
    const { limits, runtime, log } = this.#options;
    try {
      limits.giveBack(thread);
      for (const { mailboxes } of runtime.groups.values()) for (const mailbox of mailboxes) mailbox.shared?.giveBack(thread);
    } catch (error) {
      log.warn({ front: thread, error: describe(error) }, 'what an ended front held cannot be given back yet');
      return false;
    }
    await this.#totals.end(thread);
    return true;
  }
}

const alwaysBusy = () => 1;
