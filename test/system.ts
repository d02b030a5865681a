// The system packages that some tests want, and the word for a test that has to do without.
import { existsSync, globSync } from 'node:fs';

export interface SystemPackage {
  /** Name of the Debian package. */
  readonly name: string;
  isPresent(): boolean;
}

export const SOFTHSM_LIBRARY = '/usr/lib/softhsm/libsofthsm2.so';

/** Of the software token; Debian has it for each architecture in a folder of its own. */
export const OPENCRYPTOKI_LIBRARY = libraryIn('pkcs11/libopencryptoki.so');
export const NSS_LIBRARY = libraryIn('{,nss/}libsoftokn3.so');
export const TPM2_LIBRARY = libraryIn('libtpm2_pkcs11.so.1');

function libraryIn(name: string): string {
  return globSync(`/usr/lib/*-linux-gnu/${name}`)[0] ?? '';
}

/** Tells one program another time. */
export const FAKETIME_LIBRARY = libraryIn('faketime/libfaketimeMT.so.1');

export const CHROMIUM = '/usr/bin/chromium';

/** Debian's own Python, for which its packages are. */
export const PYTHON = '/usr/bin/python3';

export function postgresFolder(): string | undefined {
  return globSync('/usr/lib/postgresql/*/bin').sort().at(-1);
}

export const SYSTEM_PACKAGES: readonly SystemPackage[] = [
  { name: 'softhsm2', isPresent: () => existsSync(SOFTHSM_LIBRARY) && existsSync('/usr/bin/softhsm2-util') },
  { name: 'opencryptoki', isPresent: () => OPENCRYPTOKI_LIBRARY !== '' && existsSync('/usr/sbin/pkcsslotd') },
  { name: 'libnss3-tools', isPresent: () => NSS_LIBRARY !== '' && existsSync('/usr/bin/certutil') },
  { name: 'libtpm2-pkcs11-1', isPresent: () => TPM2_LIBRARY !== '' },
  { name: 'libtpm2-pkcs11-tools', isPresent: () => existsSync('/usr/bin/tpm2_ptool') },
  { name: 'libtss2-tcti-tabrmd0', isPresent: () => libraryIn('libtss2-tcti-tabrmd.so.0') !== '' },
  { name: 'tpm2-abrmd', isPresent: () => existsSync('/usr/sbin/tpm2-abrmd') },
  { name: 'dbus-daemon', isPresent: () => existsSync('/usr/bin/dbus-daemon') },
  { name: 'swtpm', isPresent: () => existsSync('/usr/bin/swtpm') },
  { name: 'postgresql', isPresent: () => postgresFolder() !== undefined },
  { name: 'pgbouncer', isPresent: () => existsSync('/usr/sbin/pgbouncer') },
  { name: 'haproxy', isPresent: () => existsSync('/usr/sbin/haproxy') },
  { name: 'chromium', isPresent: () => existsSync(CHROMIUM) },
  ...['bash', 'zsh', 'fish'].map((name) => ({ name, isPresent: () => ['/bin', '/usr/bin'].some((folder) => existsSync(`${folder}/${name}`)) })),
  { name: 'libfaketime', isPresent: () => FAKETIME_LIBRARY !== '' },
  { name: 'strace', isPresent: () => existsSync('/usr/bin/strace') },
  { name: 'prometheus', isPresent: () => existsSync('/usr/bin/promtool') },
  { name: 'poppler-data', isPresent: () => existsSync('/usr/share/poppler/cMap') },
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
