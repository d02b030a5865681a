// Finds what stands above and below the text on the pages of a pdf: a title, a date, the number of the page. It would stand in the middle of sentences, and be found in place of the text.
import type { Line } from './paragraphs.ts';

/** So many pages have it at the same place... */
const MIN_PAGES = 3;
/** ...and of those from the first to the last with it this share: it may stand on every other page, and not where a chapter begins. */
const MIN_SHARE = 0.4;
/** What has a number in it may be what the page tells, such as a sum: this share of all pages. */
const MIN_SHARE_OF_ALL = 0.25;
/** Rows at each end of a page that are looked at, and characters of one. */
const MAX_ROWS = 4;
const MAX_CHARACTERS = 300;
/** In a row: "18.3.2026, page 2 of 12". */
const MAX_NUMBERS = 8;
/** So many digits beside words that do not say it are a number of something else: few texts have so many pages. */
const OF_OTHERS = 4;
/** In units of the page, half a millimetre or so. */
const PLACE = 2;
/** In line heights: what is nearer stands in the same row. */
const NEAR = 0.8;
/** What is nearer to the text and as large is part of it: pages of letters or certificates may begin and end with the same sentences. */
const APART = 1.6;
const OTHER_SIZE = 1.15;

const LETTER = /\p{L}/u;
const DIGIT = /\p{N}/u;
/** Of a page; those with more digits, or filled up with zeros, are of invoices and the like. */
const NUMBER = /(?<![\p{L}\p{N}])(?!00|0\d\d)\d{1,4}(?![\p{L}\p{N}])/gu;
/** Before or after a number it is that of a page. */
const PAGE = /^\P{L}*(page|p|seite|s|p[aá]gina|pág|strana|strona|sida|side|sivu|oldal)\P{L}/iu;
/** Pages before the first chapter have such numbers. */
const ROMAN = /^[^\p{L}\p{N}]*(?=[ivxlc])c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})[^\p{L}\p{N}]*$/iu;

interface Row {
  readonly lines: readonly Line[];
  readonly text: string;
  /** Whether the next one, further in, is not near. */
  readonly isApart: boolean;
  /** What it may have in common with the row at the same place of other pages, each with its place. */
  readonly keys: readonly string[];
}

export interface Page {
  /** Without what stands above and below them. */
  readonly lines: readonly Line[];
  /** What stands above and below, where it stands there first. */
  readonly heads: readonly string[];
}

type Ends = readonly [top: readonly Row[], bottom: readonly Row[]];

export function withoutRunningHeads(pages: readonly (readonly Line[])[]): readonly Page[] {
  const ends = pages.map((lines, index) => endsOf(lines, index));
  const running = runningKeys(ends);
  const told = new Set<string>();
  return pages.map((lines, index) => {
    const left = new Set<Line>();
    const heads: string[] = [];
    for (const row of (ends[index] as Ends).flatMap((rows) => runningRows(rows, running))) {
      const keys = row.keys.filter((key) => running.has(key));
      for (const line of row.lines) left.add(line);
      if (LETTER.test(row.text) && !ROMAN.test(row.text) && !keys.some((key) => told.has(key))) heads.push(row.text);
      for (const key of keys) told.add(key);
    }
    return { lines: lines.filter((line) => !left.has(line)), heads };
  });
}

/** Those furthest out that are on other pages too, up to the last that stands apart from the text. */
function runningRows(rows: readonly Row[], running: ReadonlySet<string>): readonly Row[] {
  const inner = rows.findIndex(({ keys }) => !keys.some((key) => running.has(key)));
  const outer = inner < 0 ? rows : rows.slice(0, inner);
  return outer.slice(0, outer.findLastIndex(({ isApart }) => isApart) + 1);
}

/** @returns the rows at the top and at the bottom, those furthest out first */
function endsOf(lines: readonly Line[], page: number): Ends {
  const rows: Line[][] = [];
  for (const line of lines.filter(({ text }) => text.trim() !== '').sort((a, b) => b.y - a.y)) {
    const row = rows.at(-1);
    if (row && distance(row, [line]) < NEAR) row.push(line);
    else rows.push([line]);
  }
  const ofEnd = (some: readonly Line[][]) => some.slice(0, MAX_ROWS).map((row, at) => rowOf(row, page, some[at + 1]));
  return [ofEnd(rows), ofEnd(rows.slice(-MAX_ROWS - 1).reverse())];
}

function distance([one]: readonly Line[], [other]: readonly Line[]): number {
  return one && other ? Math.abs(one.y - other.y) / Math.max(one.height, other.height, 1) : Number.POSITIVE_INFINITY;
}

function isOtherSize([one]: readonly Line[], [other]: readonly Line[]): boolean {
  return one !== undefined && other !== undefined && Math.max(one.height, other.height) > OTHER_SIZE * Math.min(one.height, other.height);
}

function rowOf(lines: readonly Line[], page: number, inner: readonly Line[] = []): Row {
  const text = lines.map((line) => line.text.trim()).join(' ');
  const place = Math.round((lines[0]?.y ?? 0) / PLACE);
  const hasGap = lines.length > 1 || lines.some((line) => line.hasGap);
  const keys = text.length > MAX_CHARACTERS ? [] : keysOf(text, hasGap, page).map((key) => `${place} ${key}`);
  return { lines, text, isApart: distance(lines, inner) > APART || isOtherSize(lines, inner), keys };
}

function keysOf(text: string, hasGap: boolean, page: number): string[] {
  if (ROMAN.test(text)) return ['roman'];
  const [hasLetter, hasDigit] = [LETTER.test(text), DIGIT.test(text)];
  // The head of a table has gaps too.
  if (hasGap && hasLetter && !hasDigit) return [];
  // A number that is one higher on the next page is that of the page, if it stands alone or apart.
  const isTold = !hasLetter || PAGE.test(text);
  const numbers = isTold || hasGap ? [...text.matchAll(NUMBER)].slice(0, MAX_NUMBERS).filter(([digits]) => isTold || digits.length < OF_OTHERS) : [];
  const counting = numbers.map(({ 0: digits, index }) => `pages ${text.slice(0, index)}${Number(digits) - page}${text.slice(index + digits.length)}`);
  return [...(hasLetter || !hasDigit ? [`${hasDigit ? 'number' : 'text'} ${text}`] : []), ...counting];
}

function runningKeys(pages: readonly Ends[]): ReadonlySet<string> {
  const found = new Map<string, { first: number; last: number; count: number }>();
  pages.forEach((ends, page) => {
    for (const key of new Set(ends.flat().flatMap(({ keys }) => keys))) {
      const known = found.get(key);
      if (!known) found.set(key, { first: page, last: page, count: 1 });
      else Object.assign(known, { last: page, count: known.count + 1 });
    }
  });
  const isRunning = ([key, { first, last, count }]: readonly [string, { first: number; last: number; count: number }]) =>
    count >= MIN_PAGES && count >= MIN_SHARE * (last - first + 1) && (!/^-?\d+ number/.test(key) || count >= MIN_SHARE_OF_ALL * pages.length);
  return new Set([...found].filter(isRunning).map(([key]) => key));
}
