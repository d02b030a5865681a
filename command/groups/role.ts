// `gatehouse role ...`: roles with which machines sign in by a secret id, and their tokens.
import { command, flag, type Group } from '../command.ts';
import { confirmed, YES, type Yes } from '../confirmed.ts';
import { first, LIMIT, type Limit } from '../first.ts';
import { whole } from '../number.ts';
import { REPLACE, type Replace, requireNew } from './replace.ts';
import { membersOf } from './role-names.ts';
import { roleTokenCommands } from './role-token.ts';

const ROLE = ['<role>', 'name of the role'] as const;

const listRoles = command<Limit>({
  name: 'list',
  about: 'List the names of the roles',
  flags: [LIMIT],
  example: 'gatehouse role list',
  async run(given, _, { limit }) {
    const roles = await first((each) => membersOf(given.client().pages('GET /auth/approle/role', { query: { limit: each } }), 'role'), limit);
    given.out.table(roles, ['role']);
  },
});

interface Role extends Replace {
  readonly ttl?: string;
  readonly maxTtl?: string;
  readonly tokenUses?: string;
  readonly tokenCidr?: readonly string[];
  readonly secretIdTtl?: string;
  readonly secretIdUses?: string;
  readonly secretIdCidr?: readonly string[];
  readonly policy?: readonly string[];
  readonly fixed?: boolean;
  readonly withoutSecretId?: boolean;
}

const createRole = command<Role>({
  name: 'create',
  about: 'Create a role; prints its role id',
  args: [ROLE],
  flags: [
    flag('--ttl <seconds>', 'how long a token lives'),
    flag('--max-ttl <seconds>', 'how long a renewed token lives'),
    flag('--token-uses <number>', 'how many requests a token can make (default: any number)'),
    flag('--token-cidr <network...>', 'address or network that may sign in and use the tokens (default: all); repeatable'),
    flag('--secret-id-ttl <seconds>', 'how long a secret id lives'),
    flag('--secret-id-uses <number>', 'how often a secret id can be used, at most (default: any number of times)'),
    flag('--secret-id-cidr <network...>', 'address or network that may sign in (default: all); repeatable'),
    flag('--policy <policy...>', 'such as sessions:read:team; repeatable'),
    flag('--fixed', 'tokens cannot be renewed'),
    flag('--without-secret-id', 'its role id is enough to sign in: bind it to networks with --token-cidr'),
    REPLACE,
  ],
  example: 'gatehouse role create web --ttl 3600 --policy sessions:read:team',
  async run(given, [name], flags) {
    await requireNew(`the role ${name}`, flags, () => given.client().call('GET /auth/approle/role/{name}', { params: { name } }));
    await given.client().call('POST /auth/approle/role/{name}', { params: { name }, body: bodyOf(flags) });
    const { data } = await given.client().call('GET /auth/approle/role/{name}/role-id', { params: { name } });
    given.out.line(String(data['role_id']));
  },
});

function bodyOf(flags: Role) {
  return {
    token_ttl: whole('--ttl', flags.ttl),
    token_max_ttl: whole('--max-ttl', flags.maxTtl),
    token_num_uses: whole('--token-uses', flags.tokenUses),
    token_bound_cidrs: flags.tokenCidr,
    token_policies: flags.policy,
    ...(flags.fixed && { token_renewable: false }),
    ...(flags.withoutSecretId && { bind_secret_id: false }),
    secret_id_ttl: whole('--secret-id-ttl', flags.secretIdTtl),
    secret_id_num_uses: whole('--secret-id-uses', flags.secretIdUses),
    secret_id_bound_cidrs: flags.secretIdCidr,
  };
}

const showRole = command({
  name: 'show',
  about: 'Show a role with its role id',
  args: [ROLE],
  example: 'gatehouse role show web',
  async run(given, [name]) {
    const role = await given.client().call('GET /auth/approle/role/{name}', { params: { name } });
    const id = await given.client().call('GET /auth/approle/role/{name}/role-id', { params: { name } });
    given.out.record({ name, ...id.data, ...role.data });
  },
});

const removeRole = command<Yes>({
  name: 'delete',
  about: 'Delete a role with its secret ids and tokens',
  args: [ROLE],
  flags: [YES],
  example: 'gatehouse role delete web',
  async run(given, [name], yes) {
    await confirmed(given, yes, `deletes the role ${name}: its machines cannot sign in any more`, name);
    await given.client().call('DELETE /auth/approle/role/{name}', { params: { name } });
    given.out.done(`Deleted the role ${name}`, { role: name });
  },
});

export const ROLE_GROUP: Group = {
  name: 'role',
  about: 'Roles with which machines sign in',
  commands: [listRoles, createRole, showRole, ...roleTokenCommands('approle'), removeRole],
};
