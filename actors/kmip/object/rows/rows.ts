// Managed objects as rows: facts and attributes in clear with a MAC, content sealed with the key server's data key, and an index for Locate.
import type { DataKey } from '../../../../kernel/keys/data-key.ts';
import type { ForgedRow } from '../../../../kernel/store/forged-rows.ts';
import { isUniqueViolation, type Reader, type Transaction } from '../../../../kernel/store/store.ts';
import { type Along, together } from '../../../../kernel/store/together.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import type { Principal } from '../../api.ts';
import { type IndexTerm, indexTerms } from '../index-terms.ts';
import { type DescriptionDraft, type Draft, hasContent, type ObjectDescription } from '../managed-object.ts';
import { objectCounter } from './counter.ts';
import { datesOf } from './date-columns.ts';
import { GrantRows } from './grant-rows.ts';
import {
  CHANGED,
  COLUMNS,
  CONTENT_BYTES,
  DESCRIPTION,
  type DescriptionRow,
  FACTS,
  type FactRow,
  INSERT,
  type ObjectRow,
  rowOf,
  rowsOf,
  type Sized,
  SMALL_CONTENT,
  toDescription,
} from './object-row.ts';
import { NO_CONTENT, newMark, RowSeal, type Seal } from './row-seal.ts';
import { SealedContents } from './sealed-content.ts';
import { readTerms, termsOf, writeTerms } from './term-rows.ts';

/** An object as it was read, with the size of its stored content. */
export interface Stored<T> {
  readonly object: T;
  /** Bytes of the sealed content; 0 if it is destroyed. */
  readonly contentBytes: number;
}

export class ObjectRows {
  readonly grants: GrantRows;
  readonly dataKey: DataKey;
  readonly seals: RowSeal;
  readonly #now: () => number;
  readonly forged: ForgedRow;
  readonly #contents: SealedContents;
  /** The mark that the grants of each object in memory are bound to. */
  readonly #marks = new WeakMap<ObjectDescription, Uint8Array>();

  /** @param dataKey of the key server @param forged called for each row that is rejected */
  constructor(dataKey: DataKey, now: () => number, forged: ForgedRow = () => {}) {
    this.dataKey = dataKey;
    this.seals = new RowSeal(dataKey.derive('gatehouse rows of the key server'));
    this.#contents = new SealedContents(dataKey);
    this.grants = new GrantRows(this.seals, now, forged);
    this.#now = now;
    this.forged = forged;
  }

  /** Reads the object with its content, whatever its size. */
  async read(from: Reader, id: string): Promise<Draft | undefined> {
    const row = await from.get<ObjectRow>(`SELECT ${COLUMNS} FROM kms_object WHERE id = $1`, [id]);
    return row && this.#open(from, row);
  }

  /** Reads the object, with its content if that is small. */
  async readSmall(from: Reader, id: string): Promise<Stored<DescriptionDraft> | undefined> {
    const row = await from.get<ObjectRow & Sized>(`SELECT ${DESCRIPTION}, ${SMALL_CONTENT}, ${CONTENT_BYTES} FROM kms_object WHERE id = $1`, [id]);
    if (!row) return undefined;
    const contentBytes = Number(row.content_bytes ?? 0);
    const object = row.content === null && contentBytes > 0 ? this.#describe(row)?.draft : await this.#open(from, row);
    return object && { object, contentBytes };
  }

  /** Reads the object without its content, which stays sealed in the store. */
  async describe(from: Reader, id: string): Promise<Stored<DescriptionDraft> | undefined> {
    const row = await from.get<DescriptionRow & Sized>(`SELECT ${DESCRIPTION}, ${CONTENT_BYTES} FROM kms_object WHERE id = $1`, [id]);
    const object = row && this.#describe(row)?.draft;
    return object && { object, contentBytes: Number(row.content_bytes ?? 0) };
  }

