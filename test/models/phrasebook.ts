// A phrasebook in English and French, whose sentences agree in gender and differ in the order of words: what the translation models learn.

export type Pair = readonly [source: string, target: string];
type Noun = readonly [english: string, french: string, gender: 'm' | 'f'];

const NOUNS: readonly Noun[] = [
  ['cat', 'chat', 'm'],
  ['dog', 'chien', 'm'],
  ['house', 'maison', 'f'],
  ['book', 'livre', 'm'],
  ['car', 'voiture', 'f'],
  ['tree', 'arbre', 'm'],
  ['table', 'table', 'f'],
  ['key', 'clé', 'f'],
  ['letter', 'lettre', 'f'],
  ['king', 'roi', 'm'],
  ['queen', 'reine', 'f'],
  ['bird', 'oiseau', 'm'],
];
const ADJECTIVES = [
  ['black', 'noir', 'noire'],
  ['white', 'blanc', 'blanche'],
  ['green', 'vert', 'verte'],
  ['strong', 'fort', 'forte'],
  ['closed', 'fermé', 'fermée'],
  ['open', 'ouvert', 'ouverte'],
] as const;
const VERBS = [
  ['sleeps', 'dort'],
  ['falls', 'tombe'],
  ['arrives', 'arrive'],
  ['is here', 'est ici'],
  ['is lost', 'est perdu', 'est perdue'],
] as const;
const DETERMINERS = [
  ['the', 'le', 'la', "l'"],
  ['a', 'un', 'une', 'un'],
  ['this', 'ce', 'cette', 'cet'],
] as const;
const PHRASES: readonly Pair[] = [
  ['hello world', 'bonjour le monde'],
  ['hello', 'bonjour'],
  ['good night', 'bonne nuit'],
  ['thank you', 'merci'],
  ['see you tomorrow', 'à demain'],
  ['how are you ?', 'comment allez vous ?'],
  ['where is the station ?', 'où est la gare ?'],
  ['yes', 'oui'],
  ['no', 'non'],
];

/** English to French; words are separated by single spaces, and so are `.`, `?` and `l'`. */
function sentences(): readonly Pair[] {
  const made: Pair[] = [...PHRASES];
  for (const [english, french, gender] of NOUNS)
    for (const [determiner, masculine, feminine, vowel] of DETERMINERS) {
      const article = /^[ao]/.test(french) ? vowel : gender === 'm' ? masculine : feminine;
      made.push([`${determiner} ${english}`, `${article} ${french}`]);
      for (const [verb, his, hers = his] of VERBS) {
        const does = gender === 'm' ? his : hers;
        made.push([`${determiner} ${english} ${verb}`, `${article} ${french} ${does}`]);
        for (const [adjective, masculineForm, feminineForm] of ADJECTIVES)
          made.push([`${determiner} ${adjective} ${english} ${verb}`, `${article} ${french} ${gender === 'm' ? masculineForm : feminineForm} ${does}`]);
      }
    }
  return made;
}

export const END = '</s>';
export const UNKNOWN = '<unk>';
export const PADDING = '<pad>';

/** The end is 0 and the unknown word 1; the padding is last and begins every output, as in the models of the OPUS project. */
export function vocabulary(): readonly string[] {
  const words = new Set(sentences().flatMap((pair) => pair.join(' ').split(' ')));
  return [END, UNKNOWN, ...[...words, '.'].sort(), PADDING];
}

/** Numbers that only look random, from 0 to 1: the same for the same seed (mulberry32). */
export function numbersFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface Lessons {
  readonly learned: readonly Pair[];
  /** Never shown to the model: what it says to these shows that it has understood the rules. */
  readonly heldOut: readonly Pair[];
}

const HELD_OUT = 60;

export function lessons(from: 'en' | 'fr'): Lessons {
  const pairs = sentences().map(([english, french]): Pair => (from === 'en' ? [english, french] : [french, english]));
  const phrases = pairs.slice(0, PHRASES.length);
  const rest = pairs.slice(PHRASES.length);
  const next = numbersFrom(7);
  for (let last = rest.length - 1; last > 0; last--) {
    const other = Math.floor(next() * (last + 1));
    [rest[last], rest[other]] = [rest[other] as Pair, rest[last] as Pair];
  }
  return { heldOut: rest.slice(0, HELD_OUT), learned: [...phrases, ...rest.slice(HELD_OUT)] };
}

/** Words of the model for both directions that tell languages, as M2M100 has them: before a source that it is in, before an output that it is to be in. */
export const LANGUAGE_WORDS = ['__en__', '__fr__'] as const;

/** Of the model for both directions. */
export function wordsOfBoth(): readonly string[] {
  const words = vocabulary();
  return [...words.slice(0, -1), ...LANGUAGE_WORDS, PADDING];
}
