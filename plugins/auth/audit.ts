// GET /audit: the audit log, page by page.
import { Fault } from '../../kernel/fault.ts';
import { requireCaller } from '../../kernel/http/caller/credential.ts';
import type { Route } from '../../kernel/http/route.ts';
import { composed } from '../../kernel/normal-form.ts';
import Type from '../../kernel/type.ts';
import type { AuthContext } from './actors.ts';
import { joinParts } from './listing.ts';
import { Query } from './parameters.ts';
import { rightsOf } from './rights.ts';

const text = Type.Optional(Type.String({ maxLength: 1_024 }));
const CURSOR = Type.Optional(Type.String({ maxLength: 1_024, pattern: '^[A-Za-z0-9_-]*$', description: 'the value of `next` in the previous page' }));
const ORDER = Type.Enum(['oldest', 'newest'], { default: 'oldest', description: 'which rows come first; a cursor belongs to one order' });
const QUERY = Query({ realm: text, event: text, actor: text, order: ORDER, after: CURSOR, limit: Type.Integer({ default: 100, minimum: 1, maximum: 1_000 }) });

export function auditRoute(ctx: AuthContext): Route {
  return {
    method: 'GET',
    path: '/audit',
    auth: ['cookie'],
    async permit(asking) {
      const { realm } = asking.query;
      const rights = await rightsOf(ctx, requireCaller(asking));
      if (!rights.isSuperAdmin && !(typeof realm === 'string' && rights.administers(realm))) throw new Fault('FORBIDDEN');
    },
    query: QUERY,
    handle: async (request) => {
      const { realm, event, actor, order, after, limit } = request.query as Record<string, string | undefined>;
      const directory = ctx.actors.directory.at('main');
      // What happened in an earlier realm of this name is not for the administrators of the present one.
      const since = (await rightsOf(ctx, requireCaller(request))).isSuperAdmin ? undefined : await directory.formerEndOfRealm(realm as string);
      const filters = { realm, event, actor: actor === undefined ? undefined : composed(actor), since };
      const { json, next } = await directory.audit({ ...filters, after, limit: Number(limit), isNewestFirst: order === 'newest' });
      return { status: 200, ...joinParts(['{"events":[', json, `],"next":${JSON.stringify(next)}}`]) };
    },
  };
}
