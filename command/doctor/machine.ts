// Checks the machine: its clock, its randomness, its limits, and the packages that may be missing.
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { type Check, type Finding, ok, problem, warning } from './finding.ts';

/** Four thousand connections, and what the threads hold. */
const OPEN_FILES = 8_192;
const TOO_FEW_FILES = 1_024;
/** What a busy server of one thread holds: docs/several-machines.md#sizing. Where there is less, the system ends it amid its requests. */
const MEMORY_MIB = 512;
const MIN_ENTROPY_BITS = 256;
const SYNCHRONIZED = '/run/systemd/timesync';

export const checkClock: Check = ({ dataDir, now }) => {
  const newest = existsSync(dataDir)
    ? Math.max(0, ...readdirSync(dataDir).map((name) => lstatSync(join(dataDir, name), { throwIfNoEntry: false })?.mtimeMs ?? 0))
    : 0;
  if (newest > now + 60_000)
    return [
      problem(
        'clock',
        `a file in the data folder is from the future: ${new Date(newest).toISOString()}`,
        'set the clock of this machine: sessions and codes depend on it',
      ),
    ];
  if (existsSync(SYNCHRONIZED) && !existsSync(join(SYNCHRONIZED, 'synchronized')))
    return [warning('clock', 'systemd-timesyncd has not set the clock yet', 'timedatectl status says why: one-time codes need the right time')];
  return [ok('clock', new Date(now).toISOString())];
};

export const checkEntropy: Check = () => {
  const path = '/proc/sys/kernel/random/entropy_avail';
  if (!existsSync(path)) return [];
  const bits = Number(readFileSync(path, 'utf8'));
  if (bits >= MIN_ENTROPY_BITS) return [ok('entropy', `${bits} bits`)];
  return [warning('entropy', `${bits} bits: the first start may wait for more`, 'give a virtual machine virtio-rng, or use a newer kernel')];
};

/** Of this process; a service has its own. */
export const checkLimits: Check = () => {
  const { userLimits } = process.report.getReport() as unknown as { userLimits?: { open_files?: { soft: number | string } } };
  const soft = userLimits?.open_files?.soft;
  if (soft === undefined) return [];
  const files = soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
  const says = `${soft} open files in this session`;
  const advice = 'raise it: LimitNOFILE=65536 in the unit of systemd, ulimit -n in a shell';
  if (files < TOO_FEW_FILES) return [problem('limits', says, advice)];
  return [files < OPEN_FILES ? warning('limits', says, advice) : ok('limits', says)];
};

/** @param mib of this machine or, in a container, of its limit */
export function memoryFindings(mib = Math.floor(Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 2 ** 20)): readonly Finding[] {
  if (mib >= MEMORY_MIB) return [ok('memory', `${mib} MB`)];
  const advice = `give the container or the machine ${MEMORY_MIB} MB, and 110 MB for each further thread that serves requests`;
  return [warning('memory', `${mib} MB: a busy server needs more, and is then ended by the system`, advice)];
}

const require = createRequire(import.meta.url);

function isInstalled(name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}

export const checkPackages: Check = ({ sections }) => {
  const { models = [] } = (sections.get('model') ?? {}) as { models?: readonly { engine: string }[] };
  const needsOnnx = models.some(({ engine }) => engine === 'onnx');
  const needsHsm = ((sections.get('hsm') ?? []) as readonly unknown[]).length > 0;
  const missing = (name: string, what: string): Finding[] =>
    isInstalled(name)
      ? []
      : [problem('packages', `${name} is not installed, and ${what} need it`, 'install a compiler, then: npm install, in the folder of gatehouse')];
  return [...(needsHsm ? missing('pkcs11js', 'HSMs') : []), ...(needsOnnx ? missing('onnxruntime-node', 'language models') : [])];
};
