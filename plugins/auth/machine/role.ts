// Common to both kinds of roles: who may manage them, the rule for their names, and members of their bodies.
import type { Principal } from '../../../actors/token/api.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Request, Response, Route } from '../../../kernel/http/route.ts';
import type { EncodedPage } from '../../../kernel/runtime/channel/encoded-page.ts';
import type { PageRequest } from '../../../kernel/store/page.ts';
import Type from '../../../kernel/type.ts';
import type { AuthContext } from '../actors.ts';
import { ignoredMembers } from '../ignored-members.ts';
import { answerList, PAGE_MEMBERS } from '../listing.ts';
import { MAX_STORED_BYTES, Query } from '../parameters.ts';
import { actorOf, forSuperAdmins } from '../rights.ts';

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const MAX_ENTRIES = 256;
export const MAX_ENTRY_CHARACTERS = 512;

const IGNORED = 'a request about a role had members that this server does not know: they restrict nothing';

const MAX_SECONDS = 2 ** 31 - 1;
const MAX_USES = MAX_SECONDS;

/** `?list=true` is accepted because the specification has it, but not needed. */
export const LIST_QUERY = Query({ list: Type.Optional(Type.Boolean()), ...PAGE_MEMBERS });

export const Seconds = (options: { default?: number } = {}) => Type.Integer({ minimum: 0, maximum: MAX_SECONDS, ...options });

/** 0: unlimited. */
export const Uses = () => Type.Integer({ minimum: 0, maximum: MAX_USES, default: 0 });

/**
 * Two names of one limit, of which the lower holds: `token_max_ttl` ends a token here whatever renews it, as `token_explicit_max_ttl` does in Vault.
 * Answers have the first.
 */
export function maxTtlOf({
  token_max_ttl: first = 0,
  token_explicit_max_ttl: second = 0,
}: {
  token_max_ttl?: number;
  token_explicit_max_ttl?: number;
}): number {
  return first === 0 || second === 0 ? first + second : Math.min(first, second);
}

export const Strings = (options: { default?: string[]; minItems?: number; 'x-max-bytes'?: number } = {}) =>
  Type.Array(Type.String({ minLength: 1, maxLength: MAX_ENTRY_CHARACTERS }), { maxItems: MAX_ENTRIES, 'x-max-bytes': MAX_STORED_BYTES, ...options });

export function isRoleName(name: string): boolean {
  return NAME.test(name);
}

/**
 * Clients and proxies take `.` and `..` out of paths (RFC 3986 section 5.2.4), so such a role could hardly be named again. Only new ones are refused: a role
 * that an earlier version made can still be deleted.
 * @throws Fault NOT_FOUND
 */
export function requireAddressable(name: string): void {
  if (name === '.' || name === '..') throw new Fault('NOT_FOUND', { detail: `a role cannot be called ${name}: clients take it out of paths` });
}

// biome-ignore lint/suspicious/noExplicitAny: a handler knows the type of its body from its own schema.
type Handler = (request: Request<any>, by: Principal, name: string) => Promise<Response>;

/** A route for super admins only, because roles are not part of a realm. `name` is the role's name in the path; an invalid name is answered with NOT_FOUND. */
export function defineManagedRoute(ctx: AuthContext, route: Omit<Route, 'auth' | 'handle'>, handle: Handler): Route {
  return {
    ...route,
    auth: ['cookie'],
    permit: forSuperAdmins(ctx),
    async handle(request) {
      const { name } = request.params;
      if (name !== undefined && !isRoleName(name)) throw new Fault('NOT_FOUND');
      const answer = await handle(request, actorOf(request), name ?? '');
      const ignored = route.body && ignoredMembers(route.body, request.body);
      if (ignored !== undefined) ctx.log.warn({ path: route.path, role: name, members: ignored }, IGNORED);
      return answer;
    },
  };
}

/** @throws Fault NOT_FOUND for null, which stands for an unknown role */
export function existing<T>(found: T | null): T {
  if (found === null) throw new Fault('NOT_FOUND', { detail: 'the role does not exist' });
  return found;
}

/** The answer with a list of names. */
export function keysAnswer(request: Request, read: (page: PageRequest) => Promise<EncodedPage<string>>): Promise<Response> {
  return answerList(request, read, ['{"data":{"keys":', '}}']);
}
