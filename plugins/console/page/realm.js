// A realm: its people, how they sign in, and how it ends.
import { html, nothing } from '/console/lib/lit-html.js';
import { ask, get, part } from './api.js';
import { askForName, askIn } from './dialog.js';
import { durationField, durationIn } from './duration.js';
import { checkField, complaint, submits, textField } from './form.js';
import { icon } from './icons.js';
import { namesPage } from './list-page.js';
import { nameField, nameIn, namesField, namesIn } from './names.js';
import { tell, tellDrawn } from './notice.js';
import { providerPart } from './providers.js';
import { badge, empty, head, table, tagList } from './shown.js';

/** @param {import('./stage.js').Stage} stage */
export async function open(stage) {
  const id = stage.params[0] ?? '';
  const list = namesPage(`/realms/${part(id)}/userpass`, `realm/${part(id)}`, stage.query, 'User name begins with');
  const [realm, { body: people, around, search, isSearch }] = await Promise.all([get(`/admins/realms/${part(id)}`), list]);
  const again = () => open(stage);
  const actions = [
    html`<button type="button" @click=${() => addPerson(id, again)}>${icon('plus')}Add a person</button>`,
    html`<button type="button" class="quiet warn" @click=${() => endAll(id)}>End all sessions</button>`,
    stage.me.is_super_admin && id !== '_' ? html`<button type="button" class="quiet warn" @click=${() => remove(id)}>Delete</button>` : nothing,
  ];
  const rows = people.map((/** @type {any} */ person) => [
    html`<a href="#/person/${part(id)}/${part(person.username)}"><bdi>${person.username}</bdi></a>`,
    tagList(person.roles),
    person.change_password ? badge('must change the password', 'waiting') : nothing,
  ]);
  stage.show(
    `Realm ${id}`,
    html`
      <p class="trail"><a href="#/realms">Realms</a></p>
      ${head(html`Realm <bdi>${id}</bdi>`, html`People sign in at <a href="/sign-in?realm=${part(id)}">/sign-in?realm=${id}</a>.`, actions)}
      ${search}
      ${rows.length === 0 ? nobody(isSearch) : table('People', ['User', 'Roles', ''], rows)}
      ${around}
      <div class="parts below">${stage.me.is_super_admin ? [settings(realm, again), providerPart(realm, again)] : nothing}</div>
    `,
  );
}

/** @param {boolean} isSearch */
const nobody = (isSearch) =>
  isSearch
    ? empty('Nobody found', 'No user name here begins so. Upper and lower case count.')
    : empty('Nobody yet', 'Add people who sign in with a password, or let a provider of JWTs vouch for them.');

/** @param {string} realm @param {() => unknown} again */
async function addPerson(realm, again) {
  const body = html`
    ${nameField('username', 'User name', { id: 'new-username', required: true, maxlength: 255, pattern: '[^:\\/]+', title: 'Without a colon or a slash' })}
    ${textField('password', 'First password', { id: 'new-person-password', type: 'password', required: true, minlength: 8, autocomplete: 'new-password', hint: 'At least eight characters. Tell it to the person.' })}
    ${namesField('roles', 'Roles', { id: 'new-roles', hint: 'One on each line. They stand in the claims of the session.' })}
    ${checkField('change', 'Must choose an own password at the first sign-in', { id: 'new-change', checked: true })}
  `;
  const work = async (/** @type {FormData} */ data) => {
    const person = {
      username: nameIn(data, 'username'),
      password_input: { plaintext: String(data.get('password')) },
      roles: namesIn(data, 'roles'),
      change_password: data.get('change') !== null,
    };
    await ask('POST', `/realms/${part(realm)}/userpass`, person);
    tell('The person can sign in.');
  };
  if (await askIn({ title: 'Add a person', body, verb: 'Add', work })) await again();
}

/** @param {string} realm */
function endAll(realm) {
  const work = async () => {
    await ask('DELETE', `/sessions/realms/${part(realm)}`);
    tell('All sessions of the realm have ended.');
  };
  return askForName({
    title: 'End all sessions',
    body: html`<p>Everybody in realm <bdi>${realm}</bdi> must sign in again.</p>`,
    verb: 'End them',
    name: realm,
    work,
  });
}

/** @param {string} realm */
function remove(realm) {
  const work = async () => {
    await ask('DELETE', `/admins/realms/${part(realm)}`);
    tell('The realm is deleted.');
    location.hash = '#/realms';
  };
  const body = html`<p>All people of realm <bdi>${realm}</bdi> lose their accounts and sessions. Keys that they own stay, but nobody can use them unless they were granted. This cannot be undone.</p>`;
  return askForName({ title: 'Delete this realm', body, verb: 'Delete', name: realm, work });
}

/** @param {any} params of a realm */
const isByPassword = (params) => params.username_password_params?.enabled !== false;

/** @param {any} realm @param {() => unknown} again */
function settings({ id, auth_params: shown, ...ages }, again) {
  const path = `/admins/realms/${part(id)}`;
  const save = submits(async (data) => {
    // What this form does not show is sent as it is now, and what nobody has changed as it was.
    const { id: _named, auth_params: params, ...others } = await get(path);
    const enabled = data.get('password') !== null;
    const changed = enabled === isByPassword(shown) ? {} : { username_password_params: { ...params.username_password_params, enabled } };
    await ask('PUT', path, {
      ...others,
      auth_params: { ...params, ...changed },
      session_max_age_seconds: durationIn(data, 'age'),
      session_max_stale_age_seconds: durationIn(data, 'stale'),
      password_max_age_seconds: durationIn(data, 'password-age'),
    });
    await tellDrawn(again, 'The realm is changed.');
  });
  return html`<section class="card" aria-labelledby="settings-title">
    <h2 id="settings-title">Sign-in</h2>
    <form class="inner" @submit=${save}>
      ${complaint()} ${checkField('password', 'People sign in with a password', { checked: isByPassword(shown) })}
      ${durationField('age', 'A session ends after', { seconds: ages.session_max_age_seconds })}
      ${durationField('stale', 'or when it was not used for', { seconds: ages.session_max_stale_age_seconds })}
      ${durationField('password-age', 'A password is good for', { seconds: ages.password_max_age_seconds, hint: '0 days: without end' })}
      <div class="actions"><button type="submit" class="quiet">Save</button></div>
    </form>
  </section>`;
}
