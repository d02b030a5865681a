// The server's one logger: pino, one JSON line per event on standard output, secrets redacted by key name.
import { type DestinationStream, pino } from 'pino';
import { currentRequestId } from './call-context.ts';
import type { Log, LogLevel } from './log-entry.ts';
import { redact } from './redact.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** @param destination where the lines go; standard output unless a test wants to read them */
export function createLog(level: (typeof LOG_LEVELS)[number], destination?: DestinationStream): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (fields) => redact(fields) as Record<string, unknown> },
    },
    destination ?? pino.destination({ dest: 1, sync: true }),
  );
  const at = (name: LogLevel) => (fields: Readonly<Record<string, unknown>>, message: string) => {
    if (!logger.isLevelEnabled(name)) return;
    const requestId = fields['request_id'] ?? currentRequestId();
    logger[name](requestId === undefined ? fields : { ...fields, request_id: requestId }, message);
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
