// The log interface of actors and plugins: a constant message, with values as fields.

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
type LogMethod = (fields: Readonly<Record<string, unknown>>, message: string) => void;
export type Log = Readonly<Record<LogLevel, LogMethod>>;

/** @param write takes every entry */
export function logTo(write: (level: LogLevel, ...entry: Parameters<LogMethod>) => void): Log {
  const at =
    (level: LogLevel): LogMethod =>
    (fields, message) =>
      write(level, fields, message);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** @returns a log that adds `common` to the fields of every entry; a field of the entry takes precedence */
export function withFields(log: Log, common: Readonly<Record<string, unknown>>): Log {
  return logTo((level, fields, message) => log[level]({ ...common, ...fields }, message));
}

const LEVELS: ReadonlySet<unknown> = new Set<LogLevel>(['debug', 'info', 'warn', 'error']);

/** Writes the entry that a message of another thread holds; one that is malformed is left out. @param common added to its fields */
export function writeTold(log: Log, { level, message, fields }: Readonly<Record<string, unknown>>, common: Readonly<Record<string, unknown>>): void {
  if (LEVELS.has(level) && typeof message === 'string') log[level as LogLevel]({ ...common, ...(fields as object) }, message);
}
