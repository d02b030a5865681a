// The threads outside of the runtime that call its actors themselves, each through channels of its own: the fronts.
import type { Supervisor } from '../supervise/supervisor.ts';
import type { PeerRouter } from './peer-router.ts';

export interface Caller {
  readonly supervisor: Supervisor;
  /** The state of an actor's thread has changed, or what it reports. */
  onChange(changed: Supervisor): void;
}

export class Callers {
  readonly #router: PeerRouter;
  readonly #callers = new Set<Caller>();

  readonly #actors: () => readonly Supervisor[];

  /** @param actors all threads of actors */
  constructor(router: PeerRouter, actors: () => readonly Supervisor[]) {
    this.#router = router;
    this.#actors = actors;
  }

  get supervisors(): readonly Supervisor[] {
    return [...this.#callers].map(({ supervisor }) => supervisor);
  }

  /** Gives a running thread a channel to every actor, now and whenever one starts. */
  join(caller: Caller): void {
    this.#callers.add(caller);
    this.#router.joinCaller(caller.supervisor);
    for (const actor of this.#actors()) caller.onChange(actor);
  }

  leave(caller: Caller): void {
    this.#callers.delete(caller);
    this.#router.leave(caller.supervisor);
  }

  tell(changed: Supervisor): void {
    for (const caller of this.#callers) caller.onChange(changed);
  }
}
