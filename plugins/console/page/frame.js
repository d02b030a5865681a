// The frame around all views: the navigation, which a button opens on a phone, the place of the view, and what is signed in.

import { html, nothing, render } from '/console/lib/lit-html.js';
import { ask } from './api.js';
import { wordsOf } from './form.js';
import { icon } from './icons.js';
import { tell } from './notice.js';
import { followSession, leaveEverywhere } from './sign-out.js';
import { GROUPS, PAGES, VIEWS } from './views.js';

/**
 * The places of its parts are there already, so that nothing moves when they are filled.
 * @param {import('./stage.js').Me} me
 * @param {string} base the path of the console, where another page is shown
 */
export function drawFrame(me, base = '') {
  followSession(me);
  const groups = GROUPS.map(([title, names]) => /** @type {const} */ ([title, names.filter((name) => VIEWS[name]?.isFor?.(me) !== false)]));
  const leave = () => signOut(me.session_id).catch((/** @type {unknown} */ error) => tell(wordsOf(error)));
  const bar = html`
    <a class="skip" href="#main" @click=${skip}>Skip to the content</a>
    <button type="button" class="menu quiet" aria-expanded="false" aria-controls="nav" @click=${toggle}>${icon('menu')}<span>Menu</span></button>
    <a class="brand" href="${base}#/"><img src="/sign-in/icon.svg" alt="" width="28" height="28"><span>gatehouse</span></a>
    <a class="who" href="${base}#/account">${icon('account')}<span class="who-name"><bdi>${me.username}</bdi><small>realm <bdi>${me.realm}</bdi></small></span></a>
    <button type="button" class="quiet sign-out" @click=${leave}>Sign out</button>
  `;
  fill('.bar', bar);
  fill('#nav', html`${groups.map(([title, names]) => (names.length === 0 ? nothing : group(title, names, base)))}`);
  // A link of the navigation leads away from the menu, which would cover the view.
  addEventListener('hashchange', () => setMenu(false));
  document.addEventListener('keydown', ({ key }) => key === 'Escape' && setMenu(false));
}

/** @param {string} sessionId */
async function signOut(sessionId) {
  await ask('DELETE', '/sessions', { session_ids: [sessionId] });
  leaveEverywhere();
}

/** @param {string} selector @param {unknown} template */
function fill(selector, template) {
  const place = /** @type {HTMLElement} */ (document.querySelector(selector));
  place.replaceChildren();
  render(template, place);
}

/** @param {string} title @param {readonly string[]} names @param {string} base */
function group(title, names, base) {
  const pages = title === 'Work' ? PAGES.slice(0, 1) : title === 'Server' ? PAGES.slice(1) : [];
  return html`<section>
    <h2>${title}</h2>
    <ul>
      ${names.map((name) => html`<li><a href="${base}#/${name}" data-view=${name}>${icon(name || 'overview')}${VIEWS[name]?.label}</a></li>`)}
      ${pages.map(([path, label]) => html`<li><a href=${path} data-page=${path}>${icon('page')}${label}</a></li>`)}
    </ul>
  </section>`;
}

/** @param {Event} event */
function skip(event) {
  // The address names the view, so the link must not change it.
  event.preventDefault();
  document.querySelector('main')?.focus();
}

function toggle() {
  setMenu(!document.body.classList.contains('menu-open'));
}

/** @param {boolean} isOpen */
function setMenu(isOpen) {
  document.body.classList.toggle('menu-open', isOpen);
  document.querySelector('.menu')?.setAttribute('aria-expanded', String(isOpen));
}

/** @param {string} path of the page that is open */
export function markPage(path) {
  for (const link of document.querySelectorAll('nav a[data-page]')) if (link.getAttribute('data-page') === path) link.setAttribute('aria-current', 'page');
}

/** @param {string} name of the view that is open */
export function markView(name) {
  for (const link of document.querySelectorAll('nav a[data-view]')) {
    if (link.getAttribute('data-view') === name) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}
