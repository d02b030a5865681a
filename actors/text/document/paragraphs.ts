// Puts the lines of a pdf's page together to paragraphs: the file says where each line stands, and not what it belongs to.
import { endsSentence } from '../../../text/sentences.ts';
import { lineOf, type Piece } from './reading-order.ts';

/** What the file says of a piece: two with the same one belong together. */
export interface Tagged {
  /** An item, a row or a heading; else a paragraph, and some programs make one of each line. */
  readonly isWhole: boolean;
}

export interface PlacedPiece extends Piece {
  /** Of its base line. */
  readonly y: number;
  /** Of its letters. */
  readonly height: number;
  readonly tagged?: Tagged | undefined;
}

/** A line as it is read; lengths in units of the page. */
export interface Line {
  readonly text: string;
  /** Of its base line. */
  readonly y: number;
  /** Of most of its letters. */
  readonly height: number;
  readonly width: number;
  /** Whether it has a gap as there is between the cells of a table. */
  readonly hasGap: boolean;
  /** If the file says it. */
  readonly tagged?: Tagged | undefined;
}

/** A distance of more than this many line heights begins a new paragraph. */
const FAR = 1.6;
/** The same in a text that stands further apart, in its usual distances. */
const FARTHER = 1.25;
/** Letters that are larger or smaller by this factor are those of a heading, a note or a caption. */
const OTHER_SIZE = 1.15;
/** In line heights: what is nearer stands above or below the line, as exponents do. */
const NEAR = 0.8;
/** A line that goes on has most of the width. */
const FULL = 0.85;
const ITEM = /^\s*[•‣▪▸●◦○■□➢➤✓\uf0b7\uf0a7]\s*\S/u;
/** What an item may begin with, and a line within a sentence too. */
const MARK = /^\s*(?:[-–—]|\(?(?:\p{N}{1,3}(?:\.\p{N}{1,3}){0,3}|[a-z]|[ivxlc]{1,6})[.)])\s+\S/u;
const SMALL = /^\s*\p{Ll}/u;

/** In heights of letters: words of a line are nearer. */
const GAP = 2;
/** What a tab stands behind in a list. */
const NUMBER = /^\s*[(]?(\p{N}{1,4}|\p{L}|[ivxlc]{1,6})[.)]?\s*$/iu;

/** @param pieces of one line, in the order of the file */
export function placedLine(pieces: readonly PlacedPiece[]): Line {
  const shown = pieces.filter(({ text }) => text.trim() !== '').sort((a, b) => a.left - b.left);
  const longest = shown.reduce<PlacedPiece | undefined>((most, piece) => (most && most.text.length >= piece.text.length ? most : piece), undefined);
  const [first, last] = [shown[0], shown.at(-1)];
  const { height = 0, y = 0 } = longest ?? {};
  return {
    text: lineOf(pieces),
    y,
    height,
    width: first && last ? last.left + last.width - first.left : 0,
    hasGap: hasGap(shown, height),
    tagged: shown.find(({ tagged }) => tagged)?.tagged,
  };
}

/** @param pieces from the left */
function hasGap(pieces: readonly PlacedPiece[], height: number): boolean {
  // None is behind the number of an item.
  const [first, ...rest] = pieces.slice(pieces[0] && NUMBER.test(pieces[0].text) ? 1 : 0);
  let right = first ? first.left + first.width : 0;
  return rest.some(({ left, width }) => {
    const isGap = left - right > GAP * height;
    right = Math.max(left + width, right);
    return isGap;
  });
}

/** @param lines in the order of the file @returns the text of each paragraph, item or row of a table */
export function paragraphsOf(lines: readonly Line[]): string[] {
  const shown = lines.filter(({ text }) => text.trim() !== '');
  const [widest, usual] = [widthOf(shown), usualDistance(shown)];
  const paragraphs: string[][] = [];
  shown.forEach((line, index) => {
    const above = shown[index - 1];
    const last = paragraphs.at(-1);
    if (!above || !last || begins(line, above, { widest, usual })) paragraphs.push([line.text]);
    else last.push(before(line.text, last.pop() ?? ''), line.text);
  });
  return paragraphs.map((texts) => texts.join(''));
}

export const widthOf = (lines: readonly Line[]): number => lines.reduce((most, { width }) => Math.max(most, width), 0);

const distance = (line: Line, above: Line): number => Math.abs(above.y - line.y) / Math.max(above.height, 1);

/** The median. */
function usualDistance(lines: readonly Line[]): number {
  const distances = lines.flatMap((line, index) => (index === 0 ? [] : [distance(line, lines[index - 1] as Line)])).filter((each) => each > NEAR);
  return distances.sort((a, b) => a - b)[distances.length >> 1] ?? 0;
}

/** Whether a paragraph begins with this line. */
function begins(line: Line, above: Line, { widest, usual }: { readonly widest: number; readonly usual: number }): boolean {
  const far = distance(line, above);
  if (far < NEAR) return false;
  if (isApart(line, above, widest) || isTaggedApart(line, above)) return true;
  if (far <= FAR) return false;
  // In the next column, below a picture and in a text that stands further apart, a sentence goes on far away.
  const isHigher = line.y > above.y;
  const goesOn = SMALL.test(line.text) || (above.width > FULL * widest && (isHigher || far <= FARTHER * usual));
  return endsSentence(above.text) || !goesOn;
}

/** Whether a sentence goes on in the first line of the next page. @param isAlone whether the line above stands below the text, as the number of the page does */
export function goesOnOverleaf(line: Line, above: Line, { widest, isAlone }: { readonly widest: number; readonly isAlone: boolean }): boolean {
  if (MARK.test(line.text) || isApart(line, above, widest) || endsSentence(above.text)) return false;
  return (SMALL.test(line.text) && !isAlone) || above.width > FULL * widest;
}

function isTaggedApart({ text, tagged }: Line, above: Line): boolean {
  if (!tagged || !above.tagged || tagged === above.tagged) return false;
  return tagged.isWhole || above.tagged.isWhole || !SMALL.test(text);
}

/** Whether a line is an item, a row of a table or of another size than the one above, wherever they stand. */
function isApart(line: Line, above: Line, widest: number): boolean {
  if (ITEM.test(line.text) || line.hasGap || (above.hasGap && !SMALL.test(line.text))) return true;
  if (MARK.test(line.text) && (MARK.test(above.text) || endsSentence(above.text) || above.width < FULL * widest)) return true;
  return Math.max(line.height, above.height) / Math.max(1, Math.min(line.height, above.height)) > OTHER_SIZE;
}

/** A word that is divided at the end of a line becomes whole; a hyphen of its own, as in E-Mail, stays. @returns the line above as it stands before this one */
export function before(below: string, above: string): string {
  const divided = /^(.*\p{L})([-\u2010\u00ad])\s*$/su.exec(above);
  if (!divided) return `${above} `;
  const [, begin = '', hyphen = ''] = divided;
  return /^\p{Ll}/u.test(below) ? begin : `${begin}${hyphen}`;
}
