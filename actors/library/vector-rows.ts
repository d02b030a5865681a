// The rows of vectors: each holds the vectors of some passages of a reference, which follow one another.
import type { Reader, Store, Transaction } from '../../kernel/store/store.ts';
import type { ReferenceKey, ReferenceKeys } from './reference-keys.ts';

/** Nonce and tag. */
const SEAL_BYTES = 28;

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
  readonly title: string;
  /** It holds the title, unless the reference is of before references were sealed. */
  readonly sealed: Uint8Array | null;
}

/** @returns references without all vectors of this embedder */
export function referencesWithout(store: Reader, embedder: string): Promise<WaitingReference[]> {
  return store.all('SELECT id, base, title, sealed FROM ai_reference WHERE embedder <> $1', [embedder]);
}

export async function countReferences(store: Reader): Promise<number> {
  return (await store.get<{ count: number }>('SELECT COUNT(*) AS count FROM ai_reference'))?.count ?? 0;
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
  await insertVectors(tx, await keys.of(tx, reference), reference, row);
  return true;
}

interface VectorRow {
  readonly ordinal: number;
  readonly embedder: string;
  readonly windows: Uint8Array;
  readonly vectors: Uint8Array;
}

/** @param key none for a reference of before references were sealed, whose vectors are sealed with it */
async function insertVectors(
  tx: Transaction,
  key: ReferenceKey | undefined,
  reference: string,
  { ordinal, embedder, windows, vectors }: VectorRow,
): Promise<void> {
  await tx.run('INSERT INTO ai_vectors (reference_id, ordinal, embedder, windows, vectors, is_sealed) VALUES ($1, $2, $3, $4, $5, $6)', [
    ...[reference, ordinal, embedder, windows],
    // Whoever has the vectors of a text can tell much of what it says.
    key ? key.seal(placeOf(ordinal, embedder), vectors) : vectors,
    key ? 1 : 0,
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
  const sql = 'SELECT ordinal, embedder, windows, vectors, is_sealed FROM ai_vectors WHERE reference_id = $1 AND embedder = $2 ORDER BY ordinal';
  const stored = await store.all<VectorRow & { readonly is_sealed: number }>(sql, [reference, embedder]);
  const key = await keys.of(store, reference);
  const rows = stored.map((row) => (row.is_sealed === 0 ? row : { ...row, vectors: opened(row, key) }));
  const vectors = new Float32Array(rows.reduce((sum, row) => sum + row.vectors.byteLength / Float32Array.BYTES_PER_ELEMENT, 0));
  let at = 0;
  for (const row of rows) {
    const part = fromBytes(Float32Array, row.vectors);
    vectors.set(part, at);
    at += part.length;
  }
  return { windows: rows.flatMap((row) => [...fromBytes(Uint16Array, row.windows)]), vectors };
}

/** Vectors that the server did not write are near to nothing. */
function opened({ ordinal, embedder, vectors }: VectorRow, key: ReferenceKey | undefined): Uint8Array {
  return key?.open(placeOf(ordinal, embedder), vectors) ?? new Uint8Array(Math.max(0, vectors.length - SEAL_BYTES));
}

function toBytes(values: Uint16Array | Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** In a buffer of its own: a database may return bytes that begin anywhere. */
function fromBytes<T extends Uint16Array | Float32Array>(kind: new (buffer: ArrayBuffer) => T, bytes: Uint8Array): T {
  return new kind(new Uint8Array(bytes).buffer);
}
