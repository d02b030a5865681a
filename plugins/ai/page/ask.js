// The forms that get a text as their answer: a new question ends the one before.
import { Refusal, streamed } from './streamed.js';

const element = (id) => document.getElementById(id);

export function say(text) {
  const alert = element('alert');
  // Cleared first, so that screen readers announce the same text again.
  alert.textContent = '';
  alert.hidden = text === '';
  alert.textContent = text;
  if (text !== '') alert.scrollIntoView({ block: 'nearest' });
}

/**
 * @param {string} id of the form, which is the path too
 * @param {string} output id of the element that shows the answer
 * @param {(body: object) => string} textOf the whole answer
 * @param {(form: FormData) => void} prepare
 */
export function answers(id, output, textOf, prepare = () => {}) {
  const form = element(id);
  let running;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    running?.abort();
    running = new AbortController();
    const { signal } = running;
    const fields = new FormData(form);
    prepare(fields);
    const shown = element(output);
    const show = (text) => {
      shown.hidden = false;
      shown.textContent = text;
    };
    say('');
    show('…');
    form.setAttribute('aria-busy', 'true');
    try {
      const text = textOf(await streamed(form.dataset.path ?? `/${id}`, fields, show, signal));
      show(text === '' ? 'There is no answer.' : text);
    } catch (error) {
      if (signal.aborted) return;
      shown.hidden = true;
      say(error instanceof Refusal ? error.message : 'The server cannot be reached.');
    } finally {
      if (!signal.aborted) form.removeAttribute('aria-busy');
    }
  });
}
