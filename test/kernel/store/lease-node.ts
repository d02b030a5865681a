// A node of the made-up world: a lease and a cache under it, uses and revocations, and what goes wrong with it.
import { isSettled } from '../../../kernel/store/announcement.ts';
import { Lease } from '../../../kernel/store/lease.ts';
import { Trust } from '../../../kernel/trust.ts';
import { Member } from './lease-member.ts';
import { ITEMS, type Mistake, type Outcome, World } from './lease-world.ts';

class Node {
  readonly name: string;
  readonly #world: World;
  /** Elapsed milliseconds of this node's clock for one of the world. */
  readonly #rate: number;
  readonly origin: string;
  #isAlive = true;
  #pausedUntil = 0;
  #version = 0;
  readonly #versions = new Int32Array(ITEMS);
  readonly #cache = new Map<number, { readonly isValid: boolean; readonly version: number }>();
  readonly #trust: Trust;
  readonly #member: Member;

  constructor(world: World, name: string, life: number) {
    this.name = name;
    this.#world = world;
    this.#rate = world.between(0.97, 1.03);
    this.origin = `${name}.${life}`;
    const clock = () => this.clock;
    this.#trust = new Trust(undefined, { monotonicMs: clock, wallMs: clock });
    this.#trust.share();
    const lease = new Lease(this.origin, {
      trust: (until) => this.#trust.trust(until),
      distrust: () => this.#trust.distrust(),
      invalidate: (slots) => this.#invalidate(slots),
      list: (until, isAlone) => this.#trust.list(until, isAlone),
      noteSeen: (change) => this.#trust.noteSeen(change),
    });
    world.nodes.add(this);
    this.#member = new Member(world, this, lease);
    this.#member.connect();
    this.#every(
      () => world.between(80, 160),
      () => this.#member.tick(),
    );
    this.#every(
      () => world.between(20, 150),
      () => this.use(),
    );
    this.#every(
      () => world.between(500, 3_000),
      () => this.#revoke(),
    );
    this.#every(
      () => world.between(2_000, 12_000),
      () => this.#goWrong(),
    );
  }

  get clock(): number {
    return 1_000 + this.#world.now * this.#rate;
  }

  /** Nothing of a node that stands still happens; its clock runs on. */
  later(ms: number, run: () => void): void {
    const happen = () => {
      if (!this.#isAlive) return;
      if (this.#world.now < this.#pausedUntil) this.#world.at(this.#pausedUntil, happen);
      else run();
    };
    this.#world.at(this.#world.now + ms, happen);
  }

  #every(ms: () => number, run: () => void): void {
    this.later(ms(), () => {
      run();
      this.#every(ms, run);
    });
  }

  #invalidate(slots: readonly number[] | undefined): void {
    if (slots) for (const slot of slots) this.#versions[slot] = (this.#versions[slot] as number) + 1;
    else if (this.#world.mistake !== 'old entries after a loss') this.#version += 1;
  }

  #read(item: number): number {
    return this.#trust.isTrusted ? this.#version + (this.#versions[item] as number) : Number.NaN;
  }

  use(item = Math.floor(this.#world.random() * ITEMS)): void {
    if (!this.#isAlive || this.#world.now < this.#pausedUntil) return;
    const world = this.#world;
    const startedAt = world.now;
    const version = this.#read(item);
    const known = this.#cache.get(item);
    if (known && known.version === version) {
      world.hits += 1;
      return this.#check(item, known.isValid, startedAt);
    }
    this.later(world.delay(), () => {
      const isValid = world.isRevoked[item] === 0;
      this.later(world.delay(), () => {
        if (!Number.isNaN(version)) this.#cache.set(item, { isValid, version });
        this.#check(item, isValid, startedAt);
      });
    });
  }

  #check(item: number, isValid: boolean, startedAt: number): void {
    const answeredAt = this.#world.answeredAt[item] as number;
    if (isValid && startedAt > answeredAt) this.#world.violations.push(`${this.name} used ${item} at ${startedAt}, revoked at ${answeredAt}`);
  }

  #revoke(): void {
    const world = this.#world;
    const item = Math.floor(world.random() * ITEMS);
    if (world.isRevoked[item] === 1) return;
    const change = this.#trust.nextChange();
    world.useAll(item, 1_000);
    this.later(world.between(0, 2_000), () => {
      world.isRevoked[item] = 1;
      world.notify({ kind: 'change', origin: this.origin, change, item });
      this.later(world.delay(), () => {
        const committedAt = this.clock;
        this.#invalidate([item]);
        if (this.#trust.isListed) return this.#settle(item, change, committedAt);
        this.later(world.delay(), () => {
          const isAlone = [...world.rows].every(([name]) => name === this.name);
          this.later(world.delay(), () => (isAlone ? this.#answerRevocation(item, committedAt) : this.#settle(item, change, committedAt)));
        });
      });
    });
  }

  #settle(item: number, change: number, committedAt: number): void {
    const isDone = isSettled(this, change, committedAt, this.clock) || (this.#world.mistake === 'short wait' && this.clock > committedAt + 1_000);
    if (isDone) this.#answerRevocation(item, committedAt);
    else this.later(20, () => this.#settle(item, change, committedAt));
  }

  get trust(): Trust {
    return this.#trust;
  }

  #answerRevocation(item: number, committedAt: number): void {
    const world = this.#world;
    world.answeredAt[item] = world.now;
    world.answered += 1;
    world.useAll(item, 1_000);
    if (this.clock < committedAt + 500 && world.rows.size > 1) world.quick += 1;
  }

  #goWrong(): void {
    const world = this.#world;
    const kind = world.random();
    const { line } = this.#member;
    if (kind < 0.25 && line) line.heldUntil = world.now + world.between(500, 8_000);
    else if (kind < 0.5 && line) {
      // The server ends the connection; the node hears of it, or does not.
      world.lines.delete(line);
      if (world.random() < 0.7) this.later(world.delay(), () => this.#member.line === line && this.#member.rejoin());
    } else if (kind < 0.75) this.#pausedUntil = world.now + world.between(500, 8_000);
    else if (kind < 0.85) this.#crash();
  }

  #crash(): void {
    const world = this.#world;
    this.#isAlive = false;
    world.nodes.delete(this);
    const { line } = this.#member;
    if (line) world.at(world.now + world.delay(), () => world.lines.delete(line));
    // As a data folder has one process, the same name comes back only after the process has ended.
    world.at(world.now + world.between(100, 6_000), () => new Node(world, this.name, 1 + Number(this.origin.split('.')[1])));
  }
}

export function runWorld(seed: number, mistake?: Mistake): Outcome {
  const world = new World(seed, mistake);
  const count = 2 + Math.floor(world.random() * 3);
  for (let at = 0; at < count; at++) world.at(world.random() < 0.5 ? 0 : world.between(0, 12_000), () => new Node(world, `n${at}`, 0));
  return world.run();
}
