// The nodes that setups/two-nodes starts, for tests: reached together and one by one, restarted, and under the load of clients that count what they lose.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { Agent } from 'undici';
import { freePort } from '../postgres.ts';
import { isAlive } from '../processes.ts';
import { until } from '../runtime.ts';
import { type Ask, asker, temporaryFolder, WITHOUT_SELF_TESTS } from '../server.ts';
import { root } from './started.ts';

/** An address that is no proxy: a node is asked itself from it. */
const PLAIN = '127.0.0.2';
const START_MS = 300_000;
const TOLD_LINES = 30;
/** Between two requests of a client of the load. */
const THINK_MS = 20;

export interface Nodes {
  readonly child: ChildProcess;
  readonly folder: string;
  /** Through HAProxy, each request on a connection of its own. */
  readonly both: Ask;
  readonly one: Ask;
  readonly other: Ask;
  /** Through HAProxy, from an address that no other client has. */
  readonly elsewhere: Ask;
  pid(name: string): number;
  /** A client of its own through HAProxy, which keeps its connection. */
  client(): { readonly ask: Ask; close(): Promise<void> };
  /** Waits until a node has ended, and starts it as the script does. */
  restart(name: string): Promise<void>;
  /** The end of what HAProxy has said: which nodes it found ready, and why not. */
  proxyLog(): string;
  /** Ends the script and what was restarted. */
  stop(): Promise<void>;
  /** Stops, and removes the folder. */
  end(): Promise<void>;
}

/** @param folder of nodes that were stopped, which go on */
export async function startNodes(folder = temporaryFolder()): Promise<Nodes> {
  const [https, kmip] = [await freePort(), await freePort()];
  // A free port and those behind it, of which nothing else on the machine makes use at the same time.
  const base = 20_000 + (process.pid % 400) * 30;
  const ports = { HTTPS_PORT: String(https), KMIP_PORT: String(kmip), BASE_PORT: String(base) };
  const env = { ...process.env, ...WITHOUT_SELF_TESTS, ...ports, GATEHOUSE_AUTH_LOGIN_RATE_PER_SECOND: '100' };
  const child = spawn('setups/two-nodes/start.sh', [folder], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  await until(() => output.includes('two-nodes: https://') || child.exitCode !== null, 'the nodes are there', START_MS);
  assert.equal(child.exitCode, null, output);
  const ca = readFileSync(join(folder, 'ca.pem'), 'utf8');
  const at = (port: number, localAddress: string, more = {}) => asker(`https://127.0.0.1:${port}`, new Agent({ connect: { ca }, localAddress, ...more }));
  const restarted: ChildProcess[] = [];
  const pid = (name: string) => Number(readFileSync(join(folder, `${name}.pid`), 'utf8'));
  const stop = async () => {
    for (const each of [...restarted, child]) {
      if (each.exitCode !== null || each.signalCode !== null) continue;
      each.kill('SIGTERM');
      await once(each, 'exit');
    }
  };
  return {
    ...{ child, folder, pid },
    both: at(https, '127.0.0.1', { pipelining: 0 }),
    elsewhere: at(https, '127.0.0.9'),
    one: at(base + 11, PLAIN),
    other: at(base + 21, PLAIN),
    client() {
      const agent = new Agent({ connect: { ca }, connections: 1 });
      return { ask: asker(`https://127.0.0.1:${https}`, agent), close: () => agent.destroy() };
    },
    async restart(name) {
      const former = pid(name);
      await until(() => !isAlive(former), `${name} has ended`, START_MS);
      const node = startNode(folder, name);
      restarted.push(node.child);
      writeFileSync(join(folder, `${name}.pid`), String(node.child.pid));
      await until(() => node.output().includes('is ready at') || node.child.exitCode !== null, `${name} is there again`, START_MS);
      assert.equal(node.child.exitCode, null, node.output());
    },
    proxyLog: () => readFileSync(join(folder, 'haproxy.log'), 'utf8').split('\n').slice(-TOLD_LINES).join('\n'),
    stop,
    async end() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function startNode(folder: string, name: string): { readonly child: ChildProcess; output(): string } {
  const args = ['launch.mjs', 'start', '--config', join(folder, `${name}.toml`), '--data-dir', join(folder, name)];
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...WITHOUT_SELF_TESTS }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  return { child, output: () => output };
}

/** Clients and what befell their requests, a status or an error of the connection, with how often. */
export type Failed = ReadonlyMap<string, number>;

export interface TwoNodesLoad {
  /** Requests that were answered as they should so far. */
  answered(): number;
  stop(): Promise<{ readonly answered: number; readonly failed: Failed }>;
}

/** Clients that keep their connections, and ask one request after the other: reads and, each fourth time, a write. */
export function startLoad(nodes: Nodes, cookie: string, count: number): TwoNodesLoad {
  const failed = new Map<string, number>();
  let answered = 0;
  let isOver = false;
  const run = async (client: number) => {
    const { ask, close } = nodes.client();
    for (let at = 0; !isOver; at++) {
      const asked = at % 4 === 3 ? ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } }) : ask('GET', '/whoami', { cookie });
      const what = await asked.then(
        ({ status, text }) => (status === 200 ? undefined : `${status} ${text}`),
        (error: Error) => error.message,
      );
      if (what === undefined) answered += 1;
      else failed.set(`client ${client}: ${what}`, 1 + (failed.get(`client ${client}: ${what}`) ?? 0));
      await after(THINK_MS);
    }
    await close();
  };
  const running = Array.from({ length: count }, (_, client) => run(client));
  return {
    answered: () => answered,
    async stop() {
      isOver = true;
      await Promise.all(running);
      return { answered, failed };
    },
  };
}
