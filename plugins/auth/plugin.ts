// The authentication service: realms, sign-in, sessions.
import Type from 'typebox';
import { definePlugin } from '../../kernel/plugin.ts';
import { type AuthActors, authActors } from './actors.ts';
import { AUTH_CONFIG, type AuthConfig } from './config.ts';
import { endSessionsHandler } from './end-sessions.ts';
import { AUTH_FAULTS } from './faults.ts';
import { firstStart } from './first-start.ts';
import { loginHandler } from './login.ts';
import { appTokenAuthenticator } from './machine/app-token.ts';
import { machineRoutes } from './machine/routes.ts';
import { AUTH_MIGRATIONS } from './migrations.ts';
import { sessionAuthenticator } from './session-cookie.ts';
import { whoami } from './whoami.ts';

const strict = { additionalProperties: false };
const MOST_SESSIONS = 1_000;

export default definePlugin<AuthConfig, AuthActors>({
  name: 'auth',
  config: AUTH_CONFIG,
  faults: AUTH_FAULTS,
  migrations: AUTH_MIGRATIONS,
  actors: authActors,
  authenticators: (ctx) => ({ cookie: sessionAuthenticator(ctx), 'app-token': appTokenAuthenticator(ctx) }),
  open: firstStart,
  routes(ctx) {
    const logins = ctx.metrics.counter('logins_total', 'Logins by how they ended', ['outcome']);
    return [
      {
        method: 'POST',
        path: '/login',
        auth: 'none',
        query: Type.Object({ realm: Type.String({ minLength: 1 }) }),
        body: Type.Object({ totp_code: Type.Optional(Type.Union([Type.String(), Type.Null()])), new_password: Type.Optional(Type.String()) }, strict),
        bodyOptional: true,
        handle: loginHandler(ctx, (outcome) => logins.inc({ outcome })),
      },
      { method: 'GET', path: '/whoami', auth: ['cookie'], query: Type.Object({ realm: Type.Optional(Type.String()) }), handle: whoami },
      {
        method: 'DELETE',
        path: '/sessions',
        auth: ['cookie'],
        body: Type.Object({ session_ids: Type.Array(Type.String({ maxLength: 64 }), { maxItems: MOST_SESSIONS }) }, strict),
        handle: endSessionsHandler(ctx),
      },
      { method: 'GET', path: '/public/version', auth: 'none', handle: () => ({ status: 200, body: ctx.version, type: 'text/plain; charset=utf-8' }) },
      ...machineRoutes(ctx),
    ];
  },
});
