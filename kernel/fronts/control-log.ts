// The log of a front: its entries go to the main thread, which writes them.
import { currentRequestId } from '../call-context.ts';
import { describe } from '../fault.ts';
import { LOG_LEVELS } from '../log/log.ts';
import { type Log, logTo } from '../log/log-entry.ts';
import type { Channel } from '../runtime/channel/channel.ts';
import { currentTraceId } from '../tracing/unchosen.ts';

/** @param level entries below it are dropped here: most requests write one */
export function controlLog(channel: Channel, level: (typeof LOG_LEVELS)[number]): Log {
  const least = LOG_LEVELS.indexOf(level);
  return logTo((at, fields, message) => {
    if (LOG_LEVELS.indexOf(at) < least) return;
    const plain = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? describe(value) : value]));
    channel.control({ kind: 'log', level: at, message, fields: { request_id: currentRequestId(), trace_id: currentTraceId(), ...plain } });
  });
}
