// Reads the files that a configuration names and makes what it describes, as a start would, but starts and writes nothing.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createClock } from '../clock.ts';
import { ConfigError } from '../config/config-error.ts';
import { firstStartProblemsOf } from '../context.ts';
import { checkTls } from '../http/tls/tls.ts';
import { keyEncryptionKeysOf } from '../keys/key-server-key.ts';
import { requireClients, requireOwnPort } from '../listener/listener.ts';
import { createLog } from '../log/log.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { newSharedMemory } from '../shared/memory.ts';
import { databaseFile, isFolder, isMissingFile, openableStoreUrl, requireWritable } from '../store/store-url.ts';
import { createVersions } from '../versions.ts';
import { type Built, build } from './built.ts';
import type { Configured } from './configure.ts';

/**
 * @returns warnings of what a first start would refuse, if the database may be in use already
 * @throws ConfigError with everything that is wrong with the files of `[http.tls]` and of plugins, with the place of the
 * database, with where actors live, with listeners, with the key-encryption key, and with what a first start needs, if it is one
 */
export function checkConfiguredFiles(configured: Configured): readonly string[] {
  const { config, base, dataDir } = configured;
  const problems = [() => checkTls(config.http, base), () => checkStorePlace(configured)].flatMap(problemsOf);
  const built = builtProblems(configured);
  // Then the next start is certainly the first one.
  const first = isMissingFile(config.store.url, resolve(dataDir));
  problems.push(...built.problems, ...(first ? built.ofFirstStart : []));
  if (problems.length > 0) throw new ConfigError(problems);
  return first ? [] : built.ofFirstStart.map((problem) => `${problem}; a first start and a reset of the administrator refuse it`);
}

/** A start makes the data folder, but none in it. */
function checkStorePlace({ config, dataDir }: Configured): void {
  const folder = resolve(dataDir);
  const isThere = isFolder(folder, 'data folder');
  if (!isThere && existsSync(folder)) throw new ConfigError([`data folder ${folder}: is not a folder; move it away, or name another one`]);
  const file = databaseFile(config.store.url);
  if (isThere || (file !== undefined && dirname(join(folder, file)) !== folder)) requireWritable(openableStoreUrl(config.store.url, folder));
}

function builtProblems(configured: Configured): { readonly problems: readonly string[]; readonly ofFirstStart: readonly string[] } {
  const { http } = configured.config;
  let built: Built | undefined;
  const unbuildable = problemsOf(() => {
    built = describedBy(configured);
  });
  if (!built) return { problems: unbuildable, ofFirstStart: [] };
  const { contexts, listeners } = built;
  const problems = [
    ...listeners.map((listener) => () => requireClients(listener, http.tls.client_ca !== '')),
    ...listeners.map((listener) => () => requireOwnPort(listener, http)),
    () => keyEncryptionKeysOf(contexts),
  ].flatMap(problemsOf);
  return { problems, ofFirstStart: firstStartProblemsOf(contexts) };
}

function describedBy(configured: Configured): Built {
  const parts = { clock: createClock(), metrics: createMetrics(), tracing: undefined, shared: newSharedMemory(1), versions: createVersions(), node: '' };
  const store = { url: configured.config.store.url, origin: randomUUID() };
  return build({ ...configured, version: '', log: createLog('silent') }, { ...parts, store }, { tls: {} }, resolve(configured.dataDir));
}

function problemsOf(check: () => unknown): readonly string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}
