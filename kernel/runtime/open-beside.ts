// Opens the parts of actors that live beside their callers, with everything such a part may use, and closes them.
import type { AnySpec, Api, BesideContext, PinnedRef } from '../actor.ts';
import { currentRequestId } from '../call-context.ts';
import { failFinally } from '../elsewhere.ts';
import { describe, Fault } from '../fault.ts';
import type { DataKeyPurpose } from '../keys/data-key-row.ts';
import { withFields } from '../log/log-entry.ts';
import type { Status } from '../status.ts';
import type { ReadStore } from '../store/store.ts';
import { databaseFile } from '../store/store-url.ts';
import { hashOf } from '../versions.ts';
import { Beside } from './beside.ts';
import type { Mailbox } from './mailbox/mailbox.ts';
import { keysOf, refOver } from './mailbox/refs.ts';
import { remoteOver } from './mailbox/remote.ts';
import type { Group } from './runtime.ts';
import type { RuntimeOptions } from './runtime-options.ts';

/** An actor whose part is opened, as the thread that calls it has it. */
export type Callee = Pick<Group, 'name' | 'spec' | 'mailboxes' | 'observe'>;
type BesideOptions = Pick<RuntimeOptions, 'clock' | 'versions' | 'node' | 'log' | 'store' | 'dataKey' | 'unsealed' | 'isCopying'> & {
  /** All actors, as this thread calls them. */
  readonly callees: ReadonlyMap<string, Callee>;
  /** Reads of the store are parts of the calls' spans. */
  readonly isTraced?: boolean;
  /** Told what a part reports, where another thread has to know. */
  readonly report?: (status: Status) => void;
};

/** A locked database must not stop the front: its caller then asks the actor, which may wait. */
const MAX_WAIT_MS = 20;

export class BesideParts {
  readonly #options: BesideOptions;
  readonly #open = new Map<Beside, Callee>();
  #isClosed = false;

  constructor(options: BesideOptions) {
    this.#options = options;
  }

  /** Where the part cannot start, every call goes to the actor: slower, and as right. */
  async open(group: Callee): Promise<void> {
    const { log, store, unsealed } = this.#options;
    // A front in a thread of its own does not get the address of a database with a password.
    if (!group.spec.beside || group.spec.kind === 'pinned' || (group.spec.store && store.url === '')) return;
    try {
      await this.#start(group, group.spec.beside, group.spec.args);
    } catch (error) {
      if (error instanceof Fault && error.code === 'KEY_SERVER_SEALED' && unsealed) void this.#openUnsealed(group, unsealed);
      else log.error({ actor: group.name, error: describe(error) }, 'no part of this actor runs beside its callers');
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [beside, { mailboxes }] of this.#open) {
      for (const mailbox of mailboxes) mailbox.beside = undefined;
      await beside.close();
    }
    this.#open.clear();
  }

  async #openUnsealed(group: Callee, unsealed: () => Promise<void>): Promise<void> {
    try {
      await unsealed();
    } catch {
      // The server stops before.
      return;
    }
    if (!this.#isClosed) await this.open(group);
  }

  async #start(group: Callee, module: URL, args: unknown): Promise<void> {
    const { isCopying = false } = this.#options;
    const reported: { status?: Status } = {};
    const context = await this.#contextOf(group, reported);
    const beside = await Beside.open(module, args, { name: group.name, isCopying, observe: group.observe, context, reported });
    if (this.#isClosed) return beside.close();
    this.#open.set(beside, group);
    for (const mailbox of group.mailboxes) mailbox.beside = beside;
  }

  async #contextOf({ name, spec, mailboxes }: Callee, reported: { status?: Status }): Promise<BesideContext<Api>> {
    const { clock, versions, node, log, dataKey, report } = this.#options;
    const dataKeys = new Map<DataKeyPurpose, Uint8Array>();
    for (const purpose of spec.dataKeys ?? []) dataKeys.set(purpose, await dataKey(purpose));
    const remotes = mailboxes.map((mailbox) => remoteOver<Api>({ call: (...call) => mailbox.cross(...call) }));
    return {
      node,
      clock,
      versions,
      log: withFields(log, { actor: name, key: 'beside' }),
      requestId: currentRequestId,
      report: (status) => {
        reported.status = status;
        report?.(status);
      },
      dataKey: (purpose) => dataKeys.get(purpose) as Uint8Array,
      own: (key) => remotes[hashOf(key) % remotes.length] as (typeof remotes)[number],
      peer: (peer) => this.#peerOf(spec, peer),
      openReader: () => this.#openReader(),
    };
  }

  /** @throws TypeError if the spec does not name it */
  #peerOf<P extends Api>({ peers = [] }: AnySpec, name: string): PinnedRef<P> {
    const callee = peers.includes(name) ? this.#options.callees.get(name) : undefined;
    if (!callee) throw new TypeError(`the spec must name the actor ${name} in peers`);
    const { spec, mailboxes } = callee;
    const keys = keysOf(spec);
    const calling = mailboxes.map((mailbox) => ({ call: (...call: Parameters<Mailbox['cross']>) => mailbox.cross(...call).catch(failFinally) }));
    return refOver(name, { ...spec, kind: 'pinned' } as AnySpec, keys, calling) as PinnedRef<P>;
  }

  async #openReader(): Promise<ReadStore> {
    const { isTraced = false, store, versions } = this.#options;
    const file = databaseFile(store.url);
    const reader =
      file === undefined
        ? (await import('../store/postgres-reader.ts')).openPostgresReader(store.url, versions.trust)
        : (await import('../store/sqlite.ts')).openSqliteReader(file, MAX_WAIT_MS);
    return isTraced ? (await import('../tracing/traced-store.ts')).tracedReader(reader, file === undefined ? 'postgresql' : 'sqlite') : reader;
  }
}
