// Questions in front of the page: forms in a dialog, and confirmations, the serious ones by typing a name.

import { html, nothing, render } from '/console/lib/lit-html.js';
import { Refusal } from './api.js';
import { folded } from './folded.js';
import { complaint, submits, textField, textIn } from './form.js';

/** @typedef {{ title: string, body: unknown, verb: string, danger?: boolean, isShown?: boolean, work: (data: FormData, form: HTMLFormElement) => unknown }} Question */

/** The number of the last question. One whose work takes long must not close the one that somebody has opened after it. */
let last = 0;

/** @param {Question} question @returns {Promise<boolean>} whether the work was done */
export function askIn({ title, body, verb, danger = false, isShown = false, work }) {
  const place = /** @type {HTMLDialogElement} */ (document.getElementById('dialog'));
  const { promise, resolve } = Promise.withResolvers();
  last += 1;
  const own = last;
  const close = (/** @type {boolean} */ isDone) => {
    if (own === last) {
      place.close();
      render(nothing, place);
      // The button that asked may be gone with what the work has drawn anew.
      if (document.activeElement === document.body) /** @type {HTMLElement | null} */ (document.querySelector('main h1'))?.focus();
    }
    resolve(isDone);
  };
  // What is on its way cannot be called back, and its answer, such as a secret that is shown once, has to be seen.
  const cancel = (/** @type {Event} */ event) => (place.querySelector('form[aria-busy]') ? event.preventDefault() : close(false));
  const done = submits(async (data, form) => {
    await work(data, form);
    close(true);
  });
  const template = html`<form @submit=${done} aria-labelledby="dialog-title" autocomplete="off">
    <h2 id="dialog-title">${title}</h2>
    ${complaint()} ${body}
    <p class="told" role="status"></p>
    <div class="actions">
      ${isShown ? nothing : html`<button type="button" class="quiet" @click=${cancel}>Cancel</button>`}
      <button type="submit" class=${danger ? 'danger' : nothing}>${verb}</button>
    </div>
  </form>`;
  // A form of its own: that of an unfinished question would still be busy.
  render(nothing, place);
  render(template, place);
  place.oncancel = cancel;
  // Back leads to another view, which the question is not about.
  addEventListener('hashchange', cancel, { once: true });
  place.showModal();
  // The first field, not a button that stands before it.
  /** @type {HTMLElement | null} */ (place.querySelector('input, select, textarea'))?.focus();
  return promise;
}

/**
 * Asks for the name of what will be lost.
 * @param {{ title: string, body: unknown, verb: string, name: string, work: (data: FormData) => unknown }} question
 */
export function askForName({ title, body, verb, name, work }) {
  const typed = textField('typed', html`Type <bdi>${name}</bdi> to go on`, { id: 'typed-name', required: true });
  const check = (/** @type {FormData} */ data) => {
    if (folded(textIn(data, 'typed')) !== folded(name)) throw new Refusal(0, `This is not the name: ${name}`, 'NAME');
    return work(data);
  };
  return askIn({ title, body: html`${body} ${typed}`, verb, danger: true, work: check });
}

/** @param {string} title @param {unknown} body a text that is shown once @returns {Promise<boolean>} */
export const showIn = (title, body) => askIn({ title, body, verb: 'Done', isShown: true, work: () => undefined });
