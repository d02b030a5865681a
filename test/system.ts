// The system packages that some tests want, and the word for a test that has to do without.
import { existsSync, globSync } from 'node:fs';

export interface SystemPackage {
  /** Name of the Debian package. */
  readonly name: string;
  isPresent(): boolean;
}

export const SOFTHSM_LIBRARY = '/usr/lib/softhsm/libsofthsm2.so';

export const CHROMIUM = '/usr/bin/chromium';

/** Debian's own Python, for which its packages are. */
export const PYTHON = '/usr/bin/python3';

export function postgresFolder(): string | undefined {
  return globSync('/usr/lib/postgresql/*/bin').sort().at(-1);
}

export const SYSTEM_PACKAGES: readonly SystemPackage[] = [
  { name: 'softhsm2', isPresent: () => existsSync(SOFTHSM_LIBRARY) && existsSync('/usr/bin/softhsm2-util') },
  { name: 'postgresql', isPresent: () => postgresFolder() !== undefined },
  { name: 'chromium', isPresent: () => existsSync(CHROMIUM) },
  { name: 'python3-pykmip', isPresent: () => existsSync(PYTHON) && existsSync('/usr/lib/python3/dist-packages/kmip/__init__.py') },
];

/** A package that a run does without on purpose, as the mutation run does where the database does not matter. */
const LEFT_OUT = process.env['GATEHOUSE_TEST_WITHOUT'];

/** Says why a test cannot run here and how it could; the runner repeats it at the end. @returns true when the test has to be skipped */
export function skipWithout(name: string): boolean {
  if (name !== LEFT_OUT && SYSTEM_PACKAGES.find((candidate) => candidate.name === name)?.isPresent()) return false;
  console.log(`skipped: ${process.argv[1]?.split('/').at(-1)} needs the package ${name}: GATEHOUSE_TEST_INSTALL=1 npm test, or apt-get install ${name}`);
  return true;
}
