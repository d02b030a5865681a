// Tries a key on a text or a small file: encrypts, decrypts, signs, verifies, makes and verifies MACs.

import { html, nothing, render } from '/console/lib/lit-html.js';
import { Refusal } from './api.js';
import { save, toBytes, toText } from './bytes.js';
import { areaField, complaint, selectField, submits, textField, textIn } from './form.js';
import * as jose from './jose.js';
import { copy } from './notice.js';

const MAX_FILE = 1_048_576;

/** @typedef {import('./managed-object.js').ManagedObject} ManagedObject */
/** @typedef {{ value: string, label: string, input: string, run: (object: ManagedObject, data: FormData, bytes: () => Promise<Uint8Array>) => Promise<unknown> }} Trial */

/** @type {readonly Trial[]} */
const TRIALS = [
  {
    value: 'encrypt',
    label: 'Encrypt',
    input: 'Text',
    run: async (object, _data, bytes) => output('Encrypted (JWE)', await jose.encrypt(object, await bytes()), 'encrypted.jwe'),
  },
  { value: 'decrypt', label: 'Decrypt', input: 'Encrypted text (JWE)', run: async (_object, _data, bytes) => plain(await jose.decrypt(await textOf(bytes))) },
  {
    value: 'sign',
    label: 'Sign',
    input: 'Text',
    run: async (object, _data, bytes) => output('Signed (JWS)', await jose.sign(object, await bytes()), 'signed.jws'),
  },
  {
    ...{ value: 'verify', label: 'Verify a signature', input: 'Signed text (JWS)' },
    async run(object, _data, bytes) {
      const { isValid, data, kid } = await jose.verify(await textOf(bytes));
      // The server takes the key that the text names, which whoever made the text has chosen.
      const other = kid === object.id ? nothing : html`<p>It names another key than that of this page: <code>${kid}</code></p>`;
      return html`${verdict(isValid, 'The signature is valid.', 'The signature is not valid.')}${other}${isValid ? plain(data) : nothing}`;
    },
  },
  {
    value: 'mac',
    label: 'Make a MAC',
    input: 'Text',
    run: async (object, _data, bytes) => output('MAC (base64url)', await jose.mac(object, await bytes()), 'message.mac'),
  },
  {
    ...{ value: 'verify-mac', label: 'Verify a MAC', input: 'Text' },
    run: async (object, data, bytes) => verdict(await jose.verifyMac(object, await bytes(), textIn(data, 'mac')), 'The MAC is valid.', 'The MAC is not valid.'),
  },
];

/** @param {ManagedObject} object @param {Readonly<Record<string, boolean>>} may */
export function tryOutPart(object, may) {
  const trials = TRIALS.filter(({ value }) => isOffered(value, object, may));
  if (trials.length === 0) return nothing;
  const place = document.createElement('div');
  let chosen = /** @type {Trial} */ (trials[0]);
  const run = submits(async (data) => {
    show(nothing);
    show(await chosen.run(object, data, () => bytesIn(data)));
  });
  let shown = /** @type {unknown} */ (nothing);
  const show = (/** @type {unknown} */ result) => {
    shown = result;
    draw();
  };
  const choose = (/** @type {Event} */ { target }) => {
    chosen = trials.find(({ value }) => value === /** @type {HTMLSelectElement} */ (target).value) ?? chosen;
    show(nothing);
  };
  const draw = () => {
    const template = html`<form class="inner" @submit=${run}>
        ${complaint()} ${selectField(
          'trial',
          'What to do',
          trials.map(({ value, label }) => /** @type {const} */ ([value, label])),
          { change: choose },
        )}
        ${areaField('input', chosen.input, { rows: 4, mono: chosen.input.includes('JW') })} ${textField('file', 'Or a file of at most 1 MiB', { type: 'file' })}
        ${chosen.value === 'verify-mac' ? textField('mac', 'MAC (base64url)', { required: true, mono: true }) : nothing}
        <div class="actions"><button type="submit">${chosen.label}</button></div>
      </form>
      <div class="result" aria-live="polite">${shown}</div>`;
    render(template, place);
  };
  draw();
  return html`<section class="card" aria-labelledby="try-title"><h2 id="try-title">Try it</h2>${place}</section>`;
}

/** @param {string} trial @param {ManagedObject} object @param {Readonly<Record<string, boolean>>} may */
function isOffered(trial, object, may) {
  const { state, mask } = object;
  const isActive = state === 'Active';
  const isReadable = isActive || state === 'Deactivated' || state === 'Compromised';
  if (trial === 'encrypt') return isActive && (mask & 0x4) !== 0 && may['encrypt'] === true && jose.encryptionOf(object) !== undefined;
  if (trial === 'decrypt') return isReadable && (mask & 0x8) !== 0 && may['decrypt'] === true && jose.encryptionOf(object) !== undefined;
  if (trial === 'sign') return isActive && (mask & 0x1) !== 0 && may['sign'] === true && jose.signatureOf(object) !== undefined;
  if (trial === 'verify') return isReadable && (mask & 0x3) !== 0 && may['signatureverify'] === true && jose.signatureOf(object) !== undefined;
  if (jose.macOf(object) === undefined) return false;
  return trial === 'mac' ? isActive && (mask & 0x80) !== 0 && may['mac'] === true : isReadable && (mask & 0x100) !== 0 && may['macverify'] === true;
}

/** @param {FormData} data */
async function bytesIn(data) {
  const file = data.get('file');
  if (!(file instanceof File) || file.size === 0) return toBytes(String(data.get('input') ?? '').replaceAll('\r\n', '\n'));
  if (file.size > MAX_FILE) throw new Refusal(0, 'The file is larger than 1 MiB. Larger files are for the command line.', 'LARGE');
  return new Uint8Array(await file.arrayBuffer());
}

/** @param {() => Promise<Uint8Array>} bytes */
const textOf = async (bytes) => toText(await bytes()) ?? '';

/** @param {boolean} isGood @param {string} good @param {string} bad */
const verdict = (isGood, good, bad) => html`<p class=${isGood ? 'verdict good' : 'verdict bad'}>${isGood ? good : bad}</p>`;

/** @param {string} label @param {string} text @param {string} file */
const output = (label, text, file) =>
  html`<h3>${label}</h3>
    <pre tabindex="0" aria-label=${label}>${text}</pre>
    <div class="actions">
      <button type="button" class="quiet" @click=${() => copy(text, label)}>Copy</button>
      <button type="button" class="quiet" @click=${() => save(file, text, 'text/plain')}>Save</button>
    </div>`;

/** @param {Uint8Array} bytes */
function plain(bytes) {
  const text = toText(bytes);
  const keep = html`<div class="actions"><button type="button" class="quiet" @click=${() => save('decrypted', bytes)}>Save</button></div>`;
  return text === undefined
    ? html`<p>${bytes.length} bytes that are not text.</p>${keep}`
    : html`<h3>Text</h3><pre tabindex="0" aria-label="Text">${text}</pre>${keep}`;
}
