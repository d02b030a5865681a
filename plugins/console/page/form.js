// The parts of forms: fields with their labels and hints, and what happens when a form is sent.
import { html, nothing } from '/console/lib/lit-html.js';
import { Refusal } from './api.js';

/** The place for what is wrong with a form: its first child. */
export const complaint = () => html`<p class="alert" role="alert" tabindex="-1" hidden></p>`;

/** @param {Element} form @param {string} text empty: nothing is wrong */
function complain(form, text) {
  const alert = /** @type {HTMLElement | null} */ (form.querySelector('.alert'));
  if (!alert) return;
  alert.hidden = text === '';
  alert.textContent = text;
  if (text !== '') alert.focus();
}

/** For what may have been done although there is no answer: sent again, it would be done twice. */
const UNKNOWN = 'What you sent may have been done all the same: look before you send it again.';

/** @param {unknown} error */
export function wordsOf(error) {
  if (error instanceof Refusal) return error.message;
  console.error(error);
  return 'Something went wrong on this page. Reload it and try again.';
}

/**
 * @param {(data: FormData, form: HTMLFormElement, submitter: HTMLElement | null) => unknown} work what it throws is told in the form
 * @returns {(event: SubmitEvent) => Promise<void>} sends a form once at a time
 */
export function submits(work) {
  return async (event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    // Buttons are not disabled: that would take the focus away from them.
    if (form.getAttribute('aria-busy') === 'true') return;
    form.setAttribute('aria-busy', 'true');
    complain(form, '');
    try {
      await work(new FormData(form), form, event.submitter);
    } catch (error) {
      const isUnknown = error instanceof Refusal && error.isUnknown;
      complain(form, isUnknown ? `${wordsOf(error)} ${UNKNOWN}` : wordsOf(error));
    } finally {
      form.removeAttribute('aria-busy');
    }
  };
}

/** @param {FormData} data @param {string} name @returns the text without space around it */
export function textIn(data, name) {
  const value = data.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/** @param {FormData} data @param {string} name @returns {string[]} what commas, spaces and lines separate */
export const wordsIn = (data, name) =>
  textIn(data, name)
    .split(/[\s,]+/)
    .filter(Boolean);

/** @param {FormData} data @param {string} name @returns {string[]} what commas separate */
export const listIn = (data, name) =>
  textIn(data, name)
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);

/** A `value` is set when it changes, so that drawing again keeps what somebody has typed. */
/** @typedef {{ id?: string, value?: string, hint?: unknown, type?: string, required?: boolean, maxlength?: number, minlength?: number, pattern?: string, title?: string, placeholder?: string, autocomplete?: string, inputmode?: string, min?: string, max?: string, rows?: number, readonly?: boolean, mono?: boolean, change?: (event: Event) => void, input?: (event: Event) => void }} FieldOptions */

/** @param {string} id @param {unknown} label @param {unknown} control @param {unknown} hint */
const labelled = (id, label, control, hint) =>
  html`<div class="field">
    <label for=${id}>${label}</label>
    ${control} ${hint === undefined ? nothing : html`<p class="hint" id="${id}-hint">${hint}</p>`}
  </div>`;

/** @param {string} name @param {unknown} label @param {FieldOptions} options */
export function textField(name, label, options = {}) {
  const { id = name, value, hint, type = 'text', required = false, readonly = false, mono = false, change, input, ...more } = options;
  const control = html`<input
    id=${id}
    name=${name}
    type=${type}
    class=${mono ? 'mono' : nothing}
    .value=${value ?? ''}
    ?required=${required}
    ?readonly=${readonly}
    maxlength=${more.maxlength ?? nothing}
    minlength=${more.minlength ?? nothing}
    pattern=${more.pattern ?? nothing}
    title=${more.title ?? nothing}
    placeholder=${more.placeholder ?? nothing}
    autocomplete=${more.autocomplete ?? 'off'}
    inputmode=${more.inputmode ?? nothing}
    min=${more.min ?? nothing}
    max=${more.max ?? nothing}
    spellcheck="false"
    autocapitalize="none"
    aria-describedby=${hint === undefined ? nothing : `${id}-hint`}
    @change=${change ?? nothing}
    @input=${input ?? nothing}
  >`;
  return labelled(id, label, control, hint);
}

/** @param {string} name @param {string} label @param {FieldOptions} options */
export function areaField(name, label, { id = name, value, hint, required = false, readonly = false, mono = false, rows = 4, maxlength } = {}) {
  const control = html`<textarea
    id=${id}
    name=${name}
    rows=${rows}
    class=${mono ? 'mono' : nothing}
    .value=${value ?? ''}
    ?required=${required}
    ?readonly=${readonly}
    maxlength=${maxlength ?? nothing}
    spellcheck="false"
    aria-describedby=${hint === undefined ? nothing : `${id}-hint`}
  ></textarea>`;
  return labelled(id, label, control, hint);
}

/**
 * @param {string} name
 * @param {string} label
 * @param {readonly (readonly [string, string])[]} choices value and text
 * @param {FieldOptions} options
 */
export function selectField(name, label, choices, { id = name, value, hint, change, required = false } = {}) {
  const control = html`<select id=${id} name=${name} ?required=${required} aria-describedby=${hint === undefined ? nothing : `${id}-hint`} @change=${change ?? nothing}>
    ${choices.map(([each, text]) => html`<option value=${each} ?selected=${each === value} .selected=${each === value}>${text}</option>`)}
  </select>`;
  return labelled(id, label, control, hint);
}

/** @param {string} name @param {unknown} label @param {{ id?: string, value?: string, checked?: boolean, hint?: unknown, change?: (event: Event) => void }} options */
export function checkField(name, label, { id = name, value = 'on', checked = false, hint, change } = {}) {
  return html`<div class="check">
    <input type="checkbox" id=${id} name=${name} value=${value} ?checked=${checked} .checked=${checked} aria-describedby=${hint === undefined ? nothing : `${id}-hint`} @change=${change ?? nothing}>
    <label for=${id}>${label}</label>
    ${hint === undefined ? nothing : html`<p class="hint" id="${id}-hint">${hint}</p>`}
  </div>`;
}
