// Runs migrations: each once, in order, forward only, under a lock that all nodes share.
import { Fault, isServerFailure } from '../fault.ts';
import { encodingProblem } from './encoding.ts';
import { hiddenProblem } from './hidden-rows.ts';
import type { Dialect, Reader, Store, Transaction } from './store.ts';
import { tableNames } from './tables.ts';

/** `sql` is one text for both databases (BIGINT, TEXT and BYTEA work in both), or one text for each. */
export interface Migration {
  /** 1, 2, 3 and so on within a plugin. */
  readonly id: number;
  readonly about: string;
  readonly sql: string | Readonly<Record<Dialect, string>>;
}

/** A database that this version must not touch. The message tells the operator why, and what to do. */
export class RefusedStore extends Error {
  override readonly name = 'RefusedStore';
}

export interface MigrationSet {
  readonly owner: string;
  readonly migrations: readonly Migration[];
}

const KERNEL_MIGRATIONS: readonly Migration[] = [
  {
    id: 1,
    about: 'audit log',
    sql: `CREATE TABLE audit (stream TEXT NOT NULL, seq BIGINT NOT NULL, time BIGINT NOT NULL, request_id TEXT, realm TEXT, actor TEXT, scheme TEXT,
            source TEXT, event TEXT NOT NULL, target TEXT, outcome TEXT NOT NULL, reason TEXT, prev TEXT NOT NULL, PRIMARY KEY (stream, seq));
          CREATE INDEX audit_time ON audit (time);`,
  },
  {
    id: 2,
    about: 'wrapped data keys of the server',
    sql: `CREATE TABLE data_key (purpose TEXT PRIMARY KEY, wrapped BYTEA NOT NULL, check_value BYTEA NOT NULL, created_at BIGINT NOT NULL);`,
  },
  {
    id: 3,
    about: 'accounts: who has had which name',
    sql: `CREATE TABLE account (id TEXT PRIMARY KEY, name TEXT NOT NULL, scope TEXT, held BIGINT NOT NULL, ended_at BIGINT);
          CREATE UNIQUE INDEX account_live ON account (name) WHERE ended_at IS NULL;
          CREATE INDEX account_name ON account (name);
          CREATE INDEX account_scope ON account (scope) WHERE scope IS NOT NULL;`,
  },
  {
    id: 4,
    about: 'generations of the data keys, and how many seals of each are taken',
    // The seals of existing data keys were not counted, so they are marked as used up and the next seal starts a new generation.
    sql: `CREATE TABLE data_key_generation (purpose TEXT NOT NULL, generation BIGINT NOT NULL, wrapped BYTEA, seals BIGINT NOT NULL, created_at BIGINT NOT NULL,
            PRIMARY KEY (purpose, generation));
          INSERT INTO data_key_generation (purpose, generation, wrapped, seals, created_at) SELECT purpose, 1, NULL, 4294967296, created_at FROM data_key;`,
  },
  {
    id: 5,
    about: 'leases of the nodes that share the database',
    sql: 'CREATE TABLE node_lease (node TEXT PRIMARY KEY, term TEXT NOT NULL, beat BIGINT NOT NULL);',
  },
  {
    id: 6,
    about: 'the audit log of an actor and of an event, however long it is',
    sql: 'CREATE INDEX audit_actor ON audit (actor, time); CREATE INDEX audit_event ON audit (event, time);',
  },
];

/** Lock for all changes of tables. */
export const MIGRATION_LOCK = 'gatehouse migrations';
/** Creates the table of applied migrations. */
export const MIGRATION_TABLE =
  'CREATE TABLE IF NOT EXISTS migration (owner TEXT NOT NULL, id BIGINT NOT NULL, about TEXT NOT NULL, applied_at BIGINT NOT NULL, PRIMARY KEY (owner, id))';

/** Table of a database that `--copy-store` has not filled yet. */
export const UNFINISHED_COPY = 'unfinished_copy';
export const IS_UNFINISHED = 'the database is the target of a copy that has not finished; run the same --copy-store again, which goes on where it stopped';

/** @returns all sets in their order: first the kernel's, then those of the plugins */
export function withKernel(sets: readonly MigrationSet[]): readonly MigrationSet[] {
  return [{ owner: 'kernel', migrations: KERNEL_MIGRATIONS }, ...sets];
}

/** @returns the SQL of a migration for one database */
export function sqlOf({ sql }: Migration, dialect: Dialect): string {
  return typeof sql === 'string' ? sql : sql[dialect];
}

/**
 * Brings the database up to date. Each migration has its own transaction, but a new database gets all of them in one: it is complete or still new.
 * @param examine looks at the database before anything is changed; what it throws leaves it as it is
 * @returns number of applied migrations
 * @throws RefusedStore if a newer gatehouse has migrated the database, if a copy into it has not finished, for an encoding that does not keep every text, or if it hides what is stored
 * @throws Error if a migration fails (with its name)
 */
