// The rows of documentary bases: bases, references and their passages.
import type { Reader, Store, Transaction } from '../../kernel/store/store.ts';
import type { NewReference, StoredPassage } from './api.ts';
import type { ReferenceKey, ReferenceKeys } from './reference-keys.ts';
import { deleteVectors } from './vector-rows.ts';

/** Rows in one INSERT: few statement texts, and fewer than 32766 parameters. */
const BATCH = 64;

export interface PassageRow {
  readonly reference_id: string;
  readonly ordinal: number;
  readonly chapter: string;
  readonly page: number;
  readonly text: string;
}

interface ListedRow {
  readonly base: string;
  /** null for a base without references. */
  readonly name: string | null;
  /** 1 for a base that was created on request; 0 for one of the configuration, also if it has left it. */
  readonly on_request: number;
}

export function listReferences(store: Reader): Promise<ListedRow[]> {
  return store.all(
    `SELECT ai_base.name AS base, ai_reference.name AS name, ai_base.on_request AS on_request
     FROM ai_base LEFT JOIN ai_reference ON ai_reference.base = ai_base.name ORDER BY 1, 2`,
  );
}

export function baseRows(store: Reader): Promise<{ readonly name: string; readonly on_request: number }[]> {
  return store.all('SELECT name, on_request FROM ai_base');
}

/** @returns whether the base was created on request; undefined if there is no row of it */
export async function isOnRequest(store: Reader, base: string): Promise<boolean | undefined> {
  const row = await store.get<Pick<ListedRow, 'on_request'>>('SELECT on_request FROM ai_base WHERE name = $1', [base]);
  return row && row.on_request !== 0;
}

/** Notes that bases belong to the configuration. */
export async function ownBases(tx: Transaction, bases: readonly string[]): Promise<void> {
  for (const base of bases) await tx.run('UPDATE ai_base SET on_request = 0 WHERE name = $1', [base]);
}

/** @returns undefined if there is no row of this base; it changes with every change of the base */
export async function revisionOf(store: Reader, base: string): Promise<number | undefined> {
  return (await store.get<{ revision: number }>('SELECT revision FROM ai_base WHERE name = $1', [base]))?.revision;
}

export interface ReferenceRow {
  readonly id: string;
  readonly name: string;
  /** It holds the title; see `titleOf`. */
  readonly sealed: Uint8Array | null;
  /** That has made all of its vectors; empty if it has not all. */
  readonly embedder: string;
}

export function referencesOf(store: Reader, base: string): Promise<ReferenceRow[]> {
  return store.all('SELECT id, name, embedder, sealed FROM ai_reference WHERE base = $1', [base]);
}

/** @returns the title, the empty one if the server did not write it */
export async function titleOf(from: Reader, keys: ReferenceKeys, { id, sealed }: { readonly id: string; readonly sealed: Uint8Array | null }): Promise<string> {
  return (await keys.of(from, id))?.openValue<Head>(HEAD, sealed)?.title ?? '';
}

/** Of a reference as it is sealed: the digest tells which file it is. */
export type Head = Pick<NewReference, 'title' | 'sha256'>;
export const HEAD = 'head';

type StoredRow = Pick<PassageRow, 'reference_id' | 'ordinal'> & { readonly sealed: Uint8Array | null };
const COLUMNS = 'reference_id, ordinal, chapter, page, text, sealed';
const READ = 'reference_id, ordinal, sealed';

/** @returns none of a reference that the server did not write */
export async function passagesOf(store: Reader, keys: ReferenceKeys, reference: string): Promise<PassageRow[]> {
  const key = await keys.of(store, reference);
  if (!key) return [];
  const rows = await store.all<StoredRow>(`SELECT ${READ} FROM ai_passage WHERE reference_id = $1 ORDER BY ordinal`, [reference]);
  return rows.map((row) => opened(row, key));
}

