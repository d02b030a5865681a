// The methods aggregate-number and scale-number: the examples of the reference, exact decimals, integers of any size.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'uvu';
import { answerText, refusal, result } from './ask.ts';

const aggregate = (data: string, data_type: string, power: number | string) =>
  result('aggregate-number', `{"data":${data},"data_type":"${data_type}","power_of_ten":${power}}`);
const scaleText = (data: string, data_type: string, [mean, deviation, scale, translate]: readonly (number | string)[]) =>
  answerText(
    'scale-number',
    `{"data":${data},"data_type":"${data_type}","mean":${mean},"std_deviation":${deviation},"scale":${scale},"translate":${translate}}`,
  ).slice('{"result":'.length, -1);

test('aggregate-number: the examples of the reference', () => {
  assert.equal(aggregate('1234.567', 'float', -1), '1234.6');
  assert.equal(aggregate('1234.567', 'float', 2), '1200');
  assert.equal(aggregate('1234.567', 'float', 10), '0');
  assert.equal(aggregate('1234.567', 'float', -10), '1234.5670000000');
  assert.equal(aggregate('1234', 'integer', 2), '1200');
  assert.equal(aggregate('1234', 'integer', -2), '1234');
});

test('ties of the decimal text go away from zero, whatever the nearest double is', () => {
  const ties = { '1.005': '1.01', '-1.005': '-1.01', '2.675': '2.68', '0.125': '0.13', '8.345': '8.35', '1.00499999999999999999999': '1.00' };
  for (const [data, expected] of Object.entries(ties)) assert.equal(aggregate(data, 'float', -2), expected, data);
  assert.equal(aggregate('0.5', 'float', 0), '1');
  assert.equal(aggregate('-2.5', 'float', 0), '-3');
  assert.equal(aggregate('50', 'integer', 2), '100');
  assert.equal(aggregate('-150', 'integer', 2), '-200');
  assert.equal(aggregate('-49', 'integer', 2), '0');
  assert.equal(aggregate('-0.04', 'float', -1), '0.0');
  assert.equal(aggregate('-0', 'integer', 0), '0');
});

test('no exponent, and every digit of large numbers', () => {
  assert.equal(aggregate('1e21', 'float', 0), '1000000000000000000000');
  assert.equal(aggregate('1.5E+3', 'float', -1), '1500.0');
  assert.equal(aggregate('1e-7', 'float', -7), '0.0000001');
  assert.equal(aggregate('5e-324', 'float', -308), `0.${'0'.repeat(308)}`);
  assert.equal(aggregate('1e-999999999999', 'float', -2), '0.00');
  assert.equal(aggregate('1.7e308', 'float', 308), `2${'0'.repeat(308)}`);
  assert.equal(aggregate('9007199254740993', 'integer', 0), '9007199254740993');
  assert.equal(aggregate('9223372036854775807', 'integer', 1), '9223372036854775810');
  assert.equal(aggregate('-9223372036854775808', 'integer', -308), '-9223372036854775808');
  assert.equal(aggregate('9007199254740993.5', 'float', 0), '9007199254740994');
  assert.equal(aggregate('123456789012345678901234567890.123456789', 'float', -8), '123456789012345678901234567890.12345679');
});

/** Half away from zero on integers. */
function rounded(value: bigint, unit: bigint): bigint {
  const size = value < 0n ? -value : value;
  const up = ((size + unit / 2n) / unit) * unit;
  return value < 0n ? -up : up;
}

test('aggregate is exact decimal arithmetic: integers, and decimals as integers of their last place', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.integer({ min: 0, max: 22 }), (data, power) => {
      assert.equal(aggregate(String(data), 'integer', power), String(rounded(data, 10n ** BigInt(power))));
    }),
  );
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 25 }),
      (digits, places, kept) => {
        const sign = digits < 0n ? '-' : '';
        const point = (value: bigint, count: number) =>
          String(value)
            .padStart(count + 1, '0')
            .replace(new RegExp(`(\\d{${count}})$`), '.$1');
        const size = digits < 0n ? -digits : digits;
        const dropped = 10n ** BigInt(Math.max(0, places - kept));
        const expected = (rounded(size, dropped) / dropped) * 10n ** BigInt(Math.max(0, kept - places));
        assert.equal(aggregate(`${sign}${point(size, places)}`, 'float', -kept), `${expected === 0n ? '' : sign}${point(expected, kept)}`);
      },
    ),
  );
});

