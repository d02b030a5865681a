// The API of the kmip actor: messages of the protocol, calls of the REST crypto API and grants; each call runs on one thread.
import type { KnownAnswer } from '../../crypto/self-test/known-answer.ts';
import type { AuditEvent } from '../../kernel/store/audit.ts';
import type { HeaderCredential } from '../../kmip/message/header-credentials.ts';
import type { KeyQuotas } from './object/quota.ts';
import type { Right, TicketHolder } from './rights.ts';

/**
 * The encoding of a message; the answer uses the same one. Both JSON encodings accept the same input; `compact-json` answers in the
 * spelling of `ttlv/compact.ts`.
 */
export type Encoding = 'json' | 'compact-json' | 'binary' | 'xml';

/** The spelling of names in answers. */
export type JsonNames = 'profile' | 'compact';

/**
 * `1_4` refuses messages of 2.x; `2_1` and `any` accept every supported version. Operations in JSON without a message use the version of
 * the endpoint.
 */
export type Endpoint = 'any' | '1_4' | '2_1';

/** The caller. */
export interface Principal {
  /** The account that owns objects and receives grants. It never becomes another user's account, even if another user gets the name later. */
  readonly user: string;
  /** The name that people see, if it differs from the account: `owner@acme.com`, `realm/alice`, `approle:backup`. */
  readonly name?: string;
  /** The realm of the session. */
  readonly realm?: string;
  /** Account of the realm, if it is not its name with a slash: a grant to `<realm>/*` goes to everybody in the realm. */
  readonly realmAccount?: string;
  /** HSM instances that the caller administers: the owners of the keys on their tokens. Set by the key server. */
  readonly administers?: readonly string[];
  /** Set while somebody acts in the name of this user with a ticket of DelegatedLogin: nothing else is permitted. */
  readonly rights?: readonly Right[];
  /** Set with the rights: who has the ticket. What they ask for to be done later is not done once the ticket or their account has ended. */
  readonly holder?: TicketHolder;
  /** Scheme of the credential, for the audit log: up, jwt, cc, token. */
  readonly scheme: string;
  /** Address of the peer, for the audit log. */
  readonly source: string;
}

export interface Answer {
  /** HTTP status. */
  readonly status: number;
  /** A short text as it is; longer ones, everything binary, and a message with `credentials` as bytes. */
  readonly body: Uint8Array | string;
  /** For the counters: one entry for each operation, such as `Encrypt:Success`. */
  readonly outcomes: readonly string[];
  /** Something was submitted that is answered later: call `runSubmitted`. */
  readonly submitted?: true;
  /** Set if nothing was done yet: check these credentials, and then call `serve` again with the message, which is in `body`, and the verdict. */
  readonly credentials?: readonly HeaderCredential[];
}

