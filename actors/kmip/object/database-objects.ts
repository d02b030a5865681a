// The database as a source of objects: its rows, and a cache of them in each thread.
import { randomUUIDv7 } from 'node:crypto';
import type { Store, Transaction } from '../../../kernel/store/store.ts';
import type { Principal } from '../api.ts';
import type { ObjectSource, ObjectWriter } from './object-source.ts';
import { type ObjectCache, readHeld, readWhole } from './rows/cache.ts';
import type { ObjectRows } from './rows/rows.ts';
import { findObjects } from './search/search.ts';

export interface DatabaseParts {
  readonly rows: ObjectRows;
  readonly store: Store;
  readonly cache: ObjectCache;
}

export function databaseObjects({ rows, store, cache }: DatabaseParts): ObjectSource {
  return {
    prefix: '',
    // Its beginning is the time (RFC 9562 section 5.7): the rows of objects that are created together lie on the same pages.
    newIdentifier: () => randomUUIDv7(),
    requirePlace() {},
    absence: () => undefined,
    held: (id, content) => cache.get(id, content),
    readWhole: ({ object, contentBytes }) => readWhole(rows, store, object.id, contentBytes),
    within: (tx, caller) => writer(rows, tx, caller),
    find: findObjects,
  };
}

function writer(rows: ObjectRows, tx: Transaction, caller: Principal | undefined): ObjectWriter {
  return {
    held: (id, content) => readHeld(rows, tx, id, content, caller),
    readWhole: ({ object, contentBytes }) => readWhole(rows, tx, object.id, contentBytes, caller),
    describe: async (id) => (await rows.describe(tx, id))?.object,
    read: (id) => rows.read(tx, id),
    insert: (object, along) => rows.insert(tx, object, along),
    update: (object) => rows.update(tx, object),
    remove: (id) => rows.remove(tx, id),
    async copyGrants(from, to) {
      const grants = await rows.grantsOf(tx, from);
      if (grants.size > 0) await rows.grants.writeAll(tx, to.id, rows.markOf(to), grants);
    },
  };
}
