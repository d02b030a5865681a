// Makes the OCI image with buildah: a few of Debian's packages, the program, and no shell that it would need. It runs without root on a read-only file system.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { nodeFlags } from '../bin/node-flags.mjs';
import { sourceTime, versionOf } from './build-facts.ts';
import { layOut } from './debian.ts';
import { ROOT } from './program.ts';

/** What the program and its Node link to, the names of the user and of the time zones, and the character maps of pdf files. */
const PACKAGES = ['base-files', 'base-passwd', 'libc6', 'libgcc-s1', 'libstdc++6', 'tzdata', 'netbase', 'poppler-data'];
const SOURCE = 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm main';
/** Only people read them. */
const UNUSED = ['usr/share/doc', 'usr/share/man', 'usr/share/locale', 'usr/share/info', 'var/cache', 'var/log', 'var/lib/apt', 'usr/share/zoneinfo/right'];
const USER = '10001';
const NODE = '/usr/lib/gatehouse/node_modules/node/bin/node';
/** Below 64 of the threads of libuv, whatever the machine: the image does not know its cores. */
const VARIABLES = [
  'UV_THREADPOOL_SIZE=8',
  'MALLOC_MMAP_THRESHOLD_=1048576',
  // A folder of its own there: a volume of Kubernetes belongs to root, and its mode cannot be changed.
  'GATEHOUSE_DATA_DIR=/data/gatehouse',
  'GATEHOUSE_HTTP_HOST=0.0.0.0',
  'GATEHOUSE_HTTP_PORT=8443',
];
const QUICK_IMPORTS = '/usr/lib/gatehouse/kernel/quick-imports.mjs';
/** As many helpers as Node chooses: the image does not know its cores. */
const SERVER = [NODE, ...nodeFlags({ isServer: true, quickImports: QUICK_IMPORTS, helpers: 0 }), '/usr/lib/gatehouse/main.js'];
const HEALTH = [NODE, '/usr/lib/gatehouse/bin/health.mjs'];

/** @param out folder of the archive. @returns its path, for `podman load -i` and `docker load -i` */
export function makeImage(out: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-oci-'));
  try {
    const root = join(folder, 'root');
    makeRoot(root);
    layOut(root, 'oci');
    for (const path of ['usr/bin/gatehouse', 'etc/gatehouse']) rmSync(join(root, path), { recursive: true });
    // A new volume takes its owner and its mode from here.
    mkdirSync(join(root, 'data'), { mode: 0o700 });
    writeFileSync(join(root, 'etc/passwd'), `gatehouse:x:${USER}:${USER}:gatehouse:/data:/usr/sbin/nologin\n`, { flag: 'a' });
    writeFileSync(join(root, 'etc/group'), `gatehouse:x:${USER}:\n`, { flag: 'a' });
    copyFileSync(join(ROOT, 'packaging/health.mjs'), join(root, 'usr/lib/gatehouse/bin/health.mjs'));
    execFileSync('chmod', ['-R', 'go=u-w', join(root, 'usr/lib/gatehouse')]);
    execFileSync('chown', ['-R', '0:0', join(root, 'usr/lib/gatehouse')]);
    mkdirSync(out, { recursive: true });
    return commit(root, join(resolve(out), `gatehouse_${versionOf()}.image.tar`));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Unpacked, not configured: nothing of the packages must run to be used. */
function makeRoot(root: string): void {
  const flags = ['--quiet', '--variant=extract', `--include=${PACKAGES.join(',')}`];
  execFileSync('mmdebstrap', [...flags, 'bookworm', root, SOURCE], { stdio: ['ignore', 'inherit', 'inherit'] });
  for (const path of UNUSED) rmSync(join(root, path), { recursive: true, force: true });
  // base-passwd and base-files make these when they are configured.
  for (const name of ['passwd', 'group']) copyFileSync(join(root, `usr/share/base-passwd/${name}.master`), join(root, 'etc', name));
}

function commit(root: string, path: string): string {
  const buildah = (...args: string[]) => execFileSync('buildah', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
  const container = buildah('from', 'scratch');
  try {
    // `buildah copy` would give root the folder of the data too.
    const mounted = buildah('mount', container);
    execFileSync('cp', ['--archive', '--no-target-directory', root, mounted]);
    execFileSync('chown', [`${USER}:${USER}`, join(mounted, 'data')]);
    buildah('umount', container);
    const settings = ['--user', `${USER}:${USER}`, '--workingdir', '/data', '--volume', '/data', '--port', '8443', '--stop-signal', 'SIGTERM'];
    const labels = [`org.opencontainers.image.title=gatehouse`, `org.opencontainers.image.version=${versionOf()}`];
    const given = [...VARIABLES.flatMap((each) => ['--env', each]), ...labels.flatMap((each) => ['--label', each])];
    const health = ['--healthcheck', `CMD ${HEALTH.join(' ')}`, '--healthcheck-interval', '30s', '--healthcheck-start-period', '60s'];
    buildah('config', ...settings, ...given, ...health, '--entrypoint', JSON.stringify(SERVER), '--cmd', '', container);
    rmSync(path, { force: true });
    // In the form of Docker: that of OCI has no health check.
    buildah('commit', '--quiet', '--format', 'docker', '--timestamp', String(sourceTime()), container, `docker-archive:${path}:gatehouse:${versionOf()}`);
    return path;
  } finally {
    buildah('rm', container);
  }
}
