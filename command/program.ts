// Builds the parser from the commands: words, flags, help with an example for each, completion for shells.
import tab from '@bomb.sh/tab/commander';
import { Argument, CommanderError, Option, Command as Parser } from 'commander';
import { BASH_COMPLETION } from './bash-completion.ts';
import type { Command, Group, Surroundings, Words } from './command.ts';
import { checkedArgument, checkedOption } from './given.ts';

export interface ProgramOptions {
  readonly version: string;
  readonly commands: readonly Command[];
  readonly groups: readonly Group[];
  /** @param json whether `--json` was given @param profile the name after `--profile` */
  readonly surroundings: (json: boolean, profile: string) => Surroundings;
}

export function createProgram({ version, commands, groups, surroundings }: ProgramOptions): Parser {
  const program = new Parser('gatehouse')
    .description('People, machines, keys, models and the audit of a gatehouse server, and the care of an installation')
    .version(version, '-V, --version', 'print the version')
    .helpCommand(false)
    .showHelpAfterError('(gatehouse --help lists the commands)')
    .exitOverride();
  for (const each of commands) add(program, each, surroundings);
  for (const { name, about, commands: own } of groups) {
    const group = program.command(name).description(about).showHelpAfterError(`(gatehouse ${name} --help lists the commands)`);
    for (const each of own) add(group, each, surroundings);
  }
  tab(program);
  withOwnBash(program);
  program.commands.find((each) => each.name() === 'complete')?.addHelpText('after', '\nExample:\n  $ source <(gatehouse complete bash)');
  return program;
}

/** `complete bash` prints our own script; everything else of `complete` is the package's. */
function withOwnBash(program: Parser): void {
  program.hook('preSubcommand', (_, parser) => {
    if (parser.name() !== 'complete' || program.args[1] !== 'bash') return;
    process.stdout.write(BASH_COMPLETION);
    throw new CommanderError(0, 'gatehouse.complete', 'printed');
  });
}

function add(parent: Parser, { name, about, args = [], flags = [], example, run }: Command, surroundings: ProgramOptions['surroundings']): void {
  const words = parent.parent ? `${parent.name()} ${name}` : name;
  const parser = parent
    .command(name)
    .description(about)
    .addHelpText('after', `\nExample:\n  $ ${example}`)
    .showHelpAfterError(`(for example: ${example}; gatehouse ${words} --help tells more)`);
  for (const [argument, text] of args) parser.addArgument(checkedArgument(new Argument(argument, text)));
  for (const { flags: written, about: text, choices } of flags) {
    const option = new Option(written, text);
    parser.addOption(checkedOption(choices ? option.choices([...choices]) : option));
  }
  parser.option('--json', 'print JSON for scripts').addOption(checkedOption(new Option('--profile <name>', 'profile to use (default: default)')));
  parser.action(async (...all: unknown[]) => {
    const given = parser.opts() as { json?: boolean; profile?: string };
    // Commander hands over the arguments, then the flags and the parser; several arguments come as a list.
    const words = all.slice(0, -2).flat() as unknown as Words;
    await run(surroundings(given.json === true, given.profile ?? 'default'), words, given);
  });
}
