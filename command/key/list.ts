// `gatehouse key list | show`: finds keys by tag, name, algorithm and state, and shows what is known of one.
import type { Client } from '../../client/client.ts';
import { enumeration, integer, type Node, structure } from '../../client/kmip.ts';
import { command, flag } from '../command.ts';
import { first } from '../first.ts';
import { keepApart } from '../given.ts';
import { whole } from '../number.ts';
import { attributesOf, COLUMNS, detailsOf, ownedRow, rowOf } from './attributes.ts';
import { ALL_STORAGES, identifierOf, nameAttribute, tagAttribute } from './identifier.ts';
import { KEY } from './life.ts';

interface Search {
  readonly tag?: string;
  readonly name?: string;
  readonly algorithm?: string;
  readonly state?: string;
  readonly type?: string;
  readonly granted?: boolean;
  readonly limit?: string;
  readonly offset?: string;
}

const DEFAULT_LIMIT = 50;
/** What narrows a search among one's own keys only. */
const NARROWING = ['tag', 'name', 'algorithm', 'state', 'type', 'offset'] as const;
/** At once; each is a short call. */
const TOGETHER = 8;

export const list = command<Search>({
  name: 'list',
  about: 'List your keys, newest first',
  flags: [
    flag('--tag <tag>', 'only with this tag'),
    flag('--name <name>', 'only with this name'),
    flag('--algorithm <name>', 'only of this algorithm: AES, RSA, EC ...'),
    flag('--state <state>', 'only in this state', ['PreActive', 'Active', 'Deactivated', 'Compromised', 'Destroyed', 'DestroyedCompromised']),
    flag('--type <type>', 'only of this type', ['SymmetricKey', 'PrivateKey', 'PublicKey', 'Certificate', 'SecretData', 'OpaqueObject', 'SplitKey']),
    flag('--granted', 'what others have granted to you, with the operations allowed'),
    flag('--limit <number>', `how many (default: ${DEFAULT_LIMIT})`),
    flag('--offset <number>', 'skip so many of a search by attributes'),
  ],
  example: 'gatehouse key list --tag team-a --state Active',
  async run(given, _, flags) {
    const limit = whole('--limit', flags.limit, 1) ?? DEFAULT_LIMIT;
    keepApart(flags, 'granted', NARROWING);
    if (flags.granted) {
      const rows = await first((each) => given.client().list('GET /access/obtained', { query: { limit: each } }), limit);
      return given.out.table(rows, ['object_id', 'owner_id', 'state', 'operations']);
    }
    const attributes = searched(flags);
    const isSearch = attributes.length > 0 || flags.offset !== undefined;
    const rows = isSearch ? await located(given.client(), attributes, limit, whole('--offset', flags.offset) ?? 0) : await owned(given.client(), limit);
    given.out.table(rows, COLUMNS);
  },
});

async function owned(client: Client, limit: number) {
  return (await first((each) => client.list('GET /access/owned', { query: { limit: each } }), limit)).map(ownedRow);
}

function searched({ tag, name, algorithm, state, type }: Search): Node[] {
  return [
    ...(tag === undefined ? [] : [tagAttribute([tag])]),
    ...(name === undefined ? [] : [nameAttribute(name)]),
    ...(algorithm === undefined ? [] : [enumeration('CryptographicAlgorithm', algorithm)]),
    ...(state === undefined ? [] : [enumeration('State', state)]),
    ...(type === undefined ? [] : [enumeration('ObjectType', type)]),
  ];
}

async function located(client: Client, attributes: readonly Node[], limit: number, offset: number) {
  const page = [integer('MaximumItems', limit), integer('OffsetItems', offset), ALL_STORAGES, structure('Attributes', ...attributes)];
  const { UniqueIdentifier: found = [] } = await client.kmip('Locate', page);
  const ids = ([] as string[]).concat(found as string | string[]);
  const rows = [];
  for (let at = 0; at < ids.length; at += TOGETHER) {
    rows.push(
      ...(await Promise.all(
        ids.slice(at, at + TOGETHER).map(async (id) => {
          const all = await attributesOf(client, id);
          return rowOf(id, String(all['State']), all);
        }),
      )),
    );
  }
  return rows;
}

export const show = command({
  name: 'show',
  about: 'Show the attributes of a key',
  args: [KEY],
  example: 'gatehouse key show invoices',
  async run(given, [word]) {
    const id = await identifierOf(given.client(), word);
    const attributes = await attributesOf(given.client(), id);
    given.out.record(given.out.isJson ? attributes : detailsOf(id, attributes));
  },
});
