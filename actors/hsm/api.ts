// The interface of the actor of an HSM instance: its calls, their arguments and answers.
import type { TokenHash } from '../../kmip/token-hash.ts';
import type { HsmArgs, HsmPeer } from './args.ts';
import type { PartOutput, PartOwner, PartStart, Sealed } from './part.ts';
import type { AttributeChanges, HsmHints, HsmQuirks } from './quirks.ts';
import type { WrappedKey } from './token/wrapped-key.ts';

export type { AttributeChanges, HsmArgs, HsmHints, HsmPeer, HsmQuirks, PartOutput, PartOwner, PartStart, Sealed, TokenHash, WrappedKey };

export interface SlotStatus {
  /** The number in the configuration. */
  readonly slot_id: number;
  /** The last probe succeeded: the token is present and logged in. */
  readonly accessible: boolean;
}

/** What the configuration says of an instance: its callers know it whether or not its actor answers. */
export interface HsmAbout {
  readonly slots: readonly number[];
  readonly admins: readonly string[];
  /** Path of the PKCS#11 library. */
  readonly library: string;
  /** Time limit of a call, if it is shorter than that of the actor. */
  readonly deadlineMs: number | undefined;
}

export type TokenKeyKind = 'secret' | 'private' | 'public';

/** A key on a token: by CKA_ID, else by CKA_LABEL; `0x...` is a CKA_ID in hexadecimal. The two keys of a pair have one name. */
export interface TokenKeyName {
  readonly name: string;
  readonly kind: TokenKeyKind;
  /** The key is not on the token, but comes wrapped with each use. The name is then one that no other wrapped key has. */
  readonly wrapped?: WrappedKey | undefined;
}

/** What a key may be used for: one attribute of PKCS #11 each (CKA_ENCRYPT ...). */
export type TokenUse = 'encrypt' | 'decrypt' | 'sign' | 'verify' | 'wrap' | 'unwrap' | 'derive';

export type MechanismParameter =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'gcm'; readonly iv: Uint8Array; readonly aad: Uint8Array; readonly tagBits: number }
  | { readonly kind: 'oaep'; readonly hash: TokenHash; readonly maskHash: TokenHash; readonly label: Uint8Array }
  | { readonly kind: 'hkdf'; readonly hash: TokenHash; readonly salt: Uint8Array; readonly info: Uint8Array }
  | { readonly kind: 'pss'; readonly hash: TokenHash; readonly maskHash: TokenHash; readonly saltBytes: number }
  /** The point or the u-coordinate of the other side. */
  | { readonly kind: 'ecdh'; readonly peer: Uint8Array };

export interface TokenMechanism {
  /** As in the standard: `CKM_AES_GCM`. */
  readonly name: string;
  readonly parameter?: MechanismParameter | undefined;
}

/** The kind of a key by its CKA_KEY_TYPE. */
export type TokenKeyType = 'AES' | 'GENERIC' | 'RSA' | 'EC' | 'ED' | 'X' | 'OTHER';

/** The public half of a pair: for RSA big-endian numbers, for curves CKA_EC_PARAMS and the point without its DER wrapping. */
export type TokenPublicKey =
  | { readonly type: 'RSA'; readonly modulus: Uint8Array; readonly exponent: Uint8Array }
  | { readonly type: 'EC' | 'ED' | 'X'; readonly params: Uint8Array; readonly point: Uint8Array };

/** A key as it lies on a token. */
export interface TokenKey extends TokenKeyName {
  /** All that it is found by: its CKA_ID and its CKA_LABEL as texts, and its CKA_ID in hexadecimal. */
  readonly names: readonly string[];
  readonly type: TokenKeyType;
  /** Of a secret key, in bits; 0 if the token does not say. */
  readonly bits: number;
  readonly sensitive: boolean;
  readonly extractable: boolean;
  readonly uses: readonly TokenUse[];
  /** Of a private or public key, if the token says. */
  readonly publicKey?: TokenPublicKey | undefined;
  /** Of a private key: the token has its public key, or the private key alone tells it. Undefined if neither does, or if several public keys may be it. */
  readonly half?: 'there' | 'told' | undefined;
  /** CKA_EC_PARAMS of a private key whose public key the token does not tell. */
  readonly params?: Uint8Array | undefined;
  /** Name of the other half of the pair; undefined if it is the same, or there is none. */
  readonly pairName?: string | undefined;
}

export interface KeyOptions {
  readonly name: string;
  readonly uses: readonly TokenUse[];
  readonly sensitive: boolean;
  readonly extractable: boolean;
}

export interface SecretOptions extends KeyOptions {
  readonly type: 'AES' | 'GENERIC';
  readonly bits: number;
}

/** `uses` are those of the private key. */
export interface PairOptions extends KeyOptions {
  /** RSA: bits; the curves: CKA_EC_PARAMS. */
  readonly type: { readonly rsaBits: number } | { readonly curve: 'EC' | 'ED' | 'X'; readonly params: Uint8Array };
  readonly publicUses: readonly TokenUse[];
}

/** Numbers of an RSA key, big-endian: n, e, d, p, q, dp, dq, qi. */
export type RsaNumbers = Readonly<Record<'n' | 'e' | 'd' | 'p' | 'q' | 'dp' | 'dq' | 'qi', Uint8Array>>;

/** A key that a client brings. */
export type BroughtKey =
  | { readonly kind: 'secret'; readonly type: 'AES' | 'GENERIC'; readonly value: Uint8Array }
  | { readonly kind: 'private'; readonly rsa: RsaNumbers }
  | { readonly kind: 'private'; readonly type: 'EC' | 'ED' | 'X'; readonly params: Uint8Array; readonly scalar: Uint8Array }
  | { readonly kind: 'public'; readonly key: TokenPublicKey };

