// A server that tells of each compiled function that V8 gives up.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFlags } from '../../bin/node-flags.mjs';
import { addressOf, root } from './started.ts';

export interface ToldServer {
  readonly child: ChildProcess;
  readonly output: { text: string };
  readonly address: string;
  /** Certificate of the server. */
  readonly ca: string;
}

/** As npm start runs it, with one front. @param flags more of Node */
export async function startTold(dataDir: string, flags: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<ToldServer> {
  const args = [...nodeFlags({ isServer: true }), '--trace-deopt', ...flags, 'main.ts', '--data-dir', dataDir, '--port', '0'];
  const told = { ...process.env, GATEHOUSE_HTTP_THREADS: '1', ...env };
  const child = spawn(process.execPath, args, { cwd: root, env: told, stdio: ['ignore', 'pipe', 'inherit'] });
  const output = { text: '' };
  child.stdout.on('data', (data) => (output.text += data));
  const address = await addressOf(child, output);
  return { child, output, address, ca: readFileSync(join(dataDir, 'tls', 'cert.pem'), 'utf8') };
}

/** Names of the functions that were given up because a value had another class than all before it. */
export const givenUp = (output: string): string[] => [...output.matchAll(/reason: wrong map\).*?<JSFunction (\S+)/g)].map(([, name]) => name as string);

/** Names of the functions that were given up because nothing has the classes any more that they were compiled for. */
export const forgotten = (output: string): string[] =>
  [...output.matchAll(/marking dependent code [^<]*<Code \w+> \([^<]*<SharedFunctionInfo ?([^>]*)>\)[^[]*reason: embedded weak objects cleared/g)].map(
    ([, name]) => name as string,
  );
