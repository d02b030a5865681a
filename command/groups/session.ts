// `gatehouse session ...`: sessions of people, found by user and ended.
import { command, flag, type Group, type Surroundings } from '../command.ts';
import { confirmed, YES, type Yes } from '../confirmed.ts';
import { CommandError, EXIT } from '../exit.ts';
import { first, LIMIT, type Limit } from '../first.ts';

const REALM = ['<realm>', 'name of the realm'] as const;
const SCHEMES = { up: 'UsernamePassword', jwt: 'Jwt', cc: 'ClientCertificate' } as const;

type Client = ReturnType<Surroundings['client']>;

async function* sessionsOf(client: Client, realm_id: string, body: [{ username: string; auth_scheme: (typeof SCHEMES)[keyof typeof SCHEMES] }], limit: number) {
  for await (const { session_ids } of client.pages('POST /sessions/realms/{realm_id}/clients', { params: { realm_id }, query: { limit }, body }))
    for (const session of session_ids) yield { session };
}

const list = command<{ readonly scheme?: keyof typeof SCHEMES } & Limit>({
  name: 'list',
  about: 'List the sessions of a user',
  args: [REALM, ['<user>', 'user name']],
  flags: [flag('--scheme <scheme>', 'how the user signed in: up (password, the default), jwt, cc (certificate)', Object.keys(SCHEMES)), LIMIT],
  example: 'gatehouse session list team ada',
  async run(given, [realm_id, username], { scheme = 'up', limit }) {
    const found = await first((each) => sessionsOf(given.client(), realm_id, [{ username, auth_scheme: SCHEMES[scheme] }], each), limit);
    given.out.table(found, ['session']);
  },
});

const show = command({
  name: 'show',
  about: 'Show a session',
  args: [['<session>', 'id of the session']],
  example: 'gatehouse session show 5417574c-f694-8207-bc6e-d14acfd9381f',
  async run(given, [session_id]) {
    const session = await given.client().call('GET /sessions/{session_id}', { params: { session_id } });
    if (session !== null) return given.out.record({ ...session, cookie_string: undefined });
    if (given.out.isJson) given.out.done('', null);
    throw new CommandError('there is no such session', EXIT.notFound);
  },
});

const end = command({
  name: 'end',
  about: 'End sessions',
  args: [['<sessions...>', 'ids of sessions']],
  example: 'gatehouse session end 5417574c-f694-8207-bc6e-d14acfd9381f',
  async run(given, session_ids) {
    await given.client().call('DELETE /sessions', { body: { session_ids } });
    given.out.done(`Ended ${session_ids.length === 1 ? 'the session' : `${session_ids.length} sessions`}`, { session_ids });
  },
});

const endAll = command<Yes>({
  name: 'end-all',
  about: 'End every session of a realm',
  args: [REALM],
  flags: [YES],
  example: 'gatehouse session end-all team',
  async run(given, [realm_id], yes) {
    await confirmed(given, yes, `ends every session of the realm ${realm_id}`, realm_id);
    await given.client().call('DELETE /sessions/realms/{realm_id}', { params: { realm_id } });
    given.out.done(`Ended the sessions of ${realm_id}`, { realm: realm_id });
  },
});

export const SESSION_GROUP: Group = { name: 'session', about: 'Sessions of people', commands: [list, show, end, endAll] };
