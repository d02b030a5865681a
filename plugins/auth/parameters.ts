// What names look like in paths and queries, and how much of what is sent beside known members is borne.
import Type, { type TProperties, type TSchema } from 'typebox';
import type { Route } from '../../kernel/http/route.ts';
import { MAX_NAME_CHARACTERS } from '../../kernel/normal-form.ts';

/** Characters of a realm's id. */
export const MAX_REALM_ID = 64;
/** Members of a query or body whose unknown members are ignored. */
export const MAX_MEMBERS = 64;
/** Bytes of what anybody may send. */
export const MAX_LOGIN_BYTES = 65_536;
/** Bytes, as JSON, of a member that is read over. */
const MAX_IGNORED_BYTES = 4_096;

export const REALM_ID = Type.String({ minLength: 1, maxLength: MAX_REALM_ID, pattern: '^[A-Za-z0-9_-]+$', description: 'letters, digits, - and _' });
/** As written in a path or a body: composed, it has 255 characters at most. */
export const USERNAME = Name(['.', '..', '*'], 'a name without control characters, `:` and `/`, and not `.`, `..` or `*`');
/** Names of admins are parts of paths beside these. */
export const ADMIN_ID = Name(['.', '..', '*', 'realms', 'userpass'], 'a name like that of a user, and not `realms` or `userpass`');

function Name(taken: readonly string[], description: string) {
  const others = taken.map((name) => name.replaceAll(/[.*]/g, '\\$&')).join('|');
  const pattern = `^(?!(?:${others})$)[^:/\\u0000-\\u001f\\u007f-\\u009f]+$`;
  return Type.String({ minLength: 1, maxLength: MAX_NAME_CHARACTERS, format: 'name', pattern, description });
}

/** By the names that paths give them. */
const PARAMETERS: Readonly<Record<string, TSchema>> = {
  realm_id: REALM_ID,
  admin_id: USERNAME,
  username: USERNAME,
  // A text that is no id of a session names none, which is no error.
  session_id: Type.String({ minLength: 1, maxLength: 64 }),
  // Of a role.
  name: Type.String({ minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9_.-]+$' }),
};

/** The routes with the rules of the parameters that their paths name. */
export function withParameters(routes: readonly Route[]): readonly Route[] {
  return routes.map((route) => {
    const known = [...route.path.matchAll(/\{([^}]+)\}/g)].flatMap(([, name]) => (name && PARAMETERS[name] ? [[name, PARAMETERS[name]]] : []));
    return known.length === 0 ? route : { ...route, params: Type.Object(Object.fromEntries(known)) };
  });
}

/** Where the server fetches documents from; its own look at the address comes after. */
export const DOCUMENT_ADDRESS = Type.String({
  minLength: 1,
  maxLength: 2_048,
  pattern: '^(?:https://[^\\s/?#@]+|http://(?:localhost|127(?:\\.[0-9]{1,3}){3}|\\[::1\\])(?::[0-9]+)?)(?:[/?#].*)?$',
  description: 'https, or http on the same machine; the address must not contain credentials',
  examples: ['https://idp.example/jwks'],
});

/** A query; parameters that are not named are ignored. */
export function Query<P extends TProperties>(parameters: P) {
  return Type.Object(parameters, { maxProperties: MAX_MEMBERS });
}

/** Of a realm, in a query: any text names one that is there or is not. */
export const RealmQuery = Type.String({ minLength: 1, maxLength: MAX_REALM_ID });

/** A member that is taken and read over, whatever it holds. */
export const Ignored = Type.Optional(Type.Unknown({ 'x-max-bytes': MAX_IGNORED_BYTES }));
/** As above for a name in a body that the path's wins over. */
export const IgnoredName = Type.Optional(Type.String({ maxLength: MAX_NAME_CHARACTERS }));
/** Bytes, as JSON, of what is read with every login, session and list that it belongs to: roles, claims, digital credentials, policies. */
export const MAX_STORED_BYTES = 4_096;
/** Of each list of service accounts, namespaces or audiences of a cluster role. */
export const MAX_BOUND_LIST_BYTES = 16_384;
/** Of all that a realm says of its ways to sign in: it may have many identity providers. */
export const MAX_AUTH_PARAMS_BYTES = 32_768;
/** Members of any name and shape. */
export const Free = Type.Record(Type.String(), Type.Unknown(), { maxProperties: 256, 'x-max-bytes': MAX_STORED_BYTES });
