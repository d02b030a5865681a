// Parses the names of callers. The form of a name tells what kind of account it stands for, and whether that can be deleted and created again.
import { REALM_ID_PATTERN } from '../realm-id.ts';

/** The kind of a name, with its parts. */
type Naming =
  /** A name from an outside authority, which nobody here can give to somebody else: a common name, or a user of an identity provider. */
  | { readonly kind: 'outside'; readonly id: string }
  /** A role of machines. */
  | { readonly kind: 'role'; readonly name: string }
  /** A user of a realm, with a credential in this database. */
  | { readonly kind: 'user'; readonly scope: string; readonly local: string }
  /** A name from outside within a realm or a cluster role. It ends with that realm or role. `*` stands for all users of a realm. */
  | { readonly kind: 'guest'; readonly scope: string; readonly local: string };

/** Prefixes of account IDs that are not names of callers. */
export const ACCOUNT = 'account:';
const PROVIDER = 'idp:';

const APPROLE = /^approle:[^/:]+$/;
const CLUSTER = /^(cluster:[^/:]+\/)([^/]+\/[^/]+)$/;
/** The earlier form, without the role of the cluster. */
const CLUSTER_BEFORE = /^cluster:[^/]+\/[^/]+$/;
const IN_REALM = new RegExp(`^(${REALM_ID_PATTERN}/)(.+)$`, 's');
const OF_PROVIDER = /^jwt:([A-Za-z0-9_-]+)\/(?:sub:(.+)|(.+))$/s;
const PROVIDER_ID = /^idp:([A-Za-z0-9_-]+)\/(sub|email):(.+)$/s;

/** Names of scopes end with a slash; the names within a scope begin with its name. */
export const realmScope = (realm: string): string => `${realm}/`;
export const clusterScope = (role: string): string => `cluster:${role}/`;
export const approleName = (role: string): string => `approle:${role}`;
export const userName = (realm: string, username: string): string => realmScope(realm) + username;

/** @returns the scope that a name or an ID begins with; undefined if it has none */
export function scopeOf(text: string): string | undefined {
  const slash = text.indexOf('/');
  return slash === -1 || text.startsWith('jwt:') || text.startsWith(PROVIDER) ? undefined : text.slice(0, slash + 1);
}

/** @returns undefined for a text that cannot be the name of a caller */
export function namingOf(name: string): Naming | undefined {
  if (APPROLE.test(name)) return { kind: 'role', name };
  const ofProvider = OF_PROVIDER.exec(name);
  if (ofProvider) return { kind: 'outside', id: providerId(ofProvider[1] as string, ofProvider[2], ofProvider[3]) };
  const [, scope, local] = CLUSTER.exec(name) ?? IN_REALM.exec(name) ?? [];
  // Names of users contain neither a colon nor a slash.
  if (scope !== undefined && local !== undefined) return { kind: local === '*' || /[:/]/.test(local) ? 'guest' : 'user', scope, local };
  return name === '' || /[:/]/.test(name) ? undefined : { kind: 'outside', id: name };
}

/**
 * The account ID of a user of an identity provider: by the e-mail address that the provider has verified, else by the subject. The two
 * forms never collide, and neither equals a name from before they were distinguished.
 */
export function providerId(provider: string, sub: string | undefined, email: string | undefined): string {
  return `${PROVIDER}${provider}/${sub === undefined ? `email:${email}` : `sub:${sub}`}`;
}

/** @returns the name for an ID that is not in the database; `isPast`: nobody can get this name any more */
export function nameOfId(id: string): { readonly name: string; readonly isPast: boolean } {
  const [, provider, kind, value] = PROVIDER_ID.exec(id) ?? [];
  if (provider !== undefined) return { name: `jwt:${provider}/${kind === 'sub' ? 'sub:' : ''}${value}`, isPast: false };
  return { name: id, isPast: CLUSTER_BEFORE.test(id) || id.startsWith('jwt:') };
}
