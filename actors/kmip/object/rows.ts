// Managed objects as rows: attributes in clear, content sealed with the key server's data key, and an index of what Locate asks for.
import { seal, unseal } from '../../../kernel/seal.ts';
import { isUniqueViolation, type Reader, type SqlValue, type Transaction } from '../../../kernel/store/store.ts';
import { Refusal } from '../refusal.ts';
import { decodeBinary, encodeBinary } from '../ttlv/binary.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { TAG } from '../ttlv/tag.ts';
import { AttributeSet } from './attributes.ts';
import { indexTerms } from './index-terms.ts';
import { dateAttribute } from './lifecycle.ts';
import { type DescriptionDraft, type Draft, hasContent, type ObjectType, type State } from './managed-object.ts';
import { rotationDue } from './rotation-due.ts';
import { readTerms, termsOf, writeTerms } from './term-rows.ts';

/** A row without its content. */
interface DescriptionRow {
  readonly id: string;
  readonly object_type: number;
  readonly state: number;
  readonly owner: string;
  readonly archived: number;
  readonly attributes: Uint8Array;
}

interface ObjectRow extends DescriptionRow {
  readonly content: Uint8Array | null;
}

/** An object as it was read, with the size of what lies in the store. */
export interface Stored<T> {
  readonly object: T;
  /** Bytes of the sealed content; 0 where it is destroyed. */
  readonly contentBytes: number;
}

/** Bytes of a content that is read together with its row; a larger one is read once it is known that it will be used. */
export const MAX_SMALL_CONTENT_BYTES = 262_144;

const DESCRIPTION = 'id, object_type, state, owner, archived, attributes';
const COLUMNS = `${DESCRIPTION}, content`;
const CONTENT_BYTES = 'length(content) AS content_bytes';
const SMALL_CONTENT = `CASE WHEN length(content) <= ${MAX_SMALL_CONTENT_BYTES} THEN content END AS content`;
const DATES = 'due_at, initial_date, activation_date, deactivation_date';

export class ObjectRows {
  readonly #dataKey: Uint8Array;
  readonly #now: () => number;

  /** @param dataKey of the key server, 32 bytes; kept for the life of the thread */
  constructor(dataKey: Uint8Array, now: () => number) {
    this.#dataKey = dataKey;
    this.#now = now;
  }

  /** With its content, whatever its size. */
  async read(from: Reader, id: string): Promise<Draft | undefined> {
    const row = await from.get<ObjectRow>(`SELECT ${COLUMNS} FROM kms_object WHERE id = $1`, [id]);
    return row && this.#open(row);
  }

