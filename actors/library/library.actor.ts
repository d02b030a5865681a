// The library: owns documentary bases and their references, and finds passages in them.
import { randomUUID } from 'node:crypto';
import { defineActor } from '../../kernel/actor.ts';
import type { AuditEvent } from '../../kernel/store/audit.ts';
import type { Store } from '../../kernel/store/store.ts';
import type { Hit, Librarian, LibraryApi, LibraryArgs } from './api.ts';
import type { BaseIndex } from './base-index.ts';
import { Indexes } from './indexes.ts';
import { deleteReference, insertReference, listReferences, readPassages, revisionOf, touchBase } from './rows.ts';

export default defineActor<LibraryApi, LibraryArgs>(async ({ bases }, ctx) => {
  const store = await ctx.openStore();
  const indexes = new Indexes(store, ctx.log);
  const isKnown = async (base: string) => bases.includes(base) || (await revisionOf(store, base)) !== undefined;
  return {
    api: {
      list: () => list(store, bases),
      has: isKnown,
      async add(reference, creates, by) {
        if (!creates && !(await isKnown(reference.base))) return false;
        await store.transaction(async (tx) => {
          const now = ctx.clock.now();
          await touchBase(tx, reference.base, now);
          await deleteReference(tx, reference.base, reference.name);
          await insertReference(tx, randomUUID(), reference, now);
          await tx.audit(auditEvent('reference.add', reference.base, reference.name, by));
        });
        return true;
      },
      remove: (base, name, by) =>
        store.transaction(async (tx) => {
          if (!(await deleteReference(tx, base, name))) return false;
          await touchBase(tx, base, ctx.clock.now());
          await tx.audit(auditEvent('reference.delete', base, name, by));
          return true;
        }),
      async search(base, query, count) {
        if (!(await isKnown(base))) return undefined;
        return hitsOf(store, await indexes.fresh(base), query, count);
      },
    },
    stop: () => store.close(),
  };
});

async function list(store: Store, bases: readonly string[]): Promise<Record<string, string[]>> {
  const listed: Record<string, string[]> = Object.fromEntries(bases.map((base) => [base, []]));
  for (const { base, name } of await listReferences(store)) {
    listed[base] ??= [];
    if (name !== null) listed[base].push(name);
  }
  return listed;
}

function auditEvent(event: string, base: string, reference: string, { realm, user, scheme, source }: Librarian): AuditEvent {
  return { event, outcome: 'success', realm, actor: user, scheme, source, target: `${base}/${reference}` };
}

/** A reference that was removed after the search has no row any more: its passages are left out. */
async function hitsOf(store: Store, index: BaseIndex, query: string, count: number): Promise<Hit[]> {
  const matches = index.search(query, count);
  const rows = await readPassages(store, matches);
  return matches.flatMap(({ reference, ordinal, score }) => {
    const row = rows.get(`${reference}:${ordinal}`);
    const name = index.references.get(reference)?.name;
    if (!row || name === undefined) return [];
    return [{ reference: name, text: row.text, score, ...(row.chapter !== '' && { chapter: row.chapter }), ...(row.page > 0 && { page: row.page }) }];
  });
}
