// Installs the system packages that tests want, where the machine is made for that.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { SYSTEM_PACKAGES } from '../system.ts';

export function installSystemPackages(): void {
  const missing = SYSTEM_PACKAGES.filter(({ isPresent }) => !isPresent());
  if (missing.length === 0 || !existsSync('/usr/bin/apt-get')) return;
  const packages = missing.map(({ name }) => name);
  console.log(`installing ${packages.join(', ')}`);
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
  // One by one: what a release of Debian does not have keeps no other from being installed.
  for (const name of packages)
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], {
      stdio: 'inherit',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
}
