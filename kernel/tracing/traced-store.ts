// A store whose statements and transactions are steps of the request that they are for: named by what they do and on which table, never by a value.
import type { Reader, SqlValue, Store, Transaction } from '../store/store.ts';
import { currentSpan, inSpan, type Span, type SpanAttributes } from './span.ts';

const MAX_NAMES = 1_000;

/** What a statement does, and the table that it names first. */
export interface StatementName {
  readonly operation: string;
  readonly table: string;
}

/** @returns nothing of the text but its first word, after comments, and the name after FROM, INTO or UPDATE */
export function statementName(sql: string): StatementName {
  const operation = /^\s*(?:\/\*.*?\*\/\s*)*([a-z]+)/i.exec(sql)?.[1]?.toUpperCase() ?? 'OTHER';
  const table = /\b(?:FROM|INTO|UPDATE)\s+([a-z_][a-z0-9_]*)/i.exec(sql)?.[1] ?? '';
  return { operation, table };
}

interface Named {
  readonly name: string;
  readonly attributes: SpanAttributes;
}

/** Each text is read once. */
function namer(system: string): (sql: string) => Named {
  const known = new Map<string, Named>();
  return (sql) => {
    const found = known.get(sql);
    if (found) return found;
    const { operation, table } = statementName(sql);
    const where = { 'db.system.name': system, 'db.operation.name': operation };
    const named = { name: `${operation} ${table}`.trim(), attributes: table === '' ? where : { ...where, 'db.collection.name': table } };
    if (known.size >= MAX_NAMES) known.clear();
    known.set(sql, named);
    return named;
  };
}

type Name = ReturnType<typeof namer>;

export function tracedReader<R extends Reader>(reader: R, system: string): R {
  return { ...reader, ...statementsOf(reader, namer(system)) };
}

function statementsOf({ get, all }: Reader, nameOf: Name): Reader {
  return {
    get: <T extends object>(sql: string, params?: readonly SqlValue[]) => traced(sql, nameOf, () => get<T>(sql, params)),
    all: <T extends object>(sql: string, params?: readonly SqlValue[]) => traced(sql, nameOf, () => all<T>(sql, params)),
  };
}

function traced<T>(sql: string, nameOf: Name, work: () => T): T {
  const { name, attributes } = nameOf(sql);
  return inSpan(name, 'client', attributes, work);
}

export function tracedStore(store: Store): Store {
  const system = store.dialect === 'sqlite' ? 'sqlite' : 'postgresql';
  const nameOf = namer(system);
  return {
    ...store,
    ...statementsOf(store, nameOf),
    transaction(work, options) {
      const parent = currentSpan();
      if (!parent) return store.transaction(work, options);
      return parent.begin('transaction', 'client', { 'db.system.name': system }).over((span) => transactionIn(span, store, { system, nameOf }, work, options));
    },
  };
}

/** BEGIN lasts until the transaction has its turn to write, COMMIT until it and those that commit with it are stored. */
async function transactionIn<T>(
  span: Span,
  store: Store,
  { system, nameOf }: { readonly system: string; readonly nameOf: Name },
  work: (tx: Transaction) => Promise<T>,
  options: Parameters<Store['transaction']>[1],
): Promise<T> {
  const begin = span.begin(...partOf('BEGIN', nameOf));
  let commit: Span | undefined;
  let tries = 0;
  try {
    return await store.transaction((tx) => {
      begin.end();
      tries += 1;
      // A group of transactions runs where its first one was submitted.
      return span.run(async () => {
        const value = await work(tracedTransaction(tx, system, nameOf));
        commit = span.begin(...partOf('COMMIT', nameOf));
        return value;
      });
    }, options);
  } finally {
    begin.end();
    commit?.end();
    if (tries > 1) span.set({ 'gatehouse.transaction.tries': tries });
  }
}

function partOf(text: string, nameOf: Name): [string, 'client', SpanAttributes] {
  const { name, attributes } = nameOf(text);
  return [name, 'client', attributes];
}

function tracedTransaction(tx: Transaction, system: string, nameOf: Name): Transaction {
  return {
    ...tx,
    ...statementsOf(tx, nameOf),
    run: (sql, params) => traced(sql, nameOf, () => tx.run(sql, params)),
    audit: (event) =>
      inSpan('INSERT audit', 'client', { 'db.system.name': system, 'db.operation.name': 'INSERT', 'db.collection.name': 'audit' }, () => tx.audit(event)),
  };
}
