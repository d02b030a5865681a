// The keys of references: each reference has a key of its own, which the data key for documents seals; it seals what the reference says.
import { createSecretKey, type KeyObject, randomFillSync } from 'node:crypto';
import type { DataKey, Sealed } from '../../kernel/keys/data-key.ts';
import { seal, unseal } from '../../kernel/keys/seal.ts';
import type { ForgedRow } from '../../kernel/store/forged-rows.ts';
import type { Reader, Store } from '../../kernel/store/store.ts';

const KEY_BYTES = 32;
/** Keys in memory; those of others are opened again. */
const MAX_KEYS = 4_096;

/** Seals with AES-256-GCM, bound to the reference and to the place in it. One key seals some thousand texts at most. */
export class ReferenceKey {
  readonly #reference: string;
  readonly #key: KeyObject;
  readonly #forged: ForgedRow;

  /** @param bytes overwritten @param forged told of what this key does not open */
  constructor(reference: string, bytes: Uint8Array, forged: ForgedRow) {
    this.#reference = reference;
    this.#key = createSecretKey(bytes);
    this.#forged = forged;
    bytes.fill(0);
  }

  seal(place: string, plain: Uint8Array): Uint8Array {
    return seal(this.#key, this.#label(place), plain);
  }

  /** @param sealed null in a row that is not sealed @returns undefined if the bytes were not sealed for this place */
  open(place: string, sealed: Uint8Array | null): Uint8Array | undefined {
    const plain = sealed ? unseal(this.#key, this.#label(place), sealed) : undefined;
    if (!plain) this.#forged(this.#reference, place);
    return plain;
  }

  sealValue(place: string, value: object): Uint8Array {
    return this.seal(place, Buffer.from(JSON.stringify(value)));
  }

  /** @returns undefined if the bytes were not sealed for this place */
  openValue<T extends object>(place: string, sealed: Uint8Array | null): T | undefined {
    const plain = this.open(place, sealed);
    return plain && (JSON.parse(Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength).toString()) as T);
  }

  #label(place: string): string {
    return `gatehouse reference ${this.#reference}, ${place}`;
  }
}

export class ReferenceKeys {
  readonly #dataKey: DataKey;
  readonly #forged: ForgedRow;
  readonly #keys = new Map<string, ReferenceKey>();

  constructor(dataKey: DataKey, forged: ForgedRow) {
    this.#dataKey = dataKey;
    this.#forged = forged;
  }

  /** Runs a transaction that makes keys; see `DataKey.retrying`. */
  retrying<T>(store: Store, transaction: () => Promise<T>): Promise<T> {
    return this.#dataKey.retrying(store, transaction);
  }

  /** Call it only within `retrying`. */
  make(reference: string): { readonly key: ReferenceKey; readonly sealed: Sealed } {
    const bytes = randomFillSync(new Uint8Array(KEY_BYTES));
    try {
      return { sealed: this.#dataKey.seal(labelOf(reference), bytes), key: new ReferenceKey(reference, Uint8Array.from(bytes), this.#forged) };
    } finally {
      bytes.fill(0);
    }
  }

  /** @returns undefined if there is no such reference, or if the server did not write its key */
  async of(from: Reader, reference: string): Promise<ReferenceKey | undefined> {
    const known = this.#keys.get(reference);
    if (known) return known;
    const sql = 'SELECT generation, sealed_key FROM ai_reference WHERE id = $1';
    const row = await from.get<{ generation: number; sealed_key: Uint8Array | null }>(sql, [reference]);
    if (!row) return undefined;
    const bytes = row.sealed_key && (await this.#dataKey.unseal(from, labelOf(reference), { generation: row.generation, bytes: row.sealed_key }));
    if (!bytes) {
      this.#forged(reference, 'key');
      return undefined;
    }
    const key = new ReferenceKey(reference, bytes, this.#forged);
    for (const [oldest] of this.#keys.size >= MAX_KEYS ? this.#keys : []) {
      this.#keys.delete(oldest);
      break;
    }
    this.#keys.set(reference, key);
    return key;
  }
}

function labelOf(reference: string): string {
  return `gatehouse key of reference ${reference}`;
}
