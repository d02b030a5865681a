// The sessions of a user: where they began, and how to end one or all.
import { html, nothing, render } from '/console/lib/lit-html.js';
import { ask, get, part } from './api.js';
import { askIn } from './dialog.js';
import { tell } from './notice.js';
import { badge, moment, pages, table } from './shown.js';
import { leave } from './sign-out.js';

const PAGE = 10;

/** @param {import('./stage.js').Stage} stage @param {string} realm @param {string} username @param {string} scheme of the sign-in: up, jwt, cc */
export async function sessionPart(stage, realm, username, scheme) {
  const place = document.createElement('div');
  const path = `/sessions/realms/${part(realm)}/clients?limit=${PAGE}`;
  const draw = async (address = path) => {
    const { body, next } = await ask('POST', address, [{ username, auth_scheme: scheme }]);
    const found = await Promise.all(body.session_ids.map((/** @type {string} */ id) => get(`/sessions/${part(id)}`)));
    if (!stage.signal.aborted)
      render([listOf(stage, found.filter(Boolean), draw), address === path && next === undefined ? nothing : pages(path, address, next, draw)], place);
  };
  await draw();
  return html`<section class="card" aria-labelledby="sessions-title"><h2 id="sessions-title">Sessions</h2>${place}</section>`;
}

/** @param {import('./stage.js').Stage} stage @param {readonly any[]} sessions @param {() => Promise<void>} draw */
function listOf({ me }, sessions, draw) {
  if (sessions.length === 0) return html`<p class="faint">Nobody is signed in.</p>`;
  const end = async (/** @type {readonly string[]} */ ids, /** @type {string} */ words) => {
    const work = async () => {
      await ask('DELETE', '/sessions', { session_ids: ids });
      tell(words);
    };
    const body = html`<p>Whoever uses ${ids.length === 1 ? 'this session' : 'these sessions'} must sign in again.</p>`;
    if (!(await askIn({ title: 'End the session?', body, verb: 'End', danger: true, work }))) return;
    if (ids.includes(me.session_id)) leave();
    else await draw();
  };
  const rows = sessions.map(({ session_id: id, created_at: at, max_age_seconds: seconds }) => [
    html`${moment(at * 1000)} ${id === me.session_id ? badge('this one', 'good') : nothing}`,
    html`ends at the latest ${moment((at + seconds) * 1000)}`,
    html`<button type="button" class="bare" aria-label="End the session of ${new Date(at * 1000).toLocaleString()}" @click=${() => end([id], 'The session has ended.')}>End</button>`,
  ]);
  const others = sessions.map(({ session_id: id }) => id).filter((id) => id !== me.session_id);
  return html`${table('Sessions', ['Began', '', ''], rows)}
    <div class="actions">
      ${others.length > 1 ? html`<button type="button" class="quiet" @click=${() => end(others, 'The sessions have ended.')}>End all${others.length < sessions.length ? ' others' : ''} of this list</button>` : nothing}
    </div>`;
}
