// The routes /access/tombstones, /access/transfer and /access/destroy: super admins manage the objects of deleted accounts.
import type { Static } from 'typebox';
import type { Principal } from '../../actors/kmip/api.ts';
import { Fault } from '../../kernel/fault.ts';
import { requireCaller } from '../../kernel/http/caller/credential.ts';
import { sourceOf } from '../../kernel/http/connection/source.ts';
import { nameIn } from '../../kernel/http/name.ts';
import type { Asking, Request, Route } from '../../kernel/http/route.ts';
import { userName } from '../../kernel/store/account-name.ts';
import Type from '../../kernel/type.ts';
import type { KeysContext } from './actors.ts';

const strict = { additionalProperties: false };
const MAX_LISTED = 1_000;
const MAX_NAME_LENGTH = 1_024;
const MAX_IDENTIFIER_LENGTH = 1_024;

const FROM = Type.String({
  minLength: 1,
  maxLength: MAX_NAME_LENGTH,
  description: 'the account, or its name if only one deleted account had that name',
  examples: ['team/ada'],
});
const TO = Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH, description: 'the name of the new owner', examples: ['team/bob'] });
const OBJECT = Type.Optional(Type.String({ minLength: 1, maxLength: MAX_IDENTIFIER_LENGTH, description: 'identifier of one object; without it, all objects' }));
const QUERY = Type.Object(
  {
    limit: Type.Integer({ default: 100, minimum: 1, maximum: MAX_LISTED }),
    after: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH, description: 'the value of `next` in the previous page' })),
  },
  strict,
);
const TRANSFER_BODY = Type.Object({ from: FROM, to: TO, unique_identifier: OBJECT }, strict);
const DESTROY_BODY = Type.Object({ from: FROM, unique_identifier: OBJECT }, strict);
const REMAINING = Type.Integer({ description: 'number of objects that remain; call again until it is 0' });
const TOMBSTONE = Type.Object({
  account: Type.String(),
  name: Type.String(),
  ended_at: Type.Union([Type.Integer(), Type.Null()], { description: 'Unix seconds; null if unknown' }),
  objects: Type.Integer({ description: 'number of objects that are not destroyed' }),
});
const TOMBSTONES = Type.Object({ tombstones: Type.Array(TOMBSTONE), next: Type.Union([Type.String(), Type.Null()]) });

const COMMON = { auth: ['cookie'], tag: 'Access control' } as const;
const REFUSALS = {
  403: { description: 'the caller is not a super admin' },
  404: { description: 'no deleted account of this name owns anything, or it does not own this object' },
  422: { description: 'several deleted accounts had the name, nobody has the new name, or the new owner has a keyset of the same name' },
};

export function tombstoneRoutes(ctx: KeysContext): readonly Route[] {
  const { kmip } = ctx.actors;
  const permit: Route['permit'] = async (asking) => void (await superAdmin(ctx, asking));
  return [
    {
      ...COMMON,
      permit,
      method: 'GET',
      path: '/access/tombstones',
      summary: 'List deleted accounts that still own objects (super admins only)',
      query: QUERY,
      responses: { 200: { description: 'success', schema: TOMBSTONES }, 403: REFUSALS[403] },
      async handle(request) {
        const { limit, after } = request.query as unknown as Static<typeof QUERY>;
        return { status: 200, body: await kmip.tombstones(after === undefined ? undefined : nameIn(after, 'query/after'), Number(limit)) };
      },
    },
    {
      ...COMMON,
      permit,
      method: 'POST',
      path: '/access/transfer',
      summary: 'Hand over the objects of a deleted account (super admins only)',
      body: TRANSFER_BODY,
      responses: { 200: { description: 'success', schema: Type.Object({ transferred: Type.Integer(), remaining: REMAINING }) }, ...REFUSALS },
      async handle(request: Request<Static<typeof TRANSFER_BODY>>) {
        const by = await superAdmin(ctx, request);
        const { from, to, unique_identifier: id } = request.body;
        return { status: 200, body: await kmip.transfer(nameIn(from, 'body/from'), nameIn(to, 'body/to'), id, by) };
      },
    },
    {
      ...COMMON,
      permit,
      method: 'POST',
      path: '/access/destroy',
      summary: 'Destroy the objects of a deleted account (super admins only)',
      body: DESTROY_BODY,
      responses: { 200: { description: 'success', schema: Type.Object({ destroyed: Type.Integer(), remaining: REMAINING }) }, ...REFUSALS },
      async handle(request: Request<Static<typeof DESTROY_BODY>>) {
        const by = await superAdmin(ctx, request);
        const { from, unique_identifier: id } = request.body;
        return { status: 200, body: await kmip.destroyOwned(nameIn(from, 'body/from'), id, by) };
      },
    },
  ];
}

/** The caller, if a super admin; realm `_` need not be among those that may use the key server. @throws Fault FORBIDDEN for anybody else */
async function superAdmin(ctx: KeysContext, asking: Asking): Promise<Principal> {
  const { realm, username, account = '', scheme } = requireCaller(asking);
  if (!(await ctx.actors.directory.at('main').administers({ realm, account }, '_'))) throw new Fault('FORBIDDEN');
  const name = scheme === 'up' ? userName(realm, username) : userName(realm, `${scheme}:${username}`);
  return { user: account, name, realm, scheme, source: sourceOf(asking.address) };
}
