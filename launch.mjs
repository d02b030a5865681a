// `npm start`, `npm run cli`, `npm run model`, `npm test`, `npm run bench`, `npm run fill`, `npm run fuzz`, `npm run foreign`, `npm run mutate`, `npm run soak`, `npm run package` and `npm run packages`: installs missing dependencies, then runs the pinned Node. Plain JavaScript for any Node from version 18.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runPinned } from './bin/pinned-node.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const entries = {
  start: 'main.ts',
  cli: 'command/main.ts',
  model: 'model.ts',
  test: 'test/run.ts',
  bench: 'bench/run.ts',
  fill: 'bench/fill.ts',
  fuzz: 'test/fuzz/run.ts',
  foreign: 'test/foreign/run.ts',
  mutate: 'test/mutation/run.ts',
  soak: 'soak/run.ts',
  package: 'packaging/run.ts',
  packages: 'test/packages/run.ts',
};
const [command, ...args] = process.argv.slice(2);
if (!(command in entries)) throw new Error(`usage: node launch.mjs ${Object.keys(entries).join('|')}`);

install(!['start', 'cli', 'model'].includes(command));
const isServer = command === 'start';
// From the second start on, nothing is stripped and compiled again. Whoever can write here can write the sources; where nobody can, Node does without.
const cache = isServer || command === 'cli' ? join(root, 'node_modules', '.cache', 'gatehouse') : undefined;
// The command reads passwords from the terminal, which then belongs to it alone.
runPinned(join(root, entries[command]), args, { isServer, isReplacing: isServer || command === 'cli', cache });

/** @param dev whether development dependencies are needed; `npm start`, the command and `npm run model` need neither them nor a compiler */
function install(dev) {
  const { wanted, present, digest } = packages();
  const isWrong = ([path, { version }]) => path !== '' && present[path]?.version !== version;
  const isNeeded = ([, entry]) => !entry.optional && !entry.devOptional && (!entry.dev || dev);
  const wrong = Object.entries(wanted).filter(isWrong);
  const isIncomplete = wanted[''] === undefined || wrong.some(isNeeded);
  if (!isIncomplete && isTried(digest)) return;
  if (!isIncomplete && !wrong.some(couldBeInstalled)) return noteTried(digest);
  console.error(`gatehouse: installing dependencies (only once, takes about ${dev ? 'three minutes' : 'a minute'})`);
  // The first install follows the lock file exactly; a later one adds what is missing and does not change the lock file.
  const verb = existsSync(join(root, 'node_modules')) ? ['install', '--no-save'] : ['ci'];
  // Whoever has development dependencies keeps them.
  const hasDev = Object.values(present).some((entry) => entry.dev);
  const flags = [...verb, ...(dev || hasDev ? [] : ['--omit=dev']), '--loglevel=error', '--no-audit', '--no-fund'];
  const npm = process.env.npm_execpath;
  // Packages may run scripts during installation, so the secrets of the server are removed from their environment.
  const open = Object.entries(process.env).filter(([name]) => !name.startsWith('GATEHOUSE_') || name.startsWith('GATEHOUSE_TEST_'));
  // ONNX Runtime would fetch libraries for graphics cards.
  const env = { ...Object.fromEntries(open), ONNXRUNTIME_NODE_INSTALL: 'skip', PATH: outsidePath() };
  const node = findNode(env.PATH);
  const { status } =
    npm && node
      ? spawnSync(node, [npm, ...flags], { cwd: root, env, stdio: 'inherit' })
      : spawnSync('npm', flags, { cwd: root, env, stdio: 'inherit', shell: true });
  // Without an optional package the server starts and says what is off.
  if (status !== 0 && isIncomplete) process.exit(status ?? 1);
  if (status === 0) noteTried(digest);
}

/** @returns the packages of the lock file, and of them those that are installed, by path */
function packages() {
  try {
    const lock = readFileSync(join(root, 'package-lock.json'));
    const { packages: wanted } = JSON.parse(lock);
    const { packages: present } = JSON.parse(readFileSync(join(root, 'node_modules', '.package-lock.json'), 'utf8'));
    return { wanted, present, digest: createHash('sha256').update(lock).digest('hex') };
  } catch {
    return { wanted: {}, present: {}, digest: '' };
  }
}

/** Whether a missing package is an optional one for this machine. */
function couldBeInstalled([, { optional, dev, os = [process.platform], cpu = [process.arch], libc }]) {
  return optional && !dev && os.includes(process.platform) && cpu.includes(process.arch) && (!libc || libc.includes(libcOfMachine()));
}

function libcOfMachine() {
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
}

/** Optional packages may be missing, because they may not compile: npm tries them once for each lock file. */
function isTried(digest) {
  try {
    return readFileSync(triedFile(), 'utf8') === digest;
  } catch {
    return false;
  }
}

function noteTried(digest) {
  try {
    writeFileSync(triedFile(), digest);
  } catch {
    // Nobody can write there: the next start finds out again.
  }
}

function triedFile() {
  return join(root, 'node_modules', '.gatehouse-packages');
}

/** @returns PATH without folders in node_modules, because the installation may replace the Node in there */
function outsidePath() {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter);
}

function findNode(path) {
  return path
    .split(delimiter)
    .map((folder) => join(folder, process.platform === 'win32' ? 'node.exe' : 'node'))
    .find((file) => existsSync(file));
}
