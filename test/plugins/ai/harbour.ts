// A small document that the tests of the AI runner ask about.
import type { Paragraphs } from './files.ts';

export const HARBOUR: Paragraphs = [
  '# The Watchman',
  'The watchman of the harbour is called Elias Brandt. He has kept the light since 1904, when the old keeper drowned.',
  'Every evening he climbs two hundred and twelve steps to the lamp. The lamp burns colza oil, which the town pays for.',
  '# The Storm',
  'In March 1911 a storm broke the mole. Three fishing boats were lost, and the bell of Saint Anne rang all night.',
  'The town rebuilt the mole with granite from the quarry of Kerlouan. The work took four years.',
];

/** Questions, each with words of the right answer. */
export const QUESTIONS: readonly (readonly [question: string, answer: RegExp])[] = [
  ['Who is the watchman?', /Elias Brandt/],
  ['When did the storm break the mole?', /March 1911/],
  ['How many steps lead to the lamp?', /two hundred and twelve/],
  ['Where does the granite come from?', /quarry of Kerlouan/],
];
