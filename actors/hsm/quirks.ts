// What a model says of its library: departures from the standard that the library does not report itself, and hints.
import type { TokenKeyKind } from './api.ts';

/** Attributes of PKCS #11 by their names without prefix (`SENSITIVE`), or numbers of a vendor's (`0x80000001`); null: not in the template. */
export type AttributeChanges = Readonly<Partial<Record<TokenKeyKind, Readonly<Record<string, boolean | null>>>>>;

/** Departures of a library from the standard that it does not report itself: see the models. */
export interface HsmQuirks {
  /** Handles that C_FindObjects is asked for at a time; default 64. */
  readonly searchBatch?: number;
  /** The most data of one call; more are sent in parts (C_EncryptUpdate ...). Default: no limit. */
  readonly maxDataBytes?: number;
  /** Mechanisms that the token reports but does not have: `CKM_AES_GCM`. */
  readonly missingMechanisms?: readonly string[];
  /** Mechanisms that the library cannot do part by part: the parts are kept, and go to the token in one call. */
  readonly wholeMechanisms?: readonly string[];
  /** The token chooses the IVs of CKM_AES_GCM itself, and takes only zeros. One that writes its own over any IV needs no such word. */
  readonly choosesGcmIv?: boolean;
  /** C_DecryptInit of CKM_RSA_PKCS_OAEP takes any label and decrypts as with none: a label (PSource) is refused before the token sees it. */
  readonly ignoresOaepLabel?: boolean;
  /** CKM_RSA_PKCS_OAEP decrypts with a label only if that ends with a zero byte, but C_Encrypt takes any: others are refused, because nothing would open what they seal. */
  readonly endsOaepLabel?: boolean;
  /** CKM_RSA_PKCS_OAEP passes over the hash of its mask and takes its own: a request for two hashes is refused. */
  readonly oneOaepHash?: boolean;
  /** The token does one call at a time: others of its slot wait outside of the library, where they hold up no other slot. */
  readonly oneAtATime?: boolean;
  /** A search can make a call fail that makes or destroys a key of its slot at the same time: searches wait for such calls. */
  readonly searchesInTurn?: boolean;
  /** Threads that use keys at the same time, if the configuration does not say; default 1. */
  readonly threads?: number;
  /** Changes of the attribute templates of new keys, for each class. */
  readonly attributes?: AttributeChanges;
}

/** What the operator can do if there is no library, no token, or if the token refuses the PIN. */
export interface HsmHints {
  readonly library?: string;
  readonly token?: string;
  readonly pin?: string;
}
