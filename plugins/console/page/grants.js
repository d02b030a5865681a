// Who else may use a key: the list of grants, a new one, and taking one back.

import { html, nothing, render } from '/console/lib/lit-html.js';
import { ask, part, Refusal } from './api.js';
import { askIn } from './dialog.js';
import { checkField, complaint, submits } from './form.js';
import { nameField, nameIn } from './names.js';
import { tell, tellDrawn } from './notice.js';
import { pages, table } from './shown.js';

/** Rights by the types of objects for which they make sense; the words say what people do with them. */
const RIGHTS = /** @type {const} */ ([
  ['encrypt', 'Encrypt', 0x4],
  ['decrypt', 'Decrypt', 0x8],
  ['sign', 'Sign', 0x1],
  ['signatureverify', 'Verify signatures', 0x2],
  ['mac', 'Make MACs', 0x80],
  ['macverify', 'Verify MACs', 0x100],
  ['getattributes', 'See the attributes', 0],
  ['get', 'Get the key itself', 0],
  ['revoke', 'Revoke', 0],
  ['destroy', 'Destroy', 0],
]);
const PAGE = 50;

/** @param {readonly string[]} operations */
const wordsOf = (operations) => operations.map((operation) => RIGHTS.find(([name]) => name === operation)?.[1].toLowerCase() ?? operation).join(', ');

/** @param {import('./stage.js').Stage} stage @param {import('./managed-object.js').ManagedObject} object */
export async function grantPart(stage, object) {
  const path = `/access/list/${part(object.id)}?limit=${PAGE}`;
  const place = document.createElement('div');
  const draw = async (address = path) => {
    const { body, next } = await ask('GET', address);
    if (!stage.signal.aborted)
      render([listOf(object, body, () => draw()), address === path && next === undefined ? nothing : pages(path, address, next, draw)], place);
  };
  await draw();
  return html`<section class="card" aria-labelledby="grants-title">
    <h2 id="grants-title">Who else may use it</h2>
    ${place}
    <details>
      <summary>Grant its use</summary>
      ${grantForm(object, () => draw())}
    </details>
  </section>`;
}

/** @param {import('./managed-object.js').ManagedObject} object @param {readonly { user_id: string, operations: string[] }[]} grants @param {() => Promise<void>} draw */
function listOf(object, grants, draw) {
  if (grants.length === 0) return html`<p class="faint">Nobody. You can grant single operations to a user, to everybody in a realm, or to all.</p>`;
  const rows = grants.map(({ user_id: user, operations }) => [
    html`<bdi>${user}</bdi>`,
    wordsOf(operations),
    html`<button type="button" class="bare" aria-label="Take back the grant of ${user}" @click=${() => takeBack(object, user, operations, draw)}>Take back</button>`,
  ]);
  return table('Grants', ['User', 'May', ''], rows);
}

/** @param {import('./managed-object.js').ManagedObject} object @param {string} user @param {readonly string[]} operations @param {() => Promise<void>} draw */
async function takeBack({ id, title }, user, operations, draw) {
  const work = async () => {
    await ask('POST', '/access/revoke', { unique_identifier: id, user_id: user, operation_types: operations });
    tell('The grant is taken back.');
  };
  const body = html`<p><bdi>${user}</bdi> can then no longer use <bdi>${title}</bdi>: ${wordsOf(operations)}.</p>`;
  if (await askIn({ title: 'Take the grant back?', body, verb: 'Take back', danger: true, work })) await draw();
}

/** All else that is sent comes from the page. @param {unknown} error @returns {never} */
function refuseName(error) {
  if (!(error instanceof Refusal) || error.code !== 'BAD_REQUEST') throw error;
  throw new Refusal(error.status, 'No user has a name of this form. Users see theirs under “Your account”, such as team/ada.', error.code);
}

/** @param {import('./managed-object.js').ManagedObject} object @param {() => Promise<void>} draw */
function grantForm({ id, mask }, draw) {
  const fitting = RIGHTS.filter(([, , bit]) => bit === 0 || (mask & bit) !== 0);
  const grant = submits(async (data, form) => {
    const operations = data.getAll('right').map(String);
    if (operations.length === 0) throw new Refusal(0, 'Choose what the user may do.', 'RIGHT');
    await ask('POST', '/access/grant', { unique_identifier: id, user_id: nameIn(data, 'grantee'), operation_types: operations }).catch(refuseName);
    form.reset();
    await tellDrawn(draw, 'The use is granted.');
  });
  return html`<form class="inner" data-kept=${location.hash} @submit=${grant}>
    ${complaint()} ${nameField('grantee', 'User', { required: true, maxlength: 512, placeholder: 'team/ada', hint: 'A name as its owner sees it under “Your account”; team/* for everybody in a realm; * for all.' })}
    <fieldset class="checks">
      <legend>May</legend>
      ${fitting.map(([value, words, bit]) => checkField('right', words, { id: `right-${value}`, value, checked: bit !== 0 }))}
    </fieldset>
    <div class="actions"><button type="submit">Grant</button></div>
  </form>`;
}
