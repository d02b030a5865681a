// Collects the ended spans of a thread and sends them to the main thread, some at a time: only that one exports.
import type { Channel } from '../runtime/channel/channel.ts';
import type { EndedSpan, SpanSink } from './span.ts';

/** Kind of the control message; `spans` is a list of ended spans, `dropped` counts those that found no room. */
export const SPANS = 'spans';

const SEND_MS = 200;
const SEND_SPANS = 128;
/** Only a thread that computes for long without a pause, and serves a call after the other in that time, has so many. */
const MAX_SPANS = 4_096;

export interface SpanOutbox {
  readonly push: SpanSink;
  /** Sends what is there. */
  flush(): void;
}

export function spanOutbox(channel: Pick<Channel, 'control'>): SpanOutbox {
  let spans: EndedSpan[] = [];
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    if (timer) clearTimeout(timer);
    timer = undefined;
    if (spans.length === 0) return;
    channel.control({ kind: SPANS, spans, dropped });
    spans = [];
    dropped = 0;
  };
  return {
    push(span) {
      if (spans.length >= MAX_SPANS) {
        dropped += 1;
        return;
      }
      spans.push(span);
      // A timer that is due in the next turn of the loop replaces the slow one.
      if (spans.length === 1 || spans.length === SEND_SPANS) {
        if (timer) clearTimeout(timer);
        timer = setTimeout(flush, spans.length === 1 ? SEND_MS : 0).unref();
      }
    },
    flush,
  };
}
