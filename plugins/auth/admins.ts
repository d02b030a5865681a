// /admins: administration of admin records.
import Type, { type Static } from 'typebox';
import type { Actor, Admin, AdminRecord } from '../../actors/directory/api.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Caller } from '../../kernel/http/credential.ts';
import type { Request, Route } from '../../kernel/http/route.ts';
import type { AuthContext } from './actors.ts';
import { actorOf, found, type Rights, requireSuperAdmin, rightsOf } from './rights.ts';
import { isUsername } from './username.ts';

const text = Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 255 }), Type.Null()]));
/** Ignored on input: what they hold is shown once, when it is generated. */
const ignored = Type.Optional(Type.Unknown());
const ADMIN_BODY = Type.Object(
  {
    id: Type.Optional(Type.String()),
    realms: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 1_000 }),
    userpass: text,
    jwt: text,
    fido2: text,
    digital_credentials: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
    client_certificate: text,
    totp_enabled: ignored,
    totp_secret: ignored,
    totp_auth_url: ignored,
  },
  { additionalProperties: false },
);
type AdminBody = Static<typeof ADMIN_BODY>;
/** Names that are paths of their own below /admins. */
const TAKEN: ReadonlySet<string> = new Set(['realms', 'userpass']);

export function adminRoutes(ctx: AuthContext): readonly Route[] {
  const directory = ctx.actors.directory.at('main');
  return [
    {
      method: 'POST',
      path: '/admins',
      auth: ['cookie'],
      body: ADMIN_BODY,
      handle: async (request: Request<AdminBody>) => {
        const rights = await rightsOf(ctx, request.caller as Caller);
        if (!rights.isSuperAdmin && !rights.administersAll(request.body.realms)) throw new Fault('FORBIDDEN');
        const { id } = request.body;
        if (id === undefined || !isUsername(id) || TAKEN.has(id)) throw new Fault('BAD_REQUEST', { detail: 'body/id: cannot be the id of an admin' });
        return { status: 201, body: await directory.createAdmin(recordOf(id.normalize('NFC'), request.body), actorOf(request)) };
      },
    },
    {
      method: 'GET',
      path: '/admins',
      auth: ['cookie'],
      handle: async (request) => {
        await requireSuperAdmin(ctx, request);
        return { status: 200, body: await directory.listAdmins() };
      },
    },
    {
      method: 'GET',
      path: '/admins/{admin_id}',
      auth: ['cookie'],
      handle: async (request) => ({ status: 200, body: found((await owned(ctx, request)).admin, 'such admin') }),
    },
    {
      method: 'PUT',
      path: '/admins/{admin_id}',
      auth: ['cookie'],
      body: ADMIN_BODY,
      handle: async (request: Request<AdminBody>) => {
        const { admin, rights, by } = await owned(ctx, request);
        if (!rights.isSuperAdmin && !rights.administersAll(request.body.realms)) throw new Fault('FORBIDDEN');
        return { status: 200, body: found(await directory.updateAdmin(recordOf(found(admin, 'such admin').id, request.body), 'written', by), 'such admin') };
      },
    },
    {
      method: 'DELETE',
      path: '/admins/{admin_id}',
      auth: ['cookie'],
      handle: async (request) => {
        const { by, id } = await owned(ctx, request);
        await directory.deleteAdmin(id, by);
        return { status: 204 };
      },
    },
    membership(ctx, 'PUT', (realms, realm) => [...new Set([...realms, realm])]),
    membership(ctx, 'DELETE', (realms, realm) => realms.filter((other) => other !== realm)),
  ];
}

/** Adds a realm to an admin or takes it away; both answer the admin as it is then. */
function membership(ctx: AuthContext, method: 'PUT' | 'DELETE', change: (realms: readonly string[], realm: string) => string[]): Route {
  const directory = ctx.actors.directory.at('main');
  return {
    method,
    path: '/admins/{admin_id}/realms/{realm_id}',
    auth: ['cookie'],
    handle: async (request) => {
      const realm = request.params['realm_id'] as string;
      const { admin, rights, by } = await owned(ctx, request);
      if (!rights.administers(realm)) throw new Fault('FORBIDDEN');
      const { totp_enabled: _e, totp_secret: _s, totp_auth_url: _u, ...record } = found(admin, 'such admin');
      found(await directory.getRealm(realm), 'such realm');
      return { status: 200, body: found(await directory.updateAdmin({ ...record, realms: change(record.realms, realm) }, 'kept', by), 'such admin') };
    },
  };
}

/** The admin of the path; a realm admin gets 403 for every one they do not own, existing or not. */
async function owned(ctx: AuthContext, request: Request): Promise<{ admin: Admin | null; rights: Rights; by: Actor; id: string }> {
  const id = request.params['admin_id'] as string;
  const rights = await rightsOf(ctx, request.caller as Caller);
  const admin = isUsername(id) ? await ctx.actors.directory.at('main').getAdmin(id.normalize('NFC')) : null;
  if (!rights.isSuperAdmin && !(admin && rights.administersAll(admin.realms))) throw new Fault('FORBIDDEN');
  return { admin, rights, by: actorOf(request), id: id.normalize('NFC') };
}

function recordOf(id: string, body: AdminBody): AdminRecord {
  const { realms, userpass = null, jwt = null, fido2 = null, digital_credentials = null, client_certificate = null } = body;
  return {
    id,
    realms: [...new Set(realms)],
    userpass: userpass?.normalize('NFC') ?? null,
    jwt: jwt?.normalize('NFC') ?? null,
    fido2,
    digital_credentials,
    client_certificate,
  };
}
