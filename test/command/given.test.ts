// What is given on the command line: nothing empty, nothing twice, nothing that would be passed over.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { Surroundings } from '../../command/command.ts';
import { COMMANDS, GROUPS } from '../../command/commands.ts';
import { CommandError, EXIT } from '../../command/exit.ts';
import { profilePath } from '../../command/profile.ts';
import { createProgram } from '../../command/program.ts';

/** No command comes so far that it needs anything. */
async function refused(words: readonly string[], says: string): Promise<void> {
  const program = createProgram({ version: '0', commands: COMMANDS, groups: GROUPS, surroundings: () => ({}) as Surroundings });
  await assert.rejects(program.parseAsync(words, { from: 'user' }), (error) => {
    assert.ok(error instanceof CommandError, `${words}: ${error}`);
    assert.deepEqual([error.exit, error.message], [EXIT.usage, says], `${words}`);
    return true;
  });
}

const ALL = [
  ...COMMANDS.map((command) => ({ words: [command.name], command })),
  ...GROUPS.flatMap(({ name, commands }) => commands.map((command) => ({ words: [name, command.name], command }))),
];

/** Valid as every argument, so that only the flag is wrong. */
const argumentsOf = (args: readonly (readonly [string, string])[] = []) => args.map(() => 'word');

test('an empty argument is refused by every command', async () => {
  for (const { words, command } of ALL)
    for (const [at, [argument]] of (command.args ?? []).entries())
      await refused([...words, ...argumentsOf(command.args).with(at, '')], `<${argument.replaceAll(/[<>[\].]/g, '')}> is empty`);
});

test('an empty flag, and one that is given twice and not repeatable, is refused by every command', async () => {
  for (const { words, command } of ALL)
    for (const { flags, about, choices } of [...(command.flags ?? []), { flags: '--profile <name>', about: '', choices: undefined }]) {
      if (!flags.includes('<')) continue;
      const flag = /--[\w-]+/.exec(flags)?.[0] as string;
      const good = choices?.[0] ?? 'word';
      assert.equal(flags.includes('...'), about.includes('repeatable'), `${words} ${flags}`);
      await refused([...words, ...argumentsOf(command.args), `${flag}=`], `${flag} is empty`);
      if (flags.includes('...')) await refused([...words, ...argumentsOf(command.args), flag, good, flag, ''], `${flag} is empty`);
      else await refused([...words, ...argumentsOf(command.args), flag, good, flag, good], `${flag} is given more than once; give it once`);
    }
});

test('flags of which one would be passed over are refused', async () => {
  const login = (...flags: string[]) => ['login', 'https://127.0.0.1:1', ...flags.flatMap((flag) => [flag, 'x'])];
  for (const [words, one, other] of [
    [['key', 'list', '--tag', 'x', '--granted'], '--granted', '--tag'],
    [['key', 'list', '--offset', '1', '--granted'], '--granted', '--offset'],
    [login('--fingerprint', '--ca'), '--ca', '--fingerprint'],
    [login('--user', '--role-id'), '--role-id', '--user'],
    [login('--role-id', '--token-file'), '--token-file', '--role-id'],
    [login('--realm', '--token-file'), '--token-file', '--realm'],
    [login('--secret-id-file', '--code-file'), '--secret-id-file', '--code-file'],
    [login('--jwt-file', '--cert', '--key'), '--jwt-file', '--cert'],
    [login('--cert', '--key', '--password-file'), '--cert', '--password-file'],
  ] as const)
    await refused(words, `${one} and ${other} cannot be combined; use one of them`);
});

test('a time is one that was meant', async () => {
  for (const time of ['5', '2026', '2026-02', '2026-02-30', '2026-02-30T00:00:00Z', 'Jan 5', '2026-01-31 12:00', '2026-01-31T25:00:00Z'])
    await refused(['key', 'create', 'aes-256', '--activate', time], `${time}: a time has the form 2026-01-31T12:00:00Z`);
});

test('profiles are never in the folder of the moment', () => {
  assert.throws(() => profilePath('default', { GATEHOUSE_PROFILE_DIR: '' }), /^CommandError: GATEHOUSE_PROFILE_DIR: is empty/);
});

test.run();
