// `gatehouse cluster-role ...`: roles with which service accounts of a cluster sign in, and their tokens.
import { command, flag, type Group } from '../command.ts';
import { confirmed, YES, type Yes } from '../confirmed.ts';
import { CommandError, EXIT } from '../exit.ts';
import { first, LIMIT, type Limit } from '../first.ts';
import { whole } from '../number.ts';
import { REPLACE, type Replace, requireNew } from './replace.ts';
import { membersOf } from './role-names.ts';
import { roleTokenCommands } from './role-token.ts';

const ROLE = ['<role>', 'name of the role'] as const;

const list = command<Limit>({
  name: 'list',
  about: 'List the names of the cluster roles',
  flags: [LIMIT],
  example: 'gatehouse cluster-role list',
  async run(given, _, { limit }) {
    const roles = await first((each) => membersOf(given.client().pages('GET /auth/cluster/role', { query: { limit: each } }), 'role'), limit);
    given.out.table(roles, ['role']);
  },
});

interface Role extends Replace {
  readonly jwks?: string;
  readonly namespace?: readonly string[];
  readonly account?: readonly string[];
  readonly ttl?: string;
  readonly maxTtl?: string;
  readonly tokenUses?: string;
  readonly tokenCidr?: readonly string[];
  readonly policy?: readonly string[];
  readonly issuer?: string;
  readonly audience?: readonly string[];
  readonly fixed?: boolean;
}

const create = command<Role>({
  name: 'create',
  about: 'Create a cluster role',
  args: [ROLE],
  flags: [
    flag('--jwks <address>', 'where the keys of the cluster are'),
    flag('--namespace <namespace...>', 'namespace of the service accounts; * for all; repeatable'),
    flag('--account <account...>', 'name of a service account; * for all; repeatable'),
    flag('--ttl <seconds>', 'how long a token lives (default: 3600)'),
    flag('--max-ttl <seconds>', 'how long a renewed token lives'),
    flag('--token-uses <number>', 'how many requests a token can make (default: any number)'),
    flag('--token-cidr <network...>', 'address or network that may sign in and use the tokens (default: all); repeatable'),
    flag('--policy <policy...>', 'such as sessions:read:team; repeatable'),
    flag('--issuer <issuer>', 'the issuer that the JWTs must name (default: any)'),
    flag('--audience <audience...>', 'an audience that the JWTs must name (default: any); repeatable'),
    flag('--fixed', 'tokens cannot be renewed'),
    REPLACE,
  ],
  example: 'gatehouse cluster-role create pods --jwks https://cluster.example/openid/v1/jwks --namespace prod --account backup',
  async run(given, [name], flags) {
    const body = bodyOf(flags);
    await requireNew(`the cluster role ${name}`, flags, () => given.client().call('GET /auth/cluster/role/{name}', { params: { name } }));
    await given.client().call('POST /auth/cluster/role/{name}', { params: { name }, body });
    given.out.done(`Created the cluster role ${name}`, { role: name });
  },
});

/** @throws CommandError if what a role must say is missing: nothing of it has a default that would let anybody in */
function bodyOf({ jwks, namespace, account, ttl, maxTtl, tokenUses, tokenCidr, policy, issuer, audience, fixed }: Role) {
  if (jwks === undefined || namespace === undefined || account === undefined)
    throw new CommandError('--jwks, --namespace and --account are needed', EXIT.usage);
  const lives = { token_ttl: whole('--ttl', ttl) ?? 3_600, token_max_ttl: whole('--max-ttl', maxTtl) };
  const who = { jwks_url: jwks, bound_service_account_namespaces: namespace, bound_service_account_names: account };
  const bounds = { token_num_uses: whole('--token-uses', tokenUses), token_bound_cidrs: tokenCidr };
  return { ...who, ...lives, ...bounds, token_policies: policy, expected_issuer: issuer, bound_audiences: audience, ...(fixed && { token_renewable: false }) };
}

const show = command({
  name: 'show',
  about: 'Show a cluster role',
  args: [ROLE],
  example: 'gatehouse cluster-role show pods',
  async run(given, [name]) {
    const { data } = await given.client().call('GET /auth/cluster/role/{name}', { params: { name } });
    given.out.record({ name, ...data });
  },
});

const remove = command<Yes>({
  name: 'delete',
  about: 'Delete a cluster role with its tokens',
  args: [ROLE],
  flags: [YES],
  example: 'gatehouse cluster-role delete pods',
  async run(given, [name], yes) {
    await confirmed(given, yes, `deletes the cluster role ${name}: its service accounts cannot sign in any more`, name);
    await given.client().call('DELETE /auth/cluster/role/{name}', { params: { name } });
    given.out.done(`Deleted the cluster role ${name}`, { role: name });
  },
});

export const CLUSTER_ROLE_GROUP: Group = {
  name: 'cluster-role',
  about: 'Roles with which service accounts of a cluster sign in',
  commands: [list, create, show, ...roleTokenCommands('cluster'), remove],
};
