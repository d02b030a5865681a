// What a view gets: where it draws, who is signed in, and when it is left.
import { nothing, render } from '/console/lib/lit-html.js';

/** @typedef {import('/console/lib/lit-html.js').TemplateResult} Template */
/** @typedef {{ realm: string, username: string, session_id: string, auth_scheme: string, is_super_admin: boolean, realms: string[], user: string | undefined, mayCreate: boolean }} Me `user` is the name in the key server; undefined for those who may not use it */
/**
 * @typedef {object} Stage
 * @property {Me} me
 * @property {readonly string[]} params the parts of the address behind the name of the view, decoded
 * @property {URLSearchParams} query
 * @property {AbortSignal} signal aborted when the view is left
 * @property {(title: string, template: unknown) => void} show
 */
/** @typedef {{ open(stage: Stage): void | Promise<void> }} View */

let leaving = new AbortController();
/** The address of the view that is drawn, without what it searches. */
let drawn = '';

/**
 * @param {Me} me
 * @param {readonly string[]} params
 * @param {URLSearchParams} query
 * @returns {Stage} the stage of a view that has just been opened; the one before is left
 */
export function nextStage(me, params, query) {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  let isNew = true;
  return {
    ...{ me, params, query, signal },
    show(title, template) {
      if (signal.aborted) return;
      const main = /** @type {HTMLElement} */ (document.querySelector('main'));
      const focused = document.activeElement;
      const [place = ''] = location.hash.split('?');
      // What was typed or ticked in another view must not stand in this one, which may have the same fields. A search is the same view.
      if (place !== drawn) render(nothing, main);
      drawn = place;
      render(template, main);
      document.title = `${title} · gatehouse`;
      // Whoever cannot see the page hears where they are; the first view leaves the focus where it is.
      const isLost = focused !== document.body && document.activeElement === document.body;
      if (isLost || (isNew && focused !== document.body)) main.querySelector('h1')?.focus();
      if (isNew) scrollTo(0, 0);
      isNew = false;
    },
  };
}