/** A passage that the server did not write is empty, so that nothing finds it. */
function opened({ sealed, ...row }: StoredRow, key: ReferenceKey | undefined): PassageRow {
  const { text, chapter = '', page = 0 } = key?.openValue<StoredPassage>(placeOf(row.ordinal), sealed) ?? { text: '' };
  return { ...row, text, chapter, page };
}

function placeOf(ordinal: number): string {
  return `passage ${ordinal}`;
}

/** Creates the base if it has no row, and gives it a new revision. @param isOnRequest whether a new one is for everybody, and not of the configuration */
export async function touchBase(tx: Transaction, base: string, now: number, isOnRequest = false): Promise<void> {
  const insert = 'INSERT INTO ai_base (name, revision, created_at, on_request) VALUES ($1, 1, $2, $3)';
  await tx.run(`${insert} ON CONFLICT (name) DO UPDATE SET revision = ai_base.revision + 1`, [base, now, isOnRequest ? 1 : 0]);
}

/** Call it only within `keys.retrying`. */
export async function insertReference(
  tx: Transaction,
  keys: ReferenceKeys,
  id: string,
  { base, name, kind, title, sha256, passages }: NewReference,
  now: number,
): Promise<void> {
  const { key, sealed } = keys.make(id);
  await tx.run(
    `INSERT INTO ai_reference (id, base, name, kind, title, sha256, added_at, generation, sealed_key, sealed) VALUES ($1, $2, $3, $4, '', '', $5, $6, $7, $8)`,
    [...[id, base, name, kind], now, sealed.generation, sealed.bytes, key.sealValue(HEAD, { title, sha256 } satisfies Head)],
  );
  await insertPassages(tx, key, id, passages);
}

export async function insertPassages(tx: Transaction, key: ReferenceKey, id: string, passages: readonly StoredPassage[]): Promise<void> {
  for (let first = 0; first < passages.length; first += BATCH) {
    const some = passages.slice(first, first + BATCH);
    const places = some.map((_, row) => `($${row * 3 + 1}, $${row * 3 + 2}, '', 0, '', $${row * 3 + 3})`);
    const params = some.flatMap((passage, row) => [id, first + row, key.sealValue(placeOf(first + row), passage)]);
    await tx.run(`INSERT INTO ai_passage (${COLUMNS}) VALUES ${places.join(', ')}`, params);
  }
}

export async function hasReference(store: Reader, base: string, name: string): Promise<boolean> {
  return (await store.get('SELECT 1 AS found FROM ai_reference WHERE base = $1 AND name = $2', [base, name])) !== undefined;
}

/** @returns how many passages it had; undefined if there was none */
export async function deleteReference(tx: Transaction, base: string, name: string): Promise<number | undefined> {
  const row = await tx.get<{ id: string }>('SELECT id FROM ai_reference WHERE base = $1 AND name = $2', [base, name]);
  if (!row) return undefined;
  // First: who adds vectors to it holds this row, and adds none when it is gone.
  await tx.run('DELETE FROM ai_reference WHERE id = $1', [row.id]);
  const passages = await tx.run('DELETE FROM ai_passage WHERE reference_id = $1', [row.id]);
  await deleteVectors(tx, row.id);
  return passages;
}

/** One question of the database for all of them. */
export async function readPassages(
  store: Store,
  keys: ReferenceKeys,
  places: readonly { readonly reference: string; readonly ordinal: number }[],
): Promise<Map<string, PassageRow>> {
  if (places.length === 0) return new Map();
  const wanted = places.map((_, at) => `(reference_id = $${2 * at + 1} AND ordinal = $${2 * at + 2})`).join(' OR ');
  const rows = await store.all<StoredRow>(
    `SELECT ${READ} FROM ai_passage WHERE ${wanted}`,
    places.flatMap(({ reference, ordinal }) => [reference, ordinal]),
  );
  const read = await Promise.all(rows.map(async (row) => opened(row, await keys.of(store, row.reference_id))));
  return new Map(read.map((row) => [`${row.reference_id}:${row.ordinal}`, row]));
}
