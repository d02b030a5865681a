// Runs long work on a thread of the pool: one job at a time for each thread of the key server, which serves other requests meanwhile.
import type { Call } from '../../kernel/actor.ts';
import { Fault } from '../../kernel/fault.ts';
import { Lane } from './lane.ts';

/** With more jobs than this, few would finish before their deadline, and they would crowd out quick calls. */
const MAX_WAITING = 256;

/** @throws Fault OVERLOADED if too many jobs already wait, CANCELLED if the caller has gone before the work began; and the errors of the work */
export type Aside = <T>(work: () => Promise<T>) => Promise<T>;

/** @param call the current call, which then no longer counts against the load of the thread */
export function createAside(call: () => Call | undefined): Aside {
  const full = (): never => {
    throw new Fault('OVERLOADED');
  };
  const lane = new Lane({ width: 1, maxWaiting: MAX_WAITING, full });
  return async (work) => {
    const own = call();
    const done = lane.run(async () => {
      if (own?.signal.aborted) throw new Fault('CANCELLED');
      return work();
    });
    own?.aside();
    return done;
  };
}
