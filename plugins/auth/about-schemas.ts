// Schemas of answers, for the OpenAPI document.
import Type from '../../kernel/type.ts';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const strings = Type.Array(Type.String());
const free = Type.Record(Type.String(), Type.Unknown());
const scheme = Type.Enum(['up', 'jwt', 'cc', 'f2', 'dc']);

export const NEXT_STEP = Type.Object({
  next_step: Type.Enum(['Authenticated', 'TotpRequired', 'ChangePassword']),
  session_id: nullable(Type.String({ format: 'uuid' })),
});

export const CLIENT_CLAIMS = Type.Object(
  {
    ...{ iss: Type.String(), sub: Type.String(), aud: strings, exp: Type.Integer(), nbf: Type.Integer(), iat: Type.Integer(), jti: Type.String() },
    ...{ roles: strings, as_as: scheme, as_rid: Type.String() },
  },
  { description: 'The extra claims of the user are further members.', additionalProperties: true },
);

const SESSION = {
  ...{ session_id: Type.String({ format: 'uuid' }), realm_id: Type.String(), username: Type.String(), auth_scheme: scheme },
  cookie_string: Type.String({ description: 'the value of the cookie; empty unless the caller holds this cookie' }),
  ...{ max_age_seconds: Type.Integer(), max_stale_age_seconds: Type.Integer(), created_at: Type.Integer() },
};
export const SESSION_DATA = nullable(Type.Object(SESSION));
export const INTROSPECTION = nullable(Type.Object({ ...SESSION, claims: CLIENT_CLAIMS }));
export const SESSION_IDS = Type.Object({ session_ids: strings });

export const TOKENS = Type.Object({
  data: Type.Object({
    tokens: Type.Array(
      Type.Object({
        ...{ accessor: Type.String(), entity_id: Type.String({ description: 'the role, or namespace/serviceaccount' }) },
        creation_time: Type.Integer({ description: 'seconds since the epoch' }),
        expire_time: nullable(Type.String({ format: 'date-time', description: 'null: it does not expire' })),
      }),
    ),
  }),
});

export const REALM = Type.Object({
  id: Type.String(),
  auth_params: free,
  ...{ session_max_age_seconds: Type.Integer(), session_max_stale_age_seconds: Type.Integer() },
  ...{ certificate_max_age_seconds: Type.Integer(), password_max_age_seconds: Type.Integer() },
});

const text = nullable(Type.String());
export const ADMIN = Type.Object({
  ...{ id: Type.String(), realms: strings, userpass: text, jwt: text, fido2: text, digital_credentials: nullable(free), client_certificate: text },
  ...{ totp_enabled: Type.Boolean(), totp_secret: Type.Null(), totp_auth_url: Type.Null() },
});

export const CREDENTIAL = Type.Object({
  ...{ realm: Type.String(), username: Type.String(), password_hash: Type.Literal(''), change_password: Type.Boolean() },
  ...{ roles: strings, extra_claims: nullable(free) },
});

export const TOTP_SECRET = Type.Object({ secret_base32: Type.String(), otpauth_url: Type.String() });
export const CERTIFICATE = Type.Object({ certificate: Type.String({ description: 'compact JWS, ES256' }) });
export const KEY_SET = Type.Object({ keys: Type.Array(free) });
export const AUDIT_PAGE = Type.Object({ events: Type.Array(free), next: text });

export const TOKEN = Type.Object({
  auth: Type.Object({ client_token: Type.String(), renewable: Type.Boolean(), lease_duration: Type.Integer(), policies: strings, metadata: free }),
});
/** Answers of role management wrap their members in `data`. */
export const DATA = Type.Object({ data: free });
export const LIST = (schema: Parameters<typeof Type.Array>[0]) => Type.Array(schema);
