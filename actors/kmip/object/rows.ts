// Managed objects as rows: attributes in clear, content sealed with the key server's data key, and an index of what Locate asks for.
import { seal, unseal } from '../../../kernel/seal.ts';
import { isUniqueViolation, type Reader, type SqlValue, type Transaction } from '../../../kernel/store/store.ts';
import { Refusal } from '../refusal.ts';
import { decodeBinary, encodeBinary } from '../ttlv/binary.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import type { Structure } from '../ttlv/node.ts';
import { TAG } from '../ttlv/tag.ts';
import { AttributeSet } from './attributes.ts';
import { indexTerms } from './index-terms.ts';
import { dateAttribute } from './lifecycle.ts';
import type { Draft, ManagedObject, ObjectType, State } from './managed-object.ts';
import { rotationDue } from './rotation-due.ts';

interface ObjectRow {
  readonly id: string;
  readonly object_type: number;
  readonly state: number;
  readonly owner: string;
  readonly archived: number;
  readonly attributes: Uint8Array;
  readonly content: Uint8Array | null;
}

const COLUMNS = 'id, object_type, state, owner, archived, attributes, content';
const DATES = 'due_at, initial_date, activation_date, deactivation_date';

export class ObjectRows {
  readonly #dataKey: Uint8Array;
  readonly #now: () => number;

  /** @param dataKey of the key server, 32 bytes; kept for the life of the thread */
  constructor(dataKey: Uint8Array, now: () => number) {
    this.#dataKey = dataKey;
    this.#now = now;
  }

  async read(from: Reader, id: string): Promise<Draft | undefined> {
    const row = await from.get<ObjectRow>(`SELECT ${COLUMNS} FROM kms_object WHERE id = $1`, [id]);
    return row && this.#open(row);
  }

  /** Those of the identifiers that exist, in their order, without their contents, which stay sealed. */
  async describeAll(from: Reader, ids: readonly string[]): Promise<ManagedObject[]> {
    return (await rowsOf(from, ids)).map((row) => described(row, undefined));
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
    await writeTerms(tx, draft, []);
  }

  async update(tx: Transaction, draft: Draft): Promise<void> {
    const before = await tx.all<Term>('SELECT tag, value, owner FROM kms_attribute WHERE object_id = $1', [draft.id]);
    await tx.run(
      `UPDATE kms_object SET object_type = $2, state = $3, owner = $4, archived = $5, attributes = $6, content = $7,
        due_at = $8, initial_date = $9, activation_date = $10, deactivation_date = $11, changed_at = $12 WHERE id = $1`,
      [...this.#values(draft), ...datesOf(draft), this.#now()],
    );
    await writeTerms(tx, draft, before);
  }

  /** Takes the row away altogether: only for what is destroyed with its removal asked for. */
  async remove(tx: Transaction, id: string): Promise<void> {
    for (const table of ['kms_attribute', 'kms_grant']) await tx.run(`DELETE FROM ${table} WHERE object_id = $1`, [id]);
    await tx.run('DELETE FROM kms_object WHERE id = $1', [id]);
  }

  #values(draft: Draft): SqlValue[] {
    const { id, type, state, owner, archived, attributes, content } = draft;
    const sealed = content ? this.#seal(id, encodeBinary(content)) : null;
    return [id, type, state, owner, archived ? 1 : 0, encodeBinary(attributes.toStructure()), sealed];
  }

  #seal(id: string, plain: Uint8Array): Uint8Array {
    const sealed = seal(this.#dataKey, purpose(id), plain);
    plain.fill(0);
    return sealed;
  }

  #open(row: ObjectRow): Draft {
    const plain = row.content === null ? undefined : unseal(this.#dataKey, purpose(row.id), row.content);
    if (row.content !== null && !plain) throw new Error(`the content of ${row.id} does not open with the data key`);
    return described(row, plain && decodeBinary(plain));
  }
}

function described(row: ObjectRow, content: Structure | undefined): Draft {
  return {
    id: row.id,
    type: row.object_type as ObjectType,
    state: row.state as State,
    owner: row.owner,
    archived: row.archived === 1,
    attributes: AttributeSet.of(decodeBinary(row.attributes)),
    content,
  };
}

/** Rows of one statement. */
const CHUNK = 512;

async function rowsOf(from: Reader, ids: readonly string[]): Promise<ObjectRow[]> {
  const found = new Map<string, ObjectRow>();
  for (let at = 0; at < ids.length; at += CHUNK) {
    const part = ids.slice(at, at + CHUNK);
    // Filled up to a power of two: statements are prepared by their text, which are to be few.
    const size = 2 ** Math.ceil(Math.log2(part.length));
    const params = Array.from({ length: size }, (_, index) => part[index] ?? (part[0] as string));
    const rows = await from.all<ObjectRow>(`SELECT ${COLUMNS} FROM kms_object WHERE id IN (${params.map((_, index) => `$${index + 1}`).join(', ')})`, params);
    for (const row of rows) found.set(row.id, row);
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** What a sealed content is bound to: it opens for the object it was stored for only. */
function purpose(id: string): string {
  return `gatehouse object ${id}`;
}

/** When time next changes the object: milliseconds, or null. */
function dueAt(draft: Draft): number | null {
  const { State } = ENUM;
  const dates: (number | undefined)[] = [];
  if (draft.state === State.PreActive) dates.push(dateAttribute(draft.attributes, TAG.ActivationDate));
  if (draft.state === State.PreActive || draft.state === State.Active) dates.push(dateAttribute(draft.attributes, TAG.DeactivationDate), rotationDue(draft));
  const known = dates.filter((date) => date !== undefined);
  return known.length === 0 ? null : Math.min(...known) * 1000;
}

/** The columns of DATES. */
function datesOf(draft: Draft): (number | null)[] {
  const seconds = [TAG.InitialDate, TAG.ActivationDate, TAG.DeactivationDate].map((tag) => dateAttribute(draft.attributes, tag) ?? null);
  return [dueAt(draft), ...seconds];
}

interface Term {
  readonly tag: number;
  readonly value: string;
  readonly owner: string;
}

async function writeTerms(tx: Transaction, draft: Draft, before: readonly Term[]): Promise<void> {
  // The object has changed hands.
  if (before.some(({ owner }) => owner !== draft.owner)) await tx.run('UPDATE kms_attribute SET owner = $2 WHERE object_id = $1', [draft.id, draft.owner]);

  const key = ({ tag, value }: { tag: number; value: string }) => `${tag} ${value}`;
  const old = new Map(before.map((term) => [key(term), term]));
  for (const term of indexTerms(draft)) {
    if (old.delete(key(term))) continue;
    await tx.run('INSERT INTO kms_attribute (object_id, owner, tag, value) VALUES ($1, $2, $3, $4)', [draft.id, draft.owner, term.tag, term.value]);
  }
  for (const { tag, value } of old.values()) await tx.run('DELETE FROM kms_attribute WHERE object_id = $1 AND tag = $2 AND value = $3', [draft.id, tag, value]);
}