test('aggregating twice changes nothing more', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: -20, max: 20 }), (data, power) => {
      const once = aggregate(JSON.stringify(data), 'float', power);
      assert.match(once, /^-?\d+(\.\d+)?$/);
      assert.equal(aggregate(once, 'float', power), once);
    }),
  );
});

test('aggregate-number refuses other types, powers out of range, and numbers that are none', () => {
  const about = (data: string, type: string, power: string) => refusal('aggregate-number', `{"data":${data},"data_type":"${type}","power_of_ten":${power}}`);
  for (const power of ['309', '-309', '9223372036854775807']) assert.match(about('1', 'float', power), /^power_of_ten: must be between/);
  for (const power of ['1.0', '1e2', '1.5']) assert.equal(about('1', 'float', power), 'power_of_ten: must be an integer without a fraction or an exponent');
  assert.equal(about('1', 'float', '"1"'), 'power_of_ten: must be a number');
  for (const data of ['3.0', '1e3', '1.5']) assert.equal(about(data, 'integer', '1'), 'data: must be an integer without a fraction or an exponent');
  for (const data of ['9223372036854775808', '-9223372036854775809']) assert.equal(about(data, 'integer', '1'), 'data: must be a signed 64-bit integer');
  for (const data of ['"1"', 'null', 'true', '[1]', '{"value":"1","isLosslessNumber":true}'])
    assert.equal(about(data, 'float', '1'), 'data: must be a number', data);
  for (const data of ['1e309', '-1e999999999999999999999']) assert.equal(about(data, 'float', '1'), 'data: is out of range');
  assert.match(about(`0.${'1'.repeat(2_000)}`, 'float', '1'), /^data: has more than 1000 characters$/);
  for (const type of ['Float', 'int', '']) assert.match(about('1', type, '1'), /^data_type: must be one of float, integer$/);
});

test('scale-number: the example of the reference, and the formula', () => {
  assert.equal(scaleText('75', 'float', [50, 15, 10, 100]), '116.66666666666667');
  assert.equal(scaleText('75', 'integer', [50, 15, 10, 100]), '117');
  assert.equal(scaleText('1', 'float', [1, 2, 3, 0]), '0');
  assert.equal(scaleText('1', 'float', [0, -2, 1, 0]), '-0.5');
  assert.equal(scaleText('0.3', 'float', ['0.1', 1, 1, 0]), '0.2');
});

test('scale-number of integers: exact beyond 2^53, ties away from zero', () => {
  assert.equal(scaleText('9007199254740993', 'integer', [0, 1, 1, 0]), '9007199254740993');
  assert.equal(scaleText('9223372036854775807', 'integer', [1, 1, 1, 1]), '9223372036854775807');
  assert.equal(scaleText('9007199254740993', 'integer', ['9007199254740992', 1, 1, 0]), '1');
  assert.equal(scaleText('1', 'integer', [0, 2, 1, 0]), '1');
  assert.equal(scaleText('-1', 'integer', [0, 2, 1, 0]), '-1');
  assert.equal(scaleText('1', 'integer', [0, 3, '1.5', 0]), '1');
  assert.equal(scaleText('-1', 'integer', [0, 3, 1, 0]), '0');
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }),
      fc.bigInt({ min: -1000n, max: 1000n }),
      fc.bigInt({ min: 1n, max: 99n }),
      (data, mean, divisor) => {
        assert.equal(
          scaleText(String(data), 'integer', [String(mean), String(divisor), 1, 0]),
          String(rounded(2n * (data - mean), 2n * divisor) / (2n * divisor)),
        );
      },
    ),
  );
});

test('scale-number refuses a deviation of 0, results out of range, other types', () => {
  const about = (data: string, type: string, deviation: string, scale = '1') =>
    refusal('scale-number', `{"data":${data},"data_type":"${type}","mean":0,"std_deviation":${deviation},"scale":${scale},"translate":0}`);
  for (const zero of ['0', '-0', '0.0', '0e5', '1e-999']) assert.equal(about('1', 'float', zero), 'std_deviation: must not be 0', zero);
  assert.equal(about('1e308', 'float', '0.1'), 'the result is out of range');
  assert.equal(about('1', 'integer', '1e-300', '1e300'), 'the result is out of range');
  assert.equal(about('1.0', 'integer', '1'), 'data: must be an integer without a fraction or an exponent');
  assert.equal(about('1', 'float', '"1"'), 'std_deviation: must be a number');
  assert.match(refusal('scale-number', { data: 1, data_type: 'float', mean: 0, std_deviation: 1, scale: 1 }), /^translate: is missing$/);
});

test.run();
