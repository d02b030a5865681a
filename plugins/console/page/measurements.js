// Reads the metrics of the server: the text format of Prometheus into samples, and samples of two moments into rates.

/** @typedef {{ name: string, labels: Readonly<Record<string, string>>, value: number }} Sample */

/** @param {string} text @returns {Sample[]} */
export function samplesIn(text) {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || !name.startsWith('gatehouse_')) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', own = '']) => /** @type {const} */ ([key, own]));
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** @param {readonly Sample[]} samples @param {string} name @param {(labels: Sample['labels']) => boolean} isMeant */
export function sumOf(samples, name, isMeant = () => true) {
  return samples.reduce((sum, sample) => (sample.name === name && isMeant(sample.labels) ? sum + sample.value : sum), 0);
}

/** A counter as a rate per second over the last readings. A value that falls has begun anew. */
export class Rate {
  /** @type {{ at: number, total: number } | undefined} */
  #last;

  /** @param {number} total @param {number} at milliseconds @returns {number | undefined} undefined for the first reading */
  next(total, at) {
    const last = this.#last;
    this.#last = { at, total };
    if (!last || at <= last.at) return undefined;
    return ((total < last.total ? total : total - last.total) / (at - last.at)) * 1000;
  }
}

/** @param {number | undefined} value */
export function shortNumber(value) {
  if (value === undefined || Number.isNaN(value)) return '–';
  return value >= 100 ? Math.round(value).toLocaleString() : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
