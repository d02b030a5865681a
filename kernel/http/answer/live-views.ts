// Sends the answer of a route again whenever it changes, as server-sent events (HTML, section 9.2), until its reader leaves or may not read it any more.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../clock.ts';
import { Fault } from '../../fault.ts';
import type { Shares } from '../../limits/shares.ts';
import type { Response } from '../route.ts';
import { preferred } from './accept.ts';
import { onceClosed } from './once-closed.ts';
import type { ProblemWriter } from './problem.ts';

export const EVENTS = 'text/event-stream';

/** Views at once of one caller, and of all: each is read again every few seconds. */
export const LIVE_VIEWS = { each: 16, total: 512 } as const;
/** A proxy ends connections on which nothing passes; comments pass where nothing has changed. */
const BEAT_MS = 15_000;
/** A browser whose connection ended comes back after this time. */
const RETRY_MS = 3_000;

interface LiveViewsOptions {
  readonly clock: Clock;
  readonly shares: Shares;
  readonly problems: ProblemWriter;
}

export interface LiveView {
  /** Whose share it counts against. */
  readonly who: string;
  /** Time between two readings, milliseconds. */
  readonly everyMs: number;
  /** The answer as it is now. It throws if the caller may not read it any more: its credential and rights are checked each time. */
  read(): Promise<Response>;
}

/** Whether the client wants events. A client that states no preference gets one answer. */
export function wantsEvents({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && preferred(headers.accept, ['application/json', EVENTS]) === EVENTS;
}

/** They end when the server begins to close: nothing else would end them. */
export function addLiveViews(app: FastifyInstance, options: LiveViewsOptions): LiveViews {
  const live = new LiveViews(options);
  app.addHook('preClose', (done) => {
    live.end();
    done();
  });
  return live;
}

export class LiveViews {
  readonly #options: LiveViewsOptions;
  readonly #open = new Set<(reason: unknown) => void>();
  #isEnding = false;

  constructor(options: LiveViewsOptions) {
    this.#options = options;
  }

  /**
   * Events: `state` with the usual body, first at once and then after each change; `end` with `{"code": "...", "message": "..."}`.
   * What is wrong with the first reading is a usual error. @throws Fault OVERLOADED if there is no room, STOPPING
   */
  async begin(request: FastifyRequest, view: LiveView): Promise<Response> {
    if (this.#isEnding) throw new Fault('STOPPING');
    const ending = new AbortController();
    const stop = (reason: unknown) => ending.abort(reason);
    const place = this.#options.shares.open(view.who, () => stop(new Fault('OVERLOADED')));
    if (!place.set(1)) {
      place.release();
      throw new Fault('OVERLOADED', { detail: 'too many live views are open; close some, or ask without Accept: text/event-stream' });
    }
    this.#open.add(stop);
    // A reader that has closed its side only would be read to for ever, and takes a place.
    const leave = () => stop(GONE);
    request.raw.socket.once('end', leave);
    onceClosed(request.response, () => {
      request.raw.socket.off('end', leave);
      place.release();
      this.#open.delete(stop);
      leave();
    });
    const first = await view.read();
    if (first.status !== 200) return first;
    // Proxies that collect an answer before they pass it on must not.
    const headers = { ...first.headers, 'x-accel-buffering': 'no' };
    return { status: 200, type: `${EVENTS}; charset=utf-8`, headers, body: this.#events(textOf(first), view, request.id, ending.signal) };
  }

  /** Ends all views: the server stops. Browsers come back, to this server or the next. */
  end(): void {
    this.#isEnding = true;
    for (const stop of [...this.#open]) stop(new Fault('STOPPING'));
  }

  async *#events(first: string, { everyMs, read }: LiveView, requestId: string, signal: AbortSignal): AsyncIterable<string> {
    const { clock, problems } = this.#options;
    let shown = first;
    let saidAt = clock.monotonic();
    yield `retry: ${RETRY_MS}\n${event('state', first)}`;
    try {
      for (;;) {
        await pause(clock, everyMs, signal);
        const now = textOf(await read());
        if (now === shown && clock.monotonic() - saidAt < BEAT_MS) continue;
        yield now === shown ? ':\n\n' : event('state', now);
        shown = now;
        saidAt = clock.monotonic();
      }
    } catch (error) {
      if (error === GONE) return;
      const { code, message } = problems(error, requestId).body;
      yield event('end', JSON.stringify({ code, message }));
    }
  }
}

/** Why a view ends whose reader has left. */
const GONE = Symbol('gone');

function textOf({ body, type }: Response): string {
  return typeof body === 'string' && type !== undefined ? body : JSON.stringify(body);
}

function event(name: string, data: string): string {
  return `event: ${name}\n${data.replaceAll(/^/gm, 'data: ')}\n\n`;
}

/** @throws the reason of the signal */
function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clock.clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = clock.setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
  });
}
