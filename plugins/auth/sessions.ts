// The routes /sessions/...: look up sessions, list them by client, and end them.
import type { Static } from 'typebox';
import type { SessionView } from '../../actors/session/api.ts';
import { Fault } from '../../kernel/fault.ts';
import { type Caller, requireCaller } from '../../kernel/http/caller/credential.ts';
import type { Request, Response, Route } from '../../kernel/http/route.ts';
import { encodePage } from '../../kernel/runtime/channel/encoded-page.ts';
import type { Page } from '../../kernel/store/page.ts';
import Type from '../../kernel/type.ts';
import type { AuthContext } from './actors.ts';
import { CLEAR_COOKIE } from './cookie.ts';
import { answerList, PAGE_QUERY } from './listing.ts';
import { actorOf, forRealmAdmins, forSuperAdmins, isAdministered, type Rights, rightsOf } from './rights.ts';
import { CLIENTS, clientsOf, type SessionData, sessionData } from './session-data.ts';

const strict = { additionalProperties: false };
const MAX_SESSIONS = 1_000;
const MAX_CALLS_AT_ONCE = 64;
const IDS_BODY = Type.Object({ session_ids: Type.Array(Type.String({ maxLength: 64 }), { maxItems: MAX_SESSIONS }) }, strict);
const ACTION_BODY = Type.Object(
  { authenticated_clients: CLIENTS, sessions_action: Type.Optional(Type.Union([Type.Enum(['LogoutOtherSessions', 'LogoutAllSessions']), Type.Null()])) },
  strict,
);
const CLIENTS_BODY = Type.Union([CLIENTS, Type.Object({ authenticated_clients: CLIENTS }, strict)]);

export function sessionRoutes(ctx: AuthContext): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/sessions/{session_id}',
      auth: ['cookie', 'app-token'],
      handle: async (request) => ({ status: 200, body: (await lookUp(ctx, request))?.data ?? null }),
    },
    { method: 'POST', path: '/sessions/{session_id}', auth: ['cookie', 'app-token'], body: ACTION_BODY, handle: (request) => act(ctx, request) },
    {
      method: 'POST',
      path: '/sessions/realms/{realm_id}/clients',
      auth: ['cookie'],
      async permit(asking) {
        const realm = asking.params['realm_id'] as string;
        const caller = requireCaller(asking);
        if (caller.realm !== realm && !(await isAdministered(ctx, caller, realm))) throw new Fault('FORBIDDEN');
      },
      query: PAGE_QUERY,
      body: CLIENTS_BODY,
      handle: async (request: Request<Static<typeof CLIENTS_BODY>>) => {
        const realm = request.params['realm_id'] as string;
        const clients = clientsOf(Array.isArray(request.body) ? request.body : request.body.authenticated_clients);
        if (!mayEndAll(await rightsOf(ctx, requireCaller(request)), requireCaller(request), realm, clients)) throw new Fault('FORBIDDEN');
        return answerList(request, async (page) => encodePage(await ctx.actors.session.of(realm).list(realm, clients, page)), ['{"session_ids":', '}']);
      },
    },
    {
      method: 'DELETE',
      path: '/sessions',
      auth: ['cookie'],
      body: IDS_BODY,
      handle: (request) => end(ctx, request, (request.body as Static<typeof IDS_BODY>).session_ids),
    },
    {
      method: 'DELETE',
      path: '/sessions/expired',
      auth: ['cookie'],
      permit: forSuperAdmins(ctx),
      handle: async (request) => {
        await ctx.actors.session.of('').purge(actorOf(request));
        return { status: 204 };
      },
    },
    {
      method: 'DELETE',
      path: '/sessions/realms/{realm_id}',
      auth: ['cookie'],
      permit: forRealmAdmins(ctx),
      handle: async (request) => {
        const realm = request.params['realm_id'] as string;
        // Others have their turn between the parts.
        while (!(await ctx.actors.session.of(realm).endRealm(realm, actorOf(request))));
        return { status: 204, ...(request.caller?.realm === realm ? { headers: { 'set-cookie': CLEAR_COOKIE } } : {}) };
      },
    },
  ];
}

/** A session id is a UUID: what a client or its database writes in capitals names the same one (RFC 9562 section 4). */
const sessionIdIn = (given: string) => given.toLowerCase();

