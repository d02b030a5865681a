// The main module of the command `gatehouse`: parses, runs one command, and ends with an exit code that scripts can use.
import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { COMMANDS, GROUPS } from './commands.ts';
import { type Connection, connect } from './connection.ts';
import { EXIT, exitOf, lineOf } from './exit.ts';
import { createOutput } from './output.ts';
import { printable } from './printable.ts';
import { profilePath, readProfile } from './profile.ts';
import { createProgram } from './program.ts';
import { createPrompts } from './prompts.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };

async function main(argv: readonly string[]): Promise<number> {
  const { stdin, stdout, stderr, env } = process;
  let connection: Connection | undefined;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader such as head may leave before the end of a list.
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
    stderr.write(`gatehouse: ${printable(lineOf(error))}\n`);
    process.exit(EXIT.failed);
  });
  const prompts = createPrompts(stdin, stderr);
  const program = createProgram({
    version,
    commands: COMMANDS,
    groups: GROUPS,
    surroundings(isJson, name) {
      const profile = profilePath(name, env);
      const client = () => {
        connection ??= connect(readProfile(profile));
        return connection.client;
      };
      return { out: createOutput(stdout, isJson), prompts, env, profile, stdin, stdout, stderr, client };
    },
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return Number(process.exitCode ?? EXIT.ok);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    // Each line for itself: what others wrote in it must not begin a line.
    for (const line of `gatehouse: ${lineOf(error)}`.split('\n')) stderr.write(`${printable(line)}\n`);
    return exitOf(error);
  } finally {
    await connection?.close();
    // A half-read pipe would keep the process.
    stdin.destroy();
  }
}

process.exitCode = await main(process.argv.slice(2));
