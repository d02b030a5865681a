// The interface of the token actor: roles of machines, their secret ids, and app tokens. It receives digests of secrets, never the secrets.
import type { EncodedPage } from '../../kernel/runtime/channel/encoded-page.ts';
import type { AuditEvent } from '../../kernel/store/audit.ts';
import type { PageRequest } from '../../kernel/store/page.ts';
import type { Bounds } from './bounds.ts';

/** How a machine signs in: with a role id and a secret id, or as a service account of a cluster. */
export type TokenKind = 'approle' | 'cluster';

/** The administrator who makes a change, for rights and the audit log. */
export interface Principal {
  readonly realm: string;
  readonly username: string;
  /** The account of the session, for rights. */
  readonly account: string;
  readonly scheme: string;
  readonly source: string;
}

export interface TokenSettings {
  /** 0: its tokens do not expire. */
  readonly tokenTtlSeconds: number;
  /** Renewals cannot extend a token beyond this age; 0: no limit. */
  readonly tokenMaxTtlSeconds: number;
  readonly tokenPolicies: readonly string[];
  /** False: a token ends with its first lease. */
  readonly tokenRenewable: boolean;
  /** Addresses and networks that may sign in and use the tokens; empty: all. */
  readonly tokenBoundCidrs: readonly string[];
  /** Requests that a token may make; 0: unlimited. */
  readonly tokenNumUses: number;
}

export interface RoleSettings extends TokenSettings {
  /** For secret ids without a lifetime of their own; 0: they do not expire. */
  readonly secretIdTtlSeconds: number;
  /** Of a secret id without a number of its own, and the highest that one may have; 0: unlimited. */
  readonly secretIdNumUses: number;
  /** Addresses and networks that may sign in; empty: all. */
  readonly secretIdBoundCidrs: readonly string[];
  readonly bindSecretId: boolean;
}

export interface Role extends RoleSettings {
  readonly name: string;
  readonly roleId: string;
}

export interface ClusterRoleSettings extends TokenSettings {
  readonly jwksUrl: string;
  /** `*` allows any name. */
  readonly serviceAccountNames: readonly string[];
  readonly serviceAccountNamespaces: readonly string[];
  /** Null: the issuer is not checked. */
  readonly expectedIssuer: string | null;
  /** Null: the audience is not checked. */
  readonly audiences: readonly string[] | null;
}

export interface ClusterRole extends ClusterRoleSettings {
  readonly name: string;
  /** Changes with every change of the role: a token is issued only under the settings that the JWT was checked against. */
  readonly revision: string;
}

export interface NewSecretId {
  readonly role: string;
  /** SHA-256 of the secret id, base64url. */
  readonly digest: string;
  readonly accessor: string;
  /** 0: the role's lifetime. */
  readonly ttlSeconds: number;
  /** 0: as many as the role says. */
  readonly numUses: number;
  /** Addresses and networks that may sign in with it, beside those of the role; empty: all of them. */
  readonly boundCidrs: readonly string[];
  /** The same for uses of its tokens. */
  readonly tokenBoundCidrs: readonly string[];
}

/** A token about to be issued. */
export interface NewToken {
  /** SHA-256 of the token, base64url. */
  readonly digest: string;
  /** Identifies the token in the audit log. */
  readonly accessor: string;
  /** Address of the client. */
  readonly source: string;
}

export interface RoleLogin extends NewToken {
  readonly roleId: string;
  /** SHA-256 of the secret id, base64url; null if none was sent. */
  readonly secretDigest: string | null;
}

export interface ClusterLogin extends NewToken {
  readonly role: string;
  readonly revision: string;
  /** `namespace/serviceaccount` */
  readonly entity: string;
}

