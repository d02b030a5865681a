// `gatehouse role | cluster-role tokens | revoke-token | revoke-tokens`: the app tokens of a role by accessor, which gives nobody access.
import type { Calls } from '../../client/calls.ts';
import type { Client } from '../../client/client.ts';
import { type Command, command } from '../command.ts';
import { confirmed, YES, type Yes } from '../confirmed.ts';
import { first, LIMIT, type Limit } from '../first.ts';

type Kind = 'approle' | 'cluster';
type Token = Calls['GET /auth/approle/role/{name}/tokens']['answer']['data']['tokens'][number];

const ROLE = ['<role>', 'name of the role'] as const;
const GROUP: Readonly<Record<Kind, string>> = { approle: 'role', cluster: 'cluster-role' };

async function* tokens(client: Client, kind: Kind, name: string, limit: number): AsyncGenerator<Token> {
  for await (const { data } of client.pages(`GET /auth/${kind}/role/{name}/tokens`, { params: { name }, query: { limit } })) yield* data.tokens;
}

/** @param kind of the roles */
export const roleTokenCommands = (kind: Kind): readonly Command[] => [listed(kind), revokedByAccessor(kind), revokedAll(kind)];

const listed = (kind: Kind) =>
  command<Limit>({
    name: 'tokens',
    about: 'List the tokens of a role that are good now, by accessor',
    args: [ROLE],
    flags: [LIMIT],
    example: `gatehouse ${GROUP[kind]} tokens web --limit 50`,
    async run(given, [name], { limit }) {
      const found = await first((each) => tokens(given.client(), kind, name, each), limit);
      if (given.out.isJson) return given.out.table(found, []);
      const rows = found.map(({ accessor, entity_id: of, creation_time: issued, expire_time: ends }) => ({
        ...{ accessor, of, issued: new Date(issued * 1_000).toISOString(), ends: ends ?? 'never' },
      }));
      given.out.table(rows, ['accessor', 'of', 'issued', 'ends']);
    },
  });

const revokedByAccessor = (kind: Kind) =>
  command({
    name: 'revoke-token',
    about: 'Revoke one token of a role by its accessor',
    args: [ROLE, ['<accessor>', 'as tokens shows it']],
    example: `gatehouse ${GROUP[kind]} revoke-token web 8d6c3f1e-0000-4000-8000-000000000000`,
    async run(given, [name, accessor]) {
      await given.client().call(`POST /auth/${kind}/role/{name}/tokens/revoke`, { params: { name }, body: { accessor } });
      given.out.done(`Revoked the token with the accessor ${accessor}`, { role: name, accessor });
    },
  });

const revokedAll = (kind: Kind) =>
  command<Yes>({
    name: 'revoke-tokens',
    about: 'Revoke every token of a role',
    args: [ROLE],
    flags: [YES],
    example: `gatehouse ${GROUP[kind]} revoke-tokens web`,
    async run(given, [name], yes) {
      await confirmed(given, yes, `revokes every token of the role ${name}`, name);
      await given.client().call(`POST /auth/${kind}/role/{name}/revoke-tokens`, { params: { name } });
      given.out.done(`Revoked the tokens of ${name}`, { role: name });
    },
  });
