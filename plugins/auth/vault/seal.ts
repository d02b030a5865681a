// The routes /v1/sys/health, /v1/sys/seal-status and /v1/sys/init, which tell clients of Vault and OpenBao and load balancers whether the server is working.
import type { Request, Response, Route } from '../../../kernel/http/route.ts';
import { callWith } from '../../../kernel/runtime/mailbox/remote.ts';
import Type from '../../../kernel/type.ts';
import type { AuthContext } from '../actors.ts';
import { Query } from '../parameters.ts';
import { json, VAULT_ERRORS, VAULT_TAG } from './form.ts';
import { REFUSALS, refuseUnserved } from './unserved.ts';

/** Anybody may ask, so the store is checked at most once per FRESH_MS milliseconds, for at most LOOK_MS. */
const FRESH_MS = 1_000;
const LOOK_MS = 3_000;
const NO_TOKEN = '';

const ACTIVE = 200;
const SEALED = 503;
const code = (about: string) => Type.Optional(Type.Integer({ minimum: 200, maximum: 599, description: `the status of the answer ${about}` }));
/** Every node is active, so the parameters for the codes of standby nodes do not exist here. */
const CODES = Query({ activecode: code('if the server is working'), sealedcode: code('if it is not') });

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

const INIT = Type.Object({ initialized: flag });

/** Statuses without content in HTTP (RFC 9110, 15.3.5, 15.3.6 and 15.4.5); statuses below 200 cannot be requested. */
const BODILESS: readonly number[] = [204, 205, 304];
/** Statuses that a client may request, but that also stand for a refusal. */
const REFUSED = [400, 404, 408, 417, 429, 431, 500, SEALED, 504];
const EITHER = Type.Union([HEALTH, VAULT_ERRORS.schema]);
const HEALTH_ANSWERS: NonNullable<Route['responses']> = {
  ...Object.fromEntries(BODILESS.map((status) => [status, { description: 'the requested status, which has no body' }])),
  ...Object.fromEntries(REFUSED.map((status) => [status, { description: 'the requested status, or a refusal', schema: EITHER }])),
  [ACTIVE]: { description: 'the server is working', schema: HEALTH },
  [SEALED]: { description: 'the server is not working, or is too busy', schema: EITHER },
  default: { description: 'the requested status', schema: HEALTH },
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
    // The key is in a file or unwrapped by an HSM; it has no shares.
    const seal = { type: 'static', initialized: true, sealed, t: 1, n: 1, progress: 0, nonce: '', version: ctx.version, migration: false };
    return { status: 200, ...json({ ...seal, recovery_seal: false }) };
  };
  const init = async (): Promise<Response> => ({ status: 200, ...json({ initialized: true }) });
  const made = { ...REFUSALS, 200: { description: 'it was, at its first start', schema: INIT } };
  const kept = { ...REFUSALS, 200: { description: 'the status of the seal', schema: SEAL_STATUS } };
  return [
    { ...route('/v1/sys/health', 'Tell whether the server is working', health), query: CODES, responses: HEALTH_ANSWERS },
    { ...route('/v1/sys/seal-status', 'Tell whether the server is working, and how its key is kept', sealStatus), responses: kept },
    { ...route('/v1/sys/init', 'Tell whether the server was initialized', init), responses: made },
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

/** A process that listens has its root key. It reports itself as sealed while it cannot look up tokens. */
function sealWatch({ actors, clock }: AuthContext): () => Promise<boolean> {
  let looked: { readonly at: number; readonly sealed: Promise<boolean> } | undefined;
  return () => {
    const now = clock.monotonic();
    if (!looked || now - looked.at > FRESH_MS) {
      const look = callWith(actors.token.of(NO_TOKEN), { deadlineMs: LOOK_MS }).look(NO_TOKEN, '');
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
