// The roles of machines: programs that sign in with a secret id, and service accounts of clusters.
import { html } from '/console/lib/lit-html.js';
import { ask, part } from './api.js';
import { makeClusterRole } from './cluster-role.js';
import { askIn } from './dialog.js';
import { textField, textIn, wordsIn } from './form.js';
import { requireFree } from './free-name.js';
import { icon } from './icons.js';
import { listPage } from './list-page.js';
import { tell } from './notice.js';
import { empty, head, table } from './shown.js';

/** @param {import('./stage.js').Stage} stage */
export async function open(stage) {
  const [own, others] = await Promise.all([
    listPage('/auth/approle/role', 'machines', stage.query),
    listPage('/auth/cluster/role', 'machines', stage.query, 'clusters-after'),
  ]);
  const rows = (/** @type {any} */ { body }, /** @type {string} */ kind) =>
    body.data.keys.map((/** @type {string} */ name) => [html`<a href="#/machine/${kind}/${part(name)}"><bdi>${name}</bdi></a>`]);
  const mine = rows(own, 'approle');
  const theirs = rows(others, 'cluster');
  stage.show(
    'Machines',
    html`
      ${head('Machines', 'Programs sign in with a role and get an app token, which they use for keys.', html`<button type="button" @click=${makeRole}>${icon('plus')}Make a role</button>`)}
      ${mine.length === 0 ? empty('No roles yet', 'Make one for each program, so that each has a name of its own in the audit.') : table('Roles', ['Role'], mine)}
      ${own.around}
      <h2 class="spaced">Roles of clusters</h2>
      <p><button type="button" class="quiet" @click=${makeClusterRole}>${icon('plus')}Make a role of clusters</button></p>
      ${theirs.length === 0 ? html`<p class="faint">None. Service accounts of a cluster sign in with the tokens that the cluster gives them.</p>` : table('Roles of clusters', ['Role'], theirs)}
      ${others.around}
    `,
  );
}

function makeRole() {
  const body = html`
    ${textField('name', 'Name', { id: 'role-name', required: true, maxlength: 128, pattern: '[A-Za-z0-9_.\\-]+', title: 'Letters, digits, _, . and -' })}
    ${textField('minutes', 'A token is good for … minutes', { id: 'role-minutes', type: 'number', min: '1', required: true, value: '60' })}
    ${textField('policies', 'Policies', { id: 'role-policies', hint: 'Separated by commas. They stand in the token.' })}
  `;
  const work = async (/** @type {FormData} */ data) => {
    const name = textIn(data, 'name');
    await requireFree('/auth/approle/role', name);
    await ask('POST', `/auth/approle/role/${part(name)}`, { token_ttl: Number(textIn(data, 'minutes')) * 60, token_policies: wordsIn(data, 'policies') });
    tell('The role is made.');
    location.hash = `#/machine/approle/${part(name)}`;
  };
  return askIn({ title: 'Make a role', body, verb: 'Make it', work });
}
