// The columns of kms_object that describe an object and hold its content, grouped by what is read together.
import { insertSql } from '../../../../kernel/store/row-insert.ts';
import type { Reader } from '../../../../kernel/store/store.ts';
import { AttributeSet } from '../../../../kmip/attribute/set.ts';
import type { ObjectType, State } from '../../../../kmip/object-type.ts';
import { decodeBinary, encodeBinary } from '../../../../kmip/ttlv/binary.ts';
import type { DescriptionDraft } from '../managed-object.ts';
import { inChunks } from './chunks.ts';
import { DATES } from './date-columns.ts';
import type { SealedRow } from './row-seal.ts';

/** A row without its content. */
export interface DescriptionRow extends SealedRow {
  readonly seal: Uint8Array | null;
}

export interface ObjectRow extends DescriptionRow {
  readonly content: Uint8Array | null;
}

export interface Sized {
  readonly content_bytes: number | string | null;
}

/** Enough to determine the owner and the rights of an object, without its attributes. */
export type FactRow = Omit<DescriptionRow, 'attributes'>;

export const FACTS = 'id, object_type, state, owner, archived, seal';
export const DESCRIPTION = `${FACTS}, attributes`;
export const COLUMNS = `${DESCRIPTION}, content`;

/** A whole row: what rowOf returns, seal, content, dates, when it was made and changed, and its size in bytes. */
export const INSERT = insertSql({
  table: 'kms_object',
  columns: {
    ...{ id: 'TEXT', object_type: 'BIGINT', state: 'BIGINT', owner: 'TEXT', archived: 'BIGINT', attributes: 'BYTEA', seal: 'BYTEA', content: 'BYTEA' },
    ...DATES,
    ...{ created_at: 'BIGINT', changed_at: 'BIGINT', size: 'BIGINT' },
  },
});

/** What an update sets: what rowOf returns, seal, dates, when it was changed, and the bytes of what is written. */
export const CHANGED = `object_type = $2, state = $3, owner = $4, archived = $5, attributes = $6, seal = $7,
        due_at = $8, initial_date = $9, activation_date = $10, deactivation_date = $11, changed_at = $12, size = $13`;

/** Content up to this size in bytes is read together with its row; larger content is read only once it is known to be used. */
export const MAX_SMALL_CONTENT_BYTES = 262_144;
export const CONTENT_BYTES = 'length(content) AS content_bytes';
export const SMALL_CONTENT = `CASE WHEN length(content) <= ${MAX_SMALL_CONTENT_BYTES} THEN content END AS content`;

/** The columns that the MAC covers, in the order in which they are written. */
export function rowOf({ id, type, state, owner, archived, attributes }: DescriptionDraft): SealedRow {
  return { id, object_type: type, state, owner, archived: archived ? 1 : 0, attributes: encodeBinary(attributes.toStructure()) };
}

export function toDescription(row: DescriptionRow): DescriptionDraft {
  return {
    id: row.id,
    type: row.object_type as ObjectType,
    state: row.state as State,
    owner: row.owner,
    archived: row.archived === 1,
    attributes: AttributeSet.of(decodeBinary(row.attributes)),
  };
}

/** Returns the rows in the order of the identifiers. */
export async function rowsOf<R extends { readonly id: string }>(from: Reader, ids: readonly string[], columns: string): Promise<R[]> {
  const rows = await inChunks(ids, (params, places) => from.all<R>(`SELECT ${columns} FROM kms_object WHERE id IN (${places})`, params));
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}
