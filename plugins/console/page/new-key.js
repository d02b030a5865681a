// Makes a key: what it is for decides what is proposed, and everything proposed can be changed.

import { html, nothing } from '/console/lib/lit-html.js';
import { get } from './api.js';
import { checkField, complaint, listIn, selectField, submits, textField, textIn } from './form.js';
import { PURPOSES } from './key-kinds.js';
import { boolean, dateTime, enumeration, integer, interval, memberOf, nameNode, operate, structure, tagsNode, text } from './kmip.js';
import { tell } from './notice.js';
import { head } from './shown.js';

const DAY_SECONDS = 86_400;
/** KMIP has an enumeration for each; the first is what most people mean. */
const STARTS = /** @type {const} */ ([
  ['now', 'At once'],
  ['date', 'On a date'],
  ['later', 'When I activate it'],
]);

/** @param {import('./stage.js').Stage} stage */
export async function open(stage) {
  const slots = (await get('/hsm/status')).flatMap((/** @type {any} */ { prefix, slots: own }) =>
    own.map((/** @type {any} */ { slot_id: slot }) => `${prefix}::${slot}`),
  );
  let purpose = /** @type {import('./key-kinds.js').Purpose} */ (PURPOSES[0]);
  let start = 'now';
  let isRotated = true;
  const choose = (/** @type {import('./key-kinds.js').Purpose} */ chosen) => {
    purpose = chosen;
    isRotated = chosen.rotateDays > 0;
    draw();
    // The list would stay at the place that was chosen among the kinds of another purpose.
    /** @type {HTMLSelectElement} */ (document.getElementById('kind')).selectedIndex = 0;
  };
  const startAt = (/** @type {Event} */ { target }) => {
    start = /** @type {HTMLSelectElement} */ (target).value;
    draw();
  };
  const switchRotation = (/** @type {Event} */ { target }) => {
    isRotated = /** @type {HTMLInputElement} */ (target).checked;
    draw();
  };
  const draw = () => {
    const places = /** @type {(readonly [string, string])[]} */ ([
      ['', 'In this server, encrypted in its database'],
      ...slots.map((/** @type {string} */ slot) => [slot, `On ${slot.slice(5).replace('::', ', slot ')}`]),
    ]);
    const template = html`
      ${head('Make a key', 'Choose what it is for. The rest is proposed, and you can change it.')}
      <form class="card sheet" data-kept=${location.hash} @submit=${submits((data) => make(data, purpose))}>
        ${complaint()}
        <fieldset class="choices">
          <legend>What is it for?</legend>
          ${PURPOSES.map((each) => choice(each, each === purpose, () => choose(each)))}
        </fieldset>
        <div class="columns">
          ${selectField(
            'kind',
            'Kind',
            purpose.kinds.map(({ value, label }, at) => /** @type {const} */ ([value, at === 0 ? `${label} – recommended` : label])),
          )}
          ${textField('name', 'Name', { required: true, maxlength: 255, hint: 'Unique among your keys. You can search for it.' })}
          ${slots.length === 0 ? nothing : selectField('place', 'Where', places, { hint: 'A key on an HSM never leaves it.' })}
          ${textField('tags', 'Tags', { maxlength: 1_024, placeholder: 'billing, team-a', hint: 'Separated by commas.' })}
          ${selectField('start', 'May be used', STARTS, { value: start, change: startAt })}
          ${start === 'date' ? textField('from', 'From', { type: 'date', required: true }) : nothing}
          ${textField('until', 'Until', { type: 'date', hint: 'Optional. After this day it only decrypts and verifies.' })}
        </div>
        ${checkField('rotate', 'Replace it regularly', { checked: isRotated, change: switchRotation, hint: 'The server makes a new key in time. The old one still decrypts and verifies.' })}
        ${isRotated ? textField('days', 'Every … days', { type: 'number', min: '1', max: '3650', required: true, value: String(purpose.rotateDays || 365) }) : nothing}
        <div class="actions"><a class="button quiet" href="#/keys">Cancel</a><button type="submit">Make the key</button></div>
      </form>
    `;
    stage.show('Make a key', template);
  };
  draw();
}

