// The method aggregate-date: units, offsets, strict dates, fractions and leap seconds.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'uvu';
import { refusal, result } from './ask.ts';

const UNITS = ['Second', 'Minute', 'Hour', 'Day', 'Month', 'Year'];
const cut = (data: string, time_unit: string) => result('aggregate-date', { data, time_unit });

test('each unit sets what is below it to its start, in the offset of the input', () => {
  const data = '2024-05-17T13:45:12.5+02:00';
  assert.deepEqual(
    UNITS.map((unit) => cut(data, unit)),
    [
      '2024-05-17T13:45:12+02:00',
      '2024-05-17T13:45:00+02:00',
      '2024-05-17T13:00:00+02:00',
      '2024-05-17T00:00:00+02:00',
      '2024-05-01T00:00:00+02:00',
      '2024-01-01T00:00:00+02:00',
    ],
  );
});

test('offsets survive, UTC is +00:00, and nothing is moved to another day', () => {
  assert.equal(cut('2024-01-01T00:30:00+05:45', 'Hour'), '2024-01-01T00:00:00+05:45');
  assert.equal(cut('2024-12-31T23:30:00-03:30', 'Day'), '2024-12-31T00:00:00-03:30');
  for (const zone of ['Z', 'z', '+00:00', '-00:00']) assert.equal(cut(`2024-02-29t12:00:00${zone}`, 'Second'), '2024-02-29T12:00:00+00:00');
  assert.equal(cut('0000-01-01T00:00:00-23:59', 'Year'), '0000-01-01T00:00:00-23:59');
  assert.equal(cut('0099-07-01T00:00:00Z', 'Month'), '0099-07-01T00:00:00+00:00');
});

test('a leap second is a second where there can be one', () => {
  assert.equal(cut('2016-12-31T23:59:60Z', 'Second'), '2016-12-31T23:59:60+00:00');
  assert.equal(cut('1990-12-31T15:59:60-08:00', 'Minute'), '1990-12-31T15:59:00-08:00');
  for (const none of ['2016-12-30T23:59:60Z', '2016-12-31T23:59:60+01:00', '2016-12-31T22:59:60Z', '2016-12-31T23:59:61Z'])
    assert.equal(
      refusal('aggregate-date', { data: none, time_unit: 'Second' }),
      'data: this date-time does not exist; check the day, the time and the offset',
      none,
    );
});

test('dates that do not exist, and what is no date-time, are refused', () => {
  const about = (data: unknown) => refusal('aggregate-date', { data, time_unit: 'Day' });
  for (const none of [
    '2023-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2024-04-31T00:00:00Z',
    '2024-13-01T00:00:00Z',
    '2024-00-01T00:00:00Z',
    '2024-01-00T00:00:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:60:00Z',
    '2024-01-01T00:00:00+24:00',
    '2024-01-01T00:00:00+01:60',
  ])
    assert.equal(about(none), 'data: this date-time does not exist; check the day, the time and the offset', none);
  assert.equal(cut('2000-02-29T00:00:00Z', 'Day'), '2000-02-29T00:00:00+00:00');
  for (const none of [
    '',
    '2024-01-01',
    '2024-01-01T00:00:00',
    '2024-01-01T00:00Z',
    '2024-1-01T00:00:00Z',
    '24-01-01T00:00:00Z',
    '+2024-01-01T00:00:00Z',
    '2024-01-01T00:00:00.Z',
    '2024-01-01T00:00:00,5Z',
    '2024-01-01T00:00:00+0100',
    ' 2024-01-01T00:00:00Z',
    '2024-01-01T00:00:00Z\n',
    '２024-01-01T00:00:00Z',
  ])
    assert.equal(about(none), 'data: must be a date-time of RFC 3339, such as 2024-05-17T13:45:12+02:00', JSON.stringify(none));
  assert.equal(about(0), 'data: must be a string');
  for (const unit of ['second', 'Week', ''])
    assert.match(refusal('aggregate-date', { data: '2024-01-01T00:00:00Z', time_unit: unit }), /^time_unit: must be one of Second, Minute/);
});

const two = (max: number, min = 0) => fc.integer({ min, max }).map((value) => String(value).padStart(2, '0'));
const dates = fc
  .tuple(
    fc.integer({ min: 0, max: 9_999 }),
    two(12, 1),
    two(28, 1),
    two(23),
    two(59),
    two(59),
    fc.constantFrom('', '.5', '.123456789012'),
    fc.constantFrom('+', '-'),
    two(23),
    two(59),
  )
  .map(([year, month, day, hour, minute, second, fraction, sign, hours, minutes]) => ({
    text: `${String(year).padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}${fraction}${sign}${hours}:${minutes}`,
    zone: hours === '00' && minutes === '00' ? '+00:00' : `${sign}${hours}:${minutes}`,
  }));

test('truncation is idempotent, keeps the offset, and a larger unit after a smaller one is the larger one', () => {
  fc.assert(
    fc.property(dates, fc.nat(5), fc.nat(5), ({ text, zone }, first, second) => {
      const once = cut(text, UNITS[first] as string);
      assert.equal(once.slice(-6), zone);
      assert.equal(cut(once, UNITS[first] as string), once);
      assert.equal(cut(once, UNITS[second] as string), cut(text, UNITS[Math.max(first, second)] as string));
    }),
    { numRuns: 1_000 },
  );
});

test.run();
