// A role of machines: its id, its secret ids by accessor, and the revocation of all of its tokens.
import { html, nothing } from '/console/lib/lit-html.js';
import { ask, get, part } from './api.js';
import { askForName, askIn, showIn } from './dialog.js';
import { textField, textIn } from './form.js';
import { icon } from './icons.js';
import { partPage } from './list-page.js';
import { tell } from './notice.js';
import { settingList } from './role-settings.js';
import { tokenPart } from './role-tokens.js';
import { copied, head, table } from './shown.js';

/** @param {import('./stage.js').Stage} stage */
export const open = (stage) => draw(stage);

/** @param {import('./stage.js').Stage} stage @param {string} [tokens] address of the page of tokens @param {string} [secrets] of the page of secret ids */
async function draw(stage, tokens, secrets) {
  const [kind = '', name = ''] = stage.params;
  const path = `/auth/${kind === 'cluster' ? 'cluster' : 'approle'}/role/${part(name)}`;
  const { data: role } = await get(path);
  const isApprole = kind !== 'cluster';
  const needsSecret = role.bind_secret_id !== false;
  const again = (/** @type {string | undefined} */ page = tokens) => draw(stage, page, secrets);
  const actions = [
    isApprole ? html`<button type="button" @click=${() => makeSecret(path, again)}>${icon('plus')}Make a secret id</button>` : nothing,
    html`<button type="button" class="quiet warn" @click=${() => revoke(path, name, () => draw(stage))}>Revoke all tokens</button>`,
    html`<button type="button" class="quiet warn" @click=${() => remove(path, name)}>Delete</button>`,
  ];
  stage.show(
    `Role ${name}`,
    html`
      <p class="trail"><a href="#/machines">Machines</a></p>
      ${head(html`Role <bdi>${name}</bdi>`, isApprole ? `A program signs in with the role id${needsSecret ? ' and a secret id' : ' alone'}.` : 'Service accounts of a cluster sign in with it.', actions)}
      <div class="parts">
        <section class="card" aria-labelledby="role-title"><h2 id="role-title">Settings</h2>${settingList(role, isApprole ? [await roleId(path)] : [])}</section>
        ${isApprole ? await secretPart(path, needsSecret, secrets, (page) => draw(stage, tokens, page)) : nothing}
        ${await tokenPart(path, tokens, (page) => draw(stage, page, secrets))}
      </div>
    `,
  );
}

/** @param {string} path @returns {Promise<readonly [string, unknown]>} */
async function roleId(path) {
  const { data } = await get(`${path}/role-id`);
  return ['Role id', copied(data.role_id, 'Role id')];
}

/**
 * @param {string} path
 * @param {boolean} isNeeded whether a sign-in needs one
 * @param {string | undefined} at address of the page; the first if undefined
 * @param {(at?: string) => unknown} again draws the view with this page
 */
async function secretPart(path, isNeeded, at, again) {
  const page = await partPage(`${path}/secret-id?limit=25`, at, (body) => body.data.keys, again);
  const rows = page.rows.map((accessor) => [
    html`<code>${accessor}</code>`,
    html`<button type="button" class="bare" aria-label="Destroy ${accessor}" @click=${() => destroy(path, accessor, () => again(at))}>Destroy</button>`,
  ]);
  return html`<section class="card" aria-labelledby="secrets-title">
    <h2 id="secrets-title">Secret ids</h2>
    ${rows.length === 0 ? html`<p class="faint">${isNeeded ? 'None: nobody can sign in with this role yet.' : 'None, and none is needed: who knows the role id can sign in.'}</p>` : table('Secret ids', ['Accessor', ''], rows)}
    ${page.around}
  </section>`;
}

/** @param {string} path @param {() => unknown} again */
async function makeSecret(path, again) {
  let secret = '';
  const body = textField('uses', 'Good for … sign-ins', {
    id: 'secret-uses',
    type: 'number',
    min: '0',
    required: true,
    value: '0',
    hint: '0: without a limit',
  });
  const work = async (/** @type {FormData} */ data) => {
    const answer = await ask('POST', `${path}/secret-id`, { num_uses: Number(textIn(data, 'uses')) });
    secret = answer.body.data.secret_id;
  };
  if (!(await askIn({ title: 'Make a secret id', body, verb: 'Make it', work }))) return;
  await showIn('The secret id', html`<p>It is shown only now. Give it to the program in a way that nobody else reads.</p>${copied(secret, 'Secret id')}`);
  await again();
}

/** @param {string} path @param {string} accessor @param {() => unknown} again */
async function destroy(path, accessor, again) {
  const work = async () => {
    await ask('POST', `${path}/secret-id/destroy`, { secret_id_accessor: accessor });
    tell('The secret id is destroyed.');
  };
  const body = html`<p>Nobody can sign in with it any more. Tokens that it got stay good until they expire or are revoked.</p>`;
  if (await askIn({ title: 'Destroy this secret id?', body, verb: 'Destroy', danger: true, work })) await again();
}

/** @param {string} path @param {string} name @param {() => unknown} again */
async function revoke(path, name, again) {
  const work = async () => {
    await ask('POST', `${path}/revoke-tokens`);
    tell('All tokens of the role are revoked.');
  };
  const isDone = await askForName({
    title: 'Revoke all tokens',
    body: html`<p>Every program that uses role <bdi>${name}</bdi> must sign in again.</p>`,
    verb: 'Revoke',
    name,
    work,
  });
  if (isDone) await again();
}

/** @param {string} path @param {string} name */
function remove(path, name) {
  const work = async () => {
    await ask('DELETE', path);
    tell('The role is deleted.');
    location.hash = '#/machines';
  };
  const body = html`<p>Programs with role <bdi>${name}</bdi> can no longer sign in, and its tokens end. A new role of this name is another role.</p>`;
  return askForName({ title: 'Delete this role', body, verb: 'Delete', name, work });
}
