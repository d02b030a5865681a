// Installs the system packages that tests need, on machines with apt-get.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { SYSTEM_PACKAGES } from '../system.ts';

export function installSystemPackages(): void {
  const missing = SYSTEM_PACKAGES.filter(({ isPresent }) => !isPresent());
  if (missing.length === 0 || !existsSync('/usr/bin/apt-get')) return;
  const packages = missing.map(({ name }) => name);
  console.log(`installing ${packages.join(', ')}`);
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
  // One by one, so that a package that is missing in a release of Debian does not prevent the others.
  for (const name of packages)
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], {
      stdio: 'inherit',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
}
