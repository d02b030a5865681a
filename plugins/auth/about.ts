// What the OpenAPI document says of the sign-in and session routes.
import Type from 'typebox';
import type { Route } from '../../kernel/http/route.ts';

type About = Pick<Route, 'summary' | 'tag' | 'responses' | 'security'>;

const NEXT_STEP = Type.Object({
  next_step: Type.Enum(['Authenticated', 'TotpRequired', 'ChangePassword']),
  session_id: Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
});

const CLIENT_CLAIMS = Type.Object(
  {
    iss: Type.String(),
    sub: Type.String(),
    aud: Type.Array(Type.String()),
    exp: Type.Integer(),
    nbf: Type.Integer(),
    iat: Type.Integer(),
    jti: Type.String(),
    roles: Type.Array(Type.String()),
    as_as: Type.Enum(['up', 'jwt', 'cc', 'f2', 'dc']),
    as_rid: Type.String(),
  },
  { description: 'Extra claims stand beside these.', additionalProperties: true },
);

export const ABOUT = {
  login: {
    summary: 'Sign in to a realm',
    tag: 'sign-in',
    security: ['basic', 'bearer', 'clientCertificate'],
    responses: {
      200: { description: 'the next step; Authenticated comes with the session cookie', schema: NEXT_STEP },
      401: { description: 'the credentials are missing or not valid' },
    },
  },
  whoami: { summary: 'The claims of the session', tag: 'sign-in', responses: { 200: { description: 'the claims', schema: CLIENT_CLAIMS } } },
  endSessions: {
    summary: 'End sessions by their ids',
    tag: 'sessions',
    responses: { 204: { description: 'ended, as far as they were there and may be ended' } },
  },
  publicVersion: {
    summary: 'The version of the server',
    tag: 'public',
    responses: { 200: { description: 'the version', type: 'text/plain; charset=utf-8', schema: Type.String() } },
  },
} as const satisfies Record<string, About>;
