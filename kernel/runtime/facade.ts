// The reachable side of an actor: a frozen object without prototype that holds its methods and nothing else.
import { performance } from 'node:perf_hooks';
import { expose, transfer } from 'comlink';
import type { Api, Call } from '../actor.ts';
import { callContext } from '../call-context.ts';
import { encodeFault, type Reply } from '../fault.ts';
import { inspectPayload } from './bytes.ts';
import type { Line } from './line.ts';

/** The one argument of every call that crosses a line. */
export interface Envelope {
  /** Number of the call on its line, for cancellation. */
  readonly n: number;
  readonly requestId: string | undefined;
  readonly args: readonly unknown[];
}

/** A call as the actor sees it; its AbortController is made only when somebody looks at the signal. */
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

/** Lets the other end of `line` call `api`, and cancel what it has called. */
export function exposeApi(api: Api, line: Line): void {
  const running = new Map<number, RunningCall>();
  const methods = Object.entries(api).map(([name, run]) => [name, answering(run as Method, running, line)] as const);
  const facade: Facade = Object.freeze(Object.assign(Object.create(null) as Facade, Object.fromEntries(methods)));
  line.onControl((message) => {
    if (message.kind === 'cancel') running.get(message['n'] as number)?.cancel();
  });
  expose(facade, callsOnly(line));
}

function answering(run: Method, running: Map<number, RunningCall>, line: Line) {
  return async ({ n, requestId, args }: Envelope): Promise<Reply> => {
    const call = new RunningCall(requestId, () => line.control({ kind: 'aside', n }));
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

/** Comlink would also read, write and construct along any path; only a call of a method reaches it. */
function callsOnly({ endpoint }: Line): Line['endpoint'] {
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
