// What can be done to a key as a whole: recover, activate, rotate, export, revoke and destroy. The last two say what will stop working.

import { html, nothing } from '/console/lib/lit-html.js';
import { get, part, Refusal } from './api.js';
import { save, toBytes } from './bytes.js';
import { askForName, askIn } from './dialog.js';
import { checkField, selectField, textField, textIn } from './form.js';
import { dateTime, enumeration, identifier, operate, structure, text } from './kmip.js';
import { tell, tellDrawn } from './notice.js';

/** @typedef {import('./managed-object.js').ManagedObject} ManagedObject */
/** @typedef {Readonly<Record<string, boolean>>} May */

const REASONS = /** @type {const} */ ([
  ['CessationOfOperation', 'It is not needed any more'],
  ['Superseded', 'Another key takes its place'],
  ['KeyCompromise', 'Somebody else may know it'],
  ['AffiliationChanged', 'Its owner changes'],
  ['PrivilegeWithdrawn', 'The right to use it is withdrawn'],
  ['Unspecified', 'Another reason'],
]);

/** @param {ManagedObject} object @param {May} may @param {boolean} isOwner @param {() => unknown} again */
export function actionsOf(object, may, isOwner, again) {
  const { state, type } = object;
  const isAlive = state === 'PreActive' || state === 'Active';
  const isGone = state.startsWith('Destroyed');
  const isPair = type === 'PrivateKey';
  const button = (/** @type {string} */ words, /** @type {() => unknown} */ work, look = 'quiet') =>
    html`<button type="button" class=${look} @click=${work}>${words}</button>`;
  // The server refuses everything else until then.
  if (object.isArchived) return may['recover'] ? [button('Recover', () => recover(object, again), '')] : [];
  return [
    state === 'PreActive' && may['activate'] ? button('Activate', () => activate(object, again), '') : nothing,
    isAlive && (isPair ? may['rekeykeypair'] : type === 'SymmetricKey' && may['rekey']) ? button('Rotate', () => rotate(object, isPair)) : nothing,
    !isGone && may['export'] && type !== 'Certificate' ? button('Export', () => exportKey(object)) : nothing,
    isAlive && may['revoke'] ? button('Revoke', () => revoke(object, isOwner, again), 'quiet warn') : nothing,
    !isGone && state !== 'Active' && may['destroy'] ? button('Destroy', () => destroy(object, isOwner, again), 'quiet warn') : nothing,
  ];
}

/** @param {ManagedObject} object @param {() => unknown} again */
async function recover({ id }, again) {
  await operate('Recover', [identifier(id)]);
  await tellDrawn(again, 'The key is recovered from the archive.');
}

/** @param {ManagedObject} object @param {() => unknown} again */
function activate({ id, title }, again) {
  const work = async () => {
    await operate('Activate', [identifier(id)]);
    tell('The key is active.');
  };
  return askIn({
    title: 'Activate this key?',
    body: html`<p><bdi>${title}</bdi> can then be used, and this cannot be undone.</p>`,
    verb: 'Activate',
    work,
  }).then((done) => done && again());
}

/** @param {ManagedObject} object @param {boolean} isPair */
function rotate({ id, title }, isPair) {
  const work = async () => {
    const members = await operate(isPair ? 'ReKeyKeyPair' : 'ReKey', [isPair ? text('PrivateKeyUniqueIdentifier', id) : identifier(id)]);
    const made = members.find(({ tag }) => tag === (isPair ? 'PrivateKeyUniqueIdentifier' : 'UniqueIdentifier'))?.value;
    tell('The key is rotated: this is the new one.');
    location.hash = `#/key/${encodeURIComponent(made)}`;
  };
  const body = html`<p>A new key takes the place and the name of <bdi>${title}</bdi>. The old one still decrypts and verifies what it has protected.</p>`;
  return askIn({ title: 'Rotate this key?', body, verb: 'Rotate', work });
}

