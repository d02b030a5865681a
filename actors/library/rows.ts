// The rows of documentary bases: bases, references and their passages.
import type { Reader, Store, Transaction } from '../../kernel/store/store.ts';
import type { NewReference, StoredPassage } from './api.ts';
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

export function listReferences(store: Reader): Promise<{ base: string; name: string | null }[]> {
  return store.all(
    'SELECT ai_base.name AS base, ai_reference.name AS name FROM ai_base LEFT JOIN ai_reference ON ai_reference.base = ai_base.name ORDER BY 1, 2',
  );
}

/** @returns undefined if there is no row of this base; it changes with every change of the base */
export async function revisionOf(store: Reader, base: string): Promise<number | undefined> {
  return (await store.get<{ revision: number }>('SELECT revision FROM ai_base WHERE name = $1', [base]))?.revision;
}

export interface ReferenceRow {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  /** That has made all of its vectors; empty if it has not all. */
  readonly embedder: string;
}

export function referencesOf(store: Reader, base: string): Promise<ReferenceRow[]> {
  return store.all('SELECT id, name, title, embedder FROM ai_reference WHERE base = $1', [base]);
}

export function passagesOf(store: Reader, reference: string): Promise<PassageRow[]> {
  return store.all('SELECT reference_id, ordinal, chapter, page, text FROM ai_passage WHERE reference_id = $1 ORDER BY ordinal', [reference]);
}

/** Creates the base if it has no row, and gives it a new revision. */
export async function touchBase(tx: Transaction, base: string, now: number): Promise<void> {
  const sql = 'INSERT INTO ai_base (name, revision, created_at) VALUES ($1, 1, $2) ON CONFLICT (name) DO UPDATE SET revision = ai_base.revision + 1';
  await tx.run(sql, [base, now]);
}

export async function insertReference(tx: Transaction, id: string, { base, name, kind, title, sha256, passages }: NewReference, now: number): Promise<void> {
  await tx.run('INSERT INTO ai_reference (id, base, name, kind, title, sha256, added_at) VALUES ($1, $2, $3, $4, $5, $6, $7)', [
    ...[id, base, name, kind, title, sha256],
    now,
  ]);
  for (let at = 0; at < passages.length; at += BATCH) await insertPassages(tx, id, at, passages.slice(at, at + BATCH));
}

async function insertPassages(tx: Transaction, id: string, first: number, passages: readonly StoredPassage[]): Promise<void> {
  const places = passages.map((_, row) => `(${[1, 2, 3, 4, 5].map((column) => `$${row * 5 + column}`).join(', ')})`);
  const params = passages.flatMap(({ text, chapter = '', page = 0 }, row) => [id, first + row, chapter, page, text]);
  await tx.run(`INSERT INTO ai_passage (reference_id, ordinal, chapter, page, text) VALUES ${places.join(', ')}`, params);
}

/** @returns whether there was one */
export async function deleteReference(tx: Transaction, base: string, name: string): Promise<boolean> {
  const row = await tx.get<{ id: string }>('SELECT id FROM ai_reference WHERE base = $1 AND name = $2', [base, name]);
  if (!row) return false;
  // First: who adds vectors to it holds this row, and adds none when it is gone.
  await tx.run('DELETE FROM ai_reference WHERE id = $1', [row.id]);
  await tx.run('DELETE FROM ai_passage WHERE reference_id = $1', [row.id]);
  await deleteVectors(tx, row.id);
  return true;
}

/** One question of the database for all of them. */
export async function readPassages(
  store: Store,
  places: readonly { readonly reference: string; readonly ordinal: number }[],
): Promise<Map<string, PassageRow>> {
  if (places.length === 0) return new Map();
  const wanted = places.map((_, at) => `(reference_id = $${2 * at + 1} AND ordinal = $${2 * at + 2})`).join(' OR ');
  const sql = `SELECT reference_id, ordinal, chapter, page, text FROM ai_passage WHERE ${wanted}`;
  const rows = await store.all<PassageRow>(
    sql,
    places.flatMap(({ reference, ordinal }) => [reference, ordinal]),
  );
  return new Map(rows.map((row) => [`${row.reference_id}:${row.ordinal}`, row]));
}
