// What the kmip actor does: messages of the protocol, calls of the REST crypto API and grants, each whole on one thread.
import type { HeaderCredential } from '../../kmip/message/header-credentials.ts';
import type { KeyQuotas } from './object/quota.ts';

/** How a message is written; the answer is written the same way. The two of JSON are read alike; `compact-json` answers in the spelling of `ttlv/compact.ts`. */
export type Encoding = 'json' | 'compact-json' | 'binary' | 'xml';

/** How names are spelled in answers. */
export type JsonNames = 'profile' | 'compact';

/** `1_4` refuses messages of 2.x; `2_1` and `any` take every version served. Bare operations (JSON) have the version of the endpoint. */
export type Endpoint = 'any' | '1_4' | '2_1';

/** Who asks. */
export interface Principal {
  /** The account that owns objects and that grants are given to: never another's, whoever has the name later. */
  readonly user: string;
  /** What people call it, where that is something else: `owner@acme.com`, `realm/alice`, `approle:backup`. */
  readonly name?: string;
  /** Of a session. */
  readonly realm?: string;
  /** Account of the realm, where that is not its name with a slash: a grant to `<realm>/*` is to all whose realm it is. */
  readonly realmAccount?: string;
  /** Of the credential, for the audit: up, jwt, cc, token. */
  readonly scheme: string;
  /** Address of the peer, for the audit. */
  readonly source: string;
}

export interface Answer {
  /** HTTP status. */
  readonly status: number;
  readonly body: Uint8Array;
  /** `Encrypt:Success`, one for each operation, for the counters. */
  readonly outcomes: readonly string[];
  /** Nothing was done yet: these are to be checked, and the message, which `body` is, to be served once more with what was found. */
  readonly credentials?: readonly HeaderCredential[];
}

/** What became of the credentials in a header. */
export interface CredentialVerdict {
  /** Why they are refused, for the client; absent where they are the caller's. */
  readonly refusal?: string;
}

/** A call below /v1/crypto. */
export type CryptoCall =
  | { readonly name: 'encrypt' | 'decrypt' | 'sign' | 'verify' | 'mac' | 'createKey' | 'unwrapKey' }
  | { readonly name: 'deleteKey' | 'getTags' | 'addTags' | 'deleteTags'; readonly kid: string };

export interface OwnedObject {
  readonly object_id: string;
  readonly state: string;
  readonly attributes: unknown;
}

export interface ObtainedObject {
  readonly object_id: string;
  readonly owner_id: string;
  readonly state: string;
  readonly operations: readonly string[];
}

export interface Grantee {
  readonly user_id: string;
  readonly operations: readonly string[];
}

/** A part of a list. */
export interface Page {
  readonly limit: number;
  /** How names in it are spelled. */
  readonly names: JsonNames;
  /** As `next` of the part before; undefined for the first. */
  readonly after: string | undefined;
}

export interface Listed<T> {
  readonly items: readonly T[];
  /** Where the next part begins; undefined at the end. */
  readonly next: string | undefined;
}

/** Grants of a caller; operations are taken in any spelling, and answered in lower case without separators. Faults are KEYS_... of the plugin. */
export type AccessApi = {
  /** The newest first. */
  listOwned(caller: Principal, page: Page): Promise<Listed<OwnedObject>>;
  /** Those granted to the caller by name first, then those granted to all of the caller's realm and to everybody. */
  listObtained(caller: Principal, page: Page): Promise<Listed<ObtainedObject>>;
  /** For the owner only. */
  grantees(id: string, caller: Principal, page: Page): Promise<Listed<Grantee>>;
  grant(id: string, user: string, operations: readonly string[], caller: Principal): Promise<void>;
  revoke(id: string, user: string, operations: readonly string[], caller: Principal): Promise<void>;
  mayCreate(caller: Principal): Promise<boolean>;
  isPrivileged(caller: Principal): Promise<boolean>;
  /** Another user's rights only for the owner; all false for what the caller may not see. */
  check(id: string, user: string | undefined, operations: readonly string[], caller: Principal): Promise<Readonly<Record<string, boolean>>>;
};

export interface Tombstones {
  readonly tombstones: readonly {
    /** Names the account where its name was used again. */
    readonly account: string;
    readonly name: string;
    /** Unix seconds; null where it is not known. */
    readonly ended_at: number | null;
    /** That are not destroyed. */
    readonly objects: number;
  }[];
  /** Where the next page begins; null at the end. */
  readonly next: string | null;
}

/**
 * What accounts own that have ended; whether the caller is a super admin is the routes' to ask. `from` is an account as the list tells it, or a
 * name that one of them had. What remains after a call is asked for again.
 */
export type TombstoneApi = {
  tombstones(after: string | undefined, limit: number): Promise<Tombstones>;
  /** @param to the name of who is to own it @param id of one object; undefined for all */
  transfer(from: string, to: string, id: string | undefined, caller: Principal): Promise<{ readonly transferred: number; readonly remaining: number }>;
  destroyOwned(from: string, id: string | undefined, caller: Principal): Promise<{ readonly destroyed: number; readonly remaining: number }>;
};

export type KmipApi = AccessApi &
  TombstoneApi & {
    /**
     * One RequestMessage, or a single operation in JSON. Never fails because of the message itself: the response then says what is wrong.
     * @param verdict of the credentials in its header; without one they are answered, and nothing is done
     */
    serve(message: Uint8Array, encoding: Encoding, endpoint: Endpoint, caller: Principal, verdict?: CredentialVerdict): Promise<Answer>;
    /** @param body JSON, empty where the call takes none */
    crypto(call: CryptoCall, body: Uint8Array, caller: Principal): Promise<Answer>;
    /** Rotates all keys that are due. @returns the number of keys that were rotated */
    rotateDue(): Promise<number>;
  };

/** Configuration of the actor. */
export interface KmipArgs {
  readonly vendorIdentification: string;
  readonly version: string;
  /** Of the setting. */
  readonly jsonNames: JsonNames;
  /** Users who may always create; empty: everybody may. */
  readonly privilegedUsers: readonly string[];
  readonly quotas: KeyQuotas;
  /** Object types that Get and Export unwrap without being asked to. */
  readonly defaultUnwrapType: readonly string[];
  /** Names of the algorithms that may be used; empty: all. */
  readonly algorithms: readonly string[];
  /** Routing prefixes of the configured HSM instances. */
  readonly hsmPrefixes: readonly string[];
  /** Objects sealed by one generation of the data key. */
  readonly maxSealsPerDataKey: number;
}
