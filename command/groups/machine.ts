// `gatehouse role | secret-id | token ...`: how machines sign in.

import { command, flag, type Group, type Surroundings } from '../command.ts';
import { confirmed, YES, type Yes } from '../confirmed.ts';
import { whole } from '../number.ts';
import { writeBytes } from '../output.ts';

const ROLE = ['<role>', 'name of the role'] as const;

const listRoles = command({
  name: 'list',
  about: 'List the names of the roles',
  example: 'gatehouse role list',
  async run(given) {
    const { data } = await given.client().call('GET /auth/approle/role', { query: { list: true } });
    given.out.table(namesIn(data), ['role']);
  },
});

const namesIn = ({ keys }: Readonly<Record<string, unknown>>) => (keys as string[]).map((role) => ({ role }));

interface Role {
  readonly ttl?: string;
  readonly maxTtl?: string;
  readonly secretIdTtl?: string;
  readonly policy?: readonly string[];
  readonly fixed?: boolean;
}

const createRole = command<Role>({
  name: 'create',
  about: 'Create or replace a role; prints its role id',
  args: [ROLE],
  flags: [
    flag('--ttl <seconds>', 'how long a token lives'),
    flag('--max-ttl <seconds>', 'how long a renewed token lives'),
    flag('--secret-id-ttl <seconds>', 'how long a secret id lives'),
    flag('--policy <policy...>', 'such as sessions:read:team; repeatable'),
    flag('--fixed', 'tokens cannot be renewed'),
  ],
  example: 'gatehouse role create web --ttl 3600 --policy sessions:read:team',
  async run(given, [name], { ttl, maxTtl, secretIdTtl, policy, fixed }) {
    const numbers = { token_ttl: whole('--ttl', ttl), token_max_ttl: whole('--max-ttl', maxTtl), secret_id_ttl: whole('--secret-id-ttl', secretIdTtl) };
    const body = { ...numbers, ...(policy && { token_policies: policy }), ...(fixed && { token_renewable: false }) };
    await given.client().call('POST /auth/approle/role/{name}', { params: { name }, body });
    const { data } = await given.client().call('GET /auth/approle/role/{name}/role-id', { params: { name } });
    given.out.line(String(data['role_id']));
  },
});

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

const revokeTokens = command<Yes>({
  name: 'revoke-tokens',
  about: 'Revoke every token of a role',
  args: [ROLE],
  flags: [YES],
  example: 'gatehouse role revoke-tokens web',
  async run(given, [name], yes) {
    await confirmed(given, yes, `revokes every token of the role ${name}`, name);
    await given.client().call('POST /auth/approle/role/{name}/revoke-tokens', { params: { name } });
    given.out.done(`Revoked the tokens of ${name}`, { role: name });
  },
});

export const ROLE_GROUP: Group = {
  name: 'role',
  about: 'Roles with which machines sign in',
  commands: [listRoles, createRole, showRole, revokeTokens, removeRole],
};

const createSecretId = command<{ readonly uses?: string; readonly ttl?: string; readonly out?: string }>({
  name: 'create',
  about: 'Make a secret id of a role; it is shown this once',
  args: [ROLE],
  flags: [
    flag('--uses <number>', 'how often it can be used (default: any number of times)'),
    flag('--ttl <seconds>', 'how long it lives'),
    flag('-o, --out <file>', 'new file to write, with mode 0600 (default: standard output)'),
  ],
  example: 'gatehouse secret-id create web --uses 1 -o web.secret-id',
  async run(given, [name], { uses, ttl, out }) {
    const numbers = { num_uses: whole('--uses', uses), ttl: whole('--ttl', ttl) };
    const { data } = await given.client().call('POST /auth/approle/role/{name}/secret-id', { params: { name }, body: numbers });
    if (out !== undefined) {
      writeBytes(out, Buffer.from(`${data['secret_id']}\n`));
      return given.out.done(`Wrote the secret id with the accessor ${data['secret_id_accessor']} to ${out}`, { accessor: data['secret_id_accessor'] });
    }
    if (given.out.isJson) given.out.record(data);
    else given.out.line(String(data['secret_id']));
  },
});

const listSecretIds = command({
  name: 'list',
  about: 'List the accessors of the secret ids of a role',
  args: [ROLE],
  example: 'gatehouse secret-id list web',
  async run(given, [name]) {
    const { data } = await given.client().call('GET /auth/approle/role/{name}/secret-id', { params: { name }, query: { list: true } });
    given.out.table(
      (data['keys'] as string[]).map((accessor) => ({ accessor })),
      ['accessor'],
    );
  },
});

const destroySecretId = command({
  name: 'destroy',
  about: 'Destroy a secret id by its accessor',
  args: [ROLE, ['<accessor>', 'as list shows it']],
  example: 'gatehouse secret-id destroy web 8d6c3f1e-0000-4000-8000-000000000000',
  async run(given, [name, secret_id_accessor]) {
    await given.client().call('POST /auth/approle/role/{name}/secret-id/destroy', { params: { name }, body: { secret_id_accessor } });
    given.out.done(`Destroyed the secret id ${secret_id_accessor}`, { role: name, accessor: secret_id_accessor });
  },
});

export const SECRET_ID_GROUP: Group = {
  name: 'secret-id',
  about: 'Secret ids, which machines exchange for tokens',
  commands: [createSecretId, listSecretIds, destroySecretId],
};

interface TokenFlags {
  readonly tokenFile?: string;
}

const TOKEN_FILE = flag('--token-file <file>', 'file with another token; - reads a line of standard input (default: the token of the profile)');

/** The token of a file, or nothing for that of the profile. */
async function other({ prompts }: Surroundings, { tokenFile }: TokenFlags): Promise<string | undefined> {
  return tokenFile === undefined ? undefined : (await prompts.secret('Token:', tokenFile, '--token-file')).trim();
}

const showToken = command<TokenFlags>({
  name: 'show',
  about: 'Show what an app token is for, and until when',
  flags: [TOKEN_FILE],
  example: 'gatehouse token show --token-file web.token',
  async run(given, _, flags) {
    const token = await other(given, flags);
    const client = given.client();
    const { data } = token === undefined ? await client.call('GET /auth/token/lookup-self') : await client.call('POST /auth/token/lookup', { body: { token } });
    // The id is the token itself.
    given.out.record(given.out.isJson ? data : { ...data, id: undefined });
  },
});

const renewToken = command<TokenFlags>({
  name: 'renew',
  about: 'Renew an app token',
  flags: [TOKEN_FILE],
  example: 'gatehouse token renew',
  async run(given, _, flags) {
    const token = await other(given, flags);
    const client = given.client();
    const { auth } = token === undefined ? await client.call('POST /auth/token/renew-self') : await client.call('POST /auth/token/renew', { body: { token } });
    given.out.done(`The token lives for ${auth.lease_duration} seconds from now`, { lease_duration: auth.lease_duration });
  },
});

const revokeToken = command<TokenFlags>({
  name: 'revoke',
  about: 'Revoke an app token',
  flags: [TOKEN_FILE],
  example: 'gatehouse token revoke --token-file web.token',
  async run(given, _, flags) {
    const token = await other(given, flags);
    const client = given.client();
    if (token === undefined) await client.call('POST /auth/token/revoke-self');
    else await client.call('POST /auth/token/revoke', { body: { token } });
    given.out.done('Revoked the token');
  },
});

export const TOKEN_GROUP: Group = { name: 'token', about: 'App tokens of machines', commands: [showToken, renewToken, revokeToken] };
