// A runtime of its own for a test: actors from specs, a clock to move, log lines to read.
import type { AnySpec } from '../kernel/actor.ts';
import { createClock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log/log-entry.ts';
import { Runtime } from '../kernel/runtime/runtime.ts';
import { createVersions } from '../kernel/versions.ts';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

export function memoryLog(): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: string) => (fields: Readonly<Record<string, unknown>>, message: string) => void lines.push({ ...fields, level, message });
  return { log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }, lines };
}

export interface Calls {
  readonly actor: string;
  readonly outcome: string;
}

/** @param node names this node among those that share the store */
export function createRuntime<S extends Readonly<Record<string, AnySpec>>>(
  specs: S,
  store = 'sqlite:/nonexistent',
  node = 'test',
  isCopying = false,
  options: Partial<ConstructorParameters<typeof Runtime>[1]> = {},
) {
  const clock = createClock();
  const versions = createVersions();
  const { log, lines } = memoryLog();
  const calls: Calls[] = [];
  const observe = (actor: string) => (outcome: string) => void calls.push({ actor, outcome });
  const runtime = new Runtime(specs, {
    clock,
    versions,
    log,
    store: { url: store },
    node,
    dataKey: () => new Uint8Array(32),
    stopMs: 2_000,
    observe,
    isCopying,
    ...options,
  });
  return { runtime, clock, versions, lines, calls, ref: <K extends keyof S & string>(name: K) => runtime.ref<S[K]>(name) };
}

/** Looks again every few milliseconds until `condition` holds; fails after `ms`. */
export async function until(condition: () => boolean | Promise<boolean>, what: string, ms = 30_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`did not happen in ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The code of the fault a promise is rejected with; the value itself when it is not. */
export function outcome(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error: { code?: unknown }) => error.code ?? error);
}
