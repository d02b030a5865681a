// The library: owns documentary bases and their references, and finds passages in them.
import { randomUUID } from 'node:crypto';
import { type ActorContext, defineActor } from '../../kernel/actor.ts';
import type { Clock } from '../../kernel/clock.ts';
import { DataKey } from '../../kernel/keys/data-key.ts';
import { callWith } from '../../kernel/runtime/thread/child.ts';
import type { AuditEvent } from '../../kernel/store/audit.ts';
import { createForgedRows } from '../../kernel/store/forged-rows.ts';
import type { Store, Transaction } from '../../kernel/store/store.ts';
import type { ModelApi } from '../model/api.ts';
import type { Librarian, LibraryApi, LibraryArgs } from './api.ts';
import { Bases } from './bases.ts';
import { Embedder } from './embedder.ts';
import { Embedding } from './embedding.ts';
import { Finder } from './finder.ts';
import { Indexes } from './indexes.ts';
import { type LibraryQuotas, othersOf, requireBases, requireQuota, requireRoom } from './quota.ts';
import { ReferenceKeys } from './reference-keys.ts';
import { deleteReference, insertReference, touchBase } from './rows.ts';
import { sealStored } from './seal-stored.ts';

export default defineActor<LibraryApi, LibraryArgs>(async ({ bases: configured, embedder: id, quotas, indexBytes }, ctx) => {
  const store = await ctx.openStore();
  const embedder = id === undefined ? undefined : embedderOf(id, ctx);
  const forged = createForgedRows(store, ctx.log, () => ctx.clock.monotonic(), 'reference.forged');
  const keys = new ReferenceKeys(new DataKey('documents', ctx.dataKey('documents'), () => ctx.clock.now()), forged);
  const embedding = embedder && new Embedding({ store, keys, embedder, clock: ctx.clock, log: ctx.log, signal: ctx.signal });
  const indexes = new Indexes({ store, keys, log: ctx.log, maxBytes: indexBytes });
  const finder = new Finder({ store, keys, indexes, embedder, onEmbedder: (name) => embedding?.noticed(name) });
  // From then on a row in clear is forged.
  if (ctx.adopts('documents')) await sealStored(store, keys, ctx.log);
  const bases = new Bases(store, configured);
  await bases.adopt(ctx.log);
  embedding?.wake();
  return {
    api: {
      list: () => bases.list(),
      ...changes({ store, keys, clock: ctx.clock, bases, quotas, onAdd: () => embedding?.wake() }),
      async search(base, text, options, caller) {
        const signal = ctx.call()?.signal;
        if (!(await bases.has(base))) return undefined;
        return finder.find({ base, text, ...options, caller, signal });
      },
      embedding: async () => embedding?.status(),
    },
    async stop() {
      await embedding?.stop();
      await store.close();
    },
  };
});

interface Changing {
  readonly store: Store;
  readonly keys: ReferenceKeys;
  readonly clock: Clock;
  readonly bases: Bases;
  readonly quotas: LibraryQuotas;
  /** Called after a reference was added. */
  onAdd(): void;
}

function changes({ store, keys, clock, bases, quotas, onAdd }: Changing): Pick<LibraryApi, 'mayAdd' | 'add' | 'remove'> {
  return {
    async mayAdd(base, name, creates) {
      const isNew = await bases.isCreated(base, creates);
      if (isNew === undefined) return false;
      if (isNew) await requireBases(store, quotas, 1);
      await requireRoom(store, quotas, base, name);
      return true;
    },
    async add(reference, creates, by) {
      const isNew = await bases.isCreated(reference.base, creates);
      if (isNew === undefined) return false;
      const insert = async (tx: Transaction) => {
        const now = clock.now();
        await touchBase(tx, reference.base, now, !bases.isConfigured(reference.base));
        if (isNew) await requireBases(tx, quotas, 0);
        const others = await othersOf(tx, quotas, reference.base, reference.name);
        const before = await deleteReference(tx, reference.base, reference.name);
        requireQuota(quotas, reference.base, others, reference.passages.length, before);
        await insertReference(tx, keys, randomUUID(), reference, now);
        await tx.audit(auditEvent('reference.add', reference.base, reference.name, by));
      };
      await keys.retrying(store, () => store.transaction(insert));
      onAdd();
      return true;
    },
    async remove(base, name, by) {
      if (!(await bases.has(base))) return false;
      return store.transaction(async (tx) => {
        if ((await deleteReference(tx, base, name)) === undefined) return false;
        await touchBase(tx, base, clock.now());
        await tx.audit(auditEvent('reference.delete', base, name, by));
        return true;
      });
    },
  };
}

function embedderOf(id: string, ctx: ActorContext): Embedder {
  const model = ctx.peer<ModelApi>('model').at('main');
  return new Embedder(id, (signal) => (signal ? callWith(model, { signal }) : model));
}

function auditEvent(event: string, base: string, reference: string, { realm, user, scheme, source }: Librarian): AuditEvent {
  return { event, outcome: 'success', realm, actor: user, scheme, source, target: `${base}/${reference}` };
}
