// The OCI image: its size and settings, and the server in it without root on a read-only file system.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { versionOf } from '../../packaging/build-facts.ts';
import { makeImage } from '../../packaging/oci.ts';
import { freePort } from '../postgres.ts';
import { until } from '../runtime.ts';
import { temporaryFolder } from '../server.ts';

const MAX_BYTES = 250_000_000;
const NAME = `gatehouse-check-${process.pid}`;
const TOOLS = ['buildah', 'podman', 'mmdebstrap'].filter((tool) => !existsSync(`/usr/bin/${tool}`));
/** Inside of another container crun may lack the cgroups that it wants; runc takes those of version 1. */
const ENGINES = [[], ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs']];
let engine: readonly string[] = [];
const podman = (...args: string[]) => spawnSync('podman', [...engine, ...args], { encoding: 'utf8' });

if (TOOLS.length > 0 || process.getuid?.() !== 0)
  console.log(`skipped: oci.check.ts needs root and ${TOOLS.join(', ')}: apt-get install buildah podman mmdebstrap`);
else {
  const folder = temporaryFolder();
  const archive = makeImage(folder);

  test.after(() => {
    podman('rm', '--force', NAME);
    podman('rmi', '--force', `gatehouse:${versionOf()}`);
    rmSync(folder, { recursive: true });
  });

  test('it is smaller than 250 MB, has a user and a health check', () => {
    const { size } = statSync(archive);
    console.log(`${Math.round(size / 1e6)} MB`);
    assert.ok(size < MAX_BYTES);
    execFileSync('podman', ['load', '--quiet', '-i', archive], { stdio: 'ignore' });
    const [{ Config: config, Healthcheck: health }] = JSON.parse(podman('image', 'inspect', `gatehouse:${versionOf()}`).stdout);
    assert.deepEqual([config.User, Boolean(health)], ['10001:10001', true]);
  });

  test('it serves without root and capabilities on a read-only file system, and is healthy', async () => {
    const port = String(await freePort());
    // As Kubernetes gives a volume to a group.
    const volume = join(folder, 'volume');
    mkdirSync(volume);
    execFileSync('chown', ['0:10001', volume]);
    execFileSync('chmod', ['2775', volume]);
    // Where a container cannot have a network or higher limits of its own, it has those of the machine.
    const limits = [
      '--read-only',
      '--cap-drop=all',
      '--security-opt=no-new-privileges',
      '--tmpfs=/tmp',
      '--network=host',
      `--volume=${volume}:/data`,
      ...['nofile=4096:4096', 'nproc=4096:4096'].map((limit) => `--ulimit=${limit}`),
    ];
    const errors: (string | undefined)[] = [];
    const isRunning = ENGINES.some((each) => {
      engine = each;
      const run = podman('run', '--detach', '--replace', '--name', NAME, ...limits, '--env', `GATEHOUSE_HTTP_PORT=${port}`, `gatehouse:${versionOf()}`);
      errors.push(run.stderr.trim().split('\n').at(-1));
      return run.status === 0;
    });
    if (!isRunning) return console.log(`skipped: oci.check.ts cannot run a container here: ${errors.join('; ')}`);
    await until(() => podman('logs', NAME).stdout.includes('is ready at'), 'the server is ready', 90_000);
    const health = ['/usr/lib/gatehouse/node_modules/node/bin/node', '/usr/lib/gatehouse/bin/health.mjs'];
    assert.equal(podman('exec', NAME, ...health).status, 0);
    const wrong = podman('exec', '--env', 'GATEHOUSE_HTTP_PORT=1', NAME, ...health);
    assert.equal(wrong.status, 1);
    assert.equal(statSync(join(volume, 'gatehouse')).mode & 0o777, 0o700);
    podman('stop', '--time', '20', NAME);
    assert.equal(podman('inspect', '--format', '{{.State.ExitCode}}', NAME).stdout.trim(), '0');
  });
}

test.run();
