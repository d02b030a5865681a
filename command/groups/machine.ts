// `gatehouse secret-id | token ...`: what machines sign in with, and what they get for it.
import { command, flag, type Group, type Surroundings } from '../command.ts';
import { first, LIMIT, type Limit } from '../first.ts';
import { whole } from '../number.ts';
import { writeMade } from '../output.ts';
import { membersOf } from './role-names.ts';

const ROLE = ['<role>', 'name of the role'] as const;

interface SecretIdFlags {
  readonly uses?: string;
  readonly ttl?: string;
  readonly cidr?: readonly string[];
  readonly tokenCidr?: readonly string[];
  readonly out?: string;
}

const createSecretId = command<SecretIdFlags>({
  name: 'create',
  about: 'Make a secret id of a role; it is shown this once',
  args: [ROLE],
  flags: [
    flag('--uses <number>', 'how often it can be used (default: as the role says)'),
    flag('--ttl <seconds>', 'how long it lives'),
    flag('--cidr <network...>', 'address or network that may sign in with it, beside those of the role (default: all of them); repeatable'),
    flag('--token-cidr <network...>', 'the same for uses of its tokens; repeatable'),
    flag('-o, --out <file>', 'new file to write, with mode 0600 (default: standard output)'),
  ],
  example: 'gatehouse secret-id create web --uses 1 -o web.secret-id',
  async run(given, [name], { uses, ttl, cidr, tokenCidr, out }) {
    const body = { num_uses: whole('--uses', uses), ttl: whole('--ttl', ttl), cidr_list: cidr, token_bound_cidrs: tokenCidr };
    const made = async () => (await given.client().call('POST /auth/approle/role/{name}/secret-id', { params: { name }, body })).data;
    if (out !== undefined) {
      const { secret_id_accessor: accessor } = await writeMade(out, made, ({ secret_id }) => Buffer.from(`${secret_id}\n`));
      return given.out.done(`Wrote the secret id with the accessor ${accessor} to ${out}`, { accessor });
    }
    const data = await made();
    if (given.out.isJson) given.out.record(data);
    else given.out.line(String(data['secret_id']));
  },
});

const listSecretIds = command<Limit>({
  name: 'list',
  about: 'List the accessors of the secret ids of a role',
  args: [ROLE],
  flags: [LIMIT],
  example: 'gatehouse secret-id list web',
  async run(given, [name], { limit }) {
    const pages = (each: number) => given.client().pages('GET /auth/approle/role/{name}/secret-id', { params: { name }, query: { limit: each } });
    const accessors = await first((each) => membersOf(pages(each), 'accessor'), limit);
    given.out.table(accessors, ['accessor']);
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
