// The log interface of actors and plugins: a constant message, with values as fields.

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
type LogMethod = (fields: Readonly<Record<string, unknown>>, message: string) => void;
export type Log = Readonly<Record<LogLevel, LogMethod>>;
