// The forms of names of callers, and which of them can be deleted and made anew: what a name stands for inside follows from its form.

/** Who stands behind a name. */
type Naming =
  /** Whose name an authority outside has given, and no one here can give to another: a common name, a user of an identity provider. */
  | { readonly kind: 'outside'; readonly id: string }
  /** A role of machines. */
  | { readonly kind: 'role'; readonly name: string }
  /** A user of a realm, who has a credential here. */
  | { readonly kind: 'user'; readonly scope: string; readonly local: string }
  /** Named from outside, but within a realm or the role of a cluster: gone with it. `*` is everybody of a realm. */
  | { readonly kind: 'guest'; readonly scope: string; readonly local: string };

/** Begin what names no caller. */
export const ACCOUNT = 'account:';
const PROVIDER = 'idp:';

const APPROLE = /^approle:[^/:]+$/;
const CLUSTER = /^(cluster:[^/:]+\/)([^/]+\/[^/]+)$/;
/** The form that did not say which cluster. */
const CLUSTER_BEFORE = /^cluster:[^/]+\/[^/]+$/;
const IN_REALM = /^([A-Za-z0-9_-]{1,64}\/)(.+)$/s;
const OF_PROVIDER = /^jwt:([A-Za-z0-9_-]+)\/(?:sub:(.+)|(.+))$/s;
const PROVIDER_ID = /^idp:([A-Za-z0-9_-]+)\/(sub|email):(.+)$/s;

/** Accounts that stand for a whole: their names end with a slash, and what is in them begins with it. */
export const realmScope = (realm: string): string => `${realm}/`;
export const clusterScope = (role: string): string => `cluster:${role}/`;
export const approleName = (role: string): string => `approle:${role}`;
export const userName = (realm: string, username: string): string => realmScope(realm) + username;

/** The scope that a name or an id begins with; undefined for those that stand alone. */
export function scopeOf(text: string): string | undefined {
  const slash = text.indexOf('/');
  return slash === -1 || text.startsWith('jwt:') || text.startsWith(PROVIDER) ? undefined : text.slice(0, slash + 1);
}

/** @returns undefined for a text that names nobody, and can name nobody */
export function namingOf(name: string): Naming | undefined {
  if (APPROLE.test(name)) return { kind: 'role', name };
  const ofProvider = OF_PROVIDER.exec(name);
  if (ofProvider) return { kind: 'outside', id: providerId(ofProvider[1] as string, ofProvider[2], ofProvider[3]) };
  const [, scope, local] = CLUSTER.exec(name) ?? IN_REALM.exec(name) ?? [];
  // Names of users hold neither sign.
  if (scope !== undefined && local !== undefined) return { kind: local === '*' || /[:/]/.test(local) ? 'guest' : 'user', scope, local };
  return name === '' || /[:/]/.test(name) ? undefined : { kind: 'outside', id: name };
}

/**
 * A user of an identity provider: by an address that the provider has verified, else by the subject. The two are never one, and neither is
 * one of the names from before they were told apart.
 */
export function providerId(provider: string, sub: string | undefined, email: string | undefined): string {
  return `${PROVIDER}${provider}/${sub === undefined ? `email:${email}` : `sub:${sub}`}`;
}

/** The name of an id that is not in the database; `isPast` says that nobody can have it any more. */
export function nameOfId(id: string): { readonly name: string; readonly isPast: boolean } {
  const [, provider, kind, value] = PROVIDER_ID.exec(id) ?? [];
  if (provider !== undefined) return { name: `jwt:${provider}/${kind === 'sub' ? 'sub:' : ''}${value}`, isPast: false };
  return { name: id, isPast: CLUSTER_BEFORE.test(id) || id.startsWith('jwt:') };
}
