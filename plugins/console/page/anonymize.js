// Anonymization with a preview: a value goes in, and what the method makes of it is seen while one types.
import { html, nothing } from '/console/lib/lit-html.js';
import { ask } from './api.js';
import { areaField, selectField, textField, textIn, wordsOf } from './form.js';
import { head } from './shown.js';

/** The preview follows this long after the last key, milliseconds. */
const PAUSE_MS = 300;

const number = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ value) => () =>
  textField(name, label, { type: 'text', inputmode: 'decimal', required: true, value });
const choice = (/** @type {string} */ name, /** @type {string} */ label, /** @type {readonly (readonly [string, string])[]} */ choices) => () =>
  selectField(name, label, choices);
const words = () => textField('words', 'Words', { required: true, value: 'Ada, Lovelace', hint: 'Separated by commas.' });
const DISTRIBUTIONS = /** @type {const} */ ([
  ['Gaussian', 'Gaussian'],
  ['Laplace', 'Laplace'],
]);
const UNITS = /** @type {const} */ ([
  ['Day', 'Day'],
  ['Hour', 'Hour'],
  ['Minute', 'Minute'],
  ['Second', 'Second'],
  ['Month', 'Month'],
  ['Year', 'Year'],
]);

/** @typedef {{ label: string, example: string, fields: readonly (() => unknown)[], body: (data: FormData, value: string) => object }} Method */

/** A number in JSON (RFC 8259 section 6). */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
/** Goes as it was typed: the server keeps all digits, a number of JavaScript only some sixteen. What is no number goes as text, which the server names. */
const numeral = (/** @type {string} */ text) => (NUMBER.test(text.trim()) ? /** @type {any} */ (JSON).rawJSON(text.trim()) : text);
/** @param {string} value */
const typed = (value) => ({ data: numeral(value), data_type: /[.eE]/.test(value) ? 'float' : 'integer' });
const wordList = (/** @type {FormData} */ data) =>
  textIn(data, 'words')
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
const num = (/** @type {FormData} */ data, /** @type {string} */ name) => numeral(textIn(data, name));

/** @type {Readonly<Record<string, Method>>} */
const METHODS = {
  'word-mask': { label: 'Mask words', example: 'Ada Lovelace met Charles', fields: [words], body: (data, value) => ({ data: value, words: wordList(data) }) },
  'word-tokenize': {
    label: 'Replace words by tokens',
    example: 'Ada Lovelace met Charles',
    fields: [words],
    body: (data, value) => ({ data: value, words: wordList(data) }),
  },
  'word-pattern-mask': {
    ...{ label: 'Mask a pattern', example: 'Card 4000-1234-5678' },
    fields: [
      () => textField('pattern', 'Pattern', { required: true, value: '[0-9]{4}', mono: true }),
      () => textField('replace', 'Replace by', { value: '****' }),
    ],
    body: (data, value) => ({ data: value, pattern: String(data.get('pattern')), replace: String(data.get('replace')) }),
  },
  hash: {
    label: 'Hash',
    example: 'Ada',
    fields: [
      choice('method', 'Function', [
        ['SHA2', 'SHA-2'],
        ['SHA3', 'SHA-3'],
      ]),
    ],
    body: (data, value) => ({ data: value, method: textIn(data, 'method') }),
  },
  'aggregate-number': {
    label: 'Round a number',
    example: '1234.567',
    fields: [number('power', 'Power of ten', '2')],
    body: (data, value) => ({ ...typed(value), power_of_ten: num(data, 'power') }),
  },
  'aggregate-date': {
    label: 'Truncate a date',
    example: '2024-05-17T13:45:12+02:00',
    fields: [choice('unit', 'To the', UNITS)],
    body: (data, value) => ({ data: value, time_unit: textIn(data, 'unit') }),
  },
  noise: {
    ...{ label: 'Add noise to a number', example: '40' },
    fields: [choice('method', 'Distribution', DISTRIBUTIONS), number('mean', 'Mean', '0'), number('deviation', 'Deviation', '2')],
    body: (data, value) => ({ ...typed(value), method: textIn(data, 'method'), mean: num(data, 'mean'), std_dev: num(data, 'deviation') }),
  },
  'scale-number': {
    ...{ label: 'Scale a number', example: '130' },
    fields: [number('mean', 'Mean', '100'), number('deviation', 'Deviation', '15'), number('scale', 'Scale', '1'), number('translate', 'Translate', '0')],
    body: (data, value) => ({
      ...typed(value),
      mean: num(data, 'mean'),
      std_deviation: num(data, 'deviation'),
      scale: num(data, 'scale'),
      translate: num(data, 'translate'),
    }),
  },
};

/** @param {import('./stage.js').Stage} stage */
export function open(stage) {
  let chosen = 'word-mask';
  let result = /** @type {unknown} */ (nothing);
  let timer = 0;
  let asked = 0;
  const preview = async () => {
    const form = /** @type {HTMLFormElement} */ (document.getElementById('method-form'));
    const data = new FormData(form);
    asked += 1;
    const own = asked;
    const answer = await ask('POST', `/tokenize/${chosen}`, METHODS[chosen]?.body(data, String(data.get('value')))).then(
      ({ body }) => shown(body.result),
      (error) => html`<p class="alert" role="alert">${wordsOf(error)}</p>`,
    );
    // A later question has been asked meanwhile.
    if (own !== asked) return;
    result = answer;
    draw();
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(preview, PAUSE_MS);
  };
  const choose = (/** @type {Event} */ { target }) => {
    chosen = /** @type {HTMLSelectElement} */ (target).value;
    draw();
    void preview();
  };
  // The form is gone with the view.
  stage.signal.addEventListener('abort', () => clearTimeout(timer));
  const draw = () => stage.show('Anonymization', view(chosen, result, choose, soon));
  draw();
  return preview();
}

/** @param {string} chosen @param {unknown} result @param {(event: Event) => void} choose @param {() => void} soon */
function view(chosen, result, choose, soon) {
  const { example, fields } = /** @type {Method} */ (METHODS[chosen]);
  const labels = Object.entries(METHODS).map(([value, { label }]) => /** @type {const} */ ([value, label]));
  return html`${head('Anonymization', 'What a method makes of a value. Nothing is stored.')}
    <div class="parts">
      <form id="method-form" class="card" @input=${soon} @submit=${(/** @type {Event} */ event) => event.preventDefault()}>
        ${selectField('anonymize', 'Method', labels, { value: chosen, change: choose })} ${areaField('value', 'Value', { id: `value-${chosen}`, value: example, rows: 3 })} ${fields.map((field) => field())}
      </form>
      <section class="card" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2><div class="result" aria-live="polite">${result}</div></section>
    </div>`;
}

/** @param {unknown} value */
const shown = (value) => html`<pre tabindex="0" aria-label="Result">${typeof value === 'string' ? value : JSON.stringify(value)}</pre>`;
