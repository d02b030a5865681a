// The routes /me and /server-info: the identity of the caller, and the version and features of the server.
import type { SlotStatus } from '../../actors/hsm/api.ts';
import { CREDENTIAL_KINDS } from '../../kernel/http/caller/credential.ts';
import type { Route } from '../../kernel/http/route.ts';
import Type from '../../kernel/type.ts';
import { VERSIONS } from '../../kmip/version.ts';
import type { KeysContext } from './actors.ts';
import { principalIn } from './identity.ts';

const ME = Type.Object({ user: Type.String(), realm: Type.Optional(Type.String()), scheme: Type.String() });
const SLOT = Type.Object({ slot_id: Type.Integer(), accessible: Type.Boolean() });
const SERVER_INFO = Type.Object({
  version: Type.String(),
  kmip_versions: Type.Array(Type.String()),
  vendor_identification: Type.String(),
  hsm_instances: Type.Array(
    Type.Object({
      prefix: Type.String(),
      model: Type.String(),
      slots: Type.Array(SLOT, { description: 'as the server last saw them; empty if not known yet' }),
    }),
  ),
});

export function serverRoutes(ctx: KeysContext): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/me',
      auth: CREDENTIAL_KINDS,
      tag: 'Server',
      summary: 'Get the identity of the caller: the name that owns objects and receives grants',
      responses: { 200: { description: 'the caller', schema: ME } },
      handle(request) {
        const { user, name = user, realm, scheme } = principalIn(ctx.config, request);
        return { status: 200, body: { user: name, ...(realm === undefined ? {} : { realm }), scheme } };
      },
    },
    {
      method: 'GET',
      path: '/server-info',
      auth: CREDENTIAL_KINDS,
      tag: 'Server',
      summary: 'Get the version and the features of the server',
      responses: { 200: { description: 'the server', schema: SERVER_INFO } },
      handle: () => ({
        status: 200,
        body: {
          version: ctx.version,
          kmip_versions: VERSIONS.map(({ major, minor }) => `${major}.${minor}`),
          vendor_identification: ctx.config.vendor_identification,
          hsm_instances: [...ctx.reported('hsm')].map(([prefix, status]) => ({
            prefix,
            model: modelOf(prefix),
            slots: (status?.detail ?? []) as readonly SlotStatus[],
          })),
        },
      }),
    },
  ];
}

/** `hsm::soft_hsm_1` is the second instance of the model soft_hsm; names of models do not end in a number. */
function modelOf(prefix: string): string {
  return prefix.replace(/^hsm::/, '').replace(/_\d+$/, '');
}
