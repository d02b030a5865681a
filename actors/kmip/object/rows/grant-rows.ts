// Stores grants as rows. The MAC of each row binds it to its object, so that only the server can grant a right.
import type { ForgedRow } from '../../../../kernel/store/forged-rows.ts';
import type { Reader, Transaction } from '../../../../kernel/store/store.ts';
import { CHUNK, valueList } from '../../../../kernel/store/value-list.ts';
import type { Principal } from '../../api.ts';
import { owns } from '../../principal.ts';
import { EVERYTHING, type Grants, granteesOf, parseOperations } from '../grants.ts';
import type { ObjectDescription } from '../managed-object.ts';
import { inChunks } from './chunks.ts';
import { objectCounter } from './counter.ts';
import { NO_MARK, type RowSeal, type SealedGrant } from './row-seal.ts';

export interface GrantRow extends SealedGrant {
  readonly mac: Uint8Array | null;
}

const COLUMNS = 'object_id, user_id, operations, mac';
/** When the grant was first made, in milliseconds; searches begin with the oldest. */
const TIME = 'granted_at';

interface TimedRow extends GrantRow {
  readonly [TIME]: number;
}

/** Maximum number of rows that one statement writes. */
const AT_ONCE = 64;
const NO_GRANTS: Grants = new Map();

export class GrantRows {
  readonly #seals: RowSeal;
  readonly #now: () => number;
  readonly #forged: ForgedRow;

  constructor(seals: RowSeal, now: () => number, forged: ForgedRow) {
    this.#seals = seals;
    this.#now = now;
    this.#forged = forged;
  }

  /** @param mark of the object */
  async read(from: Reader, id: string, mark: Uint8Array): Promise<Grants> {
    return this.#verified(await from.all<GrantRow>(`SELECT ${COLUMNS} FROM kms_grant WHERE object_id = $1 ORDER BY user_id`, [id]), mark);
  }

  /** What a caller was granted, who needs nothing of this for own objects. */
  async readFor(from: Reader, { id, owner }: ObjectDescription, mark: Uint8Array, caller: Principal): Promise<Grants> {
    return owns(caller, owner) ? NO_GRANTS : this.readOf(from, id, mark, granteesOf(caller));
  }

  /** Those of these users only: an object can have thousands, and a transaction keeps others waiting. */
  async readOf(from: Reader, id: string, mark: Uint8Array, users: readonly string[]): Promise<Grants> {
    const { sql, params } = valueList(users, 2);
    return this.#verified(await from.all<GrantRow>(`SELECT ${COLUMNS} FROM kms_grant WHERE object_id = $1 AND user_id IN (${sql})`, [id, ...params]), mark);
  }

