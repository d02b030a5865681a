// Describes the routes of the authentication service for the OpenAPI document, by method and path.
import type { TSchema } from 'typebox';
import type { ResponseDescription, Route, SecurityScheme } from '../../kernel/http/route.ts';
import Type from '../../kernel/type.ts';
import {
  ADMIN,
  AUDIT_PAGE,
  CERTIFICATE,
  CLIENT_CLAIMS,
  CREDENTIAL,
  DATA,
  INTROSPECTION,
  KEY_SET,
  LIST,
  NEXT_STEP,
  REALM,
  SESSION_DATA,
  SESSION_IDS,
  TOKEN,
  TOKENS,
  TOTP_SECRET,
} from './about-schemas.ts';
import { BUILD } from './build.ts';
import { VAULT_TAG } from './vault/form.ts';

interface About {
  readonly summary: string;
  readonly tag: string;
  readonly responses: Readonly<Record<number, ResponseDescription>>;
  readonly security?: readonly SecurityScheme[];
}

/** Descriptions of the groups of routes. */
export const AUTH_TAGS: Readonly<Record<string, string>> = {
  'Sign-in': 'Sign in to a realm, and see who is signed in.',
  Sessions: 'Look up sessions and end them.',
  Realms: 'Groups of users, and the ways in which they sign in.',
  Admins: 'The administrators and their realms.',
  Credentials: 'User names and passwords of a realm.',
  'Second factors': 'One-time codes of a user.',
  Audit: 'A log of who did what.',
  Operations: 'The state of the server, for super admins.',
  Public: 'Public keys and the version, open to everybody.',
  Machines: 'Roles of programs and service accounts, and their sign-in.',
  Tokens: 'Look up, renew and revoke app tokens.',
  [VAULT_TAG]: 'The routes of Machines and Tokens for clients of Vault and OpenBao, with the envelope and the errors that these clients expect.',
};

