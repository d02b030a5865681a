// Starts the nodes of a run and makes what its clients need: a realm, roles, and a key on the token of the HSM.
import type { Answer, AskOptions } from '../test/server.ts';
import type { Caller, Method } from './caller.ts';
import { REALM } from './clients/sessions.ts';
import { COUNTED_ROLE, OPEN_ROLE } from './clients/tokens.ts';
import { FIRST_PASSWORD } from './cluster.ts';
import { comes } from './faults/fault.ts';
import { aesKey, jsonKmip, named } from './kmip.ts';
import type { World } from './world.ts';

export interface Prepared {
  /** Session cookie of the super admin. */
  readonly root: string;
  readonly openRoleId: string;
  readonly countedRoleId: string;
}

/** No session of a run ends by its age. */
const AGE = { session_max_age_seconds: 10_000_000, session_max_stale_age_seconds: 10_000_000 };
const PASSWORD = 'the password of the soak';
const TRUST_MS = 30_000;
const HSM_MS = 30_000;

export async function prepare(world: World): Promise<Prepared> {
  for (const node of world.nodes) await node.start();
  const { operator } = world;
  const first = await ok(operator, 'POST', '/login?realm=_', { user: `admin:${FIRST_PASSWORD}`, body: { new_password: PASSWORD } });
  const young = first.cookie as string;
  await ok(operator, 'PUT', '/admins/realms/_', { cookie: young, body: AGE });
  const root = (await ok(operator, 'POST', '/login?realm=_', { user: `admin:${PASSWORD}` })).cookie as string;
  await ok(operator, 'POST', '/admins/realms', { cookie: root, body: { id: REALM, auth_params: {}, ...AGE } });
  const role = async (name: string, more: object) => {
    await ok(operator, 'POST', `/auth/approle/role/${name}`, { cookie: root, body: { token_ttl: 10_000_000, ...more } });
    return String((await ok(operator, 'GET', `/auth/approle/role/${name}/role-id`, { cookie: root })).body.data.role_id);
  };
  const prepared = { root, openRoleId: await role(OPEN_ROLE, { bind_secret_id: false }), countedRoleId: await role(COUNTED_ROLE, {}) };
  if (world.hsm.library) await makeProbe(world);
  if (!(await haveTrust(world))) throw new Error('the nodes do not trust their caches');
  return prepared;
}

async function ok(caller: Caller, method: Method, path: string, options: AskOptions): Promise<Answer> {
  const answer = await caller.ask(path, method, path, options);
  if (!answer || answer.status >= 300) throw new Error(`${method} ${path} was answered with ${answer?.status} ${answer?.text}`);
  return answer;
}

/** Slots open in the background. */
async function makeProbe({ operator, hsm }: World): Promise<void> {
  const kmip = jsonKmip(operator);
  let said = '';
  const isMade = await comes(async () => {
    const made = await kmip('Create', aesKey(named(hsm.probe)));
    said = made?.reason ?? 'no answer';
    return made?.ok === true;
  }, HSM_MS);
  if (!isMade) throw new Error(`the HSM takes no key: ${said}`);
}

/** All nodes use what they have cached. One on SQLite always does. */
export async function haveTrust({ nodes, store }: World): Promise<boolean> {
  if (store === 'sqlite') return true;
  return comes(async () => (await Promise.all(nodes.map((node) => node.metric('gatehouse_cache_trusted')))).every((value) => value === 1), TRUST_MS);
}
