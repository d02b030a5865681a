// Rows of signing keys. The private key is wrapped and the other columns have a MAC, so that the server publishes only its own keys.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';
import type { DataKey } from '../../kernel/keys/data-key.ts';
import { seal, unseal } from '../../kernel/keys/seal.ts';
import type { ForgedRow } from '../../kernel/store/forged-rows.ts';
import { isSameMac, rowMac } from '../../kernel/store/row-mac.ts';
import type { Reader, Store, Transaction } from '../../kernel/store/store.ts';
import type { SigningPurpose } from './api.ts';

export interface SigningKeyRow {
  readonly kid: string;
  readonly purpose: SigningPurpose;
  readonly public_jwk: string;
  readonly wrapped: Uint8Array;
  readonly created_at: number;
  readonly signed_until: number;
  readonly retired_at: number | null;
}

interface StoredRow extends SigningKeyRow {
  readonly mac: Uint8Array | null;
}

const COLUMNS = 'kid, purpose, public_jwk, wrapped, created_at, signed_until, retired_at';

export class SigningKeyRows {
  readonly #dataKey: Uint8Array;
  readonly #macKey: KeyObject;
  readonly #forged: ForgedRow;

  /** @param dataKey the data key of authentication, which wraps private keys @param keys derives the MAC key from the same data key */
  constructor(dataKey: Uint8Array, keys: DataKey, forged: ForgedRow) {
    this.#dataKey = dataKey;
    this.#macKey = keys.derive('gatehouse rows of signing keys');
    this.#forged = forged;
  }

  /** The rows that the server itself has written, newest first. */
  async all(from: Reader): Promise<SigningKeyRow[]> {
    const rows = await from.all<StoredRow>(`SELECT ${COLUMNS}, mac FROM signing_key ORDER BY created_at DESC`);
    return rows.filter((row) => {
      const isOwn = isSameMac(row.mac, this.#macOf(row));
      if (!isOwn) this.#forged(row.kid, 'signing key');
      return isOwn;
    });
  }

  async insert(tx: Transaction, row: Omit<SigningKeyRow, 'wrapped'>, pkcs8: Uint8Array): Promise<void> {
    const wrapped = seal(this.#dataKey, aad(row.kid), pkcs8);
    const values = [row.kid, row.purpose, row.public_jwk, wrapped, row.created_at, row.signed_until, row.retired_at, this.#macOf(row)];
    await tx.run(`INSERT INTO signing_key (${COLUMNS}, mac) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, values);
  }

  retire(tx: Transaction, row: SigningKeyRow, now: number): Promise<SigningKeyRow> {
    return this.#update(tx, { ...row, retired_at: now });
  }

  /** Keeps a key published at least until the given time. @returns undefined if the server has no such key */
  async extend(tx: Transaction, kid: string, until: number): Promise<SigningKeyRow | undefined> {
    const row = (await this.all(tx)).find((each) => each.kid === kid);
    return row && row.signed_until < until ? this.#update(tx, { ...row, signed_until: until }) : row;
  }

  async #update(tx: Transaction, next: SigningKeyRow): Promise<SigningKeyRow> {
    await tx.run('UPDATE signing_key SET signed_until = $2, retired_at = $3, mac = $4 WHERE kid = $1', [
      next.kid,
      next.signed_until,
      next.retired_at,
      this.#macOf(next),
    ]);
    return next;
  }

  /** @returns undefined if the data key does not open it */
  open({ kid, wrapped }: Pick<SigningKeyRow, 'kid' | 'wrapped'>): KeyObject | undefined {
    const pkcs8 = unseal(this.#dataKey, aad(kid), wrapped);
    if (!pkcs8) return undefined;
    const key = createPrivateKey({ key: Buffer.from(pkcs8.buffer as ArrayBuffer), format: 'der', type: 'pkcs8' });
    pkcs8.fill(0);
    return key;
  }

  /** Adds a MAC to rows that are older than MACs, if their private key matches their public key. */
  async adopt(store: Store, lock: string): Promise<void> {
    await store.transaction(
      async (tx) => {
        for (const row of await tx.all<SigningKeyRow>(`SELECT ${COLUMNS} FROM signing_key WHERE mac IS NULL`))
          if (await this.#isPair(row)) await tx.run('UPDATE signing_key SET mac = $2 WHERE kid = $1', [row.kid, this.#macOf(row)]);
      },
      { lock },
    );
  }

  async #isPair(row: SigningKeyRow): Promise<boolean> {
    const key = this.open(row);
    if (!key) return false;
    const jwk = createPublicKey(key).export({ format: 'jwk' }) as JWK;
    const published = JSON.parse(row.public_jwk) as JWK;
    return (await calculateJwkThumbprint(jwk)) === row.kid && jwk.x === published.x && jwk.y === published.y;
  }

  #macOf({ kid, purpose, public_jwk: jwk, created_at: created, signed_until: until, retired_at: retired }: Omit<SigningKeyRow, 'wrapped'>): Uint8Array {
    return rowMac(this.#macKey, 'signing key', [kid, purpose, jwk, String(created), String(until), String(retired ?? '')]);
  }
}

function aad(kid: string): string {
  return `gatehouse signing key ${kid}`;
}
