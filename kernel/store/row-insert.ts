// Statements that insert rows, known by their texts: those of a group of transactions can be sent as one.
type ColumnType = 'TEXT' | 'BIGINT' | 'BYTEA';

/** What the texts for one, two or more rows of the same columns have in common. */
export interface RowInsert {
  /** Of a row. */
  readonly columns: number;
  /** For PostgreSQL: inserts any number of rows, in their order, from one array for each column. */
  readonly fromArrays: string;
}

const inserts = new Map<string, RowInsert>();
/** One for all texts, by `fromArrays`. */
const kinds = new Map<string, RowInsert>();

interface TableColumns {
  readonly table: string;
  /** With their types. */
  readonly columns: Readonly<Record<string, ColumnType>>;
}

/**
 * @returns the text that inserts as many rows, with the values of all columns of the first row as first parameters; each text is prepared, so there must be few
 */
export function insertSql({ table, columns }: TableColumns, rows = 1): string {
  const types = Object.values(columns);
  const into = `INSERT INTO ${table} (${Object.keys(columns).join(', ')})`;
  const row = (at: number) => `(${types.map((_, column) => `$${at * types.length + column + 1}`).join(', ')})`;
  const text = `${into} VALUES ${Array.from({ length: rows }, (_, at) => row(at)).join(', ')}`;
  const fromArrays = `${into} SELECT * FROM unnest(${types.map((type, at) => `$${at + 1}::${type}[]`).join(', ')})`;
  const kind = kinds.get(fromArrays) ?? { columns: types.length, fromArrays };
  kinds.set(fromArrays, kind);
  inserts.set(text, kind);
  return text;
}

/** @returns undefined for a text that `insertSql` has not made */
export function rowInsertOf(sql: string): RowInsert | undefined {
  return inserts.get(sql);
}
