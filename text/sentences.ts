// Cuts a text into sentences by the rules of Unicode (UAX #29), which fit most languages.
const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });
/** An abbreviation before a name ends no sentence. */
const ABBREVIATION = /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|Mme|Mlle|M|No|Fig|vs|cf|e\.g|i\.e|[A-Z])\.\s*$/u;

/** @returns the sentences in order, without the space around them */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  let open = '';
  for (const { segment } of segmenter.segment(text)) {
    open += segment;
    if (ABBREVIATION.test(open)) continue;
    if (open.trim() !== '') sentences.push(squeeze(open));
    open = '';
  }
  if (open.trim() !== '') sentences.push(squeeze(open));
  return sentences;
}

/** Line breaks inside a sentence come from the layout. */
function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
