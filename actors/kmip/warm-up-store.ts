// A store in memory that holds the keys of the warm-up alone: their rows are sealed and read by the same code as all others, so that objects and caches have the same shapes.
import { randomBytes } from 'node:crypto';
import { DataKey } from '../../kernel/keys/data-key.ts';
import type { SqlValue, Store, Transaction } from '../../kernel/store/store.ts';
import type { Draft } from './object/managed-object.ts';
import { INSERT } from './object/rows/object-row.ts';
import { ObjectRows } from './object/rows/rows.ts';

export interface KeptRows {
  readonly rows: ObjectRows;
  /** Reads the kept rows. Whatever writes to it throws. */
  readonly store: Store;
}

const COLUMNS = (/\(([^)]*)\)/.exec(INSERT)?.[1] ?? '').split(',').map((column) => column.trim());

/** Seals the objects with a data key that is forgotten with them. */
export async function keepRows(objects: readonly Draft[], dialect: Store['dialect'], now: () => number): Promise<KeptRows> {
  const dataKey = new DataKey('keys', new Uint8Array(randomBytes(32)), now);
  const rows = new ObjectRows(dataKey, now);
  const kept = new Map<string, object>();
  const writing = writingTo(kept);
  const filling: Store = { ...writing, dialect, transaction: (work) => work(writing), close: async () => {} };
  for (const object of objects) await dataKey.retrying(filling, () => rows.insert(writing, object));
  return { rows, store: readingFrom(kept, dialect) };
}

/** Nothing else is there: no index, no grants, no generations of the data key. */
function writingTo(kept: Map<string, object>): Transaction {
  return {
    get: async () => undefined,
    all: async () => [],
    async run(sql, params = []) {
      if (sql === INSERT) kept.set(String(params[0]), Object.fromEntries(COLUMNS.map((column, at) => [column, params[at] ?? null])));
      return 1;
    },
    exec: async () => {},
    touch() {},
    touchAll() {},
    audit: async () => {},
  };
}

function readingFrom(kept: ReadonlyMap<string, object>, dialect: Store['dialect']): Store {
  const untouched = (): never => {
    throw new Error('the warm-up does not reach the store');
  };
  // Each answer is a row of its own, whose bytes are given back once they are opened.
  const rowOf = ([id]: readonly SqlValue[]): object | undefined => structuredClone(kept.get(String(id)));
  return {
    dialect,
    get: async <T extends object>(_sql: string, params: readonly SqlValue[] = []) => {
      const row = rowOf(params) as { content?: Uint8Array } | undefined;
      const bytes = row?.content?.byteLength ?? 0;
      return row && ({ ...row, content_bytes: bytes, bytes, grants: 0 } as unknown as T);
    },
    all: async () => [],
    transaction: untouched,
    close: untouched,
  };
}
