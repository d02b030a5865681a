// The method noise: distributions held by a Kolmogorov-Smirnov test, parameters, and what is added to numbers and dates.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'uvu';
import { cryptographicRandom, type Random } from '../../../actors/tokenize/random.ts';
import { answerText, refusal, result, seeded } from './ask.ts';

const DRAWS = 100_000;
/** The test fails a true distribution once in ten thousand seeds; ours is fixed. */
const CRITICAL = 2.23 / Math.sqrt(DRAWS);

type Cdf = (value: number) => number;

/** The error function by its series, and by its continued fraction where that is slow. */
function normal(mean: number, deviation: number): Cdf {
  return (value) => {
    const x = (value - mean) / deviation;
    if (Math.abs(x) > 8) return x < 0 ? 0 : 1;
    let term = x;
    let sum = x;
    for (let n = 1; Math.abs(term) > 1e-17; n++) {
      term *= (x * x) / (2 * n + 1);
      sum += term;
    }
    return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
  };
}

const laplace =
  (mean: number, scale: number): Cdf =>
  (value) =>
    value < mean ? Math.exp((value - mean) / scale) / 2 : 1 - Math.exp(-(value - mean) / scale) / 2;

/** The largest distance between what was drawn and what should be. */
function distance(values: readonly number[], cdf: Cdf): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.reduce((most, value, index) => {
    const wanted = cdf(value);
    return Math.max(most, Math.abs(wanted - index / sorted.length), Math.abs((index + 1) / sorted.length - wanted));
  }, 0);
}

function drawn(members: object, random: Random, count = DRAWS): number[] {
  const body = JSON.stringify({ data: 0, data_type: 'float', ...members });
  return Array.from({ length: count }, () => result('noise', body, random));
}

const half = -Math.log(0.00005);
const DISTRIBUTIONS: readonly [string, object, Cdf][] = [
  ['Gaussian by mean and deviation', { method: 'Gaussian', mean: 3, std_dev: 2 }, normal(3, 2)],
  ['Gaussian by bounds', { method: 'Gaussian', min_bound: -10, max_bound: 30 }, normal(10, 4)],
  ['Laplace by mean and deviation', { method: 'Laplace', mean: -1, std_dev: 2 }, laplace(-1, Math.SQRT2)],
  ['Laplace by bounds', { method: 'Laplace', min_bound: -10, max_bound: 30 }, laplace(10, 20 / half)],
  ['Uniform', { method: 'Uniform', min_bound: -1, max_bound: 3 }, (value) => Math.min(1, Math.max(0, (value + 1) / 4))],
];

for (const [name, members, cdf] of DISTRIBUTIONS) {
  test(`${name}: ${DRAWS} draws are distributed as they should be`, () => {
    const found = distance(drawn(members, seeded(0x9e37_79b9_7f4a_7c15n)), cdf);
    assert.ok(found < CRITICAL, `${found} is not below ${CRITICAL}`);
    // And a distribution that is off by a little would have been seen.
    assert.ok(
      distance(
        drawn(members, seeded(7n)).map((value) => value * 1.05 + 0.05),
        cdf,
      ) > CRITICAL,
    );
  });
}

test('production draws from the system: uniform, strictly between 0 and 1, never the same twice', () => {
  const random = cryptographicRandom();
  const values = Array.from({ length: DRAWS }, random);
  assert.ok(values.every((value) => value > 0 && value < 1));
  assert.equal(new Set(values).size, DRAWS);
  // Not of a seed: the bound fails once in ten thousand million runs.
  assert.ok(distance(values, (value) => value) < 3.5 / Math.sqrt(DRAWS));
});

test('a uniform draw is never its upper bound, and bounds next to each other or far apart are fine', () => {
  const ends = [Number.MIN_VALUE, 1 - 2 ** -53, 0.5];
  for (const part of ends) {
    let calls = 0;
    const random = () => (calls++ === 0 ? part : 0.25);
    const value = result('noise', { data: 0, data_type: 'float', method: 'Uniform', min_bound: 1, max_bound: 1 + 2 ** -52 }, random);
    assert.ok(value >= 1 && value < 1 + 2 ** -52);
  }
  for (const method of ['Gaussian', 'Laplace', 'Uniform'])
    assert.ok(Number.isFinite(result('noise', { data: 0, data_type: 'float', method, min_bound: -1.7e308, max_bound: 1.7e308 }, () => 0.4)));
});

test('mean and deviation count where both pairs are given; one whole pair is enough', () => {
  const base = { data: 100, data_type: 'float', method: 'Laplace' };
  // The median: nothing but the mean is added.
  const at = (members: object) => result('noise', { ...base, ...members }, () => 0.5);
  assert.equal(at({ mean: 1, std_dev: 2, min_bound: 10, max_bound: 20 }), 101);
  assert.equal(at({ mean: 1, min_bound: 10, max_bound: 20 }), 115);
  for (const member of ['mean', 'std_dev']) assert.equal(refusal('noise', { ...base, mean: 1, std_dev: 2, [member]: null }), `${member}: must be a number`);
  // What does not count is looked at all the same.
  for (const unused of [{}, 'AAA', [null], false])
    assert.equal(refusal('noise', { ...base, std_dev: unused, min_bound: 10, max_bound: 20 }), 'std_dev: must be a number');
});

