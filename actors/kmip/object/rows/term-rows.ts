// The rows of the index for Locate and rotations: reads the terms of an object, and writes those that have changed.
import { insertSql } from '../../../../kernel/store/row-insert.ts';
import type { Reader, Transaction } from '../../../../kernel/store/store.ts';
import type { Structure } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { type IndexTerm, indexTerms } from '../index-terms.ts';
import { type DescriptionDraft, hasContent } from '../managed-object.ts';

/** Rows that one statement inserts at most. */
const MAX_ROWS = 32;

/** A term as it is stored. */
interface StoredTerm extends IndexTerm {
  readonly owner: string;
}

export function readTerms(from: Reader, id: string): Promise<StoredTerm[]> {
  return from.all<StoredTerm>('SELECT tag, value, owner FROM kms_attribute WHERE object_id = $1', [id]);
}

/** If the content was not read, the index tells which key wraps it. If the attributes name another wrapping key, the content must be read. */
export async function termsOf(draft: DescriptionDraft, before: readonly IndexTerm[], read: () => Promise<Structure | undefined>): Promise<IndexTerm[]> {
  const terms = indexTerms(draft);
  const wrapping = hasContent(draft) ? undefined : before.find(({ tag }) => tag === TAG.KeyWrappingData);
  if (!wrapping || terms.some((term) => keyOf(term) === keyOf(wrapping))) return terms;
  return indexTerms(Object.assign({ ...draft }, { content: await read() }));
}

/** @returns the new terms */
export async function writeTerms(tx: Transaction, draft: DescriptionDraft, terms: readonly IndexTerm[], before: readonly StoredTerm[]): Promise<IndexTerm[]> {
  // The object has a new owner.
  if (before.some(({ owner }) => owner !== draft.owner)) await tx.run('UPDATE kms_attribute SET owner = $2 WHERE object_id = $1', [draft.id, draft.owner]);
  const old = new Map(before.map((term) => [keyOf(term), term]));
  const added = terms.filter((term) => !old.delete(keyOf(term)));
  for (let at = 0; at < added.length; at += MAX_ROWS) await insertTerms(tx, draft, added.slice(at, at + MAX_ROWS));
  for (const { tag, value } of old.values()) await tx.run('DELETE FROM kms_attribute WHERE object_id = $1 AND tag = $2 AND value = $3', [draft.id, tag, value]);
  return added;
}

async function insertTerms(tx: Transaction, { id, owner }: DescriptionDraft, terms: readonly IndexTerm[]): Promise<void> {
  await tx.run(
    textFor(terms.length),
    terms.flatMap(({ tag, value }) => [id, owner, tag, value]),
  );
}

const texts = new Map<number, string>();

/** One text for each number of rows, because each text is prepared. */
function textFor(rows: number): string {
  const known = texts.get(rows);
  if (known !== undefined) return known;
  const sql = insertSql({ table: 'kms_attribute', columns: { object_id: 'TEXT', owner: 'TEXT', tag: 'BIGINT', value: 'TEXT' } }, rows);
  texts.set(rows, sql);
  return sql;
}

const keyOf = ({ tag, value }: IndexTerm): string => `${tag} ${value}`;
