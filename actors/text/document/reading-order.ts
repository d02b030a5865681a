// Puts the pieces of a pdf's line in the order in which they are read: many programs, browsers for one, write Arabic and Hebrew as it stands on the page, from the left.

/** Text of a line that the reader of pdf files gives in one piece, its characters in the order in which they are read. */
export interface Piece {
  readonly text: string;
  readonly isRightToLeft: boolean;
  /** Where it stands on the page; the same unit for both. */
  readonly left: number;
  readonly width: number;
}

type Direction = 'left' | 'right';

const LETTER = /[\p{L}\p{N}]/u;
const MARKS = /^\s*\p{M}+\s*$/u;
/** Ends a sentence: it stands where the line ends. */
const END = /^\s*[.!?؟…]/u;
/** Forms that a letter has at the beginning, in the middle and at the end of a word: fonts name them, texts do not. */
const FORMS = /[\ufb1d-\ufdcf\ufdf0-\ufdfb\ufe70-\ufefc]/g;
/** Codes of fonts whose file does not say which characters they are. Within a word they would divide it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
const UNKNOWN = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g;
const MIRRORED: Readonly<Record<string, string>> = { '(': ')', ')': '(', '[': ']', ']': '[', '{': '}', '}': '{', '«': '»', '»': '«' };

/** @param pieces of one line, in the order of the file @returns its text */
export function lineOf(pieces: readonly Piece[]): string {
  return runsOf(pieces.map((piece) => ({ ...piece, text: known(piece.text) })).filter(({ text }) => text !== ''))
    .flatMap((run) => (run.some(({ isRightToLeft }) => isRightToLeft) ? inReadingOrder(withMarks(run)) : run))
    .map(({ text }) => text)
    .join('');
}

function known(text: string): string {
  return text.replaceAll(UNKNOWN, '').replaceAll(FORMS, (form) => form.normalize('NFKC').trim());
}

/** Each run goes on to the right. Programs that write right to left as it is read begin one with each piece. */
function runsOf(pieces: readonly Piece[]): Piece[][] {
  const runs: Piece[][] = [];
  let left = Number.POSITIVE_INFINITY;
  for (const piece of pieces) {
    const isWide = piece.width > 0;
    if (runs.length === 0 || (isWide && piece.left < left)) runs.push([]);
    runs.at(-1)?.push(piece);
    // A mark without width can stand anywhere over its letter.
    if (isWide) left = piece.left;
  }
  return runs;
}

/**
 * Vowels and other marks without width belong to the letter that follows on the page. Where they stand on it, the reader takes gaps for spaces: a space is one if the
 * letter that follows stands behind it.
 */
function withMarks(run: readonly Piece[]): Piece[] {
  const following: (Piece | undefined)[] = [];
  for (let at = run.length - 1, next: Piece | undefined; at >= 0; at--) {
    const piece = run[at] as Piece;
    following[at] = next;
    if (isShown(piece) && !isMark(piece)) next = piece;
  }
  const ordered: Piece[] = [];
  let marks: Piece[] = [];
  run.forEach((piece, at) => {
    if (isMark(piece)) marks.push({ ...piece, text: piece.text.trim(), isRightToLeft: true });
    else if (isShown(piece)) {
      ordered.push(...marks, piece);
      marks = [];
    } else if (isBefore(piece, following[at])) ordered.push(piece);
  });
  return [...ordered, ...marks];
}

function isBefore(space: Piece, letter: Piece | undefined): boolean {
  return letter === undefined || letter.left - space.left > Math.max(space.width / 2, letter.width / letter.text.length / 16);
}

const isMark = ({ text, width }: Piece): boolean => width === 0 && MARKS.test(text);

/** By the rules of Unicode for what has both directions (UAX #9, rules N1, N2 and L2), from the page back to the text. */
function inReadingOrder(run: readonly Piece[]): Piece[] {
  const base = directionOf(run);
  const groups: { readonly direction: Direction; readonly pieces: Piece[] }[] = [];
  resolved(run.map(own), base).forEach((direction, at) => {
    if (groups.at(-1)?.direction !== direction) groups.push({ direction, pieces: [] });
    groups.at(-1)?.pieces.push(run[at] as Piece);
  });
  // Of what is read to the left, the last on the page comes first.
  if (base === 'left') groups.reverse();
  return groups.flatMap(({ direction, pieces }) => (direction === 'left' ? pieces.reverse().map(mirrored) : pieces));
}

function own({ text, isRightToLeft }: Piece): Direction | undefined {
  if (isRightToLeft) return 'left';
  return LETTER.test(text) ? 'right' : undefined;
}

/** In which direction a line is read: where a sentence ends is its end, else as most of its characters. */
function directionOf(run: readonly Piece[]): Direction {
  const [first, last] = [run.find(isShown), run.findLast(isShown)];
  if (first !== last && last && END.test(last.text)) return 'right';
  if (first !== last && first && END.test(first.text)) return 'left';
  const count = (direction: Direction) => run.reduce((sum, piece) => (own(piece) === direction ? sum + piece.text.length : sum), 0);
  return count('left') >= count('right') ? 'left' : 'right';
}

const isShown = ({ text }: Piece): boolean => text.trim() !== '';

/** What has no direction has that of both its neighbours, else that of the line. */
function resolved(directions: readonly (Direction | undefined)[], base: Direction): Direction[] {
  const after: Direction[] = [];
  let next = base;
  for (let at = directions.length - 1; at >= 0; at--) after[at] = next = directions[at] ?? next;
  let before = base;
  return directions.map((direction, at) => {
    if (direction !== undefined) before = direction;
    return before === after[at] ? before : base;
  });
}

/** Signs such as brackets are turned around where they are read to the left: the page shows them turned. */
function mirrored(piece: Piece): Piece {
  return piece.isRightToLeft ? piece : { ...piece, text: [...piece.text].map((sign) => MIRRORED[sign] ?? sign).join('') };
}
