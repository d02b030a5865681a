// `gatehouse admin ...`: who administers which realms.
import { command, flag, type Group } from '../command.ts';
import { confirmed, YES, type Yes } from '../confirmed.ts';
import { first, LIMIT, type Limit } from '../first.ts';

const ADMIN = ['<admin>', 'name of the admin record'] as const;
const REALM = ['<realm>', 'name of a realm; _ for a super admin'] as const;
const COLUMNS = ['id', 'realms', 'userpass', 'jwt', 'client_certificate', 'totp_enabled'] as const;

const list = command<Limit>({
  name: 'list',
  about: 'List the admins',
  flags: [LIMIT],
  example: 'gatehouse admin list',
  async run(given, _, { limit }) {
    const rows = await first((each) => given.client().list('GET /admins', { query: { limit: each } }), limit);
    given.out.table(rows, COLUMNS);
  },
});

interface New {
  readonly realm?: readonly string[];
  readonly user?: string;
  readonly jwt?: string;
  readonly certificate?: string;
}

const create = command<New>({
  name: 'create',
  about: 'Make somebody an admin of realms',
  args: [ADMIN],
  flags: [
    flag('--realm <realm...>', 'realm to administer; repeatable; _ for a super admin'),
    flag('--user <name>', 'user name with a password'),
    flag('--jwt <subject>', 'subject of a JWT'),
    flag('--certificate <name>', 'common name of a client certificate'),
  ],
  example: 'gatehouse admin create ada --realm team --user ada',
  async run(given, [id], { realm = [], user, jwt, certificate }) {
    const body = {
      id,
      realms: realm,
      ...(user === undefined ? {} : { userpass: user }),
      ...(jwt === undefined ? {} : { jwt }),
      ...(certificate === undefined ? {} : { client_certificate: certificate }),
    };
    const made = await given.client().call('POST /admins', { body });
    given.out.done(`${id} administers ${realm.length === 0 ? 'no realm yet' : realm.join(', ')}`, made);
  },
});

const show = command({
  name: 'show',
  about: 'Show an admin',
  args: [ADMIN],
  example: 'gatehouse admin show ada',
  async run(given, [admin_id]) {
    given.out.record(await given.client().call('GET /admins/{admin_id}', { params: { admin_id } }));
  },
});

const add = command({
  name: 'add-realm',
  about: 'Give an admin one more realm',
  args: [ADMIN, REALM],
  example: 'gatehouse admin add-realm ada finance',
  async run(given, [admin_id, realm_id]) {
    const admin = await given.client().call('PUT /admins/{admin_id}/realms/{realm_id}', { params: { admin_id, realm_id } });
    given.out.done(`${admin_id} administers ${realm_id} too`, admin);
  },
});

const take = command({
  name: 'remove-realm',
  about: 'Take a realm from an admin',
  args: [ADMIN, REALM],
  example: 'gatehouse admin remove-realm ada finance',
  async run(given, [admin_id, realm_id]) {
    const admin = await given.client().call('DELETE /admins/{admin_id}/realms/{realm_id}', { params: { admin_id, realm_id } });
    given.out.done(`${admin_id} does not administer ${realm_id} any more`, admin);
  },
});

const remove = command<Yes>({
  name: 'delete',
  about: 'Delete an admin and its credentials',
  args: [ADMIN],
  flags: [YES],
  example: 'gatehouse admin delete ada',
  async run(given, [admin_id], yes) {
    await confirmed(given, yes, `deletes the admin ${admin_id} and its credentials`, admin_id);
    await given.client().call('DELETE /admins/{admin_id}', { params: { admin_id } });
    given.out.done(`Deleted the admin ${admin_id}`, { id: admin_id });
  },
});

export const ADMIN_GROUP: Group = { name: 'admin', about: 'Admins and their realms', commands: [list, create, show, add, take, remove] };
