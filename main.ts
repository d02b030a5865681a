// The main module of the server: starts it, prints its address, and stops it on SIGTERM, SIGINT and SIGHUP.
import { readFileSync } from 'node:fs';
import { backUp } from './kernel/backup/back-up.ts';
import { copyStore } from './kernel/backup/copy.ts';
import { BackupError } from './kernel/backup/format.ts';
import { restore } from './kernel/backup/restore.ts';
import { createClock } from './kernel/clock.ts';
import { keepClassesOfCode } from './kernel/compiled-code.ts';
import { ConfigError } from './kernel/config/config-error.ts';
import { parseFlags, usage } from './kernel/config/flags.ts';
import { describe } from './kernel/fault.ts';
import { passedSockets } from './kernel/fronts/passed-sockets.ts';
import { whenLeftByNpm } from './kernel/left-by-npm.mjs';
import { surviveUnwritable } from './kernel/log/log-output.ts';
import { startUsualThreads } from './kernel/runtime/thread/young-space.ts';
import { boot, type Server } from './kernel/start/boot.ts';
import { type ServiceManager, serviceManager } from './kernel/start/service-manager.ts';
import { fileFailure, StartFailure } from './kernel/start/start-failure.ts';
import { RefusedStore } from './kernel/store/migrate.ts';
import { BUILT_IN } from './plugins/index.ts';

const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as { version: string };
/** A terminal signals both the launcher and the server, and the launcher forwards the signal. Within this time both count as one signal. */
const ONE_SIGNAL_MS = 1_000;
/**
 * A start that was told to stop goes on so long: with several threads the first ones already serve, and a start takes a while on a busy machine.
 * One that waits, as for a database, then ends. Service managers wait longer, and a second signal does not wait.
 */
const START_MS = 20_000;
/** What the operator can mend: printed as plain text. Anything else is a bug, and keeps its stack. */
const REFUSALS = [ConfigError, RefusedStore, StartFailure] as const;

async function main(argv: readonly string[]): Promise<void> {
  surviveUnwritable([process.stdout, process.stderr]);
  const flags = parseFlags(argv, {});
  if (flags.version) return console.log(version);
  if (flags.help) return console.log(usage(Object.assign({}, ...BUILT_IN.map((plugin) => plugin.flags ?? {}))));
  const builtIn = new URL('./plugins/index.ts', import.meta.url);
  startUsualThreads();
  keepClassesOfCode();
  const options = { plugins: BUILT_IN, builtIn, version, argv, env: process.env };
  if (flags.backup !== undefined) return console.log(await backUp(options, flags.backup, stopped()));
  if (flags.restore !== undefined) return console.log(await restore(options, flags.restore));
  if (flags.copyStore !== undefined) return console.log(await copyStore(options, console.error));
  const sockets = passedSockets(process.env);
  const log: { warn?: Server['log']['warn'] } = {};
  const manager = serviceManager(process.env, createClock(), (error) => log.warn?.({ error: error.message }, 'systemd could not be told'));
  const starting = boot({ ...options, ...(sockets && { sockets }) });
  stopOnSignals(starting, manager);
  const server = await starting;
  log.warn = server.log.warn.bind(server.log);
  const notes = server.announcements.map((text) => ` - ${text.replaceAll('{address}', server.address)}`);
  console.log(`gatehouse ${version} is ready at ${server.address}${notes.join('')}`);
  manager.ready(() => server.isServing());
}

/** @returns a signal for work that leaves nothing behind when it is told to stop; a second one ends it at once */
function stopped(): AbortSignal {
  const stop = new AbortController();
  let firstAt: number | undefined;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (firstAt !== undefined && performance.now() - firstAt > ONE_SIGNAL_MS) process.exit(1);
      firstAt ??= performance.now();
      stop.abort();
    });
  return stop.signal;
}

/** @param starting requests may be served before the whole server has started */
function stopOnSignals(starting: Promise<Server>, manager: ServiceManager): void {
  let firstAt: number | undefined;
  const stop = (signal: NodeJS.Signals) => {
    // A later second signal means that somebody does not want to wait.
    if (firstAt !== undefined) {
      if (performance.now() - firstAt > ONE_SIGNAL_MS) process.exit(1);
      return;
    }
    firstAt = performance.now();
    const late = setTimeout(() => process.exit(1), START_MS);
    starting.then(
      (server) => {
        clearTimeout(late);
        void end(server, manager, signal);
      },
      // Told by whoever has started it.
      () => {},
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // The terminal was closed.
  process.on('SIGHUP', stop);
  // Other servers open their logs again, and Node would end.
  process.on('SIGUSR2', () => {});
  // The launcher has ended without a signal, so nobody could stop this server.
  if (process.channel) process.on('disconnect', () => stop('SIGTERM'));
  // Nor after npm, which may also end because this server is about to.
  whenLeftByNpm(() => firstAt === undefined && stop('SIGTERM'));
}

async function end(server: Server, manager: ServiceManager, signal: NodeJS.Signals): Promise<never> {
  server.log.info({ signal }, 'stopping');
  void manager.stopping();
  try {
    await server.stop();
  } catch (error) {
    server.log.error({ error: describe(error) }, 'stopping failed');
    process.exit(1);
  }
  process.exit(0);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof BackupError) console.error(`gatehouse: ${error.message}`);
  else if (REFUSALS.some((refusal) => error instanceof refusal)) console.error(`gatehouse cannot start: ${(error as Error).message}`);
  else console.error(fileFailure(error) ? `gatehouse cannot start: ${fileFailure(error)}` : describe(error));
  process.exit(1);
});