/** The session of the path. One that the caller may not see is null, like one that does not exist. */
async function lookUp(ctx: AuthContext, request: Request): Promise<{ view: SessionView; data: SessionData; rights: Rights } | null> {
  const caller = requireCaller(request);
  const id = sessionIdIn(request.params['session_id'] as string);
  const byToken = caller.credential === 'app-token';
  const rights = byToken ? tokenRights(caller) : await rightsOf(ctx, caller);
  const view = await ctx.actors.session.of(id).look(id, false);
  if (!view || !(rights.administers(view.realm) || (!byToken && owns(caller, view)))) return null;
  // A lookup by an API server on behalf of its visitor keeps the visitor's session alive.
  if (byToken && !(await ctx.actors.session.of(id).look(id, true))) return null;
  return { view, rights, data: sessionData(view, id === caller.sessionId ? request.cookie : undefined) };
}

/** The rights that the policies `sessions:read:<realm>` and `sessions:read:*` give to an app token. */
export function tokenRights({ policies = [] }: Caller): Rights {
  const administers = (realm: string) => policies.includes('sessions:read:*') || policies.includes(`sessions:read:${realm}`);
  return { isSuperAdmin: false, realms: [], administers, administersAll: (realms) => realms.every(administers) };
}

async function act(ctx: AuthContext, request: Request<Static<typeof ACTION_BODY>>): Promise<Response> {
  const seen = await lookUp(ctx, request);
  if (!seen) return { status: 200, body: null };
  const { view, data, rights } = seen;
  const { sessions_action: action, authenticated_clients } = request.body;
  if (!action) return { status: 200, body: data };
  // The policies of a token only allow reading.
  if (request.caller?.credential === 'app-token') throw new Fault('FORBIDDEN', { detail: 'an app token may look up sessions, but not end them' });
  const clients = clientsOf(authenticated_clients);
  if (!mayEndAll(rights, requireCaller(request), view.realm, clients)) throw new Fault('FORBIDDEN');
  const { headers = {} } = action === 'LogoutAllSessions' ? await endOwned(ctx, request, [view.id]) : {};
  let after: string | undefined;
  let cleared = headers;
  do {
    const page: Page<string> = await ctx.actors.session.of(view.id).list(view.realm, clients, { after, limit: MAX_SESSIONS });
    const ended = await endOwned(
      ctx,
      request,
      page.items.filter((id) => id !== view.id),
    );
    cleared = { ...cleared, ...ended.headers };
    after = page.next ?? undefined;
  } while (after !== undefined);
  return { status: 200, body: data, headers: cleared };
}

/** Users may list and end their own sessions; administrators of the realm, all of its sessions. */
function mayEndAll(rights: Rights, caller: Caller, realm: string, clients: readonly { username: string; scheme: string }[]): boolean {
  return rights.administers(realm) || clients.every(({ username, scheme }) => isOwn(caller, { realm, username, scheme }));
}

/** By the account too: another may have had the name when the session began. */
const owns = (caller: Caller, view: SessionView): boolean => isOwn(caller, view) && caller.account === view.account;

function isOwn(caller: Caller, { realm, username, scheme }: Pick<SessionView, 'realm' | 'username' | 'scheme'>): boolean {
  return caller.realm === realm && caller.username === username && caller.scheme === scheme;
}

async function end(ctx: AuthContext, request: Request, given: readonly string[]): Promise<Response> {
  const caller = requireCaller(request);
  const rights = await rightsOf(ctx, caller);
  const views = await inParts([...new Set(given.map(sessionIdIn))], (id) => ctx.actors.session.of(id).look(id, false));
  const ids = views.flatMap((view) => (view && (rights.administers(view.realm) || owns(caller, view)) ? [view.id] : []));
  return endOwned(ctx, request, ids);
}

async function endOwned(ctx: AuthContext, request: Request, ids: readonly string[]): Promise<Response> {
  await inParts(ids, (id) => ctx.actors.session.of(id).end([id], actorOf(request)));
  const own = request.caller?.sessionId;
  return { status: 204, ...(own !== undefined && ids.includes(own) ? { headers: { 'set-cookie': CLEAR_COOKIE } } : {}) };
}

/** Calls in batches: a request with a thousand ids must not fill the queue. */
async function inParts<T>(ids: readonly string[], call: (id: string) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let at = 0; at < ids.length; at += MAX_CALLS_AT_ONCE) results.push(...(await Promise.all(ids.slice(at, at + MAX_CALLS_AT_ONCE).map(call))));
  return results;
}
