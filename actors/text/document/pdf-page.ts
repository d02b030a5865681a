// Reads a page of a pdf: its lines, upright, with what is filled into its form.
import type { getDocumentProxy } from 'unpdf';
import { TICK } from './docx-symbols.ts';
import { type Line, type PlacedPiece, placedLine } from './paragraphs.ts';
import { MarkedContent } from './pdf-structure.ts';

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>;

/** Of letters, in points, where the file says none. */
const USUAL_HEIGHT = 10;
/** As wide as no page: what stands behind a field asks for it only if nothing stands before it. */
const BEHIND = 1_000_000;
/** What the reader tells of an annotation (ISO 32000-1 section 12.5), as far as text comes from it. */
interface Annotation {
  readonly subtype: string;
  /** x and y of two corners. */
  readonly rect: readonly [number, number, number, number];
  readonly fieldType?: string;
  readonly fieldValue?: unknown;
  /** What may be chosen, and how the page shows it. */
  readonly options?: readonly { readonly exportValue: unknown; readonly displayValue: unknown }[];
  /** What the field has as its value if this box of it is ticked. */
  readonly exportValue?: string;
  readonly buttonValue?: string;
  readonly password?: boolean;
  /** Of text that was typed onto the page. */
  readonly textContent?: readonly string[];
}

/** What the file has besides its text. To ask for notes takes as long as to read the page. */
export interface Extras {
  /** Whether somebody may have filled in a form or typed onto a page. */
  readonly hasNotes: boolean;
  /** Whether it says what is a paragraph and what is an item. */
  readonly isTagged: boolean;
}

export async function linesOf(page: Page, { hasNotes, isTagged }: Extras): Promise<Line[]> {
  const content = isTagged ? await MarkedContent.of(page) : undefined;
  const { items } = await page.getTextContent({ includeMarkedContent: isTagged });
  const lines: PlacedPiece[][] = [];
  let isOver = true;
  for (const item of items) {
    if (!('str' in item)) {
      if (item.type === 'endMarkedContent') content?.end();
      else content?.begin(item.id);
      continue;
    }
    if (isOver) lines.push([]);
    const place = placeOf(item.transform);
    const size = { width: item.width, height: item.height || USUAL_HEIGHT };
    lines.at(-1)?.push({ text: item.str, isRightToLeft: item.dir === 'rtl', ...place, ...size, tagged: content?.tagged });
    isOver = item.hasEOL;
  }
  // What is wrong with a note or a link keeps nobody from reading the page.
  const annotations = hasNotes ? await page.getAnnotations({ intent: 'display' }).catch(() => []) : [];
  for (const annotation of annotations) fillIn(lines, annotation as Annotation, page.rotate);
  return lines.map(placedLine);
}

/** Tables mostly stand on their side on a wide page: they are turned, so that their lines stand below each other. */
function placeOf([a = 1, b = 0, , , x = 0, y = 0]: readonly number[]): { readonly left: number; readonly y: number } {
  if (Math.abs(b) > Math.abs(a)) return b > 0 ? { left: y, y: -x } : { left: -y, y: x };
  return a < 0 ? { left: -x, y: -y } : { left: x, y };
}

/** As `placeOf` for the text of a page that is turned by so many degrees: two corners again. */
function turned([left, bottom, right, top]: Annotation['rect'], degrees: number): Annotation['rect'] {
  if (degrees === 90) return [bottom, -right, top, -left];
  if (degrees === 180) return [-right, -top, -left, -bottom];
  return degrees === 270 ? [-top, left, -bottom, right] : [left, bottom, right, top];
}

/** A value goes to the line beside it, else below the one above it: they mostly say what it is. */
function fillIn(lines: PlacedPiece[][], annotation: Annotation, degrees: number): void {
  const [left, bottom, right, top] = turned(annotation.rect, degrees);
  const text = textOf(annotation).replaceAll(/\s+/g, ' ').trim();
  if (text === '') return;
  const piece = { text: ` ${text} `, isRightToLeft: false, left, y: bottom, width: right - left, height: USUAL_HEIGHT };
  const line = lineBeside(lines, piece, { top, isBox: annotation.fieldType === 'Btn' });
  const at = line?.findIndex((other) => other.left > left) ?? -1;
  if (!line) lines.splice(belowOf(lines, top), 0, [piece]);
  else line.splice(at < 0 ? line.length : at, 0, { ...piece, y: line[0]?.y ?? bottom });
}

/** @returns the line with the piece that is nearest on either side of a box, and before another field */
function lineBeside(lines: PlacedPiece[][], field: PlacedPiece, { top, isBox }: { readonly top: number; readonly isBox: boolean }): PlacedPiece[] | undefined {
  let [nearest, least]: [PlacedPiece[] | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
  for (const pieces of lines) {
    for (const { text, left, width, y } of pieces) {
      if (text.trim() === '' || y < field.y || y > top) continue;
      const behind = (isBox ? 0 : BEHIND) + left - field.left - field.width;
      const gap = left > field.left ? behind : field.left - left - width;
      if (gap < least) [nearest, least] = [pieces, gap];
    }
  }
  return nearest;
}

/** @returns the place behind the lowest line above */
function belowOf(lines: readonly (readonly PlacedPiece[])[], top: number): number {
  const [lowest] = lines
    .map(([first], at) => ({ y: first?.y ?? 0, at }))
    .filter(({ y }) => y > top)
    .sort((a, b) => a.y - b.y);
  return lowest ? lowest.at + 1 : lines.length;
}

function textOf({ subtype, fieldType, fieldValue, options, exportValue, buttonValue, password, textContent }: Annotation): string {
  if (subtype === 'FreeText') return textContent?.join(' ') ?? '';
  if (subtype !== 'Widget' || password) return '';
  if (fieldType === 'Btn') return typeof fieldValue === 'string' && fieldValue === (buttonValue ?? exportValue) ? TICK : '';
  const shown = (value: unknown) => (fieldType === 'Ch' ? options?.find((option) => option.exportValue === value)?.displayValue : undefined) ?? value;
  const values = [fieldValue]
    .flat()
    .map(shown)
    .filter((value) => typeof value === 'string');
  return fieldType === 'Tx' || fieldType === 'Ch' ? values.join(', ') : '';
}
