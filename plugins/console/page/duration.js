// Durations as people read and write them: a whole number and its unit, so that every number of seconds comes back as it was.
import { Refusal } from './api.js';
import { textField, textIn } from './form.js';

const UNITS = /** @type {const} */ ([
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]);
const WORDS = /^(\d{1,10})\s*(day|hour|minute|second)s?$/i;

/** In the largest unit that it is a whole number of. @param {number} seconds */
export function duration(seconds) {
  const [unit, length] = UNITS.find(([, each]) => seconds % each === 0) ?? ['second', 1];
  const count = seconds / length;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** @param {string} name @param {string} label @param {{ id?: string, seconds: number, hint?: string }} options */
export function durationField(name, label, { id = name, seconds, hint = 'In days, hours, minutes or seconds, such as 90 minutes' }) {
  const given = { pattern: '\\s*[0-9]{1,10}\\s*(?:[dD]ay|[hH]our|[mM]inute|[sS]econd)s?\\s*', title: 'A whole number and its unit, such as 90 minutes' };
  return textField(name, label, { id, value: duration(seconds), required: true, hint, ...given });
}

/** @param {FormData} data @param {string} name @returns {number} seconds @throws {Refusal} */
export function durationIn(data, name) {
  const [, count, unit] = WORDS.exec(textIn(data, name)) ?? [];
  const length = UNITS.find(([each]) => each === unit?.toLowerCase())?.[1];
  if (length === undefined) throw new Refusal(0, 'A duration is a whole number and its unit, such as 90 minutes.', 'DURATION');
  return Number(count) * length;
}