/** @param {import('./key-kinds.js').Purpose} purpose @param {boolean} checked @param {() => void} choose */
const choice = ({ value, label, text: about }, checked, choose) =>
  html`<label class="choice"><input type="radio" name="purpose" value=${value} .checked=${checked} @change=${choose}><span><strong>${label}</strong><small>${about}</small></span></label>`;

/** @param {FormData} data @param {import('./key-kinds.js').Purpose} purpose */
async function make(data, purpose) {
  const kind = purpose.kinds.find(({ value }) => value === textIn(data, 'kind')) ?? /** @type {import('./key-kinds.js').Kind} */ (purpose.kinds[0]);
  const domain = kind.curve ? [structure('CryptographicDomainParameters', [enumeration('RecommendedCurve', kind.curve)])] : [];
  const length = kind.bits ? [integer('CryptographicLength', kind.bits)] : [];
  const common = [enumeration('CryptographicAlgorithm', kind.algorithm), ...length, ...domain, ...datesIn(data), ...tagsIn(data)];
  const own = [integer('CryptographicUsageMask', purpose.mask), ...nameIn(data), ...placeIn(data), ...rotationIn(data)];
  const id = kind.isPair ? await makePair(common, own, purpose.publicMask ?? 0) : await makeOne([...common, ...own]);
  tell('The key is made.');
  location.hash = `#/key/${encodeURIComponent(id)}`;
}

/** @param {readonly import('./kmip.js').Node[]} attributes @returns {Promise<string>} */
async function makeOne(attributes) {
  return memberOf(await operate('Create', [enumeration('ObjectType', 'SymmetricKey'), structure('Attributes', attributes)]), 'UniqueIdentifier');
}

/** @param {readonly import('./kmip.js').Node[]} common @param {readonly import('./kmip.js').Node[]} own @param {number} publicMask @returns {Promise<string>} the private key */
async function makePair(common, own, publicMask) {
  const members = [
    structure('CommonAttributes', common),
    structure('PrivateKeyAttributes', own),
    structure('PublicKeyAttributes', [integer('CryptographicUsageMask', publicMask), ...own.filter(({ tag }) => tag === 'Name')]),
  ];
  return memberOf(await operate('CreateKeyPair', members), 'PrivateKeyUniqueIdentifier');
}

/** @param {FormData} data */
function datesIn(data) {
  const start = textIn(data, 'start');
  const until = textIn(data, 'until');
  // A moment ago, so that the key is active whatever the clock of this machine says within a minute.
  const from = start === 'now' ? new Date(Date.now() - 60_000) : start === 'date' ? new Date(`${textIn(data, 'from')}T00:00:00`) : undefined;
  return [...(from ? [dateTime('ActivationDate', from)] : []), ...(until ? [dateTime('DeactivationDate', new Date(`${until}T23:59:59`))] : [])];
}

/** @param {FormData} data */
function tagsIn(data) {
  const tags = listIn(data, 'tags');
  return tags.length === 0 ? [] : [tagsNode(tags)];
}

/** @param {FormData} data */
function nameIn(data) {
  const name = textIn(data, 'name');
  return name === '' ? [] : [nameNode(name)];
}

/** @param {FormData} data an identifier says where the key lies */
function placeIn(data) {
  const place = textIn(data, 'place');
  return place === '' ? [] : [text('UniqueIdentifier', `${place}::${crypto.randomUUID()}`)];
}

/** @param {FormData} data */
function rotationIn(data) {
  const days = data.get('rotate') ? Number(textIn(data, 'days')) : 0;
  return days > 0 ? [boolean('RotateAutomatic', true), interval('RotateInterval', days * DAY_SECONDS)] : [];
}
