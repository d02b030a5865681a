// Names on tokens that a node is about to make keys of: a row for each, so that two nodes do not make two keys of one name. Some libraries see the keys of other processes late.
import type { Store, Transaction } from '../../../../kernel/store/store.ts';

/** Of a node that was killed meanwhile, or whose token did not answer, the name is free afterwards. */
const LIFE_MS = 120_000;

class Taken extends Error {}

/** Only PostgreSQL has several nodes; in one node the slot makes one key at a time. */
const isShared = ({ dialect }: Pick<Store, 'dialect'>): boolean => dialect === 'postgres';

export class NameReservations {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** @param now milliseconds @returns false if another node has one of them */
  async take(ids: readonly string[], now: number): Promise<boolean> {
    if (!isShared(this.#store)) return true;
    const work = async (tx: Transaction) => {
      for (const id of ids) {
        await tx.run('DELETE FROM kms_reservation WHERE id = $1 AND ends_at <= $2', [id, now]);
        const taken = await tx.run('INSERT INTO kms_reservation (id, ends_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING', [id, now + LIFE_MS]);
        if (taken === 0) throw new Taken();
      }
    };
    try {
      await this.#store.transaction(work);
      return true;
    } catch (error) {
      if (error instanceof Taken) return false;
      throw error;
    }
  }

  /** If that fails, they are free after their time. */
  async giveUp(ids: readonly string[]): Promise<void> {
    if (!isShared(this.#store)) return;
    await this.#store
      .transaction(async (tx) => {
        for (const id of ids) await this.end(tx, id);
      })
      .catch(() => {});
  }

  /** In the transaction that writes the object: from then on its row has the name. */
  async end(tx: Transaction, id: string): Promise<void> {
    if (isShared(this.#store)) await tx.run('DELETE FROM kms_reservation WHERE id = $1', [id]);
  }
}
