// Holds this node's lease on PostgreSQL, on one connection that listens to what other nodes change. The rules: lease.ts.
import { randomBytes } from 'node:crypto';
import { describe } from '../fault.ts';
import type { Log } from '../log/log-entry.ts';
import { watch } from '../trust.ts';
import type { Versions } from '../versions.ts';
import { Lease, type Seen } from './lease.ts';
import { LeaseConnection } from './lease-connection.ts';
import { parseMessage, seenTexts } from './lease-message.ts';

const RENEW_MS = 1_000;
const LOOK_MS = 100;
const CONNECT_AGAIN_MS = 500;
/** The start waits so long for the first renewal, so that a node that is alone knows it. */
const START_MS = 1_000;
const POOLED =
  'nothing is cached: [store] url leads to a pooler, which keeps no connection for notifications; give a direct address, or set [store] cache = false';

const NAME_TAKEN =
  'another server has the name of this node, as where its data folder is a copy of this one: delete the file node in one of the two, and start that server again';

interface LeaseOptions {
  readonly url: string;
  readonly node: string;
  /** Names this process in its changes. */
  readonly origin: string;
  readonly versions: Versions;
  readonly log: Log;
}

const now = () => watch.monotonicMs();

export class LeaseLink {
  readonly #options: LeaseOptions;
  readonly #lease: Lease;
  readonly #timer: NodeJS.Timeout;
  readonly #first = Promise.withResolvers<void>();
  #connection: LeaseConnection | undefined;
  /** Undefined until the row of this membership is there. */
  #term: string | undefined;
  #isBusy = false;
  #isClosed = false;
  #isPooled = false;
  #nextAt = 0;
  #isHeard = false;
  #seen: Seen[] = [];
  #isTelling = false;
  /** The last failure that was logged; the same is not logged again. */
  #failure: string | undefined;

  constructor(options: LeaseOptions) {
    const { versions, origin } = options;
    const { trust } = versions;
    this.#options = options;
    this.#lease = new Lease(origin, {
      trust: (untilMs) => trust.trust(untilMs),
      distrust: () => trust.distrust(),
      invalidate: (slots) => (slots ? slots.forEach(versions.bumpSlot) : versions.bumpAll()),
      list: (untilMs, isAlone) => trust.list(untilMs, isAlone),
      noteSeen: (change) => trust.noteSeen(change),
    });
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#look();
  }

  /** Settles when it is known who else holds leases, or after a second. */
  async started(): Promise<void> {
    const timer = setTimeout(this.#first.resolve, START_MS);
    await this.#first.promise;
    clearTimeout(timer);
  }

  /** Call it when nothing uses caches any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#lease.lost();
    const connection = this.#connection;
    if (this.#term !== undefined) await connection?.remove([this.#term]).catch(() => {});
    this.#drop();
  }

  #look(): void {
    if (this.#term !== undefined && !this.#lease.tick(now())) this.#fail(new Error('the lease was not renewed in time'));
    if (this.#isBusy || this.#isPooled || now() < this.#nextAt) return;
    this.#isBusy = true;
    const connection = this.#connection;
    const step = connection && this.#term !== undefined ? this.#renew(connection, this.#term) : this.#join();
    step.catch((error: unknown) => this.#fail(error, connection)).finally(() => (this.#isBusy = false));
  }

  async #join(): Promise<void> {
    this.#drop();
    this.#nextAt = now() + CONNECT_AGAIN_MS;
    const connection: LeaseConnection = new LeaseConnection(this.#options.url, this.#options.node, {
      failed: (error) => this.#fail(error, connection),
      heard: (text) => this.#connection === connection && this.#hear(text),
    });
    this.#connection = connection;
    if (!(await connection.open())) return this.#refusePooler();
    const term = randomBytes(9).toString('base64url');
    const sentAt = now();
    await connection.join(term);
    if (this.#connection !== connection || this.#isClosed) return;
    this.#lease.joined(term, sentAt, now());
    this.#term = term;
    this.#failure = undefined;
    await this.#renew(connection, term);
  }

  async #renew(connection: LeaseConnection, term: string): Promise<void> {
    const sentAt = now();
    this.#nextAt = sentAt + RENEW_MS;
    this.#isHeard = false;
    const { isThere, rows } = await connection.renew(term);
    if (this.#connection !== connection) return;
    const isHeard = this.#isHeard;
    if (!this.#lease.renewed({ sentAt, isThere, isHeard, rows }, now())) {
      const isNameTaken = !isThere && rows.some((row) => row.node === this.#options.node);
      throw new Error(isNameTaken ? NAME_TAKEN : isThere && !isHeard ? 'the database did not deliver a notification' : 'the lease was lost');
    }
    this.#first.resolve();
    await connection.remove(this.#lease.gone);
  }

  #hear(text: string): void {
    const message = parseMessage(text);
    const { origin } = this.#options;
    if (!message) this.#options.versions.bumpAll();
    else if (message.kind === 'renewal') this.#isHeard ||= message.term === this.#term;
    else if (message.kind === 'seen') this.#lease.heardSeen(message.term, origin, message.changes.get(origin) ?? [], now());
    else {
      const seen = this.#lease.heardChange(message.origin, message.change, message.slots, now());
      if (!seen || this.#term === undefined) return;
      this.#seen.push(seen);
      // What came with it is told with it.
      queueMicrotask(() => void this.#tell());
    }
  }

  async #tell(): Promise<void> {
    if (this.#isTelling) return;
    this.#isTelling = true;
    while (this.#seen.length > 0 && this.#connection && this.#term !== undefined) {
      const connection = this.#connection;
      const texts = seenTexts(this.#term, this.#seen.splice(0));
      await connection.notify(texts).catch((error: unknown) => this.#fail(error, connection));
    }
    this.#isTelling = false;
  }

  #refusePooler(): void {
    this.#options.log.warn({}, POOLED);
    this.#isPooled = true;
    this.#first.resolve();
    this.#drop();
  }

  /** Trust ends at once, and the node joins anew a moment later. */
  #fail(error: unknown, connection = this.#connection): void {
    if (this.#connection !== connection || !connection || this.#isClosed) return;
    this.#drop();
    const failure = describe(error);
    if (failure !== this.#failure) this.#options.log.warn({ error: failure }, 'nothing is cached until the lease on the database is held again');
    this.#failure = failure;
  }

  #drop(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#term = undefined;
    this.#seen = [];
    this.#lease.lost();
    connection?.end();
  }
}
