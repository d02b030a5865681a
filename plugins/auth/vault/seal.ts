// Whether the server serves, as clients of Vault and OpenBao and what balances load before them ask: /v1/sys/health and /v1/sys/seal-status.
import Type from 'typebox';
import type { Request, Response, Route } from '../../../kernel/http/route.ts';
import { callWith } from '../../../kernel/runtime/lane.ts';
import type { AuthContext } from '../actors.ts';
import { Query } from '../parameters.ts';
import { json, VAULT_ERRORS, VAULT_TAG } from './form.ts';
import { REFUSALS, refuseUnserved } from './unserved.ts';

/** Anybody may ask: the store is looked at this often at most, milliseconds, and for so long. */
const FRESH_MS = 1_000;
const LOOK_MS = 3_000;
const NO_TOKEN = '';

const ACTIVE = 200;
const SEALED = 503;
const code = (about: string) => Type.Optional(Type.Integer({ minimum: 200, maximum: 599, description: `the status of the answer ${about}` }));
/** Every node serves by itself: the codes of those that stand by or follow are never used. */
const CODES = Query({ activecode: code('where the server serves'), sealedcode: code('where it does not') });

const flag = Type.Boolean();
const text = Type.String();
const count = Type.Integer();
const HEALTH = Type.Object({
  ...{ initialized: flag, sealed: flag, standby: flag, performance_standby: flag },
  ...{ replication_performance_mode: text, replication_dr_mode: text, server_time_utc: count, version: text },
});
const SEAL_STATUS = Type.Object({
  ...{ type: text, initialized: flag, sealed: flag, t: count, n: count, progress: count, nonce: text, version: text },
  ...{ migration: flag, recovery_seal: flag },
});

/** Statuses that HTTP has no content for (RFC 9110, 15.3.5, 15.3.6 and 15.4.5); those below 200 cannot be asked for. */
const BODILESS: readonly number[] = [204, 205, 304];
/** Any status may be asked for, also one that requests are refused with. */
const REFUSED = [400, 404, 408, 429, 431, 500, SEALED, 504];
const EITHER = Type.Union([HEALTH, VAULT_ERRORS.schema]);
const HEALTH_ANSWERS: NonNullable<Route['responses']> = {
  ...Object.fromEntries(BODILESS.map((status) => [status, { description: 'the status that was asked for, which has no body' }])),
  ...Object.fromEntries(REFUSED.map((status) => [status, { description: 'the status that was asked for, or a refusal', schema: EITHER }])),
  [ACTIVE]: { description: 'the server serves', schema: HEALTH },
  [SEALED]: { description: 'it does not, or is too busy', schema: EITHER },
  default: { description: 'the status that was asked for', schema: HEALTH },
};

export function sealRoutes(ctx: AuthContext): readonly Route[] {
  const isSealed = sealWatch(ctx);
  const health = async ({ query: { activecode, sealedcode } }: Request): Promise<Response> => {
    const sealed = await isSealed();
    const status = Number(sealed ? (sealedcode ?? SEALED) : (activecode ?? ACTIVE));
    const replication = { replication_performance_mode: 'disabled', replication_dr_mode: 'disabled' };
    const time = Math.floor(ctx.clock.now() / 1000);
    const body = { initialized: true, sealed, standby: false, performance_standby: false, ...replication, server_time_utc: time, version: ctx.version };
    return hasBody(status) ? { status, ...json(body) } : { status };
  };
  const sealStatus = async (): Promise<Response> => {
    const sealed = await isSealed();
    // Its key is a file, or what an HSM unwrapped: there are no shares of it.
    const seal = { type: 'static', initialized: true, sealed, t: 1, n: 1, progress: 0, nonce: '', version: ctx.version, migration: false };
    return { status: 200, ...json({ ...seal, recovery_seal: false }) };
  };
  const kept = { ...REFUSALS, 200: { description: 'as asked', schema: SEAL_STATUS } };
  return [
    { ...route('/v1/sys/health', 'Whether the server serves', health), query: CODES, responses: HEALTH_ANSWERS },
    { ...route('/v1/sys/seal-status', 'Whether the server serves, and how its key is kept', sealStatus), responses: kept },
  ];
}

function route(path: string, summary: string, handle: Route['handle']): Route {
  return {
    ...{ method: 'GET', path, auth: 'none', tag: VAULT_TAG, summary, form: VAULT_ERRORS, handle },
    admit: (_address, headers) => refuseUnserved(headers),
  };
}

function hasBody(status: number): boolean {
  return !BODILESS.includes(status);
}

/** A process that listens has its root key; it is as good as sealed while it cannot look at tokens. */
function sealWatch({ actors, clock }: AuthContext): () => Promise<boolean> {
  let looked: { readonly at: number; readonly sealed: Promise<boolean> } | undefined;
  return () => {
    const now = clock.monotonic();
    if (!looked || now - looked.at > FRESH_MS) {
      const look = callWith(actors.token.of(NO_TOKEN), { deadlineMs: LOOK_MS }).look(NO_TOKEN);
      looked = {
        at: now,
        sealed: look.then(
          () => false,
          () => true,
        ),
      };
    }
    return looked.sealed;
  };
}
