// `gatehouse model | backup | restore | config`: work on an installation of this machine, by the programs that do it already.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '../../kernel/config/config-error.ts';
import { type Command, command, type Flag, flag, type Group } from '../command.ts';
import { CommandError, EXIT } from '../exit.ts';

export interface Installation {
  readonly config?: string;
  readonly dataDir?: string;
}

export const INSTALLATION: readonly Flag[] = [
  flag('--config <file>', 'configuration file of the server (default: config.toml if it exists)'),
  flag('--data-dir <folder>', 'data folder of the server (default: data)'),
];

export function argvOf({ config, dataDir }: Installation): string[] {
  return [...(config === undefined ? [] : ['--config', config]), ...(dataDir === undefined ? [] : ['--data-dir', dataDir])];
}

/** Runs another main module of gatehouse in the foreground. @throws CommandError if it fails; it has said why */
async function run(module: 'main.ts' | 'model.ts', args: readonly string[]): Promise<void> {
  const path = fileURLToPath(new URL(`../../${module}`, import.meta.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', path, ...args], { stdio: 'inherit' });
  // The terminal signals both; this process waits for the other one's end.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('exit', resolve));
  if (code !== 0) throw new CommandError(`${args[0]?.replace(/^--/, '')} failed`, EXIT.failed);
}

export const backup = command<Installation>({
  name: 'backup',
  about: 'Write a backup of the store to a new file; the server may be running. The root key is not in it',
  args: [['<file>', 'new file']],
  flags: INSTALLATION,
  example: 'gatehouse backup gatehouse-2026-01-31.backup --data-dir /var/lib/gatehouse',
  run: (_, [file], flags) => run('main.ts', ['--backup', file, ...argvOf(flags)]),
});

export const restore = command<Installation>({
  name: 'restore',
  about: 'Read a backup into an empty store',
  args: [['<file>', 'the backup']],
  flags: INSTALLATION,
  example: 'gatehouse restore gatehouse-2026-01-31.backup --data-dir new',
  run: (_, [file], flags) => run('main.ts', ['--restore', file, ...argvOf(flags)]),
});

const model = (given: Omit<Command<Installation & Readonly<Record<string, string | undefined>>>, 'run'>, own: readonly string[] = []) =>
  command<Installation & Readonly<Record<string, string | undefined>>>({
    ...given,
    flags: [...(given.flags ?? []), ...INSTALLATION],
    run: (_, words, flags) => {
      const named = own.flatMap((name) => (flags[name] === undefined ? [] : [`--${name}`, flags[name]]));
      return run('model.ts', [given.name, ...words.filter((word) => word !== undefined), ...named, ...argvOf(flags)]);
    },
  });

export const MODEL_GROUP: Group = {
  name: 'model',
  about: 'Language models in the data folder',
  commands: [
    model({ name: 'list', about: 'List the models of the data folder and of the configuration', example: 'gatehouse model list' }),
    model(
      {
        name: 'pull',
        about: 'Get a model from the hub',
        args: [['<model>', 'OWNER/NAME on the hub']],
        flags: [
          flag('--name <name>', 'name in the data folder'),
          flag('--revision <revision>', 'commit, tag or branch'),
          flag('--precision <precision>', 'of the weights'),
        ],
        example: 'gatehouse model pull Xenova/all-MiniLM-L6-v2 --name meaning',
      },
      ['name', 'revision', 'precision'],
    ),
    model({
      name: 'verify',
      about: 'Compare the files of models with what was pulled',
      args: [['[name]', 'one model (default: all)']],
      example: 'gatehouse model verify meaning',
    }),
    model({ name: 'remove', about: 'Remove a model from the data folder', args: [['<name>', 'the model']], example: 'gatehouse model remove meaning' }),
  ],
};

const check = command<Installation>({
  name: 'check',
  about: 'Read the configuration and the files it names as a start would, and list what is wrong with them',
  flags: INSTALLATION,
  example: 'gatehouse config check --config /etc/gatehouse/config.toml',
  async run(given, _, flags) {
    const [{ configure }, { checkConfiguredFiles }, { BUILT_IN }] = await Promise.all([
      import('../../kernel/start/configure.ts'),
      import('../../kernel/start/configured-files.ts'),
      import('../../plugins/index.ts'),
    ]);
    try {
      const configured = await configure({ plugins: BUILT_IN, argv: argvOf(flags), env: { ...process.env } });
      const { dataDir } = configured;
      const warnings = [...configured.warnings, ...checkConfiguredFiles(configured)];
      for (const warning of warnings) given.prompts.tell(`warning: ${warning}\n`);
      given.out.done('The configuration is right', { right: true, data_dir: dataDir, warnings });
    } catch (error) {
      if (error instanceof ConfigError) throw new CommandError(error.message, EXIT.wrong);
      throw error;
    }
  },
});

export const CONFIG_GROUP: Group = { name: 'config', about: 'The configuration of a server on this machine', commands: [check] };
