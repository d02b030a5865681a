// Converts KMIP dates, in seconds or microseconds since the epoch, to and from RFC 3339 text.

const SHAPE = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/;
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** The beginning of the year 0 and of the year 10000 in seconds: the range of years with four digits. */
const FIRST = -62_167_219_200;
const AFTER_LAST = 253_402_300_800;

/** The largest DateTime that TTLV has. Clients of Locate mean by it a date that is not set (1.4 section 4.9, 2.1 section 6.1.28). */
const LARGEST = 2n ** 63n - 1n;
/** The same among the numbers of seconds that are exact here. */
export const LARGEST_DATE = Number.MAX_SAFE_INTEGER;

/** The number for seconds of a DateTime; undefined for one that would not be exact. */
export function secondsFrom(seconds: bigint): number | undefined {
  if (seconds === LARGEST) return LARGEST_DATE;
  return Number.isSafeInteger(Number(seconds)) ? Number(seconds) : undefined;
}

/** The seconds of a DateTime that `secondsFrom` has read. */
export const secondsIn = (seconds: number): bigint => (seconds === LARGEST_DATE ? LARGEST : BigInt(seconds));

/** Microseconds since the epoch, without any further digits; undefined if the text is not a date. */
export function microsecondsOf(text: string): bigint | undefined {
  const parts = SHAPE.exec(text);
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [number, number, number, number, number, number];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59) return undefined;
  const offset = offsetSeconds(parts[8] as string);
  if (offset === undefined) return undefined;
  // setUTCFullYear, because Date.UTC takes the years 0 to 99 to be in the twentieth century.
  const days = new Date(0).setUTCFullYear(year, month - 1, day) / 1000;
  const seconds = days + hour * 3600 + minute * 60 + second - offset;
  return BigInt(seconds) * 1_000_000n + BigInt((parts[7] ?? '').padEnd(6, '0').slice(0, 6));
}

/** Whole seconds since the epoch, without the fraction; undefined if the text is not a date. */
export function secondsOf(text: string): number | undefined {
  const microseconds = microsecondsOf(text);
  if (microseconds === undefined) return undefined;
  return Number((microseconds - (((microseconds % 1_000_000n) + 1_000_000n) % 1_000_000n)) / 1_000_000n);
}

/** `2024-01-02T03:04:05Z`; undefined if the year does not have four digits. */
export function dateText(seconds: number): string | undefined {
  if (seconds < FIRST || seconds >= AFTER_LAST) return undefined;
  const known = texts.get(seconds);
  if (known !== undefined) return known;
  const text = `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
  if (texts.size >= MAX_TEXTS) texts.clear();
  texts.set(seconds, text);
  return text;
}

/** Dates that were written before: the few objects that are asked for often have the same ones each time. */
const texts = new Map<number, string>();
const MAX_TEXTS = 1_024;

/** `2024-01-02T03:04:05.000006Z`; undefined if the year does not have four digits. */
export function preciseDateText(microseconds: bigint): string | undefined {
  const fraction = ((microseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const text = dateText(Number((microseconds - fraction) / 1_000_000n));
  return text === undefined ? undefined : `${text.slice(0, 19)}.${String(fraction).padStart(6, '0')}Z`;
}

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && !leap ? 28 : (DAYS[month - 1] as number);
}

function offsetSeconds(zone: string): number | undefined {
  if (zone.length === 1) return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone[0] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}
