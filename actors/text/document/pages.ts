// Puts the pages of a pdf together: what stands above and below the text is read once, and a sentence that goes on overleaf is whole.
import type { Block } from '../../../text/passages.ts';
import { sentenceSpans } from '../../../text/sentences.ts';
import { before, goesOnOverleaf, type Line, paragraphsOf, widthOf } from './paragraphs.ts';
import { withoutRunningHeads } from './running-heads.ts';

/** In characters, of what goes on overleaf: a list or a program without full stops is no sentence. */
const MAX_OVERLEAF = 1_000;

interface Page {
  readonly heads: readonly string[];
  readonly lines: readonly Line[];
  readonly paragraphs: string[];
}

/** @param pages the lines of each, in the order of the file @returns paragraphs, items and rows of tables; a sentence belongs to the page on which it begins */
export function blocksOfPages(pages: readonly (readonly Line[])[]): Block[] {
  const read = withoutRunningHeads(pages).map(({ heads, lines }) => {
    const shown = lines.filter(({ text }) => text.trim() !== '');
    return { heads, lines: shown, paragraphs: paragraphsOf(shown) };
  });
  read.forEach((page, index) => {
    const above = read[index - 1];
    if (above) joinSentence(above, page);
  });
  return read.flatMap(({ heads, paragraphs }, index) => [...heads, ...paragraphs].map((text) => ({ text, isHeading: false, page: index + 1 })));
}

function joinSentence(above: Page, below: Page): void {
  const [last, first] = [above.lines.at(-1), below.lines[0]];
  const [begun, going] = [above.paragraphs.at(-1), below.paragraphs[0]];
  if (!last || !first || begun === undefined || going === undefined) return;
  const isAlone = above.paragraphs.length > 1 && begun === last.text;
  if (!goesOnOverleaf(first, last, { widest: widthOf(above.lines), isAlone })) return;
  const [start] = sentenceSpans(begun).at(-1) ?? [0];
  const open = before(going, begun.slice(start));
  const whole = `${open}${going}`;
  const [, end] = sentenceSpans(whole)[0] ?? [0, 0];
  if (end - open.length > MAX_OVERLEAF || end <= open.length) return;
  above.paragraphs[above.paragraphs.length - 1] = `${begun.slice(0, start)}${whole.slice(0, end)}`.trimEnd();
  const rest = whole.slice(end).trimStart();
  below.paragraphs.splice(0, 1, ...(rest === '' ? [] : [rest]));
}
