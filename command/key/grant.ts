// `gatehouse key grant | ungrant | grants`: who may use a key for what.
import type { Calls } from '../../client/calls.ts';
import { command } from '../command.ts';
import { first, LIMIT, type Limit } from '../first.ts';
import { identifierOf } from './identifier.ts';
import { KEY } from './life.ts';

type Operations = Calls['POST /access/grant']['body']['operation_types'];

const USER = ['<user>', 'as whoami shows it: team/ada, approle:web; team/* for a realm, * for everybody'] as const;
const OPERATIONS = ['<operations...>', 'encrypt, decrypt, sign, mac, get, rekey ...'] as const;

export const grant = command({
  name: 'grant',
  about: 'Let somebody use a key',
  args: [KEY, USER, OPERATIONS],
  example: 'gatehouse key grant invoices team/bob encrypt decrypt',
  async run(given, [word, user_id, ...operations]) {
    const unique_identifier = await identifierOf(given.client(), word);
    await given.client().call('POST /access/grant', { body: { unique_identifier, user_id, operation_types: operations as unknown as Operations } });
    given.out.done(`${user_id} may now use ${unique_identifier}: ${operations.join(', ')}`, { id: unique_identifier, user: user_id, operations });
  },
});

export const ungrant = command({
  name: 'ungrant',
  about: 'Take a grant back',
  args: [KEY, USER, OPERATIONS],
  example: 'gatehouse key ungrant invoices team/bob decrypt',
  async run(given, [word, user_id, ...operations]) {
    const unique_identifier = await identifierOf(given.client(), word);
    await given.client().call('POST /access/revoke', { body: { unique_identifier, user_id, operation_types: operations as unknown as Operations } });
    given.out.done(`${user_id} may not use ${unique_identifier} any more: ${operations.join(', ')}`, { id: unique_identifier, user: user_id, operations });
  },
});

export const grants = command<Limit>({
  name: 'grants',
  about: 'List who may use a key',
  args: [KEY],
  flags: [LIMIT],
  example: 'gatehouse key grants invoices',
  async run(given, [word], { limit }) {
    const object_id = await identifierOf(given.client(), word);
    const rows = await first((each) => given.client().list('GET /access/list/{object_id}', { params: { object_id }, query: { limit: each } }), limit);
    given.out.table(rows, ['user_id', 'operations']);
  },
});
