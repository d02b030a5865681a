// The caller's own account: the name in the key server, the password, the second factor, the sessions, a certificate of a public key.
import { html, nothing } from '/console/lib/lit-html.js';
import { ask, part, Refusal, refusalOf, send } from './api.js';
import { toBase64url, toBytes } from './bytes.js';
import { askIn } from './dialog.js';
import { enrol, removeFactor } from './factor.js';
import { areaField, complaint, submits, textField, textIn } from './form.js';
import { tell, tellAnew } from './notice.js';
import { sessionPart } from './sessions.js';
import { copied, factList, head } from './shown.js';

const SCHEMES = /** @type {Readonly<Record<string, string>>} */ ({ up: 'password', jwt: 'token of a provider', cc: 'client certificate' });

/** @param {import('./stage.js').Stage} stage */
export async function open(stage) {
  const { me } = stage;
  const isByPassword = me.auth_scheme === 'up';
  const facts = factList([
    ['User', html`<bdi>${me.username}</bdi>`],
    ['Realm', html`<bdi>${me.realm}</bdi>`],
    ['Signed in by', SCHEMES[me.auth_scheme] ?? me.auth_scheme],
    ['Name for grants', me.user === undefined ? nothing : copied(me.user, 'Name')],
    ['Administers', me.is_super_admin ? 'the whole server' : me.realms.join(', ')],
  ]);
  stage.show(
    'Your account',
    html`
      ${head('Your account', 'Others use your name for grants when they let you use their keys.')}
      <div class="parts">
        <section class="card" aria-labelledby="you-title"><h2 id="you-title">You</h2>${facts}</section>
        ${isByPassword ? passwordPart(me) : nothing} ${isByPassword ? factorPart(me) : nothing} ${await sessionPart(stage, me.realm, me.username, me.auth_scheme)} ${certifyPart()}
      </div>
    `,
  );
}

/** @param {import('./stage.js').Me} me */
function passwordPart(me) {
  const change = submits(async (data, form) => {
    if (data.get('new') !== data.get('repeated')) throw new Refusal(0, 'The two new passwords differ.', 'REPEATED');
    await changePassword(me, String(data.get('present')), String(data.get('new')), textIn(data, 'code'));
    form.reset();
    // The change signs in again.
    tellAnew('The password is changed.');
  });
  return html`<section class="card" aria-labelledby="password-title">
    <h2 id="password-title">Password</h2>
    <form class="inner" @submit=${change}>
      ${complaint()} <input class="visually-hidden" autocomplete="username" .value=${me.username} tabindex="-1" aria-hidden="true" readonly>
      ${textField('present', 'Present password', { type: 'password', required: true, autocomplete: 'current-password' })}
      ${textField('new', 'New password', { type: 'password', required: true, minlength: 8, autocomplete: 'new-password', hint: 'At least eight characters.' })}
      ${textField('repeated', 'Repeat the new password', { type: 'password', required: true, autocomplete: 'new-password' })}
      ${textField('code', 'Code, if you have a second factor', { id: 'password-code', inputmode: 'numeric', autocomplete: 'one-time-code' })}
      <div class="actions"><button type="submit" class="quiet">Change the password</button></div>
    </form>
  </section>`;
}

/** @param {import('./stage.js').Me} me @param {string} password @param {string} wanted @param {string} code */
async function changePassword(me, password, wanted, code) {
  const basic = toBase64url(toBytes(`${me.username}:${password}`))
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  const response = await send(`/login?realm=${part(me.realm)}`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}${'='.repeat((4 - (basic.length % 4)) % 4)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ new_password: wanted, ...(code ? { totp_code: code.replaceAll(/\s/g, '') } : {}) }),
    cache: 'no-store',
    redirect: 'error',
  });
  const body = await response.json().catch(() => ({}));
  if (body.next_step === 'TotpRequired') throw new Refusal(0, 'Enter the code of your second factor too.', 'CODE');
  if (response.status === 401) throw new Refusal(401, 'The present password or the code is wrong.', 'DENIED');
  if (!response.ok) throw refusalOf(body, response);
}

/** @param {import('./stage.js').Me} me */
const factorPart = ({ realm, username }) =>
  html`<section class="card" aria-labelledby="factor-title">
    <h2 id="factor-title">Second factor</h2>
    <p class="faint">A code of an authenticator app protects your account also from whoever knows your password.</p>
    <div class="actions">
      <button type="button" @click=${() => enrol(realm, username).catch((error) => tell(error.message))}>Add a second factor</button>
      <button type="button" class="quiet" @click=${() => removeFactor(realm, username, true)}>Remove it</button>
    </div>
  </section>`;

function certifyPart() {
  const certify = submits(async (data) => {
    const { body } = await ask('POST', '/certify', { verification_key: textIn(data, 'pem') });
    await askIn({ title: 'The certificate', body: copied(body.certificate, 'Certificate'), verb: 'Done', isShown: true, work: () => undefined });
  });
  return html`<section class="card" aria-labelledby="certify-title">
    <h2 id="certify-title">Certificate of a public key</h2>
    <p class="faint">The server signs that a key is yours, with the claims of this session.</p>
    <form class="inner" @submit=${certify}>
      ${complaint()} ${areaField('pem', 'Public key (PEM)', { required: true, mono: true, maxlength: 8_192 })}
      <div class="actions"><button type="submit" class="quiet">Issue</button></div>
    </form>
  </section>`;
}
