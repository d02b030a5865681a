// The routes /admins/realms/...: administration of realms.
import type { Static } from 'typebox';
import type { AuthParams, Realm } from '../../actors/directory/api.ts';
import { Fault } from '../../kernel/fault.ts';
import { requireCaller } from '../../kernel/http/caller/credential.ts';
import { isFetchable } from '../../kernel/http/outbound.ts';
import type { Request, Route } from '../../kernel/http/route.ts';
import { composed } from '../../kernel/normal-form.ts';
import Type from '../../kernel/type.ts';
import type { AuthContext } from './actors.ts';
import { answerNames, NAME_QUERY } from './listing.ts';
import { DOCUMENT_ADDRESS, IgnoredName, MAX_AUTH_PARAMS_BYTES, REALM_ID } from './parameters.ts';
import { actorOf, forAdmins, forRealmAdmins, forSuperAdmins, requireFound, rightsOf } from './rights.ts';

const strict = { additionalProperties: false };
const MAX_AGE_SECONDS = 2 ** 31 - 1;
const TEN_YEARS = 315_360_000;
/** With a shorter age of passwords, a new one would be too old before anybody has corrected it. */
const FLOOR_SECONDS = 60;
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));

const PROVIDER = Type.Object(
  {
    jwt_issuer_uri: Type.String({ minLength: 1, maxLength: 2_048 }),
    jwks_uri: DOCUMENT_ADDRESS,
    jwt_audience: nullable(Type.String({ minLength: 1, maxLength: 2_048 })),
  },
  strict,
);
const AUTH_PARAMS = Type.Object(
  {
    username_password_params: nullable(Type.Object({ enabled: Type.Optional(Type.Boolean()), allow_expired_passwords: Type.Optional(Type.Boolean()) }, strict)),
    jwt_params: nullable(
      Type.Object(
        {
          idp_params: Type.Optional(Type.Array(PROVIDER, { maxItems: 100 })),
          smallest_refresh_interval_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
        },
        strict,
      ),
    ),
    totp_params: nullable(
      Type.Object(
        { algorithm: Type.Optional(Type.Enum(['SHA1', 'SHA256', 'SHA512'])), step: Type.Optional(Type.Integer({ minimum: 15, maximum: 300 })) },
        strict,
      ),
    ),
  },
  { ...strict, 'x-max-bytes': MAX_AUTH_PARAMS_BYTES },
);
const MEMBERS = {
  auth_params: nullable(AUTH_PARAMS),
  session_max_age_seconds: Type.Integer({ default: 3_600, minimum: 1, maximum: MAX_AGE_SECONDS }),
  session_max_stale_age_seconds: Type.Integer({ default: 3_600, minimum: 1, maximum: MAX_AGE_SECONDS }),
  certificate_max_age_seconds: Type.Integer({ default: 31_536_000, minimum: 1, maximum: TEN_YEARS }),
  password_max_age_seconds: Type.Integer({
    default: 0,
    not: { exclusiveMinimum: 0, exclusiveMaximum: FLOOR_SECONDS },
    minimum: 0,
    maximum: MAX_AGE_SECONDS,
    description: `0 for no limit, or at least ${FLOOR_SECONDS} seconds`,
  }),
};
/** The body names a new realm; the path names an existing one. */
const NEW_BODY = Type.Object({ id: REALM_ID, ...MEMBERS }, strict);
const REALM_BODY = Type.Object({ id: IgnoredName, ...MEMBERS }, strict);
type RealmBody = Static<typeof REALM_BODY>;

export function realmRoutes(ctx: AuthContext): readonly Route[] {
  const directory = ctx.actors.directory.at('main');
  const superAdmins = forSuperAdmins(ctx);
  return [
    {
      method: 'POST',
      path: '/admins/realms',
      auth: ['cookie'],
      permit: superAdmins,
      body: NEW_BODY,
      handle: async (request: Request<Static<typeof NEW_BODY>>) => {
        return { status: 201, body: await directory.createRealm(realmOf(request.body.id, request.body), actorOf(request)) };
      },
    },
    {
      method: 'GET',
      path: '/admins/realms',
      auth: ['cookie'],
      permit: forAdmins(ctx),
      query: NAME_QUERY,
      handle: async (request) => {
        const { realms, isSuperAdmin } = await rightsOf(ctx, requireCaller(request));
        return answerNames(request, (page) => directory.listRealms(isSuperAdmin ? null : realms, page));
      },
    },
    {
      method: 'GET',
      path: '/admins/realms/{realm_id}',
      auth: ['cookie'],
      permit: forRealmAdmins(ctx),
      handle: async (request) => ({ status: 200, body: requireFound(await directory.getRealm(request.params['realm_id'] as string), 'realm') }),
    },
    {
      method: 'PUT',
      path: '/admins/realms/{realm_id}',
      auth: ['cookie'],
      permit: superAdmins,
      body: REALM_BODY,
      handle: async (request: Request<RealmBody>) => {
        const realm = realmOf(request.params['realm_id'] as string, request.body);
        return { status: 200, body: requireFound(await directory.updateRealm(realm, actorOf(request)), 'realm') };
      },
    },
    {
      method: 'DELETE',
      path: '/admins/realms/{realm_id}',
      auth: ['cookie'],
      permit: superAdmins,
      handle: async (request) => {
        // Others have their turn between the parts of a large realm.
        while (!(await directory.deleteRealm(request.params['realm_id'] as string, actorOf(request))));
        return { status: 204 };
      },
    },
  ];
}

/** The id in the path takes precedence over the one in the body. */
function realmOf(id: string, { auth_params, id: _ignored, ...rest }: RealmBody): Realm {
  const params = (auth_params ?? {}) as AuthParams;
  const providers = params.jwt_params?.idp_params ?? [];
  requireDistinct(providers.map(({ jwt_issuer_uri: issuer }) => composed(issuer)));
  for (const { jwks_uri: uri } of providers) {
    if (!isFetchable(uri))
      throw new Fault('BAD_REQUEST', { detail: 'body/auth_params/jwt_params/idp_params: jwks_uri must be https, or http on the same machine' });
  }
  return { id, auth_params: params, ...rest };
}

/**
 * Users of several providers are named `<issuer>#<sub>`: no provider may give a name that is one of another provider.
 * @param issuers in the form in which they stand in names
 */
function requireDistinct(issuers: readonly string[]): void {
  const at = 'body/auth_params/jwt_params/idp_params';
  if (new Set(issuers).size !== issuers.length) throw new Fault('BAD_REQUEST', { detail: `${at}: two providers have the same issuer` });
  const mixed = issuers.find((issuer) => issuers.some((other) => issuer.startsWith(`${other}#`)));
  if (mixed !== undefined)
    throw new Fault('BAD_REQUEST', {
      detail: `${at}: the issuer ${mixed} begins like the user names of another provider, so that their users could not be told apart`,
    });
}
