// Starts bare ONNX Runtime in a process of its own, as the server has its models: nothing of the bench runs beside it, and its memory is managed as the system does by default.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BareGenerator } from './bare-generator.ts';

export type BareRequest = { readonly folder: string; readonly threads: number } | { readonly rows: number; readonly length: number; readonly tokens: number };

export interface BareAnswer {
  readonly ms: number;
}

export interface BareProcess extends BareGenerator {
  readonly pid: number;
}

const ENVIRONMENT = { HOME: '/nonexistent', ORT_DISABLE_TELEMETRY: '1' };

/** @param folder of a model with a merged decoder */
export async function startBare(folder: string, threads: number): Promise<BareProcess> {
  const module = fileURLToPath(new URL('./bare-writer.ts', import.meta.url));
  const child = fork(module, { execArgv: ['--disable-warning=ExperimentalWarning'], env: ENVIRONMENT });
  // If the question fails, it must not keep running.
  process.on('exit', () => child.kill());
  const answerTo = (request: BareRequest) =>
    new Promise<BareAnswer>((resolve, reject) => {
      const ended = (code: number | null) => reject(new Error(`bare ONNX Runtime ended with ${code}`));
      child.once('exit', ended);
      child.once('message', (answer: BareAnswer) => {
        child.off('exit', ended);
        resolve(answer);
      });
      child.send(request);
    });
  await answerTo({ folder, threads });
  return {
    pid: child.pid as number,
    write: async (rows, length, tokens) => (await answerTo({ rows, length, tokens })).ms,
    close: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill();
      }),
  };
}