/** A token that is valid now. */
export interface TokenView {
  readonly kind: TokenKind;
  /** Identifies the token, but cannot be used as one. */
  readonly accessor: string;
  readonly role: string;
  /** The role's name, or `namespace/serviceaccount`. */
  readonly entity: string;
  /** Owner of the token; stays the same if another role gets the name later. */
  readonly account: string;
  readonly policies: readonly string[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Remaining whole seconds; 0 for a token that does not expire. */
  readonly ttlSeconds: number;
  /** Milliseconds since the epoch; 0 for a token that does not expire. */
  readonly expiresAt: number;
  /** Length of a full lease; 0 if the role sets none. */
  readonly leaseSeconds: number;
  /** Renewals cannot extend the token beyond this age; 0: no limit. */
  readonly maxTtlSeconds: number;
  readonly renewable: boolean;
  readonly bounds: Bounds;
  /** Requests that it may still make; 0: unlimited. */
  readonly usesLeft: number;
}

/** A token in a list, with the names of the answer. */
export interface TokenItem {
  readonly accessor: string;
  /** The role's name, or `namespace/serviceaccount`. */
  readonly entity_id: string;
  /** Seconds since the epoch. */
  readonly creation_time: number;
  /** RFC 3339; null if it does not expire. */
  readonly expire_time: string | null;
}

export type LoginOutcome = { readonly outcome: 'issued'; readonly token: TokenView } | { readonly outcome: 'denied' } | { readonly outcome: 'exhausted' };

/** A change by an administrator checks their right in the same transaction, and throws FORBIDDEN without it. */
export type TokenApi = {
  /** Creates the role, or replaces its settings; its role id and secret ids stay. */
  putRole(name: string, settings: RoleSettings, by: Principal): Promise<void>;
  role(name: string): Promise<Role | null>;
  roles(page: PageRequest): Promise<EncodedPage<string>>;
  /** One part of it, with its secret ids and tokens: it may have a million, and others wait meanwhile. @returns false if it is still there: call it again */
  deleteRole(name: string, by: Principal): Promise<boolean>;
  /** The tokens of a role that are valid now, the oldest first; null for an unknown role. */
  tokens(kind: TokenKind, role: string, page: PageRequest): Promise<EncodedPage<TokenItem> | null>;
  /** One part of them. @returns false if there are more: call it again; null for an unknown role */
  revokeTokens(role: string, by: Principal): Promise<boolean | null>;
  /** The same of a role of clusters. */
  revokeClusterTokens(role: string, by: Principal): Promise<boolean | null>;
  /** Revokes the token only if it belongs to this role. */
  revokeByAccessor(kind: TokenKind, role: string, accessor: string, by: Principal): Promise<void>;
  /** @returns false for an unknown role @throws Fault BAD_REQUEST for more uses than the role allows */
  createSecretId(secretId: NewSecretId, by: Principal): Promise<boolean>;
  /** Accessors of the secret ids that are valid now; null for an unknown role. */
  accessors(role: string, page: PageRequest): Promise<EncodedPage<string> | null>;
  /** Destroys the secret id only if it belongs to this role. */
  destroySecretId(role: string, accessor: string, by: Principal): Promise<void>;
  loginRole(login: RoleLogin): Promise<LoginOutcome>;
  putClusterRole(name: string, settings: ClusterRoleSettings, by: Principal): Promise<void>;
  clusterRole(name: string): Promise<ClusterRole | null>;
  clusterRoles(page: PageRequest): Promise<EncodedPage<string>>;
  /** As deleteRole. */
  deleteClusterRole(name: string, by: Principal): Promise<boolean>;
  loginCluster(login: ClusterLogin): Promise<LoginOutcome>;
  /** The token with this digest, if it is valid now for a client with the address `source`. */
  look(digest: string, source: string): Promise<TokenView | null>;
  /** The same, and counts one of its uses; the last one revokes the token. */
  use(digest: string, source: string): Promise<TokenView | null>;
  /**
   * @param counts whether the renewal is itself a use of the token; the last one cannot renew it
   * @returns null for a token that is not valid, `fixed` for one that cannot be renewed
   */
  renew(digest: string, source: string, counts: boolean): Promise<TokenView | null | 'fixed'>;
  /** @returns false for a token that is not valid */
  revoke(digest: string, source: string): Promise<boolean>;
  /** Writes an audit row for an event that changes nothing, such as a refused login. */
  record(event: AuditEvent): Promise<void>;
};