  /** With its content where that is small. */
  async readSmall(from: Reader, id: string): Promise<Stored<DescriptionDraft> | undefined> {
    const sql = `SELECT ${DESCRIPTION}, ${SMALL_CONTENT}, ${CONTENT_BYTES} FROM kms_object WHERE id = $1`;
    const row = await from.get<ObjectRow & { content_bytes: number | string | null }>(sql, [id]);
    if (!row) return undefined;
    const contentBytes = Number(row.content_bytes ?? 0);
    return { object: row.content === null && contentBytes > 0 ? described(row) : this.#open(row), contentBytes };
  }

  /** Without its content, which stays sealed in the store. */
  async describe(from: Reader, id: string): Promise<Stored<DescriptionDraft> | undefined> {
    const row = await from.get<DescriptionRow & { content_bytes: number | string | null }>(
      `SELECT ${DESCRIPTION}, ${CONTENT_BYTES} FROM kms_object WHERE id = $1`,
      [id],
    );
    return row && { object: described(row), contentBytes: Number(row.content_bytes ?? 0) };
  }

  /** Those of the identifiers that exist, in their order, without their contents. */
  async describeAll(from: Reader, ids: readonly string[]): Promise<DescriptionDraft[]> {
    return (await rowsOf(from, ids)).map(described);
  }

  /** @throws Refusal ObjectAlreadyExists */
  async insert(tx: Transaction, draft: Draft): Promise<void> {
    const now = this.#now();
    try {
      await tx.run(`INSERT INTO kms_object (${COLUMNS}, ${DATES}, created_at, changed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)`, [
        ...this.#values(draft),
        ...datesOf(draft),
        now,
      ]);
    } catch (error) {
      if (isUniqueViolation(error)) throw new Refusal('ObjectAlreadyExists', `an object ${draft.id} already exists`);
      throw error;
    }
    await writeTerms(tx, draft, indexTerms(draft), []);
  }

  /** A draft that was read without its content leaves the stored one as it is. */
  async update(tx: Transaction, draft: DescriptionDraft): Promise<void> {
    const before = await readTerms(tx, draft.id);
    const facts = 'object_type = $2, state = $3, owner = $4, archived = $5, attributes = $6';
    const dates = (at: number) =>
      DATES.split(', ')
        .map((column, index) => `${column} = $${at + index}`)
        .join(', ');
    const written = [...datesOf(draft), this.#now()];
    if (hasContent(draft)) {
      const sql = `UPDATE kms_object SET ${facts}, content = $7, ${dates(8)}, changed_at = $12 WHERE id = $1`;
      await tx.run(sql, [...this.#values(draft), ...written]);
    } else await tx.run(`UPDATE kms_object SET ${facts}, ${dates(7)}, changed_at = $11 WHERE id = $1`, [...descriptionOf(draft), ...written]);
    await writeTerms(tx, draft, await termsOf(draft, before, async () => (await this.read(tx, draft.id))?.content), before);
  }

  /** Takes the row away altogether: only for what is destroyed with its removal asked for. */
  async remove(tx: Transaction, id: string): Promise<void> {
    for (const table of ['kms_attribute', 'kms_grant']) await tx.run(`DELETE FROM ${table} WHERE object_id = $1`, [id]);
    await tx.run('DELETE FROM kms_object WHERE id = $1', [id]);
  }

  #values(draft: Draft): SqlValue[] {
    const { id, content } = draft;
    return [...descriptionOf(draft), content ? this.#seal(id, encodeBinary(content)) : null];
  }

  #seal(id: string, plain: Uint8Array): Uint8Array {
    const sealed = seal(this.#dataKey, purpose(id), plain);
    plain.fill(0);
    return sealed;
  }

  #open(row: ObjectRow): Draft {
    const plain = row.content === null ? undefined : unseal(this.#dataKey, purpose(row.id), row.content);
    if (row.content !== null && !plain) throw new Error(`the content of ${row.id} does not open with the data key`);
    return { ...described(row), content: plain && decodeBinary(plain) };
  }
}

/** The columns of DESCRIPTION. */
function descriptionOf({ id, type, state, owner, archived, attributes }: DescriptionDraft): SqlValue[] {
  return [id, type, state, owner, archived ? 1 : 0, encodeBinary(attributes.toStructure())];
}

function described(row: DescriptionRow): DescriptionDraft {
  return {
    id: row.id,
    type: row.object_type as ObjectType,
    state: row.state as State,
    owner: row.owner,
    archived: row.archived === 1,
    attributes: AttributeSet.of(decodeBinary(row.attributes)),
  };
}

/** Rows of one statement. */
const CHUNK = 512;

async function rowsOf(from: Reader, ids: readonly string[]): Promise<DescriptionRow[]> {
  const found = new Map<string, DescriptionRow>();
  for (let at = 0; at < ids.length; at += CHUNK) {
    const part = ids.slice(at, at + CHUNK);
    // Filled up to a power of two: statements are prepared by their text, which are to be few.
    const size = 2 ** Math.ceil(Math.log2(part.length));
    const params = Array.from({ length: size }, (_, index) => part[index] ?? (part[0] as string));
    const places = params.map((_, index) => `$${index + 1}`).join(', ');
    const rows = await from.all<DescriptionRow>(`SELECT ${DESCRIPTION} FROM kms_object WHERE id IN (${places})`, params);
    for (const row of rows) found.set(row.id, row);
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** What a sealed content is bound to: it opens for the object it was stored for only. */
function purpose(id: string): string {
  return `gatehouse object ${id}`;
}

/** When time next changes the object: milliseconds, or null. */
function dueAt(draft: DescriptionDraft): number | null {
  const { State } = ENUM;
  const dates: (number | undefined)[] = [];
  if (draft.state === State.PreActive) dates.push(dateAttribute(draft.attributes, TAG.ActivationDate));
  if (draft.state === State.PreActive || draft.state === State.Active) dates.push(dateAttribute(draft.attributes, TAG.DeactivationDate), rotationDue(draft));
  const known = dates.filter((date) => date !== undefined);
  return known.length === 0 ? null : Math.min(...known) * 1000;
}

/** The columns of DATES. */
function datesOf(draft: DescriptionDraft): (number | null)[] {
  const seconds = [TAG.InitialDate, TAG.ActivationDate, TAG.DeactivationDate].map((tag) => dateAttribute(draft.attributes, tag) ?? null);
  return [dueAt(draft), ...seconds];
}
