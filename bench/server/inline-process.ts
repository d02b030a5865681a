// Starts the inline front in a process of its own, with the certificate of the server beside which it is measured.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { InlineOptions } from '../fakes/inline-front.ts';
import type { Target } from '../load/turns.ts';
import type { ServerProcess } from './server-process.ts';

export interface InlineProcess extends Target {
  stop(): Promise<void>;
}

export async function startInlineFront(
  { ca, tlsKey, cookie }: ServerProcess,
  options: Pick<InlineOptions, 'threads' | 'encryptId' | 'signId' | 'answers'>,
): Promise<InlineProcess> {
  const child = fork(fileURLToPath(new URL('../fakes/inline-front.ts', import.meta.url)), { execArgv: ['--disable-warning=ExperimentalWarning'] });
  // If the question fails, its front must not keep running.
  process.on('exit', () => child.kill());
  const all: InlineOptions = { ...options, cert: ca, key: tlsKey, cookie: cookie.slice(cookie.indexOf('=') + 1) };
  child.send(all);
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message: { port: number }) => resolve(message.port));
    child.once('exit', (code) => reject(new Error(`the inline front ended with ${code}`)));
  });
  return {
    ...{ address: `https://127.0.0.1:${port}`, ca, pid: child.pid as number },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill();
      }),
  };
}
