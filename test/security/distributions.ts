// Tells samples apart: medians, the Mann-Whitney statistic and the Kolmogorov-Smirnov distance.

export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((x, y) => x - y);
  return sorted[Math.floor(sorted.length / 2)] as number;
}

/** Chance that a sample of `a` is smaller than one of `b`: 0.5 where nothing tells them apart. */
export function chanceSmaller(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((value) => ({ value, first: true })), ...b.map((value) => ({ value, first: false }))].sort((x, y) => x.value - y.value);
  let smaller = 0;
  let seen = 0;
  for (const { first } of all) {
    if (first) seen += 1;
    else smaller += seen;
  }
  return smaller / (a.length * b.length);
}

/** The largest distance between the two distribution functions: 0 to 1. */
export function distance(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((value) => ({ value, step: 1 / a.length })), ...b.map((value) => ({ value, step: -1 / b.length }))];
  let sum = 0;
  let largest = 0;
  for (const { step } of all.sort((x, y) => x.value - y.value)) {
    sum += step;
    largest = Math.max(largest, Math.abs(sum));
  }
  return largest;
}