/** Descriptions of statuses that do not follow from a route's declaration. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'the request contains an invalid value',
  401: 'the credentials are missing or invalid',
  403: 'not allowed',
  404: 'not found',
  409: 'the object already exists, or the change would leave no super admin',
  429: 'too many attempts from this address, or a quota is used up',
  500: 'certificate signing is not configured',
};

function about(tag: string, summary: string, status: number, schema?: TSchema, refusals: readonly number[] = [], security?: readonly SecurityScheme[]): About {
  const refused = refusals.map((code): [number, ResponseDescription] => [code, { description: REFUSALS[code] as string }]);
  const answer: ResponseDescription = schema ? { description: 'success', schema } : { description: 'success, no content' };
  return { tag, summary, responses: { [status]: answer, ...Object.fromEntries(refused) }, ...(security ? { security } : {}) };
}

const TOKEN_HEADER = ['appToken'] as const;

const ABOUT: Readonly<Record<string, About>> = {
  'POST /login': about('Sign-in', 'Sign in to a realm', 200, NEXT_STEP, [401, 429], ['basic', 'bearer', 'clientCertificate']),
  'GET /whoami': {
    ...about('Sign-in', 'Get the claims of the session, as JSON or as a signed token', 200),
    responses: { 200: { description: 'success', schema: CLIENT_CLAIMS, types: ['application/json', 'application/jwt'] } },
  },
  'POST /certify': about('Sign-in', 'Issue a certificate that binds a public key to the identity of the session', 200, CERTIFICATE, [500]),
  'GET /sessions/{session_id}': about('Sessions', 'Get a session; null if it does not exist', 200, SESSION_DATA, [403]),
  'POST /sessions/{session_id}': about('Sessions', 'Get a session, and end sessions of its clients', 200, SESSION_DATA, [403]),
  'POST /sessions/introspect': about('Sessions', 'Get the session and claims of a cookie; null if it is not valid', 200, INTROSPECTION),
  'POST /sessions/realms/{realm_id}/clients': about('Sessions', 'List the sessions of clients', 200, SESSION_IDS, [403]),
  'DELETE /sessions': about('Sessions', 'End sessions by id', 204, undefined, [403]),
  'DELETE /sessions/expired': about('Sessions', 'Remove expired sessions', 204, undefined, [403]),
  'DELETE /sessions/realms/{realm_id}': about('Sessions', 'End every session of a realm', 204, undefined, [403]),
  'POST /admins/realms': about('Realms', 'Create a realm', 201, REALM, [403, 409]),
  'GET /admins/realms': about('Realms', 'List the realms that the caller administers', 200, LIST(REALM), [403]),
  'GET /admins/realms/{realm_id}': about('Realms', 'Get a realm', 200, REALM, [403, 404]),
  'PUT /admins/realms/{realm_id}': about('Realms', 'Replace a realm', 200, REALM, [403, 404, 409]),
  'DELETE /admins/realms/{realm_id}': about('Realms', 'Delete a realm and everything that belongs to it', 204, undefined, [403, 409]),
  'POST /admins': about('Admins', 'Create an admin', 201, ADMIN, [403, 409, 429]),
  'GET /admins': about('Admins', 'List all admins', 200, LIST(ADMIN), [403]),
  'GET /admins/{admin_id}': about('Admins', 'Get an admin', 200, ADMIN, [403, 404]),
  'PUT /admins/{admin_id}': about('Admins', 'Replace an admin', 200, ADMIN, [403, 404, 409, 429]),
  'DELETE /admins/{admin_id}': about('Admins', 'Delete an admin and its credentials', 204, undefined, [403, 409]),
  'PUT /admins/{admin_id}/realms/{realm_id}': about('Admins', 'Add a realm to an admin', 200, ADMIN, [403, 404, 409, 429]),
  'DELETE /admins/{admin_id}/realms/{realm_id}': about('Admins', 'Remove a realm from an admin', 200, ADMIN, [403, 404, 409]),
  'GET /admins/userpass': about('Credentials', 'List the credentials of all realms', 200, LIST(CREDENTIAL), [403]),
  'POST /realms/{realm_id}/userpass': about('Credentials', 'Create a credential', 201, CREDENTIAL, [403, 404, 409, 429]),
  'GET /realms/{realm_id}/userpass': about('Credentials', 'List the credentials of a realm', 200, LIST(CREDENTIAL), [403, 404]),
  'GET /realms/{realm_id}/userpass/{username}': about('Credentials', 'Get a credential', 200, CREDENTIAL, [403, 404]),
  'PUT /realms/{realm_id}/userpass/{username}': about('Credentials', 'Replace a credential', 200, CREDENTIAL, [403, 404]),
  'DELETE /realms/{realm_id}/userpass/{username}': about('Credentials', 'Delete a credential', 204, undefined, [403, 404, 409]),
  'POST /realms/{realm_id}/userpass/{username}/unlock': about('Credentials', 'Unlock a credential', 204, undefined, [403, 404]),
  'POST /realms/{realm_id}/totp/generate': about('Second factors', 'Generate a secret for a second factor', 200, TOTP_SECRET, [403, 404]),
  'POST /realms/{realm_id}/totp/verify': about('Second factors', 'Enable a second factor', 200, undefined, [403, 404]),
  'DELETE /realms/{realm_id}/totp/{username}': about('Second factors', 'Disable a second factor', 200, undefined, [403]),
  'GET /audit': about('Audit', 'Read the audit log, a page at a time', 200, AUDIT_PAGE, [403]),
  'GET /version/build': about('Audit', 'Get what the server was built from and runs on', 200, BUILD, [403]),
  'GET /.well-known/jwks.json': about('Public', 'Public keys of session tokens', 200, KEY_SET, [404]),
  'GET /.well-known/certificate-jwks.json': about('Public', 'Public keys of certificates', 200, KEY_SET, [404]),
  'GET /public/version': {
    ...about('Public', 'Get the version of the server', 200),
    responses: { 200: { description: 'the version', type: 'text/plain; charset=utf-8', schema: Type.String() } },
  },
  'POST /auth/approle/login': about('Machines', 'Sign in with a role', 200, TOKEN, [400, 403, 429]),
  'PUT /auth/approle/login': about('Machines', 'Sign in with a role', 200, TOKEN, [400, 403, 429]),
  'POST /auth/approle/role/{name}': about('Machines', 'Create or replace a role', 204, undefined, [403, 404]),
  'GET /auth/approle/role/{name}': about('Machines', 'Get a role', 200, DATA, [403, 404]),
  'GET /auth/approle/role/{name}/role-id': about('Machines', 'Get the id of a role', 200, DATA, [403, 404]),
  'POST /auth/approle/role/{name}/secret-id': about('Machines', 'Generate a secret id', 200, DATA, [403, 404, 429]),
  'GET /auth/approle/role/{name}/secret-id': about('Machines', 'List the accessors of the secret ids of a role', 200, DATA, [403, 404]),
  'POST /auth/approle/role/{name}/secret-id/destroy': about('Machines', 'Destroy a secret id', 204, undefined, [403, 404]),
  'POST /auth/approle/role/{name}/revoke-tokens': about('Machines', 'Revoke every token of a role', 204, undefined, [403, 404]),
  'GET /auth/approle/role/{name}/tokens': about('Machines', 'List the tokens of a role, by accessor', 200, TOKENS, [403, 404]),
  'POST /auth/approle/role/{name}/tokens/revoke': about('Machines', 'Revoke a token of a role by its accessor', 204, undefined, [403, 404]),
  'DELETE /auth/approle/role/{name}': about('Machines', 'Delete a role', 204, undefined, [403, 404]),
  'GET /auth/approle/role': about('Machines', 'List the names of the roles', 200, DATA, [400, 403]),
  'POST /auth/cluster/login': about('Machines', 'Sign in with a service account', 200, TOKEN, [400, 403, 429]),
  'POST /auth/cluster/role/{name}': about('Machines', 'Create or replace a cluster role', 204, undefined, [403, 404]),
  'GET /auth/cluster/role/{name}': about('Machines', 'Get a cluster role', 200, DATA, [403, 404]),
  'GET /auth/cluster/role/{name}/tokens': about('Machines', 'List the tokens of a cluster role, by accessor', 200, TOKENS, [403, 404]),
  'POST /auth/cluster/role/{name}/tokens/revoke': about('Machines', 'Revoke a token of a cluster role by its accessor', 204, undefined, [403, 404]),
  'POST /auth/cluster/role/{name}/revoke-tokens': about('Machines', 'Revoke every token of a cluster role', 204, undefined, [403, 404]),
  'DELETE /auth/cluster/role/{name}': about('Machines', 'Delete a cluster role', 204, undefined, [403, 404]),
  'GET /auth/cluster/role': about('Machines', 'List the names of the cluster roles', 200, DATA, [400, 403]),
  'GET /auth/token/lookup-self': about('Tokens', 'Look up the token of the request', 200, DATA, [403], TOKEN_HEADER),
  'POST /auth/token/renew-self': about('Tokens', 'Renew the token of the request', 200, TOKEN, [403], TOKEN_HEADER),
  'POST /auth/token/revoke-self': about('Tokens', 'Revoke the token of the request', 204, undefined, [403], TOKEN_HEADER),
  'POST /auth/token/lookup': about('Tokens', 'Look up another token', 200, DATA, [403], TOKEN_HEADER),
  'POST /auth/token/renew': about('Tokens', 'Renew another token', 200, TOKEN, [403], TOKEN_HEADER),
  'POST /auth/token/revoke': about('Tokens', 'Revoke another token', 204, undefined, [403], TOKEN_HEADER),
};

/** Adds the descriptions to the routes; a route's own description takes precedence. */
export function describeRoutes(routes: readonly Route[]): readonly Route[] {
  return routes.map((route) => ({ ...ABOUT[`${route.method} ${route.path}`], ...route }));
}
