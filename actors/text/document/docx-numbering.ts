// Counts the items of the lists of a docx, and its numbered headings (ECMA-376 part 1, section 17.9): their numbers stand in no text of the file.
import { repeatedLetter, romanNumber } from './list-numbers.ts';
import { type Attributes, visitXml } from './markup.ts';

type Format = (value: number) => string;

/** Of numbers that are not written in digits. */
const FORMATS: Readonly<Record<string, Format>> = {
  none: () => '',
  decimalZero: (value) => String(value).padStart(2, '0'),
  lowerLetter: repeatedLetter,
  upperLetter: (value) => repeatedLetter(value).toUpperCase(),
  lowerRoman: romanNumber,
  upperRoman: (value) => romanNumber(value).toUpperCase(),
};
const MAX_LEVELS = 9;
/** A larger number is none that Word writes (section 17.9.25). */
const MAX_START = 32_767;
/** Of the text around a number. */
const MAX_TEXT = 100;
const OFF = /^(0|false|off)$/;

interface Level {
  start: number;
  format: string;
  text: string;
  /** The style whose paragraphs are of this level. */
  style: string | undefined;
  /** The number of the level, from 1, whose items begin it anew, and those above; 0: none does. */
  restart: number | undefined;
  isDecimal: boolean;
}

/** Several lists may count together: they have one outline. */
interface Outline {
  readonly levels: (Level | undefined)[];
  /** A style of lists, whose list has the levels. */
  link: string | undefined;
  readonly counts: (number | undefined)[];
}

interface List {
  outline: string;
  /** By level. */
  readonly starts: (number | undefined)[];
  readonly levels: (Level | undefined)[];
  readonly begun: Set<number>;
}

/** What a paragraph, or its style, says of its place in a list. */
export interface ListPlace {
  readonly list: string;
  readonly level: number | undefined;
  /** The style that says so. */
  readonly style?: string;
}

export class Numbering {
  readonly #outlines = new Map<string, Outline>();
  readonly #lists = new Map<string, List>();
  readonly #listOfStyle: (style: string) => string | undefined;

  /** @param xml of the part with the lists; undefined if the file has none @param listOfStyle the list that a style of lists names */
  constructor(xml: string | undefined, listOfStyle: (style: string) => string | undefined) {
    this.#listOfStyle = listOfStyle;
    if (xml !== undefined) this.#read(xml);
  }

  /** Counts a paragraph. @returns its number with the signs around it; empty for one without a number */
  next({ list: name, level, style }: ListPlace): string {
    const list = this.#lists.get(name);
    const outline = list && this.#outlineOf(list);
    if (!list || !outline) return '';
    const at = Math.max(level ?? outline.levels.findIndex((each) => style !== undefined && each?.style === style), 0);
    const levelAt = (index: number) => list.levels[index] ?? outline.levels[index];
    const own = levelAt(at);
    if (!own) return '';
    count(at, list, outline, levelAt);
    return written(own, outline.counts, levelAt);
  }

  #outlineOf(list: List): Outline | undefined {
    const outline = this.#outlines.get(list.outline);
    if (outline?.link === undefined) return outline;
    const linked = this.#lists.get(this.#listOfStyle(outline.link) ?? '');
    return (linked && this.#outlines.get(linked.outline)) ?? outline;
  }

  #read(xml: string): void {
    let [outline, list, level]: [Outline?, List?, Level?] = [];
    let at = 0;
    const open = (name: string, attributes: Attributes) => {
      const { val = '' } = attributes;
      if (name === 'abstractNum') {
        outline = { levels: [], link: undefined, counts: [] };
        this.#outlines.set(attributes['abstractNumId'] ?? '', outline);
      } else if (name === 'num') {
        list = { outline: '', starts: [], levels: [], begun: new Set() };
        this.#lists.set(attributes['numId'] ?? '', list);
      } else if (name === 'lvl' || name === 'lvlOverride') at = levelOf(attributes['ilvl']);
      if (name === 'lvl') {
        level = newLevel();
        const owner = list ?? outline;
        if (owner) owner.levels[at] = level;
      } else if (level) describe(level, name, val);
      else if (list && name === 'abstractNumId') list.outline = val;
      else if (list && name === 'startOverride') list.starts[at] = numberIn(val);
      else if (outline && name === 'numStyleLink') outline.link = val;
    };
    const close = (name: string) => {
      if (name === 'lvl') level = undefined;
      if (name === 'num') list = undefined;
      if (name === 'abstractNum') outline = undefined;
    };
    visitXml(xml, { open, close });
  }
}

function newLevel(): Level {
  return { start: 0, format: 'decimal', text: '', style: undefined, restart: undefined, isDecimal: false };
}

function describe(level: Level, name: string, value: string): void {
  if (name === 'start') level.start = numberIn(value) ?? level.start;
  else if (name === 'numFmt') level.format = value;
  else if (name === 'lvlText') level.text = value.slice(0, MAX_TEXT);
  else if (name === 'pStyle') level.style = value;
  else if (name === 'lvlRestart') level.restart = numberIn(value);
  else if (name === 'isLgl') level.isDecimal = !OFF.test(value);
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Math.min(Number(text), MAX_START) : undefined;
}

function levelOf(text: string | undefined): number {
  return Math.min(numberIn(text) ?? 0, MAX_LEVELS - 1);
}

type LevelAt = (index: number) => Level | undefined;

function count(at: number, { starts, begun }: List, { counts }: Outline, levelAt: LevelAt): void {
  const start = (index: number) => starts[index] ?? levelAt(index)?.start ?? 1;
  const before = starts[at] === undefined || begun.has(at) ? counts[at] : undefined;
  begun.add(at);
  counts[at] = before === undefined ? start(at) : before + 1;
  for (let above = 0; above < at; above++) counts[above] ??= start(above);
  for (let below = at + 1; below < MAX_LEVELS; below++) if (at < (levelAt(below)?.restart ?? below)) counts[below] = undefined;
}

function written({ text, format, isDecimal }: Level, counts: readonly (number | undefined)[], levelAt: LevelAt): string {
  // A bullet says nothing.
  if (format === 'bullet') return '';
  return text.replaceAll(/%([1-9])/g, (_, digit: string) => {
    const [value = 0, level] = [counts[Number(digit) - 1], levelAt(Number(digit) - 1)];
    return isDecimal ? String(value) : (FORMATS[level?.format ?? ''] ?? String)(value);
  });
}
