// Runs the lists of the command `gatehouse` in this process, with a client that takes the time of each of its requests.
import { fetch } from 'undici';
import { Client } from '../../client/client.ts';
import type { Fetch } from '../../client/request.ts';
import { COMMANDS, GROUPS } from '../../command/commands.ts';
import { createOutput } from '../../command/output.ts';
import { createProgram } from '../../command/program.ts';
import { createPrompts } from '../../command/prompts.ts';
import { BUSY_ACTOR } from '../filling/events.ts';
import { FILL_REALM, FIRST_USER, roleName } from '../filling/people.ts';
import type { ServerProcess } from '../server/server-process.ts';
import { type Answered, rowsIn } from './asked.ts';

export interface Listed {
  /** Of the whole command, without the start of its process. */
  readonly ms: number;
  readonly answers: readonly Answered[];
  /** Lines below the heads of its table. */
  readonly shown: number;
}

const MOST = '50';

/** Those that are without a limit print all there is. */
export const LISTS: readonly (readonly string[])[] = [
  ['key', 'list'],
  ['key', 'list', '--tag', 'few 20'],
  ['key', 'list', '--algorithm', 'AES', '--offset', '10000'],
  ['key', 'list', '--granted'],
  ['realm', 'list'],
  ['user', 'list', FILL_REALM, '--limit', MOST],
  ['admin', 'list', '--limit', MOST],
  ['role', 'list', '--limit', MOST],
  ['role', 'tokens', roleName(0), '--limit', MOST],
  ['secret-id', 'list', roleName(0), '--limit', MOST],
  ['cluster-role', 'list', '--limit', MOST],
  ['session', 'list', FILL_REALM, FIRST_USER, '--limit', MOST],
  ['tombstone', 'list', '--limit', MOST],
  ['audit', '--limit', MOST],
  ['audit', '--last', MOST],
  ['audit', '--actor', BUSY_ACTOR, '--last', MOST],
  ['base', 'list'],
];

/** @param words of the command */
export async function listed({ address, agent, cookie }: ServerProcess, words: readonly string[]): Promise<Listed> {
  const answers: Answered[] = [];
  const timed: Fetch = async (to, init) => {
    const begun = performance.now();
    const answer = (await fetch(to, { ...init, dispatcher: agent } as never)) as unknown as Response;
    const text = await answer.text();
    answers.push({ ms: performance.now() - begun, rows: rowsIn(text) });
    return new Response(text === '' ? null : text, { status: answer.status, headers: answer.headers });
  };
  const client = new Client({ address, fetch: timed, credential: { cookie: cookie.slice(cookie.indexOf('=') + 1) } });
  let printed = '';
  const stdout = { write: (text: string) => (printed += text) };
  const { stdin, stderr, env } = process;
  const given = { out: createOutput(stdout, false), prompts: createPrompts(stdin, stderr), env, profile: '', stdin, stderr, client: () => client };
  const program = createProgram({ version: '0', commands: COMMANDS, groups: GROUPS, surroundings: () => ({ ...given, stdout: stdout as never }) });
  const begun = performance.now();
  await program.parseAsync(words, { from: 'user' });
  const heads = words[0] === 'audit' ? 0 : 1;
  return { ms: performance.now() - begun, answers, shown: printed.split('\n').length - 1 - heads };
}
