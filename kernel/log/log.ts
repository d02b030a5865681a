// The logger of the server: pino writes one JSON line per event to standard output, and secrets are redacted by the names of their keys.
import { type DestinationStream, pino } from 'pino';
import { currentRequestId } from '../call-context.ts';
import { currentTraceId } from '../tracing/unchosen.ts';
import { type Log, logTo } from './log-entry.ts';
import { logOutput } from './log-output.ts';
import { printableEntry } from './printable-entry.ts';
import { redact } from './redact.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** @param destination output for tests; default: standard output */
export function createLog(level: (typeof LOG_LEVELS)[number], destination?: DestinationStream): Log {
  const output =
    destination ??
    logOutput(1, (missing, why) => logger.warn({ missing, ...(why && { why }) }, 'the log could not be written: entries before the last one are missing'));
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (fields) => redact(fields) as Record<string, unknown> },
    },
    { write: (line) => void output.write(printableEntry(line)) },
  );
  return logTo((name, fields, message) => {
    if (!logger.isLevelEnabled(name)) return;
    const requestId = fields['request_id'] ?? currentRequestId();
    const traceId = fields['trace_id'] ?? currentTraceId();
    const ids = requestId === undefined ? fields : { ...fields, request_id: requestId };
    logger[name](traceId === undefined ? ids : { ...ids, trace_id: traceId }, message);
  });
}
