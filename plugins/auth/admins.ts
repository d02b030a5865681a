// /admins: administration of admin records.
import type { Static } from 'typebox';
import type { Admin, AdminRecord, Principal } from '../../actors/directory/api.ts';
import { Fault } from '../../kernel/fault.ts';
import { requireCaller } from '../../kernel/http/caller/credential.ts';
import { nameIn } from '../../kernel/http/name.ts';
import type { Asking, Request, Route } from '../../kernel/http/route.ts';
import Type from '../../kernel/type.ts';
import type { AuthContext } from './actors.ts';
import { answerNames, NAME_QUERY } from './listing.ts';
import { ADMIN_ID, Free, Ignored, IgnoredName, REALM_ID, SUBJECT, USERNAME } from './parameters.ts';
import { actorOf, forAdmins, forSuperAdmins, type Rights, requireFound, rightsOf } from './rights.ts';
import { usernameOf } from './username.ts';

const text = Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 255 }), Type.Null()]));
const MEMBERS = {
  realms: Type.Array(REALM_ID, { maxItems: 1_000 }),
  // A name with a colon would be that of a user who signs in otherwise: jwt:sub, cc:name.
  userpass: Type.Optional(Type.Union([USERNAME, Type.Null()])),
  // Only names that a token or a certificate can have: any other would give its rights to nobody, without an error.
  jwt: Type.Optional(Type.Union([SUBJECT, Type.Null()])),
  fido2: text,
  digital_credentials: Type.Optional(Type.Union([Free, Type.Null()])),
  client_certificate: Type.Optional(Type.Union([USERNAME, Type.Null()])),
  // Accepted and ignored: their values are shown only once, when they are generated.
  totp_enabled: Ignored,
  totp_secret: Ignored,
  totp_auth_url: Ignored,
};
const strict = { additionalProperties: false };
/** The body names a new admin; the path names an existing one. */
const NEW_BODY = Type.Object({ id: ADMIN_ID, ...MEMBERS }, strict);
const ADMIN_BODY = Type.Object({ id: IgnoredName, ...MEMBERS }, strict);
type AdminBody = Static<typeof ADMIN_BODY>;

export function adminRoutes(ctx: AuthContext): readonly Route[] {
  const directory = ctx.actors.directory.at('main');
  const owners: Route['permit'] = async (asking) => void (await loadAdministered(ctx, asking));
  return [
    {
      method: 'POST',
      path: '/admins',
      auth: ['cookie'],
      permit: forAdmins(ctx),
      body: NEW_BODY,
      handle: async (request: Request<Static<typeof NEW_BODY>>) => {
        requireAll(await rightsOf(ctx, requireCaller(request)), request.body.realms);
        const id = nameIn(request.body.id, 'body/id');
        return { status: 201, body: await directory.createAdmin(recordOf(id, request.body), actorOf(request)) };
      },
    },
    {
      method: 'GET',
      path: '/admins',
      auth: ['cookie'],
      permit: forSuperAdmins(ctx),
      query: NAME_QUERY,
      handle: (request) => answerNames(request, (page) => directory.listAdmins(page)),
    },
    {
      method: 'GET',
      path: '/admins/{admin_id}',
      auth: ['cookie'],
      handle: async (request) => ({ status: 200, body: requireFound((await loadAdministered(ctx, request)).admin, 'admin') }),
    },
    {
      method: 'PUT',
      path: '/admins/{admin_id}',
      auth: ['cookie'],
      permit: owners,
      body: ADMIN_BODY,
      handle: async (request: Request<AdminBody>) => {
        requireAll(await rightsOf(ctx, requireCaller(request)), request.body.realms);
        return { status: 200, body: requireFound(await directory.updateAdmin(recordOf(adminIn(request), request.body), actorOf(request)), 'admin') };
      },
    },
    {
      method: 'DELETE',
      path: '/admins/{admin_id}',
      auth: ['cookie'],
      permit: owners,
      handle: async (request) => {
        await directory.deleteAdmin(adminIn(request), actorOf(request));
        return { status: 204 };
      },
    },
    membership(ctx, 'PUT', directory.addAdminRealm),
    membership(ctx, 'DELETE', directory.removeAdminRealm),
  ];
}

/** @throws Fault FORBIDDEN for realms that the caller does not administer */
function requireAll({ isSuperAdmin, administersAll }: Rights, realms: readonly string[]): void {
  if (!isSuperAdmin && !administersAll(realms)) throw new Fault('FORBIDDEN');
}

/** A route that adds a realm to an admin or removes it; it answers with the changed admin. */
function membership(ctx: AuthContext, method: 'PUT' | 'DELETE', change: (id: string, realm: string, by: Principal) => Promise<Admin | null>): Route {
  const directory = ctx.actors.directory.at('main');
  return {
    method,
    path: '/admins/{admin_id}/realms/{realm_id}',
    auth: ['cookie'],
    async permit(asking) {
      const { rights } = await loadAdministered(ctx, asking);
      if (!rights.administers(asking.params['realm_id'] as string)) throw new Fault('FORBIDDEN');
    },
    handle: async (request) => {
      const realm = request.params['realm_id'] as string;
      const id = adminIn(request);
      requireFound(await directory.getAdmin(id), 'admin');
      requireFound(await directory.getRealm(realm), 'realm');
      return { status: 200, body: requireFound(await change(id, realm, actorOf(request)), 'admin or the realm') };
    },
  };
}

/** The id of the admin in the path. */
function adminIn({ params }: Pick<Asking, 'params'>): string {
  return requireFound(usernameOf(params['admin_id'] as string), 'admin');
}

/** The admin of the path; a realm admin gets 403 for every one they do not own, existing or not. */
async function loadAdministered(ctx: AuthContext, asking: Asking): Promise<{ admin: Admin | null; rights: Rights }> {
  const id = adminIn(asking);
  const rights = await rightsOf(ctx, requireCaller(asking));
  const admin = await ctx.actors.directory.at('main').getAdmin(id);
  if (!rights.isSuperAdmin && !(admin && rights.administersAll(admin.realms))) throw new Fault('FORBIDDEN');
  return { admin, rights };
}

function recordOf(id: string, body: AdminBody): AdminRecord {
  const { realms, userpass = null, jwt = null, fido2 = null, digital_credentials = null, client_certificate = null } = body;
  return {
    id,
    realms: [...new Set(realms)],
    userpass: userpass === null ? null : nameIn(userpass, 'body/userpass'),
    jwt: jwt === null ? null : nameIn(jwt, 'body/jwt'),
    fido2,
    digital_credentials,
    client_certificate: client_certificate === null ? null : nameIn(client_certificate, 'body/client_certificate'),
  };
}
