// Trains a translation model and writes its weights: `node test/models/train/train.ts en|fr|both STEPS`. Takes some minutes; tests use the weights that it wrote.
import { fileURLToPath } from 'node:url';
import { END, LANGUAGE_WORDS, lessons, numbersFrom, type Pair, wordsOfBoth } from '../phrasebook.ts';
import { readWeights, SIZES, saveWeights, shapesOf } from '../weights.ts';
import { Lexicon, learn, PAIR_LEXICON, type Parameters, parametersFrom, parametersOf, translate } from './transformer.ts';

const BATCH = 48;
const RATE = 3e-3;
const WARM_UP = 50;
const [from = 'en', count = '1500'] = process.argv.slice(2);
if (from !== 'en' && from !== 'fr' && from !== 'both') throw new Error('usage: node test/models/train/train.ts en|fr|both STEPS');
const steps = Number(count);
const next = numbersFrom(11);
const lexicon = from === 'both' ? new Lexicon(wordsOfBoth(), END) : PAIR_LEXICON;
const shapes = shapesOf({ ...SIZES, words: lexicon.words.length });
const { learned, heldOut } = lessons(from === 'fr' ? 'fr' : 'en');
const pick = (): Pair => learned[Math.floor(next() ** (next() < 0.1 ? 30 : 1) * learned.length)] as Pair;
/** Of the lessons of a model for both directions that repeat the source in its own language: so the word that begins an output must be heeded. */
const COPIES = 0.2;

/** A bare sentence, or one to four with a full stop each, as texts have them. */
function lesson(): Pair {
  const many = Math.floor(next() * 6);
  if (many < 2) return pick();
  const chosen = Array.from({ length: many - 1 }, pick);
  const joined = (side: 0 | 1) => chosen.map((pair) => (pair[side].endsWith('?') ? pair[side] : `${pair[side]} .`)).join(' ');
  return [joined(0), joined(1)];
}

/** For a model of both directions: which way, and the words that tell it. */
function told(pair: Pair): Pair {
  if (from !== 'both') return pair;
  const source = next() < 0.5 ? 0 : 1;
  return directed(pair, source, next() < COPIES ? source : source === 0 ? 1 : 0);
}

function directed(pair: Pair, source: 0 | 1, target: 0 | 1): Pair {
  const [given, wanted] = [LANGUAGE_WORDS[source], LANGUAGE_WORDS[target]];
  return [`${given} ${pair[source]}`, `${wanted} ${pair[target]}`];
}

/** One step of Adam (Kingma and Ba, 2015). */
function improver(parameters: Parameters): (step: number) => void {
  const [means, squares] = [new Map<string, Float32Array>(), new Map<string, Float32Array>()];
  for (const [name, { data }] of parameters) means.set(name, new Float32Array(data.length)) && squares.set(name, new Float32Array(data.length));
  return (step) => {
    const rate = RATE * Math.min(1, step / WARM_UP) * Math.max(0.02, 1 - step / steps);
    for (const [name, { data, grad }] of parameters) {
      const [mean, square] = [means.get(name) as Float32Array, squares.get(name) as Float32Array];
      for (let k = 0; k < data.length; k++) {
        const slope = grad[k] as number;
        mean[k] = 0.9 * (mean[k] as number) + 0.1 * slope;
        square[k] = 0.98 * (square[k] as number) + 0.02 * slope * slope;
        const move = (mean[k] as number) / (1 - 0.9 ** step) / (Math.sqrt((square[k] as number) / (1 - 0.98 ** step)) + 1e-9);
        data[k] = (data[k] as number) - rate * move;
      }
      grad.fill(0);
    }
  };
}

function right(parameters: Parameters, pairs: readonly Pair[]): number {
  const all = from === 'both' ? pairs.flatMap((pair) => [directed(pair, 0, 1), directed(pair, 1, 0)]) : pairs;
  return all.filter(([source, target]) => {
    const first = from === 'both' ? target.split(' ')[0] : undefined;
    return translate(parameters, source, lexicon, first) === (first === undefined ? target : target.slice(first.length + 1));
  }).length;
}

const parameters = parametersFrom(next, shapes);
const improve = improver(parameters);
const began = performance.now();
for (let step = 1; step <= steps; step++) {
  const loss = learn(
    parameters,
    Array.from({ length: BATCH }, () => told(lesson())),
    lexicon,
  );
  improve(step);
  if (step % 100 === 0)
    console.log(`step ${step}: loss ${loss.toFixed(4)}, ${((performance.now() - began) / 1000).toFixed(0)} s, held out ${right(parameters, heldOut)}`);
}
const file = fileURLToPath(new URL(`../${{ en: 'en-fr', fr: 'fr-en', both: 'both' }[from]}.weights`, import.meta.url));
saveWeights(file, parameters, shapes);
const kept = parametersOf(readWeights(file, shapes));
/** Each pair of a model for both directions is two lessons. */
const ways = from === 'both' ? 2 : 1;
const packs = Array.from({ length: 200 }, lesson);
console.log(
  `held out ${right(kept, heldOut)} of ${ways * heldOut.length}, learned ${right(kept, learned)} of ${ways * learned.length}, packed ${right(kept, packs)} of ${ways * packs.length}`,
);
