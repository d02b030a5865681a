// The routes /access/...: list the objects that the caller owns or may use, and grant and revoke rights on them.
import type { Static, TSchema } from 'typebox';
import type { Listed, Page } from '../../actors/kmip/api.ts';
import { CREDENTIAL_KINDS } from '../../kernel/http/caller/credential.ts';
import { nameIn } from '../../kernel/http/name.ts';
import type { Request, ResponseDescription, Route } from '../../kernel/http/route.ts';
import Type from '../../kernel/type.ts';
import { OPERATION_NAMES } from '../../kmip/operation-name.ts';
import type { KeysContext } from './actors.ts';
import type { KeysConfig } from './config.ts';
import { principalIn } from './identity.ts';
import { jsonNames } from './json-names.ts';

/** Only bounds the body: no user name is this long, and the key server has a lower limit of its own. */
const MAX_USER_CHARACTERS = 512;
const strict = { additionalProperties: false };
const text = Type.String();
const texts = Type.Array(text);
const OPERATION = Type.String({
  maxLength: 64,
  pattern: '^[A-Za-z][A-Za-z0-9_ -]*$',
  description: 'a KMIP operation, in upper or lower case; its words may be separated by spaces, - or _',
  'x-document': { enum: OPERATION_NAMES.map((name) => name.toLowerCase()) },
});
const OPERATIONS = Type.Array(OPERATION, {
  minItems: 1,
  maxItems: 100,
  examples: [['encrypt', 'decrypt']],
});
const OBJECT = Type.String({ minLength: 1, maxLength: 1_024, examples: ['00000000-0000-4000-8000-000000000000'] });
/** `*` means everybody, `<realm>/*` everybody in a realm. */
const USER = Type.String({
  minLength: 1,
  maxLength: MAX_USER_CHARACTERS,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$',
  description: 'the name of a caller, as GET /me returns it',
  examples: ['team/ada'],
});

const GRANT_BODY = Type.Object({ unique_identifier: Type.Optional(OBJECT), user_id: USER, operation_types: OPERATIONS }, strict);
const CHECK_BODY = Type.Object({ unique_identifier: OBJECT, user_id: Type.Optional(USER), operation_types: OPERATIONS }, strict);
const SUCCESS = Type.Object({ success: text });

/** Items on one page. */
const MAX_LISTED = 1_000;
const PAGE = Type.Object(
  {
    limit: Type.Integer({ default: MAX_LISTED, minimum: 1, maximum: MAX_LISTED }),
    after: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096, description: 'from the header Link of the previous page' })),
  },
  strict,
);

const USER_ID = 'body/user_id';

/** Stands in place of an object in grants of the right to create, which is not a right on any object. */
const NO_OBJECT = '*';

export function accessRoutes(ctx: KeysContext): readonly Route[] {
  const { kmip } = ctx.actors;
  const who = (request: Request) => principalIn(ctx.config, request);
  const change = (verb: 'grant' | 'revoke', done: string) => async (request: Request<Static<typeof GRANT_BODY>>) => {
    const { unique_identifier: id = NO_OBJECT, user_id: user, operation_types: types } = request.body;
    await kmip[verb](id, nameIn(user, USER_ID), types, who(request));
    return { status: 200, body: { success: `Access for ${user} on ${id} successfully ${done}` } };
  };
  return [
    list(
      ctx.config,
      'owned',
      'List the objects that you own, newest first',
      Type.Object({ object_id: text, state: text, attributes: Type.Unknown() }),
      (request, page) => kmip.listOwned(who(request), page),
    ),
    list(
      ctx.config,
      'obtained',
      'List the objects of others that you may use, and the operations allowed; objects granted to you by name come first',
      Type.Object({ object_id: text, owner_id: text, state: text, operations: texts }),
      (request, page) => kmip.listObtained(who(request), page),
    ),
    list(
      ctx.config,
      'list/{object_id}',
      'List who may use an object (owner only)',
      Type.Object({ user_id: text, operations: texts }),
      (request, page) => kmip.grantees(request.params['object_id'] as string, who(request), page),
      FOR_OWNERS,
    ),
    post('grant', 'Grant a user operations on an object', GRANT_BODY, SUCCESS, change('grant', 'added'), FOR_OWNERS),
    post('revoke', "Revoke a user's operations on an object", GRANT_BODY, SUCCESS, change('revoke', 'deleted'), FOR_OWNERS),
    get('create', 'Tell whether you may create objects', Type.Object({ has_create_permission: Type.Boolean() }), async (request) => ({
      status: 200,
      body: { has_create_permission: await kmip.mayCreate(who(request)) },
    })),
    get(
      'privileged',
      'Tell whether you are a privileged user, who may always create objects and may grant that right',
      Type.Object({ has_privileged_access: Type.Boolean() }),
      async (request) => ({
        status: 200,
        body: { has_privileged_access: await kmip.isPrivileged(who(request)) },
      }),
    ),
    post(
      'check',
      "Check which operations you may do with an object; only its owner may check another user's rights",
      CHECK_BODY,
      Type.Object({ allowed: Type.Record(Type.String(), Type.Boolean()) }),
      async (request: Request<Static<typeof CHECK_BODY>>) => {
        const { unique_identifier: id, user_id: user, operation_types: types } = request.body;
        return { status: 200, body: { allowed: await kmip.check(id, user === undefined ? undefined : nameIn(user, USER_ID), types, who(request)) } };
      },
    ),
  ];
}

const FOR_OWNERS: Readonly<Record<number, ResponseDescription>> = {
  403: { description: 'the caller does not own the object, or the request names the caller' },
  404: { description: 'there is no such object' },
  422: { description: 'the operation cannot be granted on this object, or the token that may have it does not answer' },
};

function get(path: string, summary: string, schema: TSchema, handle: Route['handle'], refusals: Readonly<Record<number, ResponseDescription>> = {}): Route {
  const params = path.includes('{object_id}') ? { params: Type.Object({ object_id: OBJECT }) } : {};
  return {
    ...COMMON,
    ...params,
    method: 'GET',
    path: `/access/${path}`,
    summary,
    responses: { 200: { description: 'success', schema }, ...refusals },
    handle,
  };
}

/** A route that returns one page of a list. If more follows, the Link header holds the address of the next page (RFC 8288). */
function list(
  config: KeysConfig,
  path: string,
  summary: string,
  item: TSchema,
  read: (request: Request, page: Page) => Promise<Listed<unknown>>,
  refusals: Readonly<Record<number, ResponseDescription>> = {},
): Route {
  const handle = async (request: Request) => {
    const { limit: asked, after } = request.query;
    const limit = asked === undefined ? MAX_LISTED : Number(asked);
    const { items, next } = await read(request, { limit, after, names: jsonNames(config, request) });
    if (next === undefined) return { status: 200, body: items };
    const address = `/access/${path.replace('{object_id}', encodeURIComponent(request.params['object_id'] ?? ''))}`;
    return { status: 200, body: items, headers: { link: `<${address}?limit=${limit}&after=${encodeURIComponent(next)}>; rel="next"` } };
  };
  return { ...get(path, summary, Type.Array(item), handle, refusals), query: PAGE };
}

function post(
  path: string,
  summary: string,
  body: TSchema,
  schema: TSchema,
  handle: Route['handle'],
  refusals: Readonly<Record<number, ResponseDescription>> = {},
): Route {
  return { ...get(path, summary, schema, handle, refusals), method: 'POST', body };
}

const COMMON = { auth: CREDENTIAL_KINDS, tag: 'Access control' } as const;