/** @param {ManagedObject} object */
function exportKey({ id, title, type }) {
  const wrapped =
    type === 'PublicKey'
      ? nothing
      : textField('wrapping', 'Wrapping key', {
          id: 'wrapping',
          hint: 'The identifier of a key that wraps keys. Without one, the file holds the key in clear.',
        });
  const format = selectField(
    'format',
    'Format',
    type !== 'PublicKey' && type !== 'PrivateKey'
      ? [['Raw', 'Raw']]
      : [
          ['PKCS_8', 'PKCS #8'],
          ['PKCS_1', 'PKCS #1'],
          ['Raw', 'Raw'],
        ],
  );
  const clear = type === 'PublicKey' ? nothing : checkField('clear', 'I know that whoever has the file has the key', {});
  const work = async (/** @type {FormData} */ data) => {
    const key = textIn(data, 'wrapping');
    if (key === '' && type !== 'PublicKey' && !data.get('clear'))
      throw new Refusal(0, 'Name a wrapping key, or say that you know what a key in clear means.', 'CLEAR');
    const information = structure('EncryptionKeyInformation', [
      identifier(key),
      structure('CryptographicParameters', [enumeration('BlockCipherMode', 'NISTKeyWrap')]),
    ]);
    const wrapping = key === '' ? [] : [structure('KeyWrappingSpecification', [enumeration('WrappingMethod', 'Encrypt'), information])];
    const asked =
      type === 'PublicKey' || type === 'PrivateKey'
        ? [enumeration('KeyFormatType', type === 'PublicKey' && textIn(data, 'format') === 'PKCS_8' ? 'X_509' : textIn(data, 'format'))]
        : [];
    const members = await operate('Export', [identifier(id), ...asked, ...wrapping]);
    save(`${id.replaceAll(':', '_')}.kmip.json`, toBytes(`${JSON.stringify({ tag: 'ExportResponse', value: members }, null, 2)}\n`), 'application/json');
    tell('The key is exported, as the answer of KMIP.');
  };
  return askIn({
    title: 'Export this key',
    body: html`<p><bdi>${title}</bdi> leaves the server in a file.</p>${type === 'SymmetricKey' ? nothing : format}${wrapped}${clear}`,
    verb: 'Export',
    work,
  });
}

/** @param {ManagedObject} object @param {boolean} isOwner @param {() => unknown} again */
async function revoke(object, isOwner, again) {
  const losers = await dependants(object, isOwner);
  const body = html`
    <p>A revoked key protects nothing new: nobody can encrypt or sign with it any more. What it has protected can still be decrypted and verified. This cannot be undone.</p>
    ${losers} ${selectField('reason', 'Reason', REASONS)} ${textField('message', 'Note', { maxlength: 255 })}
  `;
  const work = async (/** @type {FormData} */ data) => {
    const note = textIn(data, 'message');
    const code = textIn(data, 'reason');
    const reason = structure('RevocationReason', [enumeration('RevocationReasonCode', code), ...(note ? [text('RevocationMessage', note)] : [])]);
    const since = code === 'KeyCompromise' ? [dateTime('CompromiseOccurrenceDate', new Date())] : [];
    await operate('Revoke', [identifier(object.id), reason, ...since]);
    tell('The key is revoked.');
  };
  if (await askForName({ title: 'Revoke this key', body, verb: 'Revoke', name: object.title, work })) await again();
}

/** @param {ManagedObject} object @param {boolean} isOwner @param {() => unknown} again */
async function destroy(object, isOwner, again) {
  const losers = await dependants(object, isOwner);
  const body = html`<p><strong>What was encrypted with this key is lost for ever</strong>, here and everywhere, also from backups made from now on. Its attributes stay for the audit.</p>${losers}`;
  const work = async () => {
    await operate('Destroy', [identifier(object.id)]);
    tell('The key is destroyed.');
  };
  if (await askForName({ title: 'Destroy this key', body, verb: 'Destroy', name: object.title, work })) await again();
}

/** @param {ManagedObject} object @param {boolean} isOwner @returns {Promise<unknown>} who and what depends on the key, as far as the server knows */
async function dependants({ id, links }, isOwner) {
  const grantees = isOwner ? (await get(`/access/list/${part(id)}?limit=6`)).map((/** @type {any} */ { user_id: user }) => user) : [];
  const pair = links.some(({ type }) => type === 'PublicKeyLink') ? ['Its public key stays, and still verifies and encrypts.'] : [];
  const people = grantees.slice(0, 5).map((/** @type {string} */ user) => html`<li><bdi>${user}</bdi> may use it now</li>`);
  const more = grantees.length > 5 ? html`<li>and others</li>` : nothing;
  return html`<ul class="losers">${people} ${more} ${grantees.length === 0 && isOwner ? html`<li>Nobody else was granted its use.</li>` : nothing} ${pair.map((each) => html`<li>${each}</li>`)}</ul>`;
}
