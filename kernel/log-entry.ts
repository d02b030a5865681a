// What an actor or plugin may log: a constant message and its values as fields.

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
type LogMethod = (fields: Readonly<Record<string, unknown>>, message: string) => void;
export type Log = Readonly<Record<LogLevel, LogMethod>>;
