// A gatehouse in a process of its own that is attacked: started as an operator starts it, with both fronts, an admin, and clients with certificates.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent } from 'undici';
import { CLIENT_AUTH, type Made, makeCertificate, SERVER_AUTH } from '../certificates.ts';
import { serverPid } from '../e2e/started.ts';
import { type Ask, asker, temporaryFolder, WITHOUT_SELF_TESTS } from '../server.ts';

/** What a client needs to reach the server, as plain data: it goes to the process of the attackers too. */
export interface Target {
  /** `https://host:port` */
  readonly address: string;
  /** Of the KMIP listener. */
  readonly listenerPort: number;
  /** PEM of the authority of the server and of the clients. */
  readonly ca: string;
  /** Session cookie of the super admin. */
  readonly cookie: string;
  /** Certificates of the attackers, by their common names. */
  readonly clients: Readonly<Record<string, { readonly cert: string; readonly key: string }>>;
}

export interface StartedTarget extends Target {
  /** As the super admin. */
  readonly ask: Ask;
  /** Resident memory of the server, bytes. */
  rss(): number;
  output(): string;
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const READY_MS = 120_000;
/** The server takes signals that follow each other within a second for one. */
const SECOND_SIGNAL_MS = 1_500;

/** @param clients common names of the certificates that are made */
export async function startTarget(clients: readonly string[], config = ''): Promise<StartedTarget> {
  const folder = temporaryFolder();
  const dataDir = join(folder, 'data');
  const authority = await makeCertificate('CN=ca');
  const own = await makeCertificate('CN=server', { issuer: authority, usage: SERVER_AUTH, names: ['127.0.0.1'] });
  const files = { cert: own.cert, key: own.key, client_ca: authority.cert };
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.pem`), text);
  const tls = Object.keys(files).map((name) => `${name} = "${name}.pem"`);
  writeFileSync(join(folder, 'config.toml'), `${config}\n[http.tls]\n${tls.join('\n')}\n[keys.kmip_listener]\nenabled = true\nport = 0\n`);
  const { child, output } = spawnServer(folder, dataDir);
  try {
    const { address, listenerPort } = await ready(child, output);
    const pid = serverPid({ child });
    const agent = new Agent({ connect: { ca: authority.cert } });
    const ask = asker(address, agent);
    const signedIn = await ask('POST', '/login?realm=_', {
      user: `admin:${readFileSync(join(dataDir, 'initial-password'), 'utf8').trim()}`,
      body: { new_password: 'a new password' },
    });
    assert.equal(signedIn.status, 200, signedIn.text);
    const cookie = signedIn.cookie as string;
    const made = await Promise.all(
      clients.map(async (name) => [name, pem(await makeCertificate(`CN=${name}`, { issuer: authority, usage: CLIENT_AUTH }))] as const),
    );
    return {
      address,
      listenerPort,
      ca: authority.cert,
      cookie,
      clients: Object.fromEntries(made),
      ask: (method, path, options = {}) => ask(method, path, { cookie, ...options }),
      rss: () => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024,
      output: () => output.text,
      async stop() {
        await agent.destroy();
        await ended(child);
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    child.kill('SIGTERM');
    throw error;
  }
}

const pem = ({ cert, key }: Made) => ({ cert, key });

function spawnServer(folder: string, dataDir: string) {
  const args = ['launch.mjs', 'start', '--config', join(folder, 'config.toml'), '--data-dir', dataDir, '--port', '0'];
  // The self-tests and warm-ups of a new server take memory of their own in its first half minute, which no attack causes.
  const env = { ...process.env, ...WITHOUT_SELF_TESTS };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output.text += data));
  // A test that fails must not leave its server behind: it ends with its launcher.
  process.on('exit', () => child.kill('SIGTERM'));
  return { child, output };
}

async function ready(child: ChildProcess, output: { readonly text: string }): Promise<{ address: string; listenerPort: number }> {
  for (const until = performance.now() + READY_MS; performance.now() < until && child.exitCode === null; ) {
    const address = /is ready at (https:\S+)/.exec(output.text)?.[1];
    const listener = /KMIP listener on tls:\/\/[^:]+:(\d+)/.exec(output.text)?.[1];
    if (address && listener) return { address, listenerPort: Number(listener) };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`the server did not start: ${output.text}`);
}

/** Requests of attackers may run for as long as a stop waits for them, 10 s: a second signal does not wait. */
async function ended(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  const hurry = setTimeout(() => child.kill('SIGTERM'), SECOND_SIGNAL_MS);
  await gone;
  clearTimeout(hurry);
}
