// The method noise: adds a random value to a number or a date.
import { MAX_DATE, printDate, readDate, shift } from './dates.ts';
import { Exact, floatText, integerText } from './decimal.ts';
import type { Members } from './members.ts';
import type { Random } from './random.ts';
import { refuse } from './refuse.ts';

const METHODS = ['Gaussian', 'Laplace', 'Uniform'] as const;
/** How bounds define a distribution: they lie five standard deviations from the mean of a Gaussian; a Laplace exceeds them once in twenty thousand draws. */
const DEVIATIONS = 5;
const OUTSIDE = 0.000_05;

type Distribution =
  | { readonly method: 'Gaussian' | 'Laplace'; readonly mean: number; readonly scale: number }
  | { readonly method: 'Uniform'; readonly min: number; readonly max: number };

export function noise(members: Members, random: Random): string {
  const type = members.oneOf('data_type', ['float', 'integer', 'date']);
  const distribution = distributionOf(members);
  if (type === 'float') return floatText(members.number('data') + draw(distribution, random));
  if (type === 'integer') return integerText(new Exact(members.integer('data')).plus(finite(draw(distribution, random))));
  const date = readDate(members.text('data', MAX_DATE));
  return JSON.stringify(printDate(shift(date, Number(new Exact(finite(draw(distribution, random))).toFixed(0)))));
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : refuse('the result is out of range');
}

/** If both are given, mean and deviation take precedence over bounds. */
function distributionOf(members: Members): Distribution {
  const method = members.oneOf('method', METHODS);
  // Members that have no effect must still be numbers.
  for (const name of ['mean', 'std_dev', 'min_bound', 'max_bound']) if (members.has(name)) members.number(name);
  if (members.has('mean') && members.has('std_dev')) {
    const [mean, deviation] = [members.number('mean'), members.number('std_dev')];
    if (method === 'Uniform') return refuse('method: Uniform needs min_bound and max_bound, not mean and std_dev');
    if (deviation <= 0) refuse('std_dev: must be greater than 0');
    return { method, mean, scale: method === 'Laplace' ? deviation / Math.SQRT2 : deviation };
  }
  if (!members.has('min_bound') || !members.has('max_bound')) return refuse('either mean and std_dev or min_bound and max_bound are required');
  const [min, max] = [members.number('min_bound'), members.number('max_bound')];
  if (min >= max) refuse('min_bound: must be less than max_bound');
  if (method === 'Uniform') return { method, min, max };
  // Halve first: the sum or the difference of two large bounds could be infinite.
  const half = max / 2 - min / 2;
  return { method, mean: min / 2 + max / 2, scale: method === 'Gaussian' ? half / DEVIATIONS : half / -Math.log(OUTSIDE) };
}

function draw(distribution: Distribution, random: Random): number {
  if (distribution.method === 'Uniform') return uniform(distribution.min, distribution.max, random);
  const { method, mean, scale } = distribution;
  return mean + scale * (method === 'Gaussian' ? gaussian(random) : laplace(random));
}

/** Rounding may yield the upper bound, which is excluded: then draw again. */
function uniform(min: number, max: number, random: Random): number {
  for (;;) {
    const part = random();
    const value = min * (1 - part) + max * part;
    if (value >= min && value < max) return value;
  }
}

/** Box-Muller transform. */
function gaussian(random: Random): number {
  return Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
}

/** The inverse of the cumulative distribution function. */
function laplace(random: Random): number {
  const part = random();
  return part < 0.5 ? Math.log(2 * part) : -Math.log(2 * (1 - part));
}
