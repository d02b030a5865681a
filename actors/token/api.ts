// What the token actor answers: roles of machines, their secret ids, and app tokens. Secrets never reach it, only their digests.

import type { EncodedPage } from '../../kernel/runtime/encoded-page.ts';
import type { AuditEvent } from '../../kernel/store/audit.ts';
import type { PageRequest } from '../../kernel/store/page.ts';

/** Ways for a machine to sign in: with a role id and a secret id, or as a service account of a cluster. */
export type TokenKind = 'approle' | 'cluster';

/** The administrator that changes something, for the audit log. */
export interface Administrator {
  readonly realm: string;
  readonly username: string;
  /** Whose session it is, for rights. */
  readonly account: string;
  readonly scheme: string;
  readonly source: string;
}

interface TokenSettings {
  /** 0: its tokens do not expire. */
  readonly tokenTtlSeconds: number;
  /** Age that renewals cannot prolong a token beyond; 0: none. */
  readonly tokenMaxTtlSeconds: number;
  readonly tokenPolicies: readonly string[];
  /** False: its tokens end when their first lease does. */
  readonly tokenRenewable: boolean;
}

export interface RoleSettings extends TokenSettings {
  /** For secret ids that name no lifetime of their own; 0: they do not expire. */
  readonly secretIdTtlSeconds: number;
  readonly bindSecretId: boolean;
}

export interface Role extends RoleSettings {
  readonly name: string;
  readonly roleId: string;
}

export interface ClusterRoleSettings extends TokenSettings {
  readonly jwksUrl: string;
  /** `*` stands for any. */
  readonly serviceAccountNames: readonly string[];
  readonly serviceAccountNamespaces: readonly string[];
  /** Null: the issuer is not looked at. */
  readonly expectedIssuer: string | null;
  /** Null: the audience is not looked at. */
  readonly audiences: readonly string[] | null;
}

export interface ClusterRole extends ClusterRoleSettings {
  readonly name: string;
  /** Another one with each change: a token is issued only for the settings that a JWT was held against. */
  readonly revision: string;
}

export interface NewSecretId {
  readonly role: string;
  /** SHA-256 of the secret id, base64url. */
  readonly digest: string;
  readonly accessor: string;
  /** 0: the role's. */
  readonly ttlSeconds: number;
  /** 0: any number. */
  readonly numUses: number;
}

/** A token about to be issued. */
export interface NewToken {
  /** SHA-256 of the token, base64url. */
  readonly digest: string;
  /** Names the token in the audit log. */
  readonly accessor: string;
  /** Address of the client. */
  readonly source: string;
}

export interface RoleLogin extends NewToken {
  readonly roleId: string;
  /** SHA-256 of the secret id, base64url; null where none was sent. */
  readonly secretDigest: string | null;
}

export interface ClusterLogin extends NewToken {
  readonly role: string;
  readonly revision: string;
  /** `namespace/serviceaccount` */
  readonly entity: string;
}

/** A token that can be used now. */
export interface TokenView {
  readonly kind: TokenKind;
  /** Names the token without being one. */
  readonly accessor: string;
  readonly role: string;
  /** The role's name, or `namespace/serviceaccount`. */
  readonly entity: string;
  /** Whose it is, whoever may have the name of the role later. */
  readonly account: string;
  readonly policies: readonly string[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Whole seconds that are left; 0 for a token that does not expire. */
  readonly ttlSeconds: number;
  /** Milliseconds since the epoch; 0 for a token that does not expire. */
  readonly expiresAt: number;
  /** Of a whole lease; 0 where the role sets none. */
  readonly leaseSeconds: number;
  /** Age that no renewal prolongs it beyond; 0: none. */
  readonly maxTtlSeconds: number;
  readonly renewable: boolean;
}

export type LoginOutcome = { readonly outcome: 'issued'; readonly token: TokenView } | { readonly outcome: 'denied' } | { readonly outcome: 'exhausted' };

/** What an administrator changes is one transaction with the look at their right, and throws FORBIDDEN without it. */
export type TokenApi = {
  /** Makes the role, or replaces its settings; its role id and secret ids stay. */
  putRole(name: string, settings: RoleSettings, by: Administrator): Promise<void>;
  role(name: string): Promise<Role | null>;
  roles(page: PageRequest): Promise<EncodedPage<string>>;
  /** With its secret ids and tokens. */
  deleteRole(name: string, by: Administrator): Promise<void>;
  /** @returns how many, or null for an unknown role */
  revokeTokens(role: string, by: Administrator): Promise<number | null>;
  /** @returns false for an unknown role */
  createSecretId(secretId: NewSecretId, by: Administrator): Promise<boolean>;
  /** Of the secret ids that can be used now; null for an unknown role. */
  accessors(role: string, page: PageRequest): Promise<EncodedPage<string> | null>;
  /** Only a secret id of this role. */
  destroySecretId(role: string, accessor: string, by: Administrator): Promise<void>;
  loginRole(login: RoleLogin): Promise<LoginOutcome>;
  putClusterRole(name: string, settings: ClusterRoleSettings, by: Administrator): Promise<void>;
  clusterRole(name: string): Promise<ClusterRole | null>;
  clusterRoles(page: PageRequest): Promise<EncodedPage<string>>;
  /** With its tokens. */
  deleteClusterRole(name: string, by: Administrator): Promise<void>;
  loginCluster(login: ClusterLogin): Promise<LoginOutcome>;
  /** The token of a digest, if it can be used now. */
  look(digest: string): Promise<TokenView | null>;
  /** @returns null for a token that cannot be used, `fixed` for one that cannot be renewed */
  renew(digest: string, source: string): Promise<TokenView | null | 'fixed'>;
  /** @returns false for a token that cannot be used */
  revoke(digest: string, source: string): Promise<boolean>;
  /** Writes the row of an event that changes nothing, such as a refused login. */
  record(event: AuditEvent): Promise<void>;
};