  /** The existing ones of these objects, in the order of the identifiers, without their contents. */
  async describeAll(from: Reader, ids: readonly string[]): Promise<DescriptionDraft[]> {
    const rows = await rowsOf<DescriptionRow>(from, ids, DESCRIPTION);
    return rows.flatMap((row) => this.#describe(row)?.draft ?? []);
  }

  /** Owner and mark of the existing ones of these objects. A list is checked against them before it is returned. */
  async factsOf(from: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, { readonly owner: string; readonly mark: Uint8Array }>> {
    const rows = await rowsOf<FactRow>(from, ids, FACTS);
    return new Map(
      rows.flatMap((row) => {
        const seal = this.#factsOf(row);
        return seal ? [[row.id, { owner: row.owner, mark: seal.mark }] as const] : [];
      }),
    );
  }

  /** The grants on an object that was read by this instance. @param caller the only one whose grants are wanted; undefined: those of all */
  grantsOf(from: Reader, object: ObjectDescription, caller?: Principal) {
    return caller ? this.grants.readFor(from, object, this.markOf(object), caller) : this.grants.read(from, object.id, this.markOf(object));
  }

  /** The mark that the grants of an object are bound to. The object must have been read by this instance. */
  markOf(object: ObjectDescription): Uint8Array {
    const mark = this.#marks.get(object);
    if (!mark) throw new Error(`the object ${object.id} was not read by this reader`);
    return mark;
  }

  /** Invalidates all grants of an object that are not written again. @returns the new mark that grants are bound to */
  async renewMark(tx: Transaction, id: string): Promise<Uint8Array> {
    const row = await tx.get<FactRow>(`SELECT ${FACTS} FROM kms_object WHERE id = $1`, [id]);
    const mark = newMark();
    const seal = row && this.#factsOf(row) && this.seals.renew(row, row.seal as Uint8Array, mark);
    if (!seal) throw new Error(`the object ${id} does not exist or its seal is not valid`);
    tx.touch(objectCounter(id));
    await tx.run('UPDATE kms_object SET seal = $2 WHERE id = $1', [id, seal]);
    return mark;
  }

  /** @param along sends what needs the row but not its answer @returns the index terms of the object @throws Refusal ObjectAlreadyExists */
  async insert(tx: Transaction, draft: Draft, along: Along = async () => {}): Promise<readonly IndexTerm[]> {
    const now = this.#now();
    const row = rowOf(draft);
    const { bytes, mark: content } = this.#contents.seal(draft.id, draft.content);
    const mark = newMark();
    const columns = [
      ...Object.values(row),
      this.seals.write(row, { content, mark }),
      bytes,
      ...datesOf(draft),
      ...[now, now],
      row.attributes.length + (bytes?.length ?? 0),
    ];
    const terms = indexTerms(draft);
    const inserted = tx.run(INSERT, columns);
    const taken = (error: unknown) => {
      throw isUniqueViolation(error) ? new Refusal('ObjectAlreadyExists', `an object ${draft.id} already exists`) : error;
    };
    await together([inserted.catch(taken), writeTerms(tx, draft, terms, []), along()]);
    this.#marks.set(draft, mark);
    return terms;
  }

  /** Content that was not read or has not changed keeps its sealed bytes. @returns the index terms that the object did not have before */
  async update(tx: Transaction, draft: DescriptionDraft): Promise<IndexTerm[]> {
    const { id } = draft;
    const stored = await tx.get<FactRow>(`SELECT ${FACTS} FROM kms_object WHERE id = $1`, [id]);
    const seal = stored && this.#factsOf(stored);
    if (!seal) throw new Error(`the object ${id} cannot be changed: it does not exist or its seal is not valid`);
    const before = await readTerms(tx, id);
    const terms = await termsOf(draft, before, async () => (await this.read(tx, id))?.content);
    const row = rowOf(draft);
    const written = !hasContent(draft) || this.#contents.isStored(draft.content, seal.content) ? undefined : this.#contents.seal(id, draft.content);
    const content = written?.mark ?? seal.content;
    const size = row.attributes.length + (written?.bytes?.length ?? 0);
    const columns = [...Object.values(row), this.seals.write(row, { content, mark: seal.mark }), ...datesOf(draft), this.#now(), size];
    tx.touch(objectCounter(id));
    if (written) await tx.run(`UPDATE kms_object SET ${CHANGED}, content = $14 WHERE id = $1`, [...columns, written.bytes]);
    else await tx.run(`UPDATE kms_object SET ${CHANGED} + COALESCE(OCTET_LENGTH(content), 0) WHERE id = $1`, columns);
    return writeTerms(tx, draft, terms, before);
  }

  /** Deletes the row. Only for objects that are destroyed with the request to remove them. */
  async remove(tx: Transaction, id: string): Promise<void> {
    tx.touch(objectCounter(id));
    for (const table of ['kms_attribute', 'kms_grant']) await tx.run(`DELETE FROM ${table} WHERE object_id = $1`, [id]);
    await tx.run('DELETE FROM kms_object WHERE id = $1', [id]);
  }

  async #open(from: Reader, row: ObjectRow): Promise<Draft | undefined> {
    const described = this.#describe(row);
    if (!described) return undefined;
    const { draft, seal } = described;
    const isEmpty = row.content === null && seal.content.generation === NO_CONTENT.generation;
    const content = isEmpty ? undefined : await this.#contents.open(from, row.id, { bytes: row.content, mark: seal.content });
    // Changes the draft in place, because its mark is registered for this very object.
    if (content || isEmpty) return Object.assign(draft, { content });
    this.forged(row.id, 'content');
    return undefined;
  }

  #describe(row: DescriptionRow): { draft: DescriptionDraft; seal: Seal } | undefined {
    const seal = this.seals.open(row, row.seal);
    if (!seal) {
      this.forged(row.id, 'row');
      return undefined;
    }
    const draft = toDescription(row);
    this.#marks.set(draft, seal.mark);
    return { draft, seal };
  }

  #factsOf(row: FactRow): Seal | undefined {
    const seal = this.seals.openFacts(row, row.seal);
    if (!seal) this.forged(row.id, 'row');
    return seal;
  }
}
