// The console: who is signed in, the frame around all views, and the view that the address names.

import { html, nothing, render } from '/console/lib/lit-html.js';
import { get, Refusal } from './api.js';
import { isBack } from './away.js';
import { wordsOf } from './form.js';
import { drawFrame, markView } from './frame.js';
import { tell } from './notice.js';
import { leaveIfEnded } from './sign-out.js';
import { nextStage } from './stage.js';
import { restoreTyped } from './typed.js';
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
    // If the server cannot be reached, this says so.
    await get('/sign-in/session');
    throw error;
  });
}

/** Addresses: `#/<view>/<parameter>...?<query>`. @param {import('./stage.js').Me} me */
async function open(me) {
  const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  const [name = '', ...params] = path.replace(/\/$/, '').split('/').map(decoded);
  const view = Object.hasOwn(VIEWS, name) ? VIEWS[name] : undefined;
  const stage = nextStage(me, params, new URLSearchParams(search));
  markView(view?.under ?? name);
  if (!view || view.isFor?.(me) === false || params.length !== (view.params ?? 0))
    return stage.show('Not found', html`<h1 tabindex="-1">There is no such page</h1><p><a href="#/">Go to the overview</a></p>`);
  try {
    await (await loaded(view)).open(stage);
  } catch (error) {
    const [words, more] = toldOf(error, () => open(me));
    stage.show('Error', html`<h1 tabindex="-1">This cannot be shown</h1><p class="alert" role="alert">${words}</p>${more}`);
    // Without an answer: once there is one, the view comes by itself.
    if (error instanceof Refusal && error.status === 0 && (await isBack(stage.signal))) await open(me);
  }
}

/** @param {unknown} error @param {() => unknown} again @returns {[string, unknown]} what is wrong, and the way on */
function toldOf(error, again) {
  const status = error instanceof Refusal ? error.status : undefined;
  const button = (/** @type {string} */ words, /** @type {() => unknown} */ work) => html`<button type="button" @click=${work}>${words}</button>`;
  // The navigation hides what its user may not see, so the rights were others when it was drawn.
  if (status === 403)
    return ['You may not see this, or no longer: your rights may have changed since you opened the console.', button('Reload', () => location.reload())];
  return [wordsOf(error), status === 404 || status === 422 ? nothing : button('Try again', again)];
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
  if (restoreTyped(me)) tell('What you had typed is here again.');
}

start().catch((error) => {
  const told = document.createElement('div');
  const [words, more] = toldOf(error, () => location.reload());
  render(html`<p class="alert" role="alert">${words}</p>${more}`, told);
  /** @type {HTMLElement} */ (document.querySelector('main')).replaceChildren(told);
});
