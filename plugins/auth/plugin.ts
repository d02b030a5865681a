// The authentication service: realms, sign-in, sessions, certificates for public keys, administration.
import { Fault } from '../../kernel/fault.ts';
import { createSignInLimit } from '../../kernel/http/caller/sign-in-limit.ts';
import type { Route } from '../../kernel/http/route.ts';
import { MAX_PASSWORD_CHARACTERS } from '../../kernel/normal-form.ts';
import { definePlugin } from '../../kernel/plugin.ts';
import Type from '../../kernel/type.ts';
import { AUTH_TAGS, describeRoutes } from './about.ts';
import { type AuthActors, authActors } from './actors.ts';
import { adminRoutes } from './admins.ts';
import { auditRoute } from './audit.ts';
import { buildRoute } from './build.ts';
import { certifyRoute } from './certify.ts';
import { AUTH_CONFIG, type AuthConfig } from './config.ts';
import { credentialRoutes } from './credentials.ts';
import { AUTH_FAULTS } from './faults.ts';
import { firstStart, firstStartProblems } from './first-start.ts';
import { introspectRoute } from './introspect.ts';
import { keySetRoutes } from './key-sets.ts';
import { credentialRequired, loginHandler } from './login.ts';
import { appTokenAuthenticator } from './machine/app-token.ts';
import { machineRoutes } from './machine/routes.ts';
import { AUTH_MIGRATIONS } from './migrations.ts';
import { operationsRoutes } from './operations.ts';
import { ownRightsRoute } from './own-rights.ts';
import { MAX_LOGIN_BYTES, Query, RealmQuery, withParameters } from './parameters.ts';
import { realmRoutes } from './realms.ts';
import { bearerSessionAuthenticator, sessionAuthenticator } from './session-cookie.ts';
import { sessionRoutes } from './sessions.ts';
import { signInRoutes } from './sign-in/routes.ts';
import { totpRoutes } from './totp.ts';
import { VAULT_UNSERVED } from './vault/unserved.ts';
import { whoamiHandler } from './whoami.ts';

const LOGIN_BODY = Type.Object(
  {
    totp_code: Type.Optional(Type.Union([Type.String({ maxLength: 16 }), Type.Null()])),
    new_password: Type.Optional(Type.Union([Type.String({ maxLength: MAX_PASSWORD_CHARACTERS }), Type.Null()])),
    // Clients of the original service send this member with the value null.
    public_key_pem: Type.Optional(Type.Null()),
  },
  { additionalProperties: false },
);

export default definePlugin<AuthConfig, AuthActors>({
  name: 'auth',
  config: AUTH_CONFIG,
  faults: AUTH_FAULTS,
  tags: AUTH_TAGS,
  unserved: VAULT_UNSERVED,
  migrations: AUTH_MIGRATIONS,
  flags: { 'reset-admin': { about: 'give the admin of realm _ a new initial password, and remove its second factor and locks', switch: true } },
  actors: authActors,
  authenticators: (ctx) => ({ cookie: sessionAuthenticator(ctx), authorization: bearerSessionAuthenticator(ctx), 'app-token': appTokenAuthenticator(ctx) }),
  firstStartProblems,
  open: firstStart,
  routes(ctx) {
    const logins = ctx.metrics.counter('logins_total', 'Logins by outcome', ['outcome']);
    const mayTry = createSignInLimit(ctx.config.login_rate_per_second, ctx.config.login_rate_burst, ctx);
    const admit = (address: string) => {
      if (!mayTry(address)) throw new Fault('AUTH_RATE_LIMITED');
    };
    const count = (outcome: string) => logins.inc({ outcome });
    const routes: readonly Route[] = [
      {
        method: 'POST',
        path: '/login',
        auth: 'none',
        admit,
        permit: credentialRequired(ctx, count),
        query: Query({ realm: RealmQuery }),
        body: LOGIN_BODY,
        bodyLimit: MAX_LOGIN_BYTES,
        bodyOptional: true,
        handle: loginHandler(ctx, count),
      },
      { method: 'GET', path: '/whoami', auth: ['cookie'], query: Query({ realm: Type.Optional(RealmQuery) }), handle: whoamiHandler(ctx) },
      { method: 'GET', path: '/public/version', auth: 'none', handle: () => ({ status: 200, body: ctx.version, type: 'text/plain; charset=utf-8' }) },
      ownRightsRoute(ctx),
      certifyRoute(ctx),
      introspectRoute(ctx),
      auditRoute(ctx),
      ...operationsRoutes(ctx),
      buildRoute(ctx),
      ...sessionRoutes(ctx),
      ...realmRoutes(ctx),
      ...adminRoutes(ctx),
      ...credentialRoutes(ctx),
      ...totpRoutes(ctx),
      ...keySetRoutes(ctx),
      ...machineRoutes(ctx, admit),
      ...signInRoutes(ctx),
    ];
    return describeRoutes(withParameters(routes));
  },
});
