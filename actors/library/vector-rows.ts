// The rows of vectors: each holds the vectors of some passages of a reference, which follow one another.
import type { Reader, Store, Transaction } from '../../kernel/store/store.ts';
import type { ReferenceKey, ReferenceKeys } from './reference-keys.ts';

/** The vectors of passages that follow one another. */
export interface PassageVectors {
  /** Of each passage: the number of its vectors. */
  readonly windows: readonly number[];
  /** One after the other. */
  readonly vectors: Float32Array;
}

export interface WaitingReference {
  readonly id: string;
  readonly base: string;
  /** It holds the title. */
  readonly sealed: Uint8Array | null;
}

/** @returns references without all vectors of this embedder */
export function referencesWithout(store: Reader, embedder: string): Promise<WaitingReference[]> {
  return store.all('SELECT id, base, sealed FROM ai_reference WHERE embedder <> $1', [embedder]);
}

/** @param embedder undefined for all references @returns the number of references without all vectors of it */
export async function countWithout(store: Reader, embedder: string | undefined): Promise<number> {
  const all = 'SELECT COUNT(*) AS count FROM ai_reference';
  const row = await (embedder === undefined ? store.get<{ count: number }>(all) : store.get<{ count: number }>(`${all} WHERE embedder <> $1`, [embedder]));
  return row?.count ?? 0;
}

/** @returns the number of references without all vectors of any embedder, and that of the rows of vectors that they have already */
export async function unfinished(store: Reader): Promise<{ readonly references: number; readonly rows: number }> {
  const sql = `SELECT COUNT(DISTINCT ai_reference.id) AS "references", COUNT(ai_vectors.ordinal) AS "rows"
    FROM ai_reference LEFT JOIN ai_vectors ON ai_vectors.reference_id = ai_reference.id WHERE ai_reference.embedder = ''`;
  return (await store.get(sql)) ?? { references: 0, rows: 0 };
}

/** @returns the first passage of a reference that has no vectors of this embedder */
export async function nextOrdinal(store: Reader, reference: string, embedder: string): Promise<number> {
  const sql = 'SELECT ordinal, windows FROM ai_vectors WHERE reference_id = $1 AND embedder = $2 ORDER BY ordinal DESC LIMIT 1';
  const last = await store.get<{ ordinal: number; windows: Uint8Array }>(sql, [reference, embedder]);
  return last ? last.ordinal + fromBytes(Uint16Array, last.windows).length : 0;
}

/**
 * Adds the vectors of the passages from `ordinal` on, in place of those that another embedder has made.
 * @param isLast names the embedder at the reference, too @returns false if the reference is gone
 */
export async function addVectors(
  tx: Transaction,
  keys: ReferenceKeys,
  reference: string,
  ordinal: number,
  embedder: string,
  made: PassageVectors,
  isLast: boolean,
): Promise<boolean> {
  if ((await tx.run('UPDATE ai_reference SET embedder = $2 WHERE id = $1', [reference, isLast ? embedder : ''])) === 0) return false;
  if (ordinal === 0) await deleteVectors(tx, reference);
  if (made.windows.length === 0) return true;
  await tx.run('DELETE FROM ai_vectors WHERE reference_id = $1 AND ordinal = $2', [reference, ordinal]);
  const row = { ordinal, embedder, windows: toBytes(Uint16Array.from(made.windows)), vectors: toBytes(made.vectors) };
  const key = await keys.of(tx, reference);
  if (key) await insertVectors(tx, key, reference, row);
  return true;
}

interface VectorRow {
  readonly ordinal: number;
  readonly embedder: string;
  readonly windows: Uint8Array;
  readonly vectors: Uint8Array;
}

async function insertVectors(tx: Transaction, key: ReferenceKey, reference: string, { ordinal, embedder, windows, vectors }: VectorRow): Promise<void> {
  await tx.run('INSERT INTO ai_vectors (reference_id, ordinal, embedder, windows, vectors, is_sealed) VALUES ($1, $2, $3, $4, $5, 1)', [
    ...[reference, ordinal, embedder, windows],
    // Whoever has the vectors of a text can tell much of what it says.
    key.seal(placeOf(ordinal, embedder), vectors),
  ]);
}

function placeOf(ordinal: number, embedder: string): string {
  return `vectors from ${ordinal} of ${embedder}`;
}

/** Seals the vectors of a reference of before references were sealed. */
export async function sealVectors(tx: Transaction, key: ReferenceKey, reference: string): Promise<void> {
  const rows = await tx.all<VectorRow>('SELECT ordinal, embedder, windows, vectors FROM ai_vectors WHERE reference_id = $1 AND is_sealed = 0', [reference]);
  await tx.run('DELETE FROM ai_vectors WHERE reference_id = $1 AND is_sealed = 0', [reference]);
  for (const row of rows) await insertVectors(tx, key, reference, row);
}

export async function deleteVectors(tx: Transaction, reference: string): Promise<void> {
  await tx.run('DELETE FROM ai_vectors WHERE reference_id = $1', [reference]);
}

/** @returns all vectors of a reference that this embedder has made, in the order of its passages */
export async function vectorsOf(store: Store, keys: ReferenceKeys, reference: string, embedder: string): Promise<PassageVectors> {
  const sql = 'SELECT ordinal, embedder, windows, vectors FROM ai_vectors WHERE reference_id = $1 AND embedder = $2 ORDER BY ordinal';
  const stored = await store.all<VectorRow>(sql, [reference, embedder]);
  const key = await keys.of(store, reference);
  const rows = stored.map((row) => opened(row, key));
  const vectors = new Float32Array(rows.reduce((sum, row) => sum + row.vectors.length, 0));
  let at = 0;
  for (const row of rows) {
    vectors.set(row.vectors, at);
    at += row.vectors.length;
  }
  return { windows: rows.flatMap((row) => row.windows), vectors };
}

/** Passages whose vectors the server did not write have none, so that those of others stay theirs. */
function opened({ ordinal, embedder, windows, vectors }: VectorRow, key: ReferenceKey | undefined): PassageVectors {
  const counts = [...fromBytes(Uint16Array, windows)];
  const plain = key?.open(placeOf(ordinal, embedder), vectors);
  if (plain) return { windows: counts, vectors: fromBytes(Float32Array, plain) };
  return { windows: counts.map(() => 0), vectors: new Float32Array(0) };
}

function toBytes(values: Uint16Array | Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** In a buffer of its own: a database may return bytes that begin anywhere. What is not a whole value is left out. */
function fromBytes<T extends Uint16Array | Float32Array>(kind: { new (buffer: ArrayBuffer): T; readonly BYTES_PER_ELEMENT: number }, bytes: Uint8Array): T {
  return new kind(new Uint8Array(bytes.subarray(0, bytes.length - (bytes.length % kind.BYTES_PER_ELEMENT))).buffer);
}
