// Reads the files that a configuration names, as a start would, but starts and writes nothing.
import { actorSpecs } from './catalog/actors.ts';
import { ConfigError } from './config/load.ts';
import type { Configured } from './configure.ts';
import { checkTls } from './http/tls.ts';
import { parseRootKey } from './root-key.ts';

/** @throws ConfigError with everything that is wrong with the files of `[http.tls]` and of plugins, with a configured root key, and with where actors live */
export function checkConfiguredFiles({ config, sections, catalog, base, dataDir }: Configured): void {
  const problems = [
    () => checkTls(config.http, base),
    () => actorSpecs(catalog.plugins, sections, config, base, '', dataDir),
    () => config.store.root_key !== '' && parseRootKey(config.store.root_key, 'store.root_key'),
  ].flatMap(problemsOf);
  if (problems.length > 0) throw new ConfigError(problems);
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
