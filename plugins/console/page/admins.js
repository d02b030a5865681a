// The administrators and their realms.
import { html, nothing } from '/console/lib/lit-html.js';
import { ask, get, part } from './api.js';
import { askForName, askIn } from './dialog.js';
import { textField, wordsIn } from './form.js';
import { icon } from './icons.js';
import { namesPage } from './list-page.js';
import { nameField, nameIn } from './names.js';
import { tell } from './notice.js';
import { empty, head, table } from './shown.js';

/** @param {import('./stage.js').Stage} stage */
export async function open(stage) {
  const { body: admins, around, search, isSearch } = await namesPage('/admins', 'admins', stage.query, 'Name begins with');
  const again = () => open(stage);
  const rows = admins.map((/** @type {any} */ admin) => [
    html`<bdi>${admin.id}</bdi>`,
    admin.realms.map((/** @type {string} */ realm) => (realm === '_' ? 'the whole server' : realm)).join(', '),
    html`<bdi>${[admin.userpass && `user ${admin.userpass}`, admin.jwt && `JWT of ${admin.jwt}`, admin.client_certificate && `certificate of ${admin.client_certificate}`].filter(Boolean).join(', ')}</bdi>`,
    html`<button type="button" class="bare" aria-label="Change ${admin.id}" @click=${() => change(admin.id, again)}>Change</button>
      <button type="button" class="bare" aria-label="Delete ${admin.id}" @click=${() => remove(admin, again)}>Delete</button>`,
  ]);
  stage.show(
    'Administrators',
    html`
      ${head('Administrators', 'An administrator manages the people of some realms. Those of realm _ manage the whole server.', html`<button type="button" @click=${() => change(undefined, again)}>${icon('plus')}Make an administrator</button>`)}
      ${search}
      ${rows.length === 0 ? empty('No administrators', isSearch ? 'No name begins so. Upper and lower case count.' : 'This cannot be: you are one.') : table('Administrators', ['Name', 'Administers', 'Signs in as', ''], rows)}
      ${around}
    `,
  );
}

/** @param {string | undefined} id undefined for a new one @param {() => unknown} again */
async function change(id, again) {
  const path = `/admins/${part(id ?? '')}`;
  // As it is now: what somebody has changed since the list was drawn would be changed back.
  const admin = id === undefined ? undefined : await get(path);
  const body = html`
    ${nameField('id', 'Name', { id: 'admin-id', required: true, maxlength: 255, value: admin?.id, readonly: admin !== undefined })}
    ${textField('realms', 'Realms', { id: 'admin-realms', required: admin?.realms.length !== 0, value: admin?.realms.join(', '), hint: 'Separated by commas. _ is the whole server.' })}
    ${nameField('userpass', 'Signs in as user', { id: 'admin-userpass', value: admin?.userpass ?? '', hint: 'A user name in one of the realms' })}
    ${nameField('jwt', 'or with a JWT of', { id: 'admin-jwt', value: admin?.jwt ?? '' })} ${nameField('certificate', 'or with a certificate of', { id: 'admin-certificate', value: admin?.client_certificate ?? '' })}
  `;
  const work = async (/** @type {FormData} */ data) => {
    const [userpass, jwt, client_certificate] = ['userpass', 'jwt', 'certificate'].map((field) => nameIn(data, field) || null);
    const record = { realms: wordsIn(data, 'realms'), userpass, jwt, client_certificate };
    // A record has members that this form does not show: they stay as they are.
    if (admin) await ask('PUT', path, { ...(await get(path)), ...record });
    else await ask('POST', '/admins', { id: nameIn(data, 'id'), ...record });
    tell(admin ? 'The administrator is changed.' : 'The administrator is made.');
  };
  if (await askIn({ title: admin ? 'Change an administrator' : 'Make an administrator', body, verb: 'Save', work })) await again();
}

/** @param {any} admin @param {() => unknown} again */
async function remove({ id, realms }, again) {
  const work = async () => {
    await ask('DELETE', `/admins/${part(id)}`);
    tell('The administrator is deleted.');
  };
  const body = html`<p><bdi>${id}</bdi> no longer administers ${realms.join(', ') || nothing}. The account itself that this record names is deleted too.</p>`;
  if (await askForName({ title: 'Delete this administrator', body, verb: 'Delete', name: id, work })) await again();
}
