// Answers as server-sent events (HTML, section 9.2), for clients that accept text/event-stream: pieces as they are written, then the whole in its usual shape.
import { Fault } from '../../kernel/fault.ts';
import { preferred } from '../../kernel/http/answer/accept.ts';
import type { Request, Response } from '../../kernel/http/route.ts';
import type { AiContext } from './actors.ts';

/** Takes the next piece of an answer. */
export type Say = (piece: string) => void;

const EVENTS = 'text/event-stream';

/** Proxies that collect an answer before they pass it on must not. */
const AT_ONCE = { 'x-accel-buffering': 'no' };

/**
 * A refusal before the first piece is a usual error. After it there is an event `error`.
 * Events: `text` with `{"text": "..."}`, any number of times; then `result` with the usual body, or `error` with `{"code": "...", "message": "..."}`.
 * @param headers of the answer, streamed or not @param work makes the body; it gets `say` only if the client wants events
 */
export async function streamed(ctx: AiContext, request: Request, headers: Response['headers'], work: (say?: Say) => Promise<object>): Promise<Response> {
  const { accept } = request.headers;
  if (preferred(typeof accept === 'string' ? accept : undefined, ['application/json', EVENTS]) !== EVENTS)
    return { status: 200, body: await work(), ...(headers && { headers }) };
  const waiting: string[] = [];
  let wake = () => {};
  let first: () => void = () => {};
  const begun = new Promise<void>((resolve) => (first = resolve));
  let end: object | undefined;
  let failure: unknown;
  const running = work((piece) => {
    waiting.push(event('text', { text: piece }));
    first();
    wake();
  }).then(
    (body) => (end = body),
    (error: unknown) => (failure = error ?? new Fault('INTERNAL')),
  );
  await Promise.race([begun, running]);
  if (failure !== undefined && waiting.length === 0) throw failure;
  void running.then(() => wake());
  async function* events(): AsyncIterable<string> {
    for (;;) {
      if (waiting.length > 0) yield waiting.splice(0).join('');
      else if (end) return yield event('result', end);
      else if (failure !== undefined) return yield event('error', told(ctx, failure));
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  return { status: 200, type: `${EVENTS}; charset=utf-8`, body: events(), headers: { ...headers, ...AT_ONCE } };
}

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

function told({ log }: AiContext, error: unknown): object {
  if (error instanceof Fault) return { code: error.code, message: error.detail ?? 'the answer could not be finished' };
  log.error({ error: String(error) }, 'a streamed answer failed');
  return { code: 'INTERNAL', message: 'internal error' };
}
