// `gatehouse realm ...`: realms, which say who signs in how and for how long.
import type { Calls } from '../../client/calls.ts';
import { command, flag, type Group } from '../command.ts';
import { confirmed, YES, type Yes } from '../confirmed.ts';
import { CommandError, EXIT } from '../exit.ts';
import { textOf } from '../files.ts';
import { first, LIMIT, type Limit } from '../first.ts';
import { whole } from '../number.ts';

type Realm = Calls['POST /admins/realms']['body'];

const REALM = ['<realm>', 'name of the realm'] as const;
const COLUMNS = ['id', 'session_max_age_seconds', 'session_max_stale_age_seconds', 'certificate_max_age_seconds', 'password_max_age_seconds'] as const;

interface Settings {
  readonly sessionMaxAge?: string;
  readonly sessionMaxStaleAge?: string;
  readonly passwordMaxAge?: string;
  readonly from?: string;
}

const SETTINGS = [
  flag('--session-max-age <seconds>', 'how long a session lives'),
  flag('--session-max-stale-age <seconds>', 'how long a session lives that nobody uses'),
  flag('--password-max-age <seconds>', 'after which a password must be changed; 0 for never'),
  flag('--from <file>', 'other settings, as JSON: the body of POST /admins/realms'),
];

function settingsOf({ sessionMaxAge, sessionMaxStaleAge, passwordMaxAge, from }: Settings): Omit<Realm, 'id'> {
  const age = whole('--session-max-age', sessionMaxAge, 1);
  const stale = whole('--session-max-stale-age', sessionMaxStaleAge, 1);
  const password = whole('--password-max-age', passwordMaxAge);
  return {
    ...(from === undefined ? {} : objectIn(from)),
    ...(age === undefined ? {} : { session_max_age_seconds: age }),
    ...(stale === undefined ? {} : { session_max_stale_age_seconds: stale }),
    ...(password === undefined ? {} : { password_max_age_seconds: password }),
  };
}

function objectIn(file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(textOf(file));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new CommandError(`${file} is not a JSON object`, EXIT.usage);
}

const list = command<Limit>({
  name: 'list',
  about: 'List the realms that you administer',
  flags: [LIMIT],
  example: 'gatehouse realm list',
  async run(given, _, { limit }) {
    const rows = await first((each) => given.client().list('GET /admins/realms', { query: { limit: each } }), limit);
    given.out.table(rows, COLUMNS);
  },
});

const create = command<Settings>({
  name: 'create',
  about: 'Create a realm',
  args: [REALM],
  flags: SETTINGS,
  example: 'gatehouse realm create team --session-max-age 28800',
  async run(given, [id], flags) {
    const realm = await given.client().call('POST /admins/realms', { body: { ...settingsOf(flags), id } });
    given.out.done(`Created the realm ${id}`, realm);
  },
});

const show = command({
  name: 'show',
  about: 'Show a realm',
  args: [REALM],
  example: 'gatehouse realm show team',
  async run(given, [realm_id]) {
    given.out.record(await given.client().call('GET /admins/realms/{realm_id}', { params: { realm_id } }));
  },
});

const set = command<Settings>({
  name: 'set',
  about: 'Change settings of a realm; the others stay',
  args: [REALM],
  flags: SETTINGS,
  example: 'gatehouse realm set team --password-max-age 7776000',
  async run(given, [realm_id], flags) {
    const settings = settingsOf(flags);
    if (Object.keys(settings).length === 0) throw new CommandError('nothing to change: give a setting', EXIT.usage);
    const before = await given.client().call('GET /admins/realms/{realm_id}', { params: { realm_id } });
    const body = { ...before, ...settings, id: realm_id };
    const realm = await given.client().call('PUT /admins/realms/{realm_id}', { params: { realm_id }, body });
    given.out.done(`Changed the realm ${realm_id}`, realm);
  },
});

const remove = command<Yes>({
  name: 'delete',
  about: 'Delete a realm with its credentials and sessions',
  args: [REALM],
  flags: [YES],
  example: 'gatehouse realm delete team',
  async run(given, [realm_id], yes) {
    await confirmed(given, yes, `deletes the realm ${realm_id} and everything that belongs to it`, realm_id);
    await given.client().call('DELETE /admins/realms/{realm_id}', { params: { realm_id } });
    given.out.done(`Deleted the realm ${realm_id}`, { id: realm_id });
  },
});

export const REALM_GROUP: Group = { name: 'realm', about: 'Realms: who signs in how, and for how long', commands: [list, create, show, set, remove] };
