// A data key as an actor uses it: generations for sealing, each for a limited number of seals, and derived keys for other uses.
import { createSecretKey, hkdfSync, type KeyObject, randomFillSync } from 'node:crypto';
import { giveBack } from '../give-back.ts';
import type { Reader, Store, Transaction } from '../store/store.ts';
import type { DataKeyPurpose } from './data-key-row.ts';
import { seal, unseal } from './seal.ts';

/**
 * Seals per generation. AES-GCM with random 96-bit nonces allows 2^32 per key (NIST SP 800-38D section 8.3); with 2^28 the probability that a
 * nonce repeats is 2^-41.
 */
export const MAX_SEALS = 2 ** 28;
/** Seals that a thread reserves with one write. If the thread ends, its remaining seals are lost; none is ever used twice. */
const BLOCK = 2 ** 16;
const KEY_BYTES = 32;
const LOCK = 'gatehouse data key generations';

/** Thrown inside a transaction to roll it back; `retrying` reserves more seals and runs the transaction again. */
class SealsSpent extends Error {}

export interface Sealed {
  readonly generation: number;
  /** Nonce, ciphertext and tag. */
  readonly bytes: Uint8Array;
}

interface Reserved {
  readonly generation: number;
  left: number;
}

interface GenerationRow {
  readonly generation: number;
  readonly wrapped: Uint8Array | null;
  readonly seals: number;
}

export class DataKey {
  readonly #purpose: DataKeyPurpose;
  readonly #first: Uint8Array;
  /** Wraps the later generations, so that a thread can make one without the root key, which wraps the first generation only. */
  readonly #wrapping: KeyObject;
  readonly #maxSeals: number;
  readonly #now: () => number;
  readonly #keys = new Map<number, KeyObject>();
  readonly #reserved: Reserved[] = [];
  #reserving: Promise<void> | undefined;

  /** @param first the first generation, 32 bytes; kept as long as the thread lives @param maxSeals limit of one generation */
  constructor(purpose: DataKeyPurpose, first: Uint8Array, now: () => number, maxSeals = MAX_SEALS) {
    this.#purpose = purpose;
    this.#first = first;
    this.#now = now;
    this.#maxSeals = maxSeals;
    this.#wrapping = this.derive('gatehouse wrapping of later generations');
    this.#keys.set(1, createSecretKey(first));
  }

  /** @returns a key for MACs and similar uses, the same in every generation */
  derive(use: string): KeyObject {
    const bytes = new Uint8Array(hkdf(this.#first, use));
    const key = createSecretKey(bytes);
    bytes.fill(0);
    return key;
  }

  /** Call it only within `retrying`. */
  seal(what: string, plain: Uint8Array): Sealed {
    const reserved = this.#reserved[0];
    if (!reserved) throw new SealsSpent('no seals are reserved: call seal within retrying');
    reserved.left -= 1;
    if (reserved.left === 0) this.#reserved.shift();
    return { generation: reserved.generation, bytes: seal(this.#keys.get(reserved.generation) as KeyObject, what, plain) };
  }

  /**
   * Frees the sealed bytes, because large ones would otherwise stay in memory beside their contents until the next garbage collection.
   * @returns undefined if the generation does not exist or does not open the bytes
   */
  async unseal(from: Reader, what: string, { generation, bytes }: Sealed): Promise<Uint8Array | undefined> {
    const key = this.#keys.get(generation) ?? (await this.#read(from, generation));
    const plain = key && unseal(key, what, bytes);
    giveBack(bytes);
    return plain;
  }

  /** Runs a transaction that seals, several times if necessary. Seals are reserved in a separate transaction, so that each is recorded before it is used. */
  async retrying<T>(store: Store, transaction: () => Promise<T>): Promise<T> {
    for (let seals = 1; ; seals *= 2) {
      try {
        return await transaction();
      } catch (error) {
        if (!(error instanceof SealsSpent)) throw error;
        this.#reserving ??= this.#reserve(store, seals).finally(() => {
          this.#reserving = undefined;
        });
        await this.#reserving;
      }
    }
  }

  async #reserve(store: Store, seals: number): Promise<void> {
    const wanted = Math.max(seals, Math.min(BLOCK, Math.ceil(this.#maxSeals / 4)));
    const taken = await store.transaction((tx) => this.#take(tx, wanted), { lock: LOCK });
    for (const { generation } of taken)
      if (!(await this.#read(store, generation))) throw new Error(`generation ${generation} of the data key ${this.#purpose} cannot be opened`);
    this.#reserved.push(...taken);
  }

  async #take(tx: Transaction, wanted: number): Promise<Reserved[]> {
    const taken: Reserved[] = [];
    let { generation, seals } = await this.#newest(tx);
    for (let rest = wanted; rest > 0; ) {
      if (seals >= this.#maxSeals) {
        generation += 1;
        seals = 0;
        await this.#make(tx, generation);
      }
      const left = Math.min(rest, this.#maxSeals - seals);
      seals += left;
      rest -= left;
      await tx.run('UPDATE data_key_generation SET seals = $3 WHERE purpose = $1 AND generation = $2', [this.#purpose, generation, seals]);
      taken.push({ generation, left });
    }
    return taken;
  }

  /** A generation that cannot be opened was not made by the server. It counts as used up, so nothing is sealed with it. */
  async #newest(tx: Transaction): Promise<{ generation: number; seals: number }> {
    const [row] = await tx.all<GenerationRow>(
      'SELECT generation, wrapped, seals FROM data_key_generation WHERE purpose = $1 ORDER BY generation DESC LIMIT 1',
      [this.#purpose],
    );
    if (row) return { generation: row.generation, seals: (await this.#read(tx, row.generation)) ? row.seals : Number.MAX_SAFE_INTEGER };
    await tx.run('INSERT INTO data_key_generation (purpose, generation, wrapped, seals, created_at) VALUES ($1, 1, NULL, 0, $2)', [this.#purpose, this.#now()]);
    return { generation: 1, seals: 0 };
  }

  async #make(tx: Transaction, generation: number): Promise<void> {
    const key = randomFillSync(new Uint8Array(KEY_BYTES));
    await tx.run('INSERT INTO data_key_generation (purpose, generation, wrapped, seals, created_at) VALUES ($1, $2, $3, 0, $4)', [
      this.#purpose,
      generation,
      seal(this.#wrapping, this.#label(generation), key),
      this.#now(),
    ]);
    await tx.audit({ event: 'server.data_key', outcome: 'success', target: this.#purpose, reason: `generation ${generation}` });
    // It is read back after the commit, so that a rolled back transaction leaves no key in memory.
    key.fill(0);
  }

  async #read(from: Reader, generation: number): Promise<KeyObject | undefined> {
    const known = this.#keys.get(generation);
    if (known) return known;
    const row = await from.get<GenerationRow>('SELECT generation, wrapped, seals FROM data_key_generation WHERE purpose = $1 AND generation = $2', [
      this.#purpose,
      generation,
    ]);
    const bytes = row?.wrapped ? unseal(this.#wrapping, this.#label(generation), row.wrapped) : undefined;
    if (!bytes) return undefined;
    const key = createSecretKey(bytes);
    bytes.fill(0);
    this.#keys.set(generation, key);
    return key;
  }

  #label(generation: number): string {
    return `gatehouse data key ${this.#purpose} generation ${generation}`;
  }
}

function hkdf(key: Uint8Array, use: string): ArrayBuffer {
  return hkdfSync('sha256', key, new Uint8Array(0), use, KEY_BYTES);
}