/** The result of checking the credentials in a header. */
export interface CredentialVerdict {
  /** Why they are refused, for the client; absent if they belong to the caller. */
  readonly refusal?: string;
  /** They are a ticket, which the key server has issued and checks itself. */
  readonly isTicket?: true;
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

/** Selects one page of a list. */
export interface Page {
  readonly limit: number;
  /** The spelling of names in the list. */
  readonly names: JsonNames;
  /** The `next` of the previous page; undefined for the first. */
  readonly after: string | undefined;
}

export interface Listed<T> {
  readonly items: readonly T[];
  /** Where the next page begins; undefined at the end. */
  readonly next: string | undefined;
}

/**
 * Grants of a caller. Operations are accepted in any spelling and returned in lower case without separators.
 * Faults are the KEYS_... faults of the plugin.
 */
export type AccessApi = {
  /** Newest first. */
  listOwned(caller: Principal, page: Page): Promise<Listed<OwnedObject>>;
  /** First those granted to the caller by name, then those granted to the caller's realm and to everybody. */
  listObtained(caller: Principal, page: Page): Promise<Listed<ObtainedObject>>;
  /** For the owner only. */
  grantees(id: string, caller: Principal, page: Page): Promise<Listed<Grantee>>;
  grant(id: string, user: string, operations: readonly string[], caller: Principal): Promise<void>;
  revoke(id: string, user: string, operations: readonly string[], caller: Principal): Promise<void>;
  mayCreate(caller: Principal): Promise<boolean>;
  isPrivileged(caller: Principal): Promise<boolean>;
  /** Only the owner may ask about another user. All rights are false for an object that the caller may not see. */
  check(id: string, user: string | undefined, operations: readonly string[], caller: Principal): Promise<Readonly<Record<string, boolean>>>;
};

export interface Tombstones {
  readonly tombstones: readonly {
    /** Identifies the account even if its name is used again. */
    readonly account: string;
    readonly name: string;
    /** In Unix seconds; null if it is not known. */
    readonly ended_at: number | null;
    /** Number of objects that are not destroyed. */
    readonly objects: number;
  }[];
  /** Where the next page begins; null at the end. */
  readonly next: string | null;
}

/**
 * Objects owned by deleted accounts. The routes check that the caller is a super admin. `from` is an account as the list shows it, or a
 * former name of one. If objects remain after a call, call it again.
 */
export type TombstoneApi = {
  tombstones(after: string | undefined, limit: number): Promise<Tombstones>;
  /** @param to the name of the new owner @param id of one object; undefined for all */
  transfer(from: string, to: string, id: string | undefined, caller: Principal): Promise<{ readonly transferred: number; readonly remaining: number }>;
  destroyOwned(from: string, id: string | undefined, caller: Principal): Promise<{ readonly destroyed: number; readonly remaining: number }>;
};

export type KmipApi = AccessApi &
  TombstoneApi & {
    /**
     * Serves one RequestMessage, or a single operation in JSON. A bad message never makes it throw: the response then says what is wrong.
     * @param verdict on the credentials in the header; without one, a message that has credentials is not served, and they are returned
     */
    serve(message: Uint8Array, encoding: Encoding, endpoint: Endpoint, caller: Principal, verdict?: CredentialVerdict): Promise<Answer>;
    /** @param body JSON, empty if the call takes none */
    crypto(call: CryptoCall, body: Uint8Array, caller: Principal): Promise<Answer>;
    /** Writes the audit rows of uses of keys that the part beside the callers has refused. */
    noteRefusals(rows: readonly AuditEvent[]): Promise<void>;
    /** Rotates all keys that are due. @returns the number of keys that were rotated */
    rotateDue(): Promise<number>;
    /** Begins to run what was submitted to be answered later; the work goes on after the call. */
    runSubmitted(): Promise<void>;
    /** As runSubmitted, for what a stop or another node has left; and deletes results whose time is over. */
    tendAsynchronous(): Promise<void>;
    /** Deletes the tickets of Login that have ended. @returns their number */
    purgeTickets(): Promise<number>;
  };

export interface AsynchronousLimits {
  /** Requests of one owner that wait, run or have a result. */
  readonly requestsPerIdentity: number;
  readonly requests: number;
  /** For how long a result is kept that nobody asks for, and a request that nobody comes to. */
  readonly resultSeconds: number;
}

/** Configuration of the actor. */
export interface KmipArgs {
  readonly vendorIdentification: string;
  readonly version: string;
  /** From the configuration. */
  readonly jsonNames: JsonNames;
  /** Users who may always create objects; if empty, everybody may. */
  readonly privilegedUsers: readonly string[];
  readonly quotas: KeyQuotas;
  /** Default: ASYNCHRONOUS_LIMITS. */
  readonly asynchronous?: AsynchronousLimits;
  /** Object types that Get and Export unwrap by default. */
  readonly defaultUnwrapType: readonly string[];
  /** Names of the permitted algorithms; if empty, all are permitted. */
  readonly algorithms: readonly string[];
  /** Identifiers of the key-encryption keys in HSMs, the one in use and earlier ones: they are used for nothing else. Default: none. */
  readonly keyEncryptionKeys?: readonly string[];
  /** Maximum number of objects that one generation of the data key seals. */
  readonly maxSealsPerDataKey: number;
  /** For tests: known answers besides those of the table. */
  readonly knownAnswers?: readonly KnownAnswer[];
  /** Whether each thread computes known answers, and then typical messages, in idle moments after its start. Default true. */
  readonly selfTests?: boolean;
}
