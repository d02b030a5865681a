// Installs the system packages that tests need, on machines with apt-get.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { SYSTEM_PACKAGES } from '../system.ts';

export function installSystemPackages(): void {
  const missing = SYSTEM_PACKAGES.filter(({ isPresent }) => !isPresent());
  if (missing.length === 0 || !existsSync('/usr/bin/apt-get')) return;
  const packages = missing.map(({ name }) => name);
  console.log(`installing ${packages.join(', ')}`);
  apt('update');
  if (apt('install', ...packages)) return;
  // One by one, so that a package that is missing in a release of Debian does not prevent the others.
  for (const name of packages) apt('install', name);
}

/** Its errors are shown, its progress is not. @returns whether it has succeeded */
function apt(command: 'update' | 'install', ...packages: readonly string[]): boolean {
  const flags = command === 'install' ? ['-y', '--no-install-recommends'] : [];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', [command, '-qq', ...flags, ...packages], { stdio: ['ignore', 'ignore', 'inherit'], env }).status === 0;
}
