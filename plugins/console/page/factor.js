// The second factor of a user: enrolment with a QR code for an authenticator app, and removal.
import { generate } from '/console/lib/lean-qr.js';
import { html, nothing } from '/console/lib/lit-html.js';
import { ask, part } from './api.js';
import { askIn } from './dialog.js';
import { textField, textIn } from './form.js';
import { tell } from './notice.js';
import { copied } from './shown.js';

const CODE = { inputmode: 'numeric', autocomplete: 'one-time-code', pattern: '\\s*[0-9]{3}\\s*[0-9]{3}\\s*', title: 'Six digits', maxlength: 12 };
/** Light modules around the code (ISO/IEC 18004). */
const QUIET = 4;

/** @param {string} realm @param {string} username the caller's own */
export async function enrol(realm, username) {
  const { body: made } = await ask('POST', `/realms/${part(realm)}/totp/generate`, { username, issuer: `gatehouse ${realm}` });
  const body = html`
    <p>Scan this code with an authenticator app, then enter the six digits that it shows.</p>
    ${qr(made.otpauth_url)}
    <p class="faint">Without a camera, enter this secret: ${copied(made.secret_base32, 'Secret')}</p>
    ${textField('code', 'Code', { id: 'factor-code', required: true, ...CODE })}
    ${textField('old', 'Code of the present second factor, if there is one', { id: 'factor-old', ...CODE })}
  `;
  const work = async (/** @type {FormData} */ data) => {
    const codes = { token: digits(data, 'code'), ...(textIn(data, 'old') ? { totp_code: digits(data, 'old') } : {}) };
    await ask('POST', `/realms/${part(realm)}/totp/verify`, { username, secret: made.secret_base32, issuer: `gatehouse ${realm}`, ...codes });
    tell('From now on each sign-in asks for a code.');
  };
  return askIn({ title: 'Add a second factor', body, verb: 'Add', work });
}

/** @param {string} realm @param {string} username @param {boolean} isOwn whether a code proves that it is the user */
export function removeFactor(realm, username, isOwn) {
  const body = html`<p>Sign-ins of <bdi>${username}</bdi> then ask for the password only.</p>
    ${isOwn ? textField('code', 'Code', { id: 'factor-code', ...CODE }) : nothing}`;
  const work = async (/** @type {FormData} */ data) => {
    await ask('DELETE', `/realms/${part(realm)}/totp/${part(username)}`, isOwn && textIn(data, 'code') ? { totp_code: digits(data, 'code') } : undefined);
    tell('There is no second factor.');
  };
  return askIn({ title: 'Remove the second factor?', body, verb: 'Remove', danger: true, work });
}

/** @param {FormData} data @param {string} name */
const digits = (data, name) => textIn(data, name).replaceAll(/\s/g, '');

/** @param {string} text */
function qr(text) {
  const code = generate(text);
  const size = code.size + 2 * QUIET;
  let path = '';
  for (let y = 0; y < code.size; y += 1) for (let x = 0; x < code.size; x += 1) if (code.get(x, y)) path += `M${x + QUIET} ${y + QUIET}h1v1h-1z`;
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="QR code of the secret" shape-rendering="crispEdges"><path d=${path} /></svg>`;
}
