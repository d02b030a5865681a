// Decides how many threads serve requests: at the start, and when it gets busy.
import { canSharePorts } from '../fronts/claim-ports.ts';
import { cores } from '../runtime/runtime.ts';
import type { Serving } from './serving.ts';

const MAX_FRONTS = 8;

export interface FrontPlan {
  /** Those that the start waits for; a single one is in the main thread. */
  readonly first: number;
  /** With those that may start when the others are busy. */
  readonly most: number;
}

/**
 * By default one front in the main thread, and more when it is busy. On two cores, two fronts serve a third more reads than one to clients elsewhere, but a
 * start with both takes 2.0 s instead of 1.3, and 110 MB more.
 */
export function frontPlan({ config, builtIn, log, growth, sockets }: Pick<Serving, 'config' | 'builtIn' | 'log' | 'growth' | 'sockets'>): FrontPlan {
  const { threads } = config.http;
  const plan = threads === 0 ? { first: 1, most: Math.min(growth?.cores ?? cores, MAX_FRONTS) } : { first: threads, most: threads };
  if (plan.most === 1 || builtIn === undefined) return { first: 1, most: 1 };
  if (sockets) log.info({ threads }, 'one thread serves all requests: threads cannot share a socket that systemd passes');
  else if (canSharePorts()) return plan;
  else log.info({ platform: process.platform }, 'one thread serves all requests: threads cannot share a port on this system');
  return { first: 1, most: 1 };
}
