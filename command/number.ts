// Reads numbers of flags.
import { CommandError, EXIT } from './exit.ts';

/** @returns undefined for a flag that was not given @throws CommandError unless the text is a whole number from `min` on */
export function whole(flag: string, text: string | undefined, min = 0): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min)) throw new CommandError(`${flag} must be a whole number from ${min} on${withUnit(text)}`, EXIT.usage);
  return value;
}

/** As in `10m` for a time. */
function withUnit(text: string): string {
  return /^\d+ *[a-z]+$/i.test(text) ? ', without a unit: --help tells which it has' : '';
}
