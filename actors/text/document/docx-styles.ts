// Says which styles of a docx are those of headings (ECMA-376 part 1, section 17.7): each language of Word has other identifiers for them, and an author has styles of their own. Some number their paragraphs.
import type { ListPlace } from './docx-numbering.ts';
import { type Attributes, visitXml } from './markup.ts';

/** Levels of an outline begin at 0; this one is that of text (section 17.3.1.20). */
const TEXT_LEVEL = '9';
/** Names of the built-in styles are English in each language (section 17.7.4.9). */
const NAME = /^(heading|title|subtitle)\b/i;
/** Identifiers that some programs give them, for a file that does not tell its styles. */
const IDENTIFIER = /^(heading|title|titre|berschrift|encabezado)/i;
/** A style may be based on another; Word takes less, and a file could make it endless. */
const MAX_BASES = 32;

interface Style {
  name: string;
  base: string;
  level: string | undefined;
  list: string | undefined;
  listLevel: string | undefined;
}

export type Styles = ReadonlyMap<string, Style>;

/**
 * Whether an element of a paragraph's properties makes a heading of it; undefined for other elements. What the paragraph says itself, its level in the outline,
 * stands behind its style and counts more.
 */
export type Headings = (element: string, value: string) => boolean | undefined;

export function headingsBy(styles: Styles): Headings {
  return (element, value) => {
    if (element === 'outlineLvl') return value !== TEXT_LEVEL;
    return element === 'pStyle' ? isHeading(value, styles) : undefined;
  };
}

/** @returns what the style, or one that it is based on, says of the list of its paragraphs; undefined if it says nothing */
export function listOfStyle(identifier: string, styles: Styles): ListPlace | undefined {
  let [at, level]: [string, string | undefined] = [identifier, undefined];
  for (let bases = 0; bases < MAX_BASES; bases++) {
    const style = styles.get(at);
    if (!style) return undefined;
    level ??= style.listLevel;
    if (style.list !== undefined) return { list: style.list, level: level === undefined ? undefined : Number(level), style: at };
    at = style.base;
  }
  return undefined;
}

function isHeading(identifier: string, styles: Styles): boolean {
  let style = styles.get(identifier);
  if (!style) return IDENTIFIER.test(identifier);
  for (let bases = 0; style && bases < MAX_BASES; bases++) {
    if (style.level !== undefined) return style.level !== TEXT_LEVEL;
    if (NAME.test(style.name)) return true;
    style = styles.get(style.base);
  }
  return false;
}

/** @param xml of the part with the styles; undefined if the file has none */
export function stylesOf(xml: string | undefined): Styles {
  const styles = new Map<string, Style>();
  if (xml === undefined) return styles;
  let open: Style | undefined;
  const visit = {
    open(name: string, { styleId = '', val = '' }: Attributes) {
      if (name === 'style') {
        open = { name: '', base: '', level: undefined, list: undefined, listLevel: undefined };
        styles.set(styleId, open);
      } else if (!open) return;
      else if (name === 'name') open.name = val;
      else if (name === 'basedOn') open.base = val;
      else if (name === 'outlineLvl') open.level = val;
      else if (name === 'numId') open.list = val;
      else if (name === 'ilvl') open.listLevel = val;
    },
    close(name: string) {
      if (name === 'style') open = undefined;
    },
  };
  visitXml(xml, visit);
  return styles;
}