  /** Grants of the same operations share their set, because many are kept in memory. */
  #verified(rows: readonly GrantRow[], mark: Uint8Array): Grants {
    if (rows.length === 0) return NO_GRANTS;
    const own = rows.filter((row) => this.isOwn(row, mark));
    const sets = new Map([...new Set(own.map(({ operations }) => operations))].map((operations) => [operations, parseOperations(operations)]));
    return new Map(own.map(({ user_id, operations }) => [user_id, sets.get(operations) as ReadonlySet<string>]));
  }

  /** Everybody with a row of one object, not yet verified. */
  async usersOf(from: Reader, id: string): Promise<string[]> {
    return (await from.all<{ user_id: string }>('SELECT user_id FROM kms_grant WHERE object_id = $1', [id])).map((row) => row.user_id);
  }

  /** Deletes the rows of these users. */
  async drop(tx: Transaction, id: string, users: readonly string[]): Promise<void> {
    tx.touch(objectCounter(id));
    for (let at = 0; at < users.length; at += CHUNK) {
      const { sql, params } = valueList(users.slice(at, at + CHUNK), 2);
      await tx.run(`DELETE FROM kms_grant WHERE object_id = $1 AND user_id IN (${sql})`, [id, ...params]);
    }
  }

  /** Whether there are so many rows on one object. */
  async areAsMany(from: Reader, id: string, most: number): Promise<boolean> {
    const counted = await from.get<{ n: number | string }>('SELECT COUNT(*) AS n FROM (SELECT 1 FROM kms_grant WHERE object_id = $1 LIMIT $2) AS few', [
      id,
      most,
    ]);
    return Number(counted?.n) >= most;
  }

  /** The right to create, which does not belong to an object. */
  readOfEverything(from: Reader): Promise<Grants> {
    return this.read(from, EVERYTHING, NO_MARK);
  }

  /** A page of the rows of one object, ordered by user and not yet verified. */
  page(from: Reader, id: string, after: string, limit: number): Promise<GrantRow[]> {
    return from.all<GrantRow>(`SELECT ${COLUMNS} FROM kms_grant WHERE object_id = $1 AND user_id > $2 ORDER BY user_id LIMIT $3`, [id, after, limit]);
  }

  /** The rows of these users on these objects, not yet verified: check each with isOwn and the mark of its object. */
  ofUsersOn(from: Reader, users: readonly string[], ids: readonly string[]): Promise<GrantRow[]> {
    return inChunks(ids, (params, places) => {
      const own = users.map((_, at) => `$${params.length + at + 1}`).join(', ');
      return from.all<GrantRow>(`SELECT ${COLUMNS} FROM kms_grant WHERE object_id IN (${places}) AND user_id IN (${own})`, [...params, ...users]);
    });
  }

  /** Whether the server itself has written this row for the object in its current state. */
  isOwn(row: GrantRow, mark: Uint8Array): boolean {
    const isOwn = this.#seals.isGrant(row, row.mac, mark);
    if (!isOwn) this.#forged(row.object_id, 'grant');
    return isOwn;
  }

  /** Replaces the rights of one user. A changed grant keeps its creation time. */
  async write(tx: Transaction, id: string, mark: Uint8Array, user: string, operations: ReadonlySet<string>): Promise<void> {
    tx.touch(objectCounter(id));
    const [row] = this.#rowOf(id, mark, user, operations);
    if (!row) await tx.run('DELETE FROM kms_grant WHERE object_id = $1 AND user_id = $2', [id, user]);
    else {
      const sql = 'UPDATE kms_grant SET operations = $3, mac = $4 WHERE object_id = $1 AND user_id = $2';
      if ((await tx.run(sql, [id, user, row.operations, row.mac])) === 0) await this.#insert(tx, [{ ...row, [TIME]: this.#now() }]);
    }
  }

  /** Replaces all rights on an object. */
  async writeAll(tx: Transaction, id: string, mark: Uint8Array, grants: Grants): Promise<void> {
    tx.touch(objectCounter(id));
    const before = await tx.all<{ user_id: string; [TIME]: number | string }>(`SELECT user_id, ${TIME} FROM kms_grant WHERE object_id = $1`, [id]);
    const times = new Map(before.map((row) => [row.user_id, Number(row[TIME])]));
    await tx.run('DELETE FROM kms_grant WHERE object_id = $1', [id]);
    const rows = [...grants].flatMap(([user, operations]) =>
      this.#rowOf(id, mark, user, operations).map((row): TimedRow => ({ ...row, [TIME]: times.get(user) ?? this.#now() })),
    );
    for (; rows.length >= AT_ONCE; ) await this.#insert(tx, rows.splice(0, AT_ONCE));
    // One by one: a statement for several rows would be prepared separately for each number of rows.
    for (const row of rows) await this.#insert(tx, [row]);
  }

  async #insert(tx: Transaction, rows: readonly TimedRow[]): Promise<void> {
    if (rows.length === 0) return;
    const tuples = rows.map((_, at) => `(${[1, 2, 3, 4, 5].map((column) => `$${5 * at + column}`).join(', ')})`);
    const values = rows.flatMap(({ object_id, user_id, operations, mac, granted_at }) => [object_id, user_id, operations, mac, granted_at]);
    await tx.run(`INSERT INTO kms_grant (${COLUMNS}, ${TIME}) VALUES ${tuples.join(', ')}`, values);
  }

  #rowOf(id: string, mark: Uint8Array, user: string, operations: ReadonlySet<string>): GrantRow[] {
    if (operations.size === 0) return [];
    const grant = { object_id: id, user_id: user, operations: [...operations].sort().join(' ') };
    return [{ ...grant, mac: this.#seals.macOfGrant(grant, mark) }];
  }
}
