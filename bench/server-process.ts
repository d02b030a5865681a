// Starts a server in a separate process for a benchmark, as `npm start` does, signs in once, and stops it at the end.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';

export const PASSWORD = 'a password for the benchmark';

export interface ServerProcess {
  readonly address: string;
  /** Certificate of the server, for clients to trust. */
  readonly ca: string;
  readonly agent: Agent;
  /** Cookie header of a session of the administrator. */
  readonly cookie: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** @param config text of config.toml @param connections limit of the client's connections */
export async function startServerProcess(config: string, connections: number): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const dataDir = join(folder, 'data');
  writeFileSync(join(folder, 'config.toml'), config);
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  const env = { ...process.env, UV_THREADPOOL_SIZE: String(availableParallelism() + 4) };
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', main, '--config', join(folder, 'config.toml'), '--data-dir', dataDir, '--port', '0'],
    { env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  // If the benchmark fails, its server must not keep running.
  process.on('exit', () => child.kill());
  const address = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (data) => {
      text += data;
      const found = /is ready at (https:\S+)/.exec(text)?.[1];
      if (found) resolve(found);
    });
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
  });
  const ca = readFileSync(join(dataDir, 'tls', 'cert.pem'), 'utf8');
  const agent = new Agent({ connections, connect: { ca } });
  const initial = readFileSync(join(dataDir, 'initial-password'), 'utf8').trim();
  const answer = await login(address, agent, initial, PASSWORD);
  if (answer.status !== 200) throw new Error('the benchmark could not sign in');
  const stop = async () => {
    await agent.destroy();
    child.kill('SIGTERM');
    await new Promise((resolve) => child.on('exit', resolve));
    rmSync(folder, { recursive: true, force: true });
  };
  return { address, ca, agent, cookie: answer.cookie, pid: child.pid as number, stop };
}

export async function login(address: string, agent: Agent, password: string, newPassword?: string): Promise<{ status: number; cookie: string }> {
  const { statusCode, headers, body } = await request(`${address}/login?realm=_`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`, 'content-type': 'application/json' },
    body: JSON.stringify(newPassword === undefined ? {} : { new_password: newPassword }),
    dispatcher: agent,
  });
  await body.dump();
  return { status: statusCode, cookie: String(headers['set-cookie']).split(';')[0] as string };
}
