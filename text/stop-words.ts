// Words that say nothing of what a text is about, in English and French: they neither find nor rank anything.
const ENGLISH = `a about after again all also am an and any are as at be because been before being between both but by can could did do does doing for from
  further had has have having he her here hers him his how i if in into is it its itself just me more most my no nor not of off on once only or other our out over
  own same she should so some such than that the their them then there these they this those through to too under until up upon very was we were what when where
  which while who whom whose why will with would you your`;
const FRENCH = `alors au aucun aussi autre aux avec ce ceci cela ces cet cette ceux chez comme dans de des dont du elle elles en encore est et etait ete etre eu
  fait il ils je la le les leur leurs lui ma mais mes meme moi mon ne nos notre nous on ont ou par pas plus pour qu que quel quelle qui sa sans se ses si sont sur
  ta te tes toi ton tu un une vos votre vous`;

const STOP_WORDS: ReadonlySet<string> = new Set(`${ENGLISH} ${FRENCH}`.split(/\s+/));

/** @param word folded, as `fold` makes it */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}