/** A slot of the configuration. */
export interface SlotPlace {
  readonly prefix: string;
  readonly slot: number;
}

export interface HsmFailure {
  /**
   * absent: no such key; ambiguous: several have the name; exists: the name is taken; mechanism: the token lacks the one in `text`; refused: the token refused the call with
   * the return value `text`; unavailable: the slot cannot be used; ended: there is no such operation in parts; full: a limit is reached;
   * input: the client sent what does not fit; malformed: what the token gave cannot be what was asked for; pin: the token wants its PIN for each use of
   * the key. `text` says why.
   */
  readonly why: 'absent' | 'ambiguous' | 'exists' | 'mechanism' | 'refused' | 'unavailable' | 'ended' | 'full' | 'input' | 'malformed' | 'pin';
  readonly text: string;
  /** Of an unavailable slot: the one that has its token. */
  readonly holder?: SlotPlace | undefined;
}

/** A mechanism in texts and numbers: its name, the kind of its parameter, and the fields of that in their order; bytes as texts of one character each. */
export type FlatMechanism = readonly (string | number)[];
/** Bytes as such a text, with the IV if the token has chosen it; or why not. */
export type FlatAnswer = string | readonly [string, string] | HsmFailure;
export type FlatUse = 'encrypt' | 'decrypt' | 'sign';

export type HsmAnswer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: HsmFailure };
export type Answered<T> = HsmAnswer<T> | Promise<HsmAnswer<T>>;

/** Operations of one kind with one outcome: `CKR_OK`, the return value of the token, or why it was not called. */
export interface OperationFigures {
  readonly operation: string;
  readonly outcome: string;
  readonly count: number;
  /** In sum. */
  readonly seconds: number;
}

/** `slot` is the number in the configuration. Bytes of secrets leave a token only through `unwrap`, `derive` and `value`. */
export type HsmApi = {
  /** Probes every slot now, unless the last probe ended within the last second. */
  probe(): Promise<readonly SlotStatus[]>;
  /** Slots whose tokens are missing take another one at their next login, and are bound to that. */
  acceptChange(): Promise<void>;
  /** Serial numbers of the tokens, in the order of the configuration, also of those that another slot has; undefined before the first login. */
  serials(): readonly (string | undefined)[];
  /** Since the start of the actor. */
  figures(): readonly OperationFigures[];
  /** Names of the mechanisms that the token reports. Those without a name in the standard are left out. */
  mechanisms(slot: number): Answered<readonly string[]>;
  list(slot: number): Answered<readonly TokenKey[]>;
  /** By any of its names. The answer has the one that `list` has. */
  find(slot: number, key: TokenKeyName): Answered<TokenKey>;
  generate(slot: number, options: SecretOptions): Answered<TokenKey>;
  generatePair(slot: number, options: PairOptions): Answered<TokenKey>;
  bring(slot: number, options: KeyOptions, key: BroughtKey): Answered<TokenKey>;
  /** Does nothing if there is no such key. */
  destroy(slot: number, key: TokenKeyName): Answered<void>;
  /** Unwraps a key on the token, where it stays for its uses: nothing reads its value. */
  hold(slot: number, key: TokenKeyName): Answered<TokenKey>;
  /** Destroys what `hold` keeps, on all slots, of the key of an object or of those that it has wrapped. */
  giveUp(id: string): Promise<void>;
  /** The value of a secret key that is not sensitive. */
  value(slot: number, key: TokenKeyName): Answered<Uint8Array>;
  /** A private key that is not sensitive. */
  give(slot: number, key: TokenKeyName): Answered<BroughtKey>;
  /** Wraps a key that is on the token, and extractable: its value, or PKCS #8. */
  wrapKey(slot: number, key: TokenKeyName, mechanism: TokenMechanism, target: TokenKeyName): Answered<Uint8Array>;
  encrypt(slot: number, key: TokenKeyName, mechanism: TokenMechanism, data: Uint8Array): Answered<Sealed>;
  decrypt(slot: number, key: TokenKeyName, mechanism: TokenMechanism, data: Uint8Array): Answered<Uint8Array>;
  sign(slot: number, key: TokenKeyName, mechanism: TokenMechanism, data: Uint8Array): Answered<Uint8Array>;
  /** One of these three with little data, in a form that crosses threads for less. */
  use(what: FlatUse, slot: number, kind: TokenKeyKind, name: string, mechanism: FlatMechanism, data: string): FlatAnswer | Promise<FlatAnswer>;
  /** Wraps bytes, which are on the token for this call only. */
  wrap(slot: number, key: TokenKeyName, mechanism: TokenMechanism, material: Uint8Array): Answered<Uint8Array>;
  unwrap(slot: number, key: TokenKeyName, mechanism: TokenMechanism, wrapped: Uint8Array): Answered<Uint8Array>;
  /** Begins an operation in parts, which holds a session of the token until its end, or until nobody continues it for five minutes. */
  beginParts(slot: number, owner: PartOwner, key: TokenKeyName, start: PartStart, data: Uint8Array): Answered<PartOutput>;
  /** Any failure ends the operation. */
  nextPart(slot: number, owner: PartOwner, value: Uint8Array, data: Uint8Array): Answered<PartOutput>;
  /** @param proof as in `PartStart` */
  lastPart(slot: number, owner: PartOwner, value: Uint8Array, data: Uint8Array, proof: Uint8Array | undefined): Answered<PartOutput>;
  /** @param length in bytes of the derived secret */
  derive(slot: number, key: TokenKeyName, mechanism: TokenMechanism, length: number): Answered<Uint8Array>;
};
