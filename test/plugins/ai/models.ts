// The real models that some tests use, and the processes in which a server runs models.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelApi } from '../../../actors/model/api.ts';
import type { PinnedSpec, Remote } from '../../../kernel/actor.ts';
import type { TestServer } from '../../server.ts';

/** @returns the folder of a model; undefined where it is not at hand: then it says that the test is skipped */
export function realModel(name: string): string | undefined {
  const folder = join(process.env['GATEHOUSE_MODELS'] ?? '/nonexistent', name);
  if (existsSync(join(folder, 'config.json'))) return folder;
  console.log(`skipped: ${process.argv[1]?.split('/').at(-1)} needs the model ${name}: GATEHOUSE_MODELS names the folder that it is in`);
  return undefined;
}

export function modelsOf(server: TestServer): Remote<ModelApi> {
  return server.runtime.ref<PinnedSpec<ModelApi, never>>('model').at('main');
}

export interface ModelProcess {
  readonly pid: number;
  readonly variables: Readonly<Record<string, string>>;
}

/** @returns the processes of this server that run a model */
export function modelProcesses(): ModelProcess[] {
  const threads = readdirSync('/proc/self/task').map((id) => readFileSync(`/proc/self/task/${id}/children`, 'utf8'));
  const children = threads.flatMap((text) => text.split(' ').filter((id) => id !== ''));
  return children.map((pid) => ({ pid: Number(pid), variables: variablesOf(pid) })).filter(({ variables }) => 'ORT_DISABLE_TELEMETRY' in variables);
}

/** A process that has just ended has none. */
function variablesOf(pid: string): Record<string, string> {
  try {
    const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .filter((pair) => pair !== '');
    return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
  } catch {
    return {};
  }
}

/** @returns MiB resident */
export function residentMb(pid: number | 'self'): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}
