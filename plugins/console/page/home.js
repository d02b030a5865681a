// The overview: what the caller has, how the server is, and the usual next steps.

import { html, nothing } from '/console/lib/lit-html.js';
import { ask, get } from './api.js';
import { icon } from './icons.js';
import { integer, memberOf, operate } from './kmip.js';
import { head } from './shown.js';

/** @param {import('./stage.js').Stage} stage */
export async function open(stage) {
  const { me } = stage;
  const [keys, instances, realms] = await Promise.all([
    me.user === undefined ? undefined : countKeys(),
    get('/hsm/status'),
    me.realms.length > 0 ? countRealms() : undefined,
  ]);
  const slots = instances.flatMap((/** @type {any} */ { slots: own }) => own);
  const accessible = slots.filter((/** @type {any} */ slot) => slot.accessible).length;
  const template = html`
    ${head(html`Welcome, <bdi>${me.username}</bdi>`, html`You are signed in to realm <bdi>${me.realm}</bdi>${me.is_super_admin ? ', and administer the whole server' : ''}.`)}
    <div class="cards">
      ${keys === undefined ? nothing : figure('keys', '#/keys', keys, 'Keys and other objects that you may use')}
      ${realms === undefined ? nothing : figure('realms', '#/realms', realms, 'Realms that you administer')}
      ${figure('hsms', '#/hsms', slots.length === 0 ? '–' : `${accessible}/${slots.length}`, slots.length === 0 ? 'No hardware security module is attached' : 'Slots of HSMs that answer')}
    </div>
    <h2>Next steps</h2>
    <ul class="steps">
      ${me.user !== undefined && me.mayCreate ? step('#/new-key', 'Make a key', 'Say what it is for; the console proposes the rest.') : nothing}
      ${me.user === undefined ? nothing : step('#/keys', 'Use a key', 'Encrypt, decrypt, sign and verify a text or a small file.')}
      ${step('#/anonymize', 'Anonymize values', 'See what a method makes of them before you use it.')}
      ${me.is_super_admin ? step('#/realms', 'Make a realm', 'A realm holds people and says how they sign in.') : nothing}
      ${step('#/account', 'Protect your account', me.auth_scheme === 'up' ? 'Change your password, see your sessions.' : 'See how you are signed in.')}
    </ul>
  `;
  stage.show('Overview', template);
}

/** @param {string} name @param {string} address @param {unknown} value @param {string} text */
const figure = (name, address, value, text) =>
  html`<a class="card figure" href=${address}><span class="round">${icon(name)}</span><strong>${value}</strong><span>${text}</span></a>`;

/** @param {string} address @param {string} title @param {string} text */
const step = (address, title, text) => html`<li><a href=${address}><strong>${title}</strong><span>${text}</span></a></li>`;

async function countKeys() {
  // The server does not count what are too many to count.
  return memberOf(await operate('Locate', [integer('MaximumItems', 1)]), 'LocatedItems') ?? 'Many';
}

async function countRealms() {
  const { body, next } = await ask('GET', '/admins/realms?limit=100');
  return `${body.length}${next ? '+' : ''}`;
}
