// Serves the calls that arrive on a channel with the methods of an actor, and with nothing else.
import { performance } from 'node:perf_hooks';
import type { Api, Call } from '../../actor.ts';
import { type Current, callContext } from '../../call-context.ts';
import { noteServed } from '../../compiled-code.ts';
import { encodeFault } from '../../fault.ts';
import { receivedSpan, type SpanSink } from '../../tracing/span.ts';
import { inspectPayload } from './bytes.ts';
import type { Channel } from './channel.ts';
import { type CallMessage, FAULT, internalFault, VALUE } from './messages.ts';

/** A call as the actor sees it. The AbortController is made only if the signal is used. */
class RunningCall implements Call, Current {
  readonly n: number;
  readonly requestId: string | undefined;
  readonly isTraced: boolean;
  readonly startedAt = performance.now();
  readonly #channel: Channel;
  #controller: AbortController | undefined;
  isCancelled = false;

  constructor(n: number, requestId: string | undefined, isTraced: boolean, channel: Channel) {
    this.n = n;
    this.requestId = requestId;
    this.isTraced = isTraced;
    this.#channel = channel;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isCancelled) this.#controller.abort();
    return this.#controller.signal;
  }

  aside(): void {
    this.#channel.control({ kind: 'aside', n: this.n });
  }

  cancel(): void {
    this.isCancelled = true;
    this.#controller?.abort();
  }
}

type Method = (...args: readonly unknown[]) => unknown;

/** Lets the other end of `channel` call the methods of `api` and cancel its calls. @param spans takes the spans of traced calls, if any are */
export function exposeApi(api: Api, channel: Channel, spans?: SpanSink): void {
  new Facade(api, channel, spans);
}

class Facade {
  /** A Map, because every name that is not in it is unknown, also `constructor` and `__proto__`. */
  readonly #methods: ReadonlyMap<string, Method>;
  readonly #channel: Channel;
  readonly #spans: SpanSink | undefined;
  readonly #running = new Map<number, RunningCall>();

  constructor(api: Api, channel: Channel, spans: SpanSink | undefined) {
    this.#spans = spans;
    this.#methods = new Map(Object.entries(api) as [string, Method][]);
    this.#channel = channel;
    channel.onControl((message) => {
      if (message.kind === 'cancel') this.#running.get(message['n'] as number)?.cancel();
    });
    channel.onCall((call) => this.#serve(call));
  }

  /** An answer that is there at once leaves without a promise in between. */
  #serve([, n, name, requestId, args, trace]: CallMessage): void {
    const method = this.#methods.get(name);
    if (!method) return this.#channel.send(internalFault(n, `the actor has no method ${JSON.stringify(name)}`));
    noteServed();
    const call = new RunningCall(n, requestId, this.#spans !== undefined, this.#channel);
    this.#running.set(n, call);
    try {
      const value = trace === undefined ? callContext.run(call, method, ...args) : this.#runTraced(trace, call, method, args);
      if (!isThenable(value)) return this.#answer(call, value);
      value.then(
        (settled) => this.#answer(call, settled),
        (error: unknown) => this.#refuse(call, error),
      );
    } catch (error) {
      this.#refuse(call, error);
    }
  }

  /** The caller ends the span of the call: what the actor does in it is part of that one. */
  #runTraced(trace: string, call: RunningCall, method: Method, args: readonly unknown[]): unknown {
    const span = this.#spans && receivedSpan(trace, this.#spans);
    const run = () => callContext.run(call, method, ...args);
    return span ? span.run(run) : run();
  }

  #answer(call: RunningCall, value: unknown): void {
    try {
      const buffers = inspectPayload(value);
      this.#end(call);
      this.#channel.send([VALUE, call.n, performance.now() - call.startedAt, value], buffers);
    } catch (error) {
      this.#refuse(call, error);
    }
  }

  #refuse(call: RunningCall, error: unknown): void {
    this.#end(call);
    this.#channel.send([FAULT, call.n, performance.now() - call.startedAt, encodeFault(error)]);
  }

  #end({ n }: RunningCall): void {
    this.#running.delete(n);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as Partial<PromiseLike<unknown>>).then === 'function';
}
