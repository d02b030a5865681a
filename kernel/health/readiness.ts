// Collects what is not ready, or works less than it should, for /ready: the stop, the store, the clock, the TLS files, the seal of the key server, actor threads, threads that serve requests, statuses that actors report, and plugins.
import type { AnySpec } from '../actor.ts';
import type { Clock } from '../clock.ts';
import type { Contexts } from '../context.ts';
import type { TlsWatch } from '../http/tls/tls-watch.ts';
import type { KeyServerSeal } from '../keys/key-server-seal.ts';
import { selfTestsOf, switchedOff } from '../metrics/self-tests.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Supervisor } from '../runtime/supervise/supervisor.ts';
import type { Drain } from '../start/drain.ts';
import type { StoreProbe } from '../store/store-probe.ts';
import type { ClockProbe } from './clock-probe.ts';

/** What the threads that serve requests add. */
export interface FrontsView {
  readonly supervisors: readonly Supervisor[];
  /** @returns calls past their deadline that actors still work on, by `name/key` of the actor; those of a front that does not answer are missing */
  overdue(): Promise<ReadonlyMap<string, number>>;
}

export const NO_FRONTS: FrontsView = { supervisors: [], overdue: async () => new Map() };

/** What is asked. */
interface Parts {
  readonly runtime: Runtime;
  readonly contexts: Contexts;
  readonly probe: StoreProbe;
  readonly clockProbe: ClockProbe;
  readonly tlsWatch: Pick<TlsWatch, 'degraded'>;
  readonly clock: Clock;
  readonly drain: Drain;
  readonly prepared: { readonly seal: KeyServerSeal };
}

/** What /ready says between the signal to stop and the stop. */
export const STOPPING = 'server: stopping';

/** @returns the names of the parts that are not ready, each with its reason */
export async function notReady({ runtime, contexts, probe, clockProbe, drain, prepared: { seal } }: Parts, fronts: FrontsView): Promise<string[]> {
  const late = await fronts.overdue();
  const names: string[] = drain.hasBegun ? [STOPPING] : [];
  if (probe.problem !== undefined) names.push(`store: ${probe.problem}`);
  if (clockProbe.problem !== undefined) names.push(`clock: ${clockProbe.problem}`);
  if (seal.problem !== undefined) names.push(`key server: sealed, its key-encryption key cannot be used: ${seal.problem}`);
  for (const { name, spec, supervisors } of runtime.groups.values()) {
    for (const supervisor of supervisors) {
      const reason = reasonOf(supervisor, spec, late.get(`${name}/${supervisor.key}`) ?? 0);
      if (reason) names.push(`${name}${spec.kind === 'pinned' || supervisors.length > 1 ? `/${supervisor.key}` : ''}: ${reason}`);
    }
  }
  for (const { key, state, isComing } of fronts.supervisors) if (state !== 'running' && !isComing) names.push(`front/${key}: ${state}`);
  for (const [plugin, ctx] of contexts) {
    const status = await plugin.status?.(ctx);
    if (status && !status.ready) names.push(`${plugin.name}: ${status.note ?? 'not ready'}`);
  }
  return names;
}

/** @returns what works less than it should although the server is ready. A clock that differs is not told as not ready: which of the two is wrong, nobody knows here. */
export function degraded({ runtime, probe, tlsWatch, clock }: Parts, { supervisors }: Pick<FrontsView, 'supervisors'>): string[] {
  const ofClock = probe.clockDifference === undefined ? [] : [`clock: ${probe.clockDifference}`];
  return [...ofClock, ...tlsWatch.degraded(clock.now()), ...switchedOff(selfTestsOf(runtime, supervisors))];
}

function reasonOf({ state, isComing, status, dispatcher }: Supervisor, { kind, tellsReady }: AnySpec, lateElsewhere: number): string | undefined {
  // Load balancers must not leave a node because it starts one more thread for their load. No other does the work of a pinned one.
  if (state === 'resting' || (isComing && kind !== 'pinned')) return undefined;
  if (state !== 'running') return state;
  // A thread that still works on a call past its deadline is stuck in native code or in a loop.
  const late = dispatcher.overdue + lateElsewhere;
  if (late > 0) return `${late} calls past their deadline`;
  if (!status) return tellsReady ? 'has not told yet whether it is ready' : undefined;
  return status.ready ? undefined : (status.note ?? 'not ready');
}
