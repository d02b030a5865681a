// Questions in front of the page: forms in a dialog, and confirmations, the serious ones by typing a name.

import { html, nothing, render } from '/console/lib/lit-html.js';
import { Refusal } from './api.js';
import { complaint, submits, textField, textIn } from './form.js';

/** @typedef {{ title: string, body: unknown, verb: string, danger?: boolean, isShown?: boolean, work: (data: FormData, form: HTMLFormElement) => unknown }} Question */

/** @param {Question} question @returns {Promise<boolean>} whether the work was done */
export function askIn({ title, body, verb, danger = false, isShown = false, work }) {
  const place = /** @type {HTMLDialogElement} */ (document.getElementById('dialog'));
  const { promise, resolve } = Promise.withResolvers();
  const close = (/** @type {boolean} */ isDone) => {
    place.close();
    render(nothing, place);
    resolve(isDone);
  };
  const done = submits(async (data, form) => {
    await work(data, form);
    close(true);
  });
  const template = html`<form @submit=${done} aria-labelledby="dialog-title" autocomplete="off">
    <h2 id="dialog-title">${title}</h2>
    ${complaint()} ${body}
    <div class="actions">
      ${isShown ? nothing : html`<button type="button" class="quiet" @click=${() => close(false)}>Cancel</button>`}
      <button type="submit" class=${danger ? 'danger' : nothing}>${verb}</button>
    </div>
  </form>`;
  render(template, place);
  place.oncancel = () => close(false);
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
  const typed = textField('typed', `Type ${name} to go on`, { id: 'typed-name', required: true });
  const check = (/** @type {FormData} */ data) => {
    if (textIn(data, 'typed') !== name.trim()) throw new Refusal(0, `This is not the name: ${name}`, 'NAME');
    return work(data);
  };
  return askIn({ title, body: html`${body} ${typed}`, verb, danger: true, work: check });
}

/** @param {string} title @param {unknown} body a text that is shown once @returns {Promise<boolean>} */
export const showIn = (title, body) => askIn({ title, body, verb: 'Done', isShown: true, work: () => undefined });
