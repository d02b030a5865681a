// The console: who is signed in, the frame around all views, and the view that the address names.

import { html, nothing } from '/console/lib/lit-html.js';
import { Refusal } from './api.js';
import { wordsOf } from './form.js';
import { drawFrame, markView } from './frame.js';
import { tell } from './notice.js';
import { leaveIfEnded } from './sign-out.js';
import { nextStage } from './stage.js';
import { VIEWS } from './views.js';
import { whoAmI } from './who.js';

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Modules are for whoever has a session too. @param {import('./views.js').Entry} view */
function loaded(view) {
  return view.load().catch(async (error) => {
    await leaveIfEnded();
    throw error;
  });
}

/** Addresses: `#/<view>/<parameter>...?<query>`. @param {import('./stage.js').Me} me */
async function open(me) {
  const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  const [name = '', ...params] = path.split('/').map(decoded);
  const view = Object.hasOwn(VIEWS, name) ? VIEWS[name] : undefined;
  const stage = nextStage(me, params, new URLSearchParams(search));
  markView(view?.under ?? name);
  if (!view || view.isFor?.(me) === false)
    return stage.show('Not found', html`<h1 tabindex="-1">There is no such page</h1><p><a href="#/">Go to the overview</a></p>`);
  try {
    await (await loaded(view)).open(stage);
  } catch (error) {
    const isGone = error instanceof Refusal && [404, 422].includes(error.status);
    const more = isGone ? nothing : html`<button type="button" @click=${() => open(me)}>Try again</button>`;
    stage.show('Error', html`<h1 tabindex="-1">This cannot be shown</h1><p class="alert" role="alert">${wordsOf(error)}</p>${more}`);
  }
}

/** What a button outside of a form could not do: nothing else on the page tells it. */
addEventListener('unhandledrejection', ({ reason }) => {
  if (reason?.name !== 'AbortError') tell(wordsOf(reason));
});

async function start() {
  const me = await whoAmI();
  drawFrame(me);
  addEventListener('hashchange', () => open(me));
  await open(me);
}

start().catch((error) => {
  const place = /** @type {HTMLElement} */ (document.querySelector('main'));
  const told = document.createElement('p');
  told.className = 'alert';
  told.setAttribute('role', 'alert');
  told.textContent = wordsOf(error);
  place.replaceChildren(told);
});
