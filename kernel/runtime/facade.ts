// Exposes the methods of an actor to its callers, through a frozen object without a prototype that has nothing else.
import { performance } from 'node:perf_hooks';
import { expose, transfer } from 'comlink';
import type { Api, Call } from '../actor.ts';
import { callContext } from '../call-context.ts';
import { encodeFault, type Reply } from '../fault.ts';
import { inspectPayload } from './bytes.ts';
import type { Channel } from './channel.ts';

/** The argument of every call that crosses a channel. */
export interface Envelope {
  /** Number of the call on its channel, needed to cancel it. */
  readonly n: number;
  readonly requestId: string | undefined;
  readonly args: readonly unknown[];
}

/** A call as the actor sees it. The AbortController is made only if the signal is used. */
class RunningCall implements Call {
  readonly requestId: string | undefined;
  #controller: AbortController | undefined;
  #cancelled = false;
  readonly #setAside: () => void;

  constructor(requestId: string | undefined, setAside: () => void) {
    this.requestId = requestId;
    this.#setAside = setAside;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#cancelled) this.#controller.abort();
    return this.#controller.signal;
  }

  aside(): void {
    this.#setAside();
  }

  cancel(): void {
    this.#cancelled = true;
    this.#controller?.abort();
  }
}

type Method = (...args: unknown[]) => unknown;
type Facade = Readonly<Record<string, (envelope: Envelope) => Promise<Reply>>>;

/** Lets the other end of `channel` call the methods of `api` and cancel its calls. */
export function exposeApi(api: Api, channel: Channel): void {
  const running = new Map<number, RunningCall>();
  const methods = Object.entries(api).map(([name, run]) => [name, answering(run as Method, running, channel)] as const);
  const facade: Facade = Object.freeze(Object.assign(Object.create(null) as Facade, Object.fromEntries(methods)));
  channel.onControl((message) => {
    if (message.kind === 'cancel') running.get(message['n'] as number)?.cancel();
  });
  expose(facade, callsOnly(channel));
}

function answering(run: Method, running: Map<number, RunningCall>, channel: Channel) {
  return async ({ n, requestId, args }: Envelope): Promise<Reply> => {
    const call = new RunningCall(requestId, () => channel.control({ kind: 'aside', n }));
    const startedAt = performance.now();
    running.set(n, call);
    try {
      const value = await callContext.run(call, run, ...args);
      const buffers = inspectPayload(value);
      const reply: Reply = { ok: true, value, ms: performance.now() - startedAt };
      return buffers.length === 0 ? reply : transfer(reply, buffers);
    } catch (error) {
      return { ok: false, fault: encodeFault(error), ms: performance.now() - startedAt };
    } finally {
      running.delete(n);
    }
  };
}

/** Passes on calls of methods only. Comlink itself would also allow to read, write and construct along any path. */
function callsOnly({ endpoint }: Channel): Channel['endpoint'] {
  const addEventListener: typeof endpoint.addEventListener = (type, listener) => {
    const pass = listener as (event: unknown) => void;
    const filter = (event: { data: { type?: unknown; path?: unknown } }) => {
      const { type: kind, path } = event.data;
      if (kind === 'APPLY' && Array.isArray(path) && path.length === 1) pass(event);
    };
    endpoint.addEventListener(type, filter as unknown as typeof listener);
  };
  return { ...endpoint, addEventListener };
}
