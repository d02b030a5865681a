// A fresh Debian of its own for a test: a root made by mmdebstrap, booted with systemd by systemd-nspawn, without a network.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../runtime.ts';
import type { Ask } from '../server.ts';

/** What a Debian server has, and what the package depends on: the machine has no network. */
const PACKAGES = ['systemd-sysv', 'dbus', 'adduser', 'libstdc++6', 'curl', 'init-system-helpers'];
const MIRROR = 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm main';
const TOOLS = ['mmdebstrap', 'systemd-nspawn', 'nsenter'];
const MAX_BYTES = 64 * 1024 * 1024;

/** @returns why such a machine cannot be made here */
export function missingTools(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root';
  const missing = TOOLS.filter((tool) => !existsSync(`/usr/bin/${tool}`));
  return missing.length === 0 ? undefined : `needs ${missing.join(' and ')}: apt-get install mmdebstrap systemd-container`;
}

/** @param folder is made. `GATEHOUSE_TEST_ROOT` names a tarball that mmdebstrap has made before. */
export function makeRoot(folder: string): void {
  mkdirSync(folder);
  const given = process.env['GATEHOUSE_TEST_ROOT'];
  if (given !== undefined) execFileSync('tar', ['-xf', given, '-C', folder, '--exclude=./dev/*']);
  else execFileSync('mmdebstrap', ['--quiet', '--variant=minbase', `--include=${PACKAGES.join(',')}`, 'bookworm', folder, MIRROR], { stdio: 'inherit' });
}

export class Machine {
  readonly #root: string;
  readonly #child: ChildProcess;

  private constructor(root: string) {
    this.#root = root;
    const flags = ['--quiet', '--directory', root, '--boot', '--private-network', '--register=no', '--keep-unit', `--machine=gatehouse-${process.pid}`];
    this.#child = spawn('systemd-nspawn', flags, { stdio: 'ignore' });
  }

  static async boot(root: string): Promise<Machine> {
    const machine = new Machine(root);
    await until(() => /running|degraded/.test(machine.run('systemctl', 'is-system-running').output), 'the machine is up', 60_000);
    return machine;
  }

  /** The first process of the machine; while it boots, another one that makes its namespaces. */
  get #leader(): string {
    const { pid } = this.#child;
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').at(-1) as string;
  }

  /** Runs a command as root in the machine. */
  run(...command: string[]): { readonly status: number | null; readonly output: string } {
    const enter = ['--target', this.#leader, '--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup', '--root', '--wdns=/', '--'];
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' };
    const { status, stdout, stderr } = spawnSync('nsenter', [...enter, ...command], { env, encoding: 'utf8', maxBuffer: MAX_BYTES });
    return { status, output: `${stdout}${stderr}` };
  }

  /** @returns what a command that must succeed has printed */
  do(...command: string[]): string {
    const { status, output } = this.run(...command);
    assert.equal(status, 0, `${command.join(' ')}: ${output}`);
    return output.trim();
  }

  /** Of a file in the machine. */
  path(path: string): string {
    return join(this.#root, path);
  }

  /** An HTTPS client in the machine. Cookies are given by their values, as everywhere in tests. */
  asker(address: string, more: readonly string[] = []): Ask {
    return async (method, path, { headers = {}, body, cookie, user } = {}) => {
      const given = {
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(cookie === undefined ? {} : { cookie: `_ea_=${cookie}` }),
      };
      const flags = ['-sk', '-i', '-m', '30', '-X', method, ...more, ...Object.entries(given).flatMap(([name, value]) => ['-H', `${name}: ${value}`])];
      if (user !== undefined) flags.push('-u', user);
      if (body !== undefined) flags.push('--data-binary', JSON.stringify(body));
      const { output } = this.run('curl', ...flags, `${address}${path}`);
      const [head = '', text = ''] = output.split('\r\n\r\n');
      const json = (() => {
        try {
          return JSON.parse(text);
        } catch {
          return undefined;
        }
      })();
      return { status: Number(head.split(' ')[1] ?? 0), headers: {}, text, body: json, cookie: /^set-cookie: _ea_=([^;]*)/im.exec(head)?.[1] };
    };
  }

  async off(): Promise<void> {
    // systemd powers off at this signal: systemd(1), SIGRTMIN+4, which Node cannot name.
    spawnSync('kill', ['-s', 'RTMIN+4', this.#leader]);
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
  }
}
