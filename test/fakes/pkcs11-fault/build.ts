// Builds the PKCS#11 library that misbehaves on demand, and tells it how.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SOFTHSM_LIBRARY } from '../../system.ts';

export interface FaultLibrary {
  readonly path: string;
  /** @param line as fault.c describes; undefined: all is well */
  tell(line: string | undefined): void;
  /** How many calls it holds now. */
  held(): number;
  /** How many sessions it has open; 0 before the first. */
  sessions(): number;
  /** `made` keys were unwrapped that never leave the token, `there` of them are there now; `others` is how many others were unwrapped. */
  unwrapped(): Readonly<Record<'made' | 'there' | 'others', number>>;
}

const GCC = '/usr/bin/gcc';

/** @returns false, and says so, if there is no compiler */
export function canBuild(): boolean {
  if (existsSync(GCC)) return true;
  console.log('skipped: the PKCS#11 library of faults needs gcc: apt-get install gcc');
  return false;
}

/** @param folder where it is built; each name is a library of its own, with faults of its own */
export function faultLibrary(folder: string, name: string): FaultLibrary {
  const built = join(folder, 'fault.so');
  const headers = join(dirname(createRequire(import.meta.url).resolve('pkcs11js/package.json')), 'includes', 'pkcs11');
  const source = fileURLToPath(new URL('./fault.c', import.meta.url));
  if (!existsSync(built)) execFileSync(GCC, ['-shared', '-fPIC', '-O1', `-I${headers}`, `-DSOFTHSM="${SOFTHSM_LIBRARY}"`, '-o', built, source, '-ldl']);
  const path = join(folder, `${name}.so`);
  copyFileSync(built, path);
  const fault = `${path}.fault`;
  const counted = `${path}.sessions`;
  const unwrapped = `${path}.unwrapped`;
  return {
    path,
    tell: (line) => (line === undefined ? rmSync(fault, { force: true }) : writeFileSync(fault, `${line}\n`)),
    unwrapped() {
      const [made = 0, there = 0, others = 0] = existsSync(unwrapped) ? readFileSync(unwrapped, 'utf8').split(' ').map(Number) : [];
      return { made, there, others };
    },
    held: () => (existsSync(`${path}.held`) ? Number(readFileSync(`${path}.held`, 'utf8')) : 0),
    sessions: () => (existsSync(counted) ? Number(readFileSync(counted, 'utf8')) : 0),
  };
}