export async function migrate(
  store: Store,
  sets: readonly MigrationSet[],
  now: () => number,
  examine: (tables: ReadonlySet<string>) => Promise<void> = async () => {},
): Promise<number> {
  const all = withKernel(sets);
  const tables = await tableNames(store, store.dialect);
  await refuseUnfit(store, tables, all);
  await examine(tables);
  await store.transaction((tx) => tx.exec(MIGRATION_TABLE), { lock: MIGRATION_LOCK });
  let applied = await applyToNew(store, all, now);
  for (const { owner, migrations } of all) {
    for (const migration of migrations) if (await apply(store, owner, migration, now)) applied += 1;
    // Another node may have migrated it meanwhile.
    await refuseNewer(store, owner, migrations);
  }
  return applied;
}

/** A commit and a reading of the tables anew for each migration would take most of the time. @returns their number; 0 for a database that has some */
async function applyToNew(store: Store, sets: readonly MigrationSet[], now: () => number): Promise<number> {
  const any = 'SELECT id FROM migration LIMIT 1';
  if (await store.get(any)) return 0;
  const all = sets.flatMap(({ owner, migrations }) => migrations.map((migration) => ({ owner, migration })));
  let name = 'of a new database';
  try {
    return await store.transaction(
      async (tx) => {
        if (await tx.get(any)) return 0;
        for (const { owner, migration } of all) {
          name = nameOf(owner, migration);
          await run(tx, store.dialect, owner, migration, now);
        }
        return all.length;
      },
      { lock: MIGRATION_LOCK },
    );
  } catch (error) {
    throw failureOf(name, error);
  }
}

async function apply(store: Store, owner: string, migration: Migration, now: () => number): Promise<boolean> {
  const { id } = migration;
  const known = 'SELECT id FROM migration WHERE owner = $1 AND id = $2';
  if (await store.get(known, [owner, id])) return false;
  try {
    return await store.transaction(
      async (tx) => {
        if (await tx.get(known, [owner, id])) return false;
        await run(tx, store.dialect, owner, migration, now);
        return true;
      },
      { lock: MIGRATION_LOCK },
    );
  } catch (error) {
    throw failureOf(nameOf(owner, migration), error);
  }
}

async function run(tx: Transaction, dialect: Dialect, owner: string, migration: Migration, now: () => number): Promise<void> {
  await tx.exec(sqlOf(migration, dialect));
  await tx.run('INSERT INTO migration (owner, id, about, applied_at) VALUES ($1, $2, $3, $4)', [owner, migration.id, migration.about, now()]);
}

const nameOf = (owner: string, { id, about }: Migration): string => `${owner}/${id} (${about})`;

function failureOf(name: string, error: unknown): Error {
  const failed = `migration ${name} failed`;
  // The database is at fault, for example with a full disk, and not the migration.
  if (error instanceof Fault && isServerFailure(error)) return new Fault(error.code, { detail: `${failed}: ${error.message}`, cause: error.cause });
  return new Error(failed, { cause: error });
}

async function refuseUnfit(store: Store, tables: ReadonlySet<string>, sets: readonly MigrationSet[]): Promise<void> {
  const texts = sets.flatMap(({ migrations }) => migrations.map((each) => sqlOf(each, store.dialect)));
  const problem = (await encodingProblem(store, store.dialect)) ?? (await hiddenProblem(store, store.dialect, texts));
  if (problem !== undefined) throw new RefusedStore(problem);
  if (tables.has(UNFINISHED_COPY)) throw new RefusedStore(IS_UNFINISHED);
  if (tables.has('migration')) for (const { owner, migrations } of sets) await refuseNewer(store, owner, migrations);
}

async function refuseNewer(store: Store, owner: string, migrations: readonly Migration[]): Promise<void> {
  const latest = migrations.at(-1)?.id ?? 0;
  const newer = await store.get<{ id: number }>('SELECT id FROM migration WHERE owner = $1 AND id > $2', [owner, latest]);
  if (newer) throw new RefusedStore(`${aboveKnown(owner, newer.id, latest)}; start the newer version that made it`);
}

const aboveKnown = (owner: string, level: number, known: number): string =>
  `the database has migration ${owner}/${level}, but this version knows migrations up to ${owner}/${known}`;

/** @returns why a start would refuse a database with these levels as that of a newer version; undefined if it would not */
export function newerLevel(levels: Readonly<Record<string, number>>, sets: readonly MigrationSet[]): string | undefined {
  for (const { owner, migrations } of withKernel(sets)) {
    const [level, known] = [Number(levels[owner] ?? 0), migrations.at(-1)?.id ?? 0];
    if (level > known) return aboveKnown(owner, level, known);
  }
  return undefined;
}

/** @returns the number of the last applied migration of each owner */
export async function migrationLevels(from: Pick<Reader, 'all'>): Promise<Readonly<Record<string, number>>> {
  const rows = await from.all<{ owner: string; id: number }>('SELECT owner, MAX(id) AS id FROM migration GROUP BY owner');
  return Object.fromEntries(rows.map(({ owner, id }) => [owner, id]));
}
