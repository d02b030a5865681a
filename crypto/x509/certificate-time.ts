// Reads and writes the times in certificates and revocation lists (RFC 5280 section 4.1.2.5).
import { CryptoError } from '../crypto-error.ts';
import { DER, type Element, element } from '../der.ts';

const YEAR_2050 = Date.UTC(2050, 0) / 1000;
const YEAR_1950 = Date.UTC(1950, 0) / 1000;
const YEAR_10000 = Date.UTC(10000, 0) / 1000;

/** @param seconds since the epoch, from 1950 to 9999. @throws CryptoError invalid */
export function writeTime(seconds: number): Buffer {
  if (!Number.isSafeInteger(seconds) || seconds < YEAR_1950 || seconds >= YEAR_10000)
    throw new CryptoError('invalid', 'the times of a certificate must lie in the years 1950 to 9999');
  const digits = new Date(seconds * 1000).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return seconds < YEAR_2050 ? element(DER.utcTime, Buffer.from(digits.slice(2))) : element(DER.generalizedTime, Buffer.from(digits));
}

/** @returns seconds since the epoch @throws CryptoError invalid */
export function readTime(each: Element | undefined, what: string): number {
  const text = each?.content.toString('latin1') ?? '';
  const isShort = each?.tag === DER.utcTime;
  if ((isShort && /^\d{12}Z$/.test(text)) || (each?.tag === DER.generalizedTime && /^\d{14}Z$/.test(text))) {
    const digits = isShort ? `${Number(text.slice(0, 2)) < 50 ? '20' : '19'}${text}` : text;
    const [, year, month, day, hour, minute, second] = /^(....)(..)(..)(..)(..)(..)/.exec(digits) ?? [];
    const written = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
    const time = new Date(`${written}Z`);
    // What is no day of its month, and 24:00, would be one of the next.
    if (!Number.isNaN(time.valueOf()) && time.toISOString().startsWith(written)) return time.valueOf() / 1000;
  }
  throw new CryptoError('invalid', `${what} has a malformed time`);
}