test('integers are rounded half away from zero and keep every digit', () => {
  const add = (data: string, noise: number) =>
    answerText('noise', `{"data":${data},"data_type":"integer","method":"Laplace","mean":${noise},"std_dev":1}`, () => 0.5);
  assert.equal(add('9007199254740993', 0), '{"result":9007199254740993}');
  assert.equal(add('9223372036854775807', 1), '{"result":9223372036854775808}');
  assert.equal(add('2', 0.5), '{"result":3}');
  assert.equal(add('-2', -0.5), '{"result":-3}');
  assert.equal(add('0', -0.4), '{"result":0}');
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }), fc.maxSafeInteger(), (data, noise) => {
      assert.equal(add(String(data), noise), `{"result":${data + BigInt(noise)}}`);
    }),
  );
});

test('dates move by whole seconds in their own offset, and keep their fraction', () => {
  const add = (data: string, noise: number) => result('noise', { data, data_type: 'date', method: 'Laplace', mean: noise, std_dev: 1 }, () => 0.5);
  assert.equal(add('2024-02-28T23:59:59.25+02:00', 1), '2024-02-29T00:00:00.250+02:00');
  assert.equal(add('2024-01-01T00:00:00Z', -0.5), '2023-12-31T23:59:59+00:00');
  assert.equal(add('2024-01-01T00:00:00.000001-08:00', 0.4), '2024-01-01T00:00:00.000001-08:00');
  assert.equal(add('2016-12-31T23:59:60Z', 0), '2017-01-01T00:00:00+00:00');
  assert.equal(add('0001-01-01T00:00:00.1234567891Z', 86_400), '0001-01-02T00:00:00.123456789+00:00');
  fc.assert(
    fc.property(
      fc.date({ min: new Date('1000-01-01'), max: new Date('3000-01-01'), noInvalidDate: true }),
      fc.integer({ min: -1e9, max: 1e9 }),
      (date, seconds) => {
        const text = date.toISOString();
        assert.equal(Date.parse(add(text, seconds)), date.getTime() + seconds * 1000);
        assert.equal(add(text.replace('Z', '+05:30'), seconds).slice(-6), '+05:30');
      },
    ),
  );
});

test('what is refused: parameters, types, and results out of range', () => {
  const about = (members: object) => refusal('noise', { data: 1, data_type: 'float', method: 'Gaussian', ...members });
  const pair = { mean: 0, std_dev: 1 };
  for (const members of [{}, { mean: 1 }, { std_dev: 1 }, { min_bound: 1 }, { mean: 1, max_bound: 1 }])
    assert.equal(about(members), 'either mean and std_dev or min_bound and max_bound are required');
  for (const std_dev of [0, -1]) assert.equal(about({ mean: 0, std_dev }), 'std_dev: must be greater than 0');
  for (const max_bound of [1, 0]) assert.equal(about({ min_bound: 1, max_bound }), 'min_bound: must be less than max_bound');
  assert.equal(about({ method: 'Uniform', ...pair, min_bound: 0, max_bound: 1 }), 'method: Uniform needs min_bound and max_bound, not mean and std_dev');
  assert.match(about({ method: 'gaussian', ...pair }), /^method: must be one of Gaussian, Laplace, Uniform$/);
  assert.match(about({ data_type: 'Date', ...pair }), /^data_type: must be one of float, integer, date$/);
  assert.equal(about({ data: '1', ...pair }), 'data: must be a number');
  assert.equal(about({ data: 1, data_type: 'date', ...pair }), 'data: must be a string');
  assert.equal(about({ data: 'now', data_type: 'date', ...pair }), 'data: must be a date-time of RFC 3339, such as 2024-05-17T13:45:12+02:00');
  assert.equal(
    refusal('noise', '{"data":3.0,"data_type":"integer","method":"Gaussian","mean":0,"std_dev":1}'),
    'data: must be an integer without a fraction or an exponent',
  );
  assert.equal(about({ mean: '0', std_dev: 1 }), 'mean: must be a number');
  assert.equal(about({ data: 1.7e308, mean: 1.7e308, std_dev: 1 }), 'the result is out of range');
  assert.equal(about({ data: '9999-12-31T23:59:59Z', data_type: 'date', mean: 1e6, std_dev: 1 }), 'the result is out of range');
  for (const mean of [1e300, -1e12]) assert.equal(about({ data: '2024-01-01T00:00:00Z', data_type: 'date', mean, std_dev: 1 }), 'the result is out of range');
});

test.run();
