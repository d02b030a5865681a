// `gatehouse tombstone ...`: keys that deleted accounts have left, handed over to others or destroyed.
import type { Calls } from '../../client/calls.ts';
import type { Client } from '../../client/client.ts';
import { command, flag, type Group } from '../command.ts';
import { confirmed, YES, type Yes } from '../confirmed.ts';
import { first, LIMIT, type Limit } from '../first.ts';

type Tombstone = Calls['GET /access/tombstones']['answer']['tombstones'][number];

const FROM = ['<from>', 'the deleted account, or its name if only one had it'] as const;
const KEY = flag('--key <identifier>', 'only this key (default: all)');

interface One {
  readonly key?: string;
}

/** This list has its cursor in the answer. */
async function* tombstones(client: Client, limit: number): AsyncGenerator<Tombstone> {
  let after: string | undefined;
  do {
    const page = await client.call('GET /access/tombstones', { query: { limit, after } });
    yield* page.tombstones;
    after = page.next ?? undefined;
  } while (after !== undefined);
}

const list = command<Limit>({
  name: 'list',
  about: 'List the deleted accounts that still own keys',
  flags: [LIMIT],
  example: 'gatehouse tombstone list',
  async run(given, _, { limit }) {
    const found = await first((each) => tombstones(given.client(), each), limit);
    const ended = (at: number | null) => (at === null ? undefined : new Date(at * 1_000).toISOString());
    const rows = given.out.isJson ? found : found.map((each) => ({ ...each, ended: ended(each.ended_at) }));
    given.out.table(rows, ['name', 'account', 'ended', 'objects']);
  },
});

/** The server does a part of the work in each call. @returns how many there were in all */
async function untilNone(work: () => Promise<{ readonly done: number; readonly remaining: number }>): Promise<number> {
  for (let all = 0; ; ) {
    const { done, remaining } = await work();
    all += done;
    if (remaining === 0 || done === 0) return all;
  }
}

const transfer = command<One & Yes>({
  name: 'transfer',
  about: 'Hand over the keys of a deleted account to somebody else',
  args: [FROM, ['<to>', 'name of the new owner']],
  flags: [KEY, YES],
  example: 'gatehouse tombstone transfer team/ada team/bob',
  async run(given, [from, to], { key, ...yes }) {
    await confirmed(given, yes, `makes ${to} the owner of ${key ?? `all keys that ${from} has left`}`, to);
    const body = { from, to, unique_identifier: key };
    const work = async () => {
      const { transferred, remaining } = await given.client().call('POST /access/transfer', { body });
      return { done: transferred, remaining: key === undefined ? remaining : 0 };
    };
    const transferred = await untilNone(work);
    given.out.done(`Handed over to ${to}: ${transferred} ${transferred === 1 ? 'key' : 'keys'}`, { from, to, transferred });
  },
});

const destroy = command<One & Yes>({
  name: 'destroy',
  about: 'Destroy the keys of a deleted account',
  args: [FROM],
  flags: [KEY, YES],
  example: 'gatehouse tombstone destroy team/ada',
  async run(given, [from], { key, ...yes }) {
    await confirmed(given, yes, `destroys ${key ?? `all keys that ${from} has left`}: what they have encrypted is lost`, from);
    const body = { from, unique_identifier: key };
    const work = async () => {
      const { destroyed, remaining } = await given.client().call('POST /access/destroy', { body });
      return { done: destroyed, remaining: key === undefined ? remaining : 0 };
    };
    const destroyed = await untilNone(work);
    given.out.done(`Destroyed ${destroyed} ${destroyed === 1 ? 'key' : 'keys'}`, { from, destroyed });
  },
});

export const TOMBSTONE_GROUP: Group = { name: 'tombstone', about: 'Keys that deleted accounts have left', commands: [list, transfer, destroy] };
