// The connection of a made-up node to the made-up database: it joins, renews its lease, hears notifications, and joins anew.
import type { Lease, Renewal } from '../../../kernel/store/lease.ts';
import type { Line, Message, World } from './lease-world.ts';

const RENEW_MS = 1_000;

/** What the member uses of its node. */
interface Surroundings {
  readonly name: string;
  readonly origin: string;
  readonly clock: number;
  /** Happens after this time, unless the node has stopped by then. */
  later(ms: number, run: () => void): void;
}

export class Member {
  readonly #world: World;
  readonly #node: Surroundings;
  readonly #lease: Lease;
  #term = '';
  #terms = 0;
  #line: Line | undefined;
  #isRenewing = false;
  #renewAt = 0;
  #heardRenewal = false;

  constructor(world: World, node: Surroundings, lease: Lease) {
    this.#world = world;
    this.#node = node;
    this.#lease = lease;
  }

  get line(): Line | undefined {
    return this.#line;
  }

  connect(): void {
    const line: Line = { isOpen: true, heldUntil: 0, lastToDatabase: 0, lastToNode: 0, queue: [], flush: () => this.#answer(line) };
    this.#line = line;
    this.#isRenewing = false;
    const term = `${this.#node.origin}.${this.#terms++}`;
    const sentAt = this.#node.clock;
    this.#send(line, () => {
      this.#world.lines.add(line);
      this.#world.rows.set(this.#node.name, { term, beat: 0 });
      this.#answer(line, () => {
        this.#term = term;
        this.#lease.joined(term, sentAt, this.#node.clock - (this.#world.mistake === 'no wait at joining' ? 3_500 : 0));
      });
    });
  }

  #send(line: Line, arrive: () => void): void {
    const at = Math.max(this.#world.now, line.heldUntil, line.lastToDatabase) + this.#world.delay();
    line.lastToDatabase = at;
    this.#world.at(at, arrive);
  }

  /** Brings the line's notifications, and then an answer. */
  #answer(line: Line, arrive: () => void = () => {}): void {
    const messages = line.queue.splice(0);
    const at = Math.max(this.#world.now, line.heldUntil, line.lastToNode) + this.#world.delay();
    line.lastToNode = at;
    this.#node.later(at - this.#world.now, () => {
      if (this.#line !== line || !line.isOpen) return;
      for (const message of messages) this.#hear(line, message);
      arrive();
    });
  }

  #hear(line: Line, message: Message): void {
    if (message.kind === 'renewal') this.#heardRenewal ||= message.term === this.#term;
    else if (message.kind === 'seen') this.#lease.heardSeen(message.term, message.origin, [message.change], this.#node.clock);
    else {
      const isEarly = this.#world.mistake === 'seen before it is' && message.origin !== this.#node.origin;
      if (isEarly)
        this.#node.later(this.#world.between(0, 200), () => this.#lease.heardChange(message.origin, message.change, [message.item], this.#node.clock));
      const seen = isEarly ? message : this.#lease.heardChange(message.origin, message.change, [message.item], this.#node.clock);
      const term = this.#term;
      if (seen) this.#send(line, () => this.#world.lines.has(line) && this.#world.notify({ kind: 'seen', term, origin: seen.origin, change: seen.change }));
    }
  }

  tick(): void {
    const line = this.#line;
    if (!line) return;
    if (this.#term !== '' && !this.#lease.tick(this.#node.clock)) return this.rejoin();
    if (this.#term === '' || this.#isRenewing || this.#node.clock < this.#renewAt) return;
    this.#renew(line);
  }

  #renew(line: Line): void {
    this.#isRenewing = true;
    this.#heardRenewal = false;
    this.#renewAt = this.#node.clock + RENEW_MS;
    const [sentAt, term, gone] = [this.#node.clock, this.#term, this.#lease.gone];
    this.#send(line, () => {
      if (!this.#world.lines.has(line)) return;
      const { rows } = this.#world;
      for (const [name, row] of rows) if (gone.includes(row.term)) rows.delete(name);
      const own = rows.get(this.#node.name);
      const isThere = own?.term === term;
      if (isThere) own.beat += 1;
      const listed = [...rows].map(([node, row]) => ({ node, ...row }));
      this.#world.notify({ kind: 'renewal', term });
      this.#answer(line, () => {
        this.#isRenewing = false;
        this.#renewed({ sentAt, isThere, isHeard: this.#heardRenewal, rows: listed });
      });
    });
  }

  #renewed(renewal: Renewal): void {
    const sentAt = this.#world.mistake === 'trust from receipt' ? this.#node.clock : renewal.sentAt;
    if (!this.#lease.renewed({ ...renewal, sentAt }, this.#node.clock)) this.rejoin();
  }

  rejoin(): void {
    const line = this.#line;
    this.#lease.lost();
    this.#term = '';
    this.#line = undefined;
    if (line) this.#world.at(this.#world.now + this.#world.delay(), () => this.#world.lines.delete(line));
    this.#node.later(this.#world.between(10, 1_000), () => this.connect());
  }
}
