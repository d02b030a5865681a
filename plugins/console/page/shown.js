// How values look everywhere: times, badges, identifiers, empty lists, and the way from page to page.
import { html, nothing } from '/console/lib/lit-html.js';
import { icon } from './icons.js';
import { STATES } from './managed-object.js';
import { copy } from './notice.js';

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** @param {string | number | Date | undefined} when */
export function moment(when) {
  const date = new Date(when ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return nothing;
  return html`<time datetime=${date.toISOString()}>${MOMENT.format(date)}</time>`;
}

/** @param {string | number | Date | undefined} when */
export function day(when) {
  const date = new Date(when ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return nothing;
  return html`<time datetime=${date.toISOString()} title=${MOMENT.format(date)}>${DAY.format(date)}</time>`;
}

/** @param {{ state: string, isArchived: boolean }} object */
export function stateBadge({ state, isArchived }) {
  const [words, look] = STATES[state] ?? [state || 'Unknown', 'ended'];
  return html`${badge(words, look)}${isArchived ? html` ${badge('Archived', 'waiting')}` : nothing}`;
}

/** @param {string} words @param {string} look good, waiting, ended, bad or plain */
export const badge = (words, look = 'plain') => html`<span class="badge ${look}">${words}</span>`;

/** @param {readonly string[]} tags */
export const tagList = (tags) =>
  tags.length === 0 ? nothing : html`<span class="tags">${tags.map((tag) => html`<span class="tag"><bdi>${tag}</bdi></span>`)}</span>`;

/** @param {string} text @param {string} what for the notice */
export const copied = (text, what) =>
  html`<span class="copied"><code>${text}</code><button type="button" class="bare" aria-label="Copy the ${what.toLowerCase()}" title="Copy" @click=${() => copy(text, what)}>${icon('copy')}</button></span>`;

/** @param {string} title @param {unknown} text @param {unknown} action */
export const empty = (title, text, action = nothing) => html`<div class="empty"><h2>${title}</h2><p>${text}</p>${action}</div>`;

/** @param {unknown} title @param {unknown} text @param {unknown} actions */
export const head = (title, text = nothing, actions = nothing) =>
  html`<div class="head">
    <div><h1 tabindex="-1">${title}</h1>${text === nothing ? nothing : html`<p>${text}</p>`}</div>
    <div class="head-actions">${actions}</div>
  </div>`;

/** @param {readonly (readonly [unknown, unknown])[]} facts without a value they are left out */
export const factList = (facts) =>
  html`<dl class="facts">
    ${facts.filter(([, value]) => value !== nothing && value !== undefined && value !== '').map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;

/**
 * The roles are said because a phone shows the cells below each other, and tables that are no tables for the eye lose theirs.
 * @param {string} label
 * @param {readonly string[]} columns
 * @param {readonly (readonly unknown[])[]} rows the first cell is the heading of its row
 */
export const table = (label, columns, rows) =>
  html`<div class="table" role="group" aria-label=${label} tabindex="0">
    <table role="table">
      <thead role="rowgroup">
        <tr role="row">${columns.map((column) => html`<th scope="col" role="columnheader">${column === '' ? html`<span class="visually-hidden">More</span>` : column}</th>`)}</tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (cells) =>
            html`<tr role="row">${cells.map((cell, at) => (at === 0 ? html`<th scope="row" role="rowheader">${cell}</th>` : html`<td role="cell">${cell}</td>`))}</tr>`,
        )}
      </tbody>
    </table>
  </div>`;

/** Buttons to the pages before and after. @param {(() => void) | undefined} before @param {(() => void) | undefined} after @param {unknown} where */
export const pager = (before, after, where = nothing) =>
  before === undefined && after === undefined
    ? html`<p class="pager">${where}</p>`
    : html`<div class="pager" role="group" aria-label="Pages">
        <button type="button" class="quiet" ?disabled=${before === undefined} @click=${before ?? nothing}>Back</button>
        <span>${where}</span>
        <button type="button" class="quiet" ?disabled=${after === undefined} @click=${after ?? nothing}>Next</button>
      </div>`;

/** From which page of a list somebody has come to another: the server tells the way on only. @type {Map<string, string>} */
const cameFrom = new Map();

/** Buttons to the pages around one that the server gives by its address. @param {string} first @param {string} at @param {string | undefined} next @param {(address: string) => unknown} go */
export function pages(first, at, next, go) {
  const on = (/** @type {string} */ address) => () => {
    cameFrom.set(address, at);
    return go(address);
  };
  return pager(at === first ? undefined : () => go(cameFrom.get(at) ?? first), next === undefined ? undefined : on(next));
}
