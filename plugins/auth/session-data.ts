// SessionData and AuthenticatedClientScheme of the specification.
import type { Static } from 'typebox';
import type { SessionClient, SessionView } from '../../actors/session/api.ts';
import { nameIn } from '../../kernel/http/name.ts';
import { MAX_NAME_CHARACTERS } from '../../kernel/normal-form.ts';
import Type from '../../kernel/type.ts';

export interface SessionData {
  readonly session_id: string;
  readonly realm_id: string;
  readonly username: string;
  readonly auth_scheme: string;
  readonly cookie_string: string;
  readonly max_age_seconds: number;
  readonly max_stale_age_seconds: number;
  /** Unix seconds. */
  readonly created_at: number;
}

const MAX_CLIENTS = 1_000;
/** Names of the schemes in bodies; the short codes are accepted too. */
const CODES: Readonly<Record<string, string>> = { UsernamePassword: 'up', Jwt: 'jwt', ClientCertificate: 'cc', Fido2: 'f2', DigitalCredentials: 'dc' };
const SPELLINGS = [...Object.keys(CODES), ...Object.values(CODES)];

export const CLIENTS = Type.Array(
  Type.Object({ username: Type.String({ maxLength: MAX_NAME_CHARACTERS }), auth_scheme: Type.Enum(SPELLINGS) }, { additionalProperties: false }),
  {
    maxItems: MAX_CLIENTS,
  },
);

/** @throws Fault BAD_REQUEST for an invalid name */
export function clientsOf(clients: Static<typeof CLIENTS>): SessionClient[] {
  return clients.map(({ username, auth_scheme: scheme }) => {
    return { username: nameIn(username, 'body/username'), scheme: CODES[scheme] ?? scheme };
  });
}

/** @param cookie the value, only in an answer to the holder of the cookie: other people's cookies are as secret as passwords */
export function sessionData(view: SessionView, cookie: string | undefined): SessionData {
  return {
    session_id: view.id,
    realm_id: view.realm,
    username: view.username,
    auth_scheme: view.scheme,
    cookie_string: cookie ?? '',
    max_age_seconds: view.maxAgeSeconds,
    max_stale_age_seconds: view.maxStaleAgeSeconds,
    created_at: Math.floor(view.createdAt / 1000),
  };
}
