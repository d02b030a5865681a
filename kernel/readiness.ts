// Collects what is not ready, or degraded, for /ready: the seal of the key server, actor threads, statuses that actors report, and plugins.
import type { Contexts } from './context.ts';
import type { KeyServerSeal } from './key-server-seal.ts';
import type { Runtime } from './runtime/runtime.ts';
import type { Supervisor } from './runtime/supervisor.ts';

/** @returns the names of the parts that are not ready, each with its reason */
export async function notReady(runtime: Runtime, contexts: Contexts, seal: KeyServerSeal): Promise<string[]> {
  const names = seal.problem === undefined ? [] : [`key server: sealed, its key-encryption key cannot be used: ${seal.problem}`];
  for (const { name, spec, supervisors } of runtime.groups.values()) {
    for (const supervisor of supervisors) {
      const reason = reasonOf(supervisor);
      if (reason) names.push(`${name}${spec.kind === 'pinned' || supervisors.length > 1 ? `/${supervisor.key}` : ''}: ${reason}`);
    }
  }
  for (const [plugin, ctx] of contexts) {
    const status = await plugin.status?.(ctx);
    if (status && !status.ready) names.push(`${plugin.name}: ${status.note ?? 'not ready'}`);
  }
  return names;
}

/** @returns what works less than it should although the server is ready: algorithms that are switched off, with the threads in which they are */
export function degraded(runtime: Runtime): string[] {
  const threads = new Map<string, string[]>();
  for (const [actor, key, { off }] of runtime.selfTests())
    for (const algorithm of off) threads.set(algorithm, [...(threads.get(algorithm) ?? []), `${actor}/${key}`]);
  return [...threads].map(([algorithm, names]) => `${algorithm} is switched off in ${names.join(', ')}: its self-test has failed`);
}

function reasonOf({ state, status, dispatcher }: Supervisor): string | undefined {
  if (state !== 'running') return state;
  // A thread that still works on a call past its deadline is stuck in native code or in a loop.
  if (dispatcher.overdue > 0) return `${dispatcher.overdue} calls past their deadline`;
  return status && !status.ready ? (status.note ?? 'not ready') : undefined;
}
