// Schemas of names in paths and queries, and limits for members that the server ignores.
import type { TProperties, TSchema } from 'typebox';
import type { Route } from '../../kernel/http/route.ts';
import { MAX_NAME_CHARACTERS } from '../../kernel/normal-form.ts';
import { MAX_REALM_ID } from '../../kernel/realm-id.ts';
import Type from '../../kernel/type.ts';
import { RESERVED_USERNAMES } from '../../kernel/username.ts';

/** Highest number of members in a query or body whose unknown members are ignored. */
export const MAX_MEMBERS = 64;
/** Bytes of a body that a client may send without authentication. */
export const MAX_LOGIN_BYTES = 65_536;
/** Bytes, as JSON, of a member that is ignored. */
const MAX_IGNORED_BYTES = 4_096;

export const REALM_ID = Type.String({ minLength: 1, maxLength: MAX_REALM_ID, pattern: '^[A-Za-z0-9_-]+$', description: 'letters, digits, - and _' });
/** A name as sent in a path or a body; in NFC it has at most 255 characters. */
export const USERNAME = Name(
  RESERVED_USERNAMES,
  'a name of 1 to 255 characters, without control characters, `:`, `/` and more than 30 combining marks in a row, other than `.`, `..` and `*`',
);
/** `realms` and `userpass` are excluded because paths such as /admins/realms use them. */
export const ADMIN_ID = Name([...RESERVED_USERNAMES, 'realms', 'userpass'], 'a name like that of a user, other than `realms` and `userpass`');

/** The name of a user of an identity provider, as its tokens may have it. */
export const SUBJECT = Type.String({
  minLength: 1,
  maxLength: MAX_NAME_CHARACTERS,
  format: 'name',
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$',
  description: 'a name of 1 to 255 characters, without control characters and more than 30 combining marks in a row',
});

function Name(taken: readonly string[], description: string) {
  const others = taken.map((name) => name.replaceAll(/[.*]/g, '\\$&')).join('|');
  const pattern = `^(?!(?:${others})$)[^:/\\u0000-\\u001f\\u007f-\\u009f]+$`;
  return Type.String({ minLength: 1, maxLength: MAX_NAME_CHARACTERS, format: 'name', pattern, description });
}

/** By their names in paths. */
const PARAMETERS: Readonly<Record<string, TSchema>> = {
  realm_id: REALM_ID,
  admin_id: USERNAME,
  username: USERNAME,
  // Any text: one that is not a session id is treated like an unknown session, not as an error.
  session_id: Type.String({ minLength: 1, maxLength: 64 }),
  // The name of a role.
  name: Type.String({ minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9_.-]+$' }),
};

/** Adds the schemas of path parameters to the routes. */
export function withParameters(routes: readonly Route[]): readonly Route[] {
  return routes.map((route) => {
    const known = [...route.path.matchAll(/\{([^}]+)\}/g)].flatMap(([, name]) => (name && PARAMETERS[name] ? [[name, PARAMETERS[name]]] : []));
    return known.length === 0 ? route : { ...route, params: Type.Object(Object.fromEntries(known)) };
  });
}

/** An address that the server fetches documents from; the server checks it again before each fetch. */
export const DOCUMENT_ADDRESS = Type.String({
  minLength: 1,
  maxLength: 2_048,
  pattern: '^(?:https://[^\\s/?#@]+|http://(?:localhost|127(?:\\.[0-9]{1,3}){3}|\\[::1\\])(?::[0-9]+)?)(?:[/?#].*)?$',
  description: 'https, or http on the same machine; the address must not contain credentials',
  examples: ['https://idp.example/jwks'],
});

/** The schema of a query; unknown parameters are ignored. */
export function Query<P extends TProperties>(parameters: P) {
  return Type.Object(parameters, { maxProperties: MAX_MEMBERS });
}

/** A realm in a query. Any text is accepted: one that is not a valid id is treated like an unknown realm. */
export const RealmQuery = Type.String({ minLength: 1, maxLength: MAX_REALM_ID });

/** A member that is accepted and ignored, whatever its value. */
export const Ignored = Type.Optional(Type.Unknown({ 'x-max-bytes': MAX_IGNORED_BYTES }));
/** The same for a name in a body, because the name in the path takes precedence. */
export const IgnoredName = Type.Optional(Type.String({ maxLength: MAX_NAME_CHARACTERS }));
/** Bytes, as JSON, of values that every login, session or list must read: roles, claims, digital credentials, policies. */
export const MAX_STORED_BYTES = 4_096;
/** Limit of each list of service accounts, namespaces or audiences of a cluster role. */
export const MAX_BOUND_LIST_BYTES = 16_384;
/** Limit of a realm's `auth_params`, which may list many identity providers. */
export const MAX_AUTH_PARAMS_BYTES = 32_768;
/** Members of any name and shape. */
export const Free = Type.Record(Type.String(), Type.Unknown(), { maxProperties: 256, 'x-max-bytes': MAX_STORED_BYTES });
