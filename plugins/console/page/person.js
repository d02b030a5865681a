// A person of a realm: roles and claims, a new password, the second factor, the sessions, and the end of the account.
import { html } from '/console/lib/lit-html.js';
import { ask, get, part, Refusal } from './api.js';
import { askForName, askIn } from './dialog.js';
import { removeFactor } from './factor.js';
import { areaField, checkField, complaint, submits, textField, textIn } from './form.js';
import { namesField, namesIn } from './names.js';
import { tell, tellDrawn } from './notice.js';
import { sessionPart } from './sessions.js';
import { head } from './shown.js';

/** @param {import('./stage.js').Stage} stage */
export async function open(stage) {
  const [realm = '', username = ''] = stage.params;
  const path = `/realms/${part(realm)}/userpass/${part(username)}`;
  const person = await get(path);
  const again = () => open(stage);
  const unlock = async () => {
    await ask('POST', `${path}/unlock`);
    tell('The account is not locked.');
  };
  const actions = [
    html`<button type="button" class="quiet" @click=${() => reset(path, again)}>Reset the password</button>`,
    html`<button type="button" class="quiet" @click=${unlock}>Unlock</button>`,
    html`<button type="button" class="quiet" @click=${() => removeFactor(realm, username, false)}>Remove the second factor</button>`,
    html`<button type="button" class="quiet warn" @click=${() => remove(path, realm, username)}>Delete</button>`,
  ];
  stage.show(
    username,
    html`
      <p class="trail"><a href="#/realms">Realms</a> / <a href="#/realm/${part(realm)}"><bdi>${realm}</bdi></a></p>
      ${head(html`<bdi>${username}</bdi>`, 'Signs in with a password.', actions)}
      <div class="parts">${details(path, person, again)} ${await sessionPart(stage, realm, username, 'up')}</div>
    `,
  );
}

/** @param {string} path @param {any} person @param {() => unknown} again */
function details(path, { roles, extra_claims: claims, change_password: must }, again) {
  const save = submits(async (data) => {
    const rest = JSON.stringify({ roles: namesIn(data, 'roles'), change_password: data.get('must') !== null });
    // As they were typed: the browser would round large numbers, and drop the first of two claims of one name, without a word.
    await ask('PUT', path, `${rest.slice(0, -1)},"extra_claims":${claimsIn(data)}}`);
    await tellDrawn(again, 'The person is changed.');
  });
  return html`<section class="card" aria-labelledby="details-title">
    <h2 id="details-title">Roles and claims</h2>
    <form class="inner" @submit=${save}>
      ${complaint()} ${namesField('roles', 'Roles', { names: roles })}
      ${areaField('claims', 'Further claims', { value: claims ? JSON.stringify(claims, null, 2) : '', mono: true, hint: 'A JSON object, which stands in the session and its tokens.' })}
      ${checkField('must', 'Must choose a new password at the next sign-in', { checked: must })}
      <div class="actions"><button type="submit" class="quiet">Save</button></div>
    </form>
  </section>`;
}

/** @param {FormData} data @returns {string} JSON @throws {Refusal} */
function claimsIn(data) {
  const text = textIn(data, 'claims') || 'null';
  try {
    JSON.parse(text);
    return text;
  } catch {
    throw new Refusal(0, 'The claims are not JSON.', 'JSON');
  }
}

/** @param {string} path @param {() => unknown} again */
async function reset(path, again) {
  const field = textField('password', 'New password', { id: 'reset-password', type: 'password', required: true, minlength: 8, autocomplete: 'new-password' });
  const body = html`<p>The person must choose an own password at the next sign-in.</p>${field}`;
  const work = async (/** @type {FormData} */ data) => {
    // As they are now: somebody may have changed them since the page was drawn.
    const { roles, extra_claims } = await get(path);
    await ask('PUT', path, { roles, extra_claims, change_password: true, password_input: { plaintext: String(data.get('password')) } });
    tell('The password is reset.');
  };
  if (await askIn({ title: 'Reset the password', body, verb: 'Reset', work })) await again();
}

/** @param {string} path @param {string} realm @param {string} username */
function remove(path, realm, username) {
  const work = async () => {
    await ask('DELETE', path);
    tell('The account is deleted.');
    location.hash = `#/realm/${part(realm)}`;
  };
  const body = html`<p>The account of <bdi>${username}</bdi> ends with its sessions. Its keys stay; only a super administrator can hand them over or destroy them.</p>`;
  return askForName({ title: 'Delete this account', body, verb: 'Delete', name: username, work });
}
