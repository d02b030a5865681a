// Grants as rows: each with a MAC that binds it to its object as it is, so that nobody but the server gives a right.
import type { ForgedRow } from '../../../kernel/store/forged-rows.ts';
import type { Reader, Transaction } from '../../../kernel/store/store.ts';
import { inChunks } from './chunks.ts';
import { EVERYTHING, type Grants, parseOperations } from './grants.ts';
import { NO_MARK, type RowSeal, type SealedGrant } from './row-seal.ts';

export interface GrantRow extends SealedGrant {
  readonly mac: Uint8Array | null;
}

const COLUMNS = 'object_id, user_id, operations, mac';
/** Rows of one statement. */
const AT_ONCE = 64;
const NO_GRANTS: Grants = new Map();

export class GrantRows {
  readonly #seals: RowSeal;
  readonly #forged: ForgedRow;

  constructor(seals: RowSeal, forged: ForgedRow) {
    this.#seals = seals;
    this.#forged = forged;
  }

  /** @param mark of the object */
  async read(from: Reader, id: string, mark: Uint8Array): Promise<Grants> {
    const rows = await from.all<GrantRow>(`SELECT ${COLUMNS} FROM kms_grant WHERE object_id = $1 ORDER BY user_id`, [id]);
    if (rows.length === 0) return NO_GRANTS;
    return new Map(rows.filter((row) => this.isOwn(row, mark)).map(({ user_id, operations }) => [user_id, parseOperations(operations)]));
  }

  /** The right to create, which is on no object. */
  readOfEverything(from: Reader): Promise<Grants> {
    return this.read(from, EVERYTHING, NO_MARK);
  }

  /** Rows of these users on any object, as they lie in the store: each is to be held against its object. */
  ofUsers(from: Reader, users: readonly string[]): Promise<GrantRow[]> {
    return from.all<GrantRow>(`SELECT ${COLUMNS} FROM kms_grant WHERE user_id IN (${users.map((_, at) => `$${at + 1}`).join(', ')}) ORDER BY object_id`, users);
  }

  /** The same on these objects only. */
  ofUsersOn(from: Reader, users: readonly string[], ids: readonly string[]): Promise<GrantRow[]> {
    return inChunks(ids, (params, places) => {
      const own = users.map((_, at) => `$${params.length + at + 1}`).join(', ');
      return from.all<GrantRow>(`SELECT ${COLUMNS} FROM kms_grant WHERE object_id IN (${places}) AND user_id IN (${own})`, [...params, ...users]);
    });
  }

  /** Whether the server has written this row for the object as it is. */
  isOwn(row: GrantRow, mark: Uint8Array): boolean {
    const isOwn = this.#seals.isGrant(row, row.mac, mark);
    if (!isOwn) this.#forged(row.object_id, 'grant');
    return isOwn;
  }

  /** Replaces the rights of one user. */
  async write(tx: Transaction, id: string, mark: Uint8Array, user: string, operations: ReadonlySet<string>): Promise<void> {
    await tx.run('DELETE FROM kms_grant WHERE object_id = $1 AND user_id = $2', [id, user]);
    await this.#insert(tx, this.#rowOf(id, mark, user, operations));
  }

  /** Replaces all rights on an object. */
  async writeAll(tx: Transaction, id: string, mark: Uint8Array, grants: Grants): Promise<void> {
    await tx.run('DELETE FROM kms_grant WHERE object_id = $1', [id]);
    const rows = [...grants].flatMap(([user, operations]) => this.#rowOf(id, mark, user, operations));
    for (; rows.length >= AT_ONCE; ) await this.#insert(tx, rows.splice(0, AT_ONCE));
    // One by one: statements of every length would each be prepared.
    for (const row of rows) await this.#insert(tx, [row]);
  }

  async #insert(tx: Transaction, rows: readonly GrantRow[]): Promise<void> {
    if (rows.length === 0) return;
    const tuples = rows.map((_, at) => `($${4 * at + 1}, $${4 * at + 2}, $${4 * at + 3}, $${4 * at + 4})`);
    const values = rows.flatMap(({ object_id, user_id, operations, mac }) => [object_id, user_id, operations, mac]);
    await tx.run(`INSERT INTO kms_grant (${COLUMNS}) VALUES ${tuples.join(', ')}`, values);
  }

  #rowOf(id: string, mark: Uint8Array, user: string, operations: ReadonlySet<string>): GrantRow[] {
    if (operations.size === 0) return [];
    const grant = { object_id: id, user_id: user, operations: [...operations].sort().join(' ') };
    return [{ ...grant, mac: this.#seals.macOfGrant(grant, mark) }];
  }
}
