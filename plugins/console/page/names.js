// Names in forms, one in a field or one on each line: they may have spaces and commas, also around them, and each comes back as it was.
import { areaField, textField, textIn } from './form.js';

/** A name that a line cannot hold as it is stands there as JSON writes it. @param {string} name */
const lineOf = (name) => (name === '' || /[\r\n]|^["\s]|\s$/.test(name) ? JSON.stringify(name) : name);

/** @param {string} line without space around it */
function nameOf(line) {
  if (!line.startsWith('"')) return line;
  try {
    return String(JSON.parse(line));
  } catch {
    return line;
  }
}

/** @param {string} name @param {string} label @param {import('./form.js').FieldOptions} options `value` is the name */
export const nameField = (name, label, { value = '', ...options } = {}) => textField(name, label, { ...options, value: value === '' ? '' : lineOf(value) });

/** @param {FormData} data @param {string} name @returns the name; space around it counts in quotation marks only, because nobody sees what was typed or pasted with it */
export const nameIn = (data, name) => nameOf(textIn(data, name));

/** @param {string} name @param {string} label @param {{ id?: string, names?: readonly string[], hint?: string, maxlength?: number }} options */
export function namesField(name, label, { id = name, names = [], hint = 'One on each line.', maxlength } = {}) {
  return areaField(name, label, { id, value: names.map(lineOf).join('\n'), hint, rows: 3, ...(maxlength !== undefined && { maxlength }) });
}

/** @param {FormData} data @param {string} name @returns {string[]} */
export function namesIn(data, name) {
  const lines = String(data.get(name) ?? '').split(/\r?\n/);
  return lines
    .map((line) => line.trim())
    .filter(Boolean)
    .map(nameOf);
}
