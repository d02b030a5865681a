// Brings a key that was made elsewhere.
import { html } from '/console/lib/lit-html.js';
import { ask, Refusal } from './api.js';
import { areaField, complaint, listIn, selectField, submits, textField, textIn, wordsOf } from './form.js';
import { identifier, nameNode, operate, structure } from './kmip.js';
import { tell } from './notice.js';
import { receivedKey, USES } from './received-key.js';
import { head } from './shown.js';

const MAX_BYTES = 16_384;

/** @param {import('./stage.js').Stage} stage */
export function open(stage) {
  stage.show(
    'Import a key',
    html`
      ${head('Import a key', 'Bring a key that was made elsewhere. The server keeps it encrypted, as its own.')}
      <form class="card sheet" data-kept=${location.hash} @submit=${submits(bring)}>
        ${complaint()}
        ${areaField('key', 'Key', { mono: true, rows: 6, maxlength: MAX_BYTES, hint: 'PEM (PKCS #8 or a public key), a JWK, or the base64 of a secret key.' })}
        <div class="field"><label for="file">Or a file</label><input id="file" name="file" type="file"></div>
        <div class="columns">
          ${selectField(
            'use',
            'What it is for',
            USES.map(({ value, label }) => /** @type {const} */ ([value, label])),
          )}
          ${textField('name', 'Name', { maxlength: 255, hint: 'Unique among your keys. You can search for it.' })}
          ${textField('tags', 'Tags', { maxlength: 1_024, placeholder: 'billing, team-a', hint: 'Separated by commas.' })}
        </div>
        <div class="actions"><a class="button quiet" href="#/keys">Cancel</a><button type="submit">Import the key</button></div>
      </form>
    `,
  );
}

/** @param {FormData} data */
async function bring(data) {
  const use = USES.find(({ value }) => value === textIn(data, 'use')) ?? /** @type {import('./received-key.js').Use} */ (USES[0]);
  const { body } = await ask('POST', '/v1/crypto/keys', await receivedKey(await keyIn(data), use));
  const name = textIn(data, 'name');
  const tags = listIn(data, 'tags');
  try {
    if (name !== '') await operate('AddAttribute', [identifier(body.kid), structure('NewAttribute', [nameNode(name)])]);
    if (tags.length > 0) await ask('POST', `/v1/crypto/keys/${encodeURIComponent(body.kid)}/tags`, { tags });
    tell('The key is here.');
  } catch (error) {
    // Sent once more, the form would bring it twice.
    tell(`The key is here, without all that you said of it. ${wordsOf(error)}`);
  }
  location.hash = `#/key/${encodeURIComponent(body.kid)}`;
}

/** @param {FormData} data */
async function keyIn(data) {
  const file = data.get('file');
  if (textIn(data, 'key') !== '') return textIn(data, 'key');
  if (!(file instanceof File) || file.size === 0) throw new Refusal(0, 'Paste the key, or choose its file.', 'KEY');
  if (file.size > MAX_BYTES) throw new Refusal(0, `The file has more than ${MAX_BYTES} bytes. A key is shorter.`, 'KEY');
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isText = bytes.every((byte) => byte >= 9 && byte < 127);
  return isText ? new TextDecoder().decode(bytes).trim() : btoa(String.fromCharCode(...bytes));
}
