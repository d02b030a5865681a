// Dates of RFC 3339: parsed strictly, shifted by seconds, and printed in their original offset.
import { refuse } from './refuse.ts';

export interface LocalDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  /** 60 for a leap second. */
  readonly second: number;
  /** Nine digits; further ones are dropped. */
  readonly fraction: string;
  /** Minutes east of UTC. */
  readonly offset: number;
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
/** In characters: RFC 3339 does not limit the digits of a second's fraction. */
export const MAX_DATE = 1_024;
const MINUTE_MS = 60_000;

export function readDate(text: string): LocalDate {
  const found = DATE.exec(text);
  if (!found) return refuse('data: must be a date-time of RFC 3339, such as 2024-05-17T13:45:12+02:00');
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as [number, number, number, number, number, number];
  const [offsetHours, offsetMinutes] = [Number(found[9] ?? 0), Number(found[10] ?? 0)];
  const offset = (found[8] === '-' ? -1 : 1) * (offsetHours * 60 + offsetMinutes) || 0;
  const date = { year, month, day, hour, minute, second, fraction: (found[7] ?? '').slice(0, 9).padEnd(9, '0'), offset };
  const inRange = month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month) && hour <= 23 && minute <= 59 && offsetHours <= 23 && offsetMinutes <= 59;
  if (!inRange || (second > 59 && !isLeapSecond(date))) refuse('data: this date-time does not exist; check the day, the time and the offset');
  return date;
}

function daysOf(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Leap seconds are inserted at the end of a month in UTC. */
function isLeapSecond(date: LocalDate): boolean {
  const next = new Date(instant({ ...date, second: 59 }) + 1_000);
  return date.second === 60 && next.getUTCDate() === 1 && next.getUTCHours() === 0 && next.getUTCMinutes() === 0;
}

/** Milliseconds since the epoch, without the fraction; Date.UTC would move years below 100 to the 20th century. */
function instant({ year, month, day, hour, minute, second, offset }: LocalDate): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return date.getTime() - offset * MINUTE_MS;
}

/** @param seconds a whole number; the fraction and the offset stay as they are */
export function shift(date: LocalDate, seconds: number): LocalDate {
  const local = new Date(instant(date) + seconds * 1_000 + date.offset * MINUTE_MS);
  const year = local.getUTCFullYear();
  if (!(year >= 0 && year <= 9_999)) refuse('the result is out of range');
  return {
    ...date,
    year,
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
  };
}

/** Prints UTC as `+00:00`, and a fraction with three, six or nine digits. */
export function printDate({ year, month, day, hour, minute, second, fraction, offset }: LocalDate): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const digits = fraction.replace(/(?:000){1,3}$/, '');
  const minutes = Math.abs(offset);
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  return `${date}T${two(hour)}:${two(minute)}:${two(second)}${digits === '' ? '' : `.${digits}`}${zone}`;
}
