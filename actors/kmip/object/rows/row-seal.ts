// Authenticates the rows of the key server: MACs of objects and grants with a key that is not in the database; contents are sealed separately.
import { hash, type KeyObject } from 'node:crypto';
import { randomIv } from '../../../../crypto/random.ts';
import { isSameMac, rowMac } from '../../../../kernel/store/row-mac.ts';

/** The columns of `kms_object` that decide who may do what, as stored. */
export interface SealedRow {
  readonly id: string;
  readonly object_type: number;
  readonly state: number;
  readonly owner: string;
  readonly archived: number;
  readonly attributes: Uint8Array;
}

export interface SealedGrant {
  readonly object_id: string;
  readonly user_id: string;
  /** As stored: sorted names, separated by spaces. */
  readonly operations: string;
}

/** Identifies the sealed content that belongs to a row. */
export interface ContentMark {
  /** Of the data key; 0 if there is no content. */
  readonly generation: number;
  /** Nonce and tag of the sealed content, 28 bytes, which are different for each sealing. */
  readonly ends: Uint8Array;
}

/** The contents of a seal without its MAC. */
export interface Seal {
  readonly content: ContentMark;
  /** 16 random bytes that the grants of the object are bound to. They change when rights are revoked, which makes the earlier grant rows invalid. */
  readonly mark: Uint8Array;
}

const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ENDS_BYTES = NONCE_BYTES + TAG_BYTES;
const MARK_BYTES = 16;
const DIGEST_BYTES = 32;
/** A seal consists of format, generation, mark, ends of the content, digest of the attributes, and the MAC over all of them. */
const GENERATION_AT = 1;
const MARK_AT = GENERATION_AT + 4;
const ENDS_AT = MARK_AT + MARK_BYTES;
const DIGEST_AT = ENDS_AT + ENDS_BYTES;
const MAC_AT = DIGEST_AT + DIGEST_BYTES;
const SEAL_BYTES = MAC_AT + 32;

/** The mark for grants of the right to create, which belong to no object. */
export const NO_MARK = new Uint8Array(MARK_BYTES);
export const NO_CONTENT: ContentMark = { generation: 0, ends: new Uint8Array(ENDS_BYTES) };

export const newMark = (): Uint8Array => randomIv(MARK_BYTES);

export function contentMark(generation: number, sealed: Uint8Array): ContentMark {
  const ends = new Uint8Array(ENDS_BYTES);
  ends.set(sealed.subarray(0, NONCE_BYTES));
  ends.set(sealed.subarray(-TAG_BYTES), NONCE_BYTES);
  return { generation, ends };
}

export function isSameContent(one: ContentMark, other: ContentMark): boolean {
  return one.generation === other.generation && Buffer.compare(one.ends, other.ends) === 0;
}

/** A ticket of DelegatedLogin, as stored. */
export interface SealedDelegation {
  readonly hash: string;
  readonly owner: string;
  readonly rights: string;
  /** Seconds since the epoch; null for no end. */
  readonly endsAt: number | null;
}

export class RowSeal {
  readonly #key: KeyObject;

  /** @param key of 32 bytes, used only for this */
  constructor(key: KeyObject) {
    this.#key = key;
  }

  /** The column `seal` of a row. */
  write(row: SealedRow, { content, mark }: Seal): Uint8Array {
    const seal = new Uint8Array(SEAL_BYTES);
    seal[0] = FORMAT;
    new DataView(seal.buffer).setUint32(GENERATION_AT, content.generation);
    seal.set(mark, MARK_AT);
    seal.set(content.ends, ENDS_AT);
    seal.set(hash('sha256', row.attributes, 'buffer'), DIGEST_AT);
    seal.set(this.#macOf(row, seal), MAC_AT);
    return seal;
  }

  /** Copies a seal that was verified, with another mark. */
  renew(row: Omit<SealedRow, 'attributes'>, before: Uint8Array, mark: Uint8Array): Uint8Array {
    const seal = new Uint8Array(before);
    seal.set(mark, MARK_AT);
    seal.set(this.#macOf(row, seal), MAC_AT);
    return seal;
  }

  /** @returns undefined if the row is not as this server wrote it */
  open(row: SealedRow, seal: Uint8Array | null): Seal | undefined {
    if (!isSameMac(seal?.subarray(DIGEST_AT, MAC_AT), hash('sha256', row.attributes, 'buffer'))) return undefined;
    return this.openFacts(row, seal);
  }

  /** As open, without checking the attributes, which must then not be trusted. */
  openFacts(row: Omit<SealedRow, 'attributes'>, seal: Uint8Array | null): Seal | undefined {
    if (seal?.length !== SEAL_BYTES || seal[0] !== FORMAT || !isSameMac(seal.subarray(MAC_AT), this.#macOf(row, seal))) return undefined;
    const generation = new DataView(seal.buffer, seal.byteOffset).getUint32(GENERATION_AT);
    return { content: { generation, ends: seal.slice(ENDS_AT, DIGEST_AT) }, mark: seal.slice(MARK_AT, ENDS_AT) };
  }

  /** The column `mac` of a grant. @param mark of its object */
  macOfGrant({ object_id: object, user_id: user, operations }: SealedGrant, mark: Uint8Array): Uint8Array {
    return rowMac(this.#key, 'grant', [mark, object, user, operations]);
  }

  isGrant(grant: SealedGrant, mac: Uint8Array | null, mark: Uint8Array): boolean {
    return isSameMac(mac, this.macOfGrant(grant, mark));
  }

  /** The column `mac` of a ticket. */
  macOfDelegation({ hash: ofTicket, owner, rights, endsAt }: SealedDelegation): Uint8Array {
    return rowMac(this.#key, 'delegation', [ofTicket, owner, rights, String(endsAt)]);
  }

  #macOf({ id, object_type: type, state, owner, archived }: Omit<SealedRow, 'attributes'>, seal: Uint8Array): Uint8Array {
    return rowMac(this.#key, 'object', [seal.subarray(0, MAC_AT), id, String(type), String(state), owner, String(archived)]);
  }
}
