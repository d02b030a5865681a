// The providers whose JWTs a realm accepts.
import { html, nothing } from '/console/lib/lit-html.js';
import { ask, get, part } from './api.js';
import { askIn } from './dialog.js';
import { textField, textIn } from './form.js';
import { tell } from './notice.js';
import { table } from './shown.js';

/** @param {any} realm @param {() => unknown} again */
export function providerPart(realm, again) {
  const providers = realm.auth_params.jwt_params?.idp_params ?? [];
  const rows = providers.map((/** @type {any} */ provider) => {
    const { jwt_issuer_uri: issuer, jwks_uri: keys, jwt_audience: audience } = provider;
    return [
      html`<bdi>${issuer}</bdi>`,
      html`<bdi>${keys}</bdi>${audience ? html`<small>for <bdi>${audience}</bdi></small>` : nothing}`,
      html`<button type="button" class="bare" aria-label="Remove ${issuer}" @click=${() => remove(realm, provider, again)}>Remove</button>`,
    ];
  });
  return html`<section class="card" aria-labelledby="providers-title">
    <h2 id="providers-title">Providers of JWTs</h2>
    ${rows.length === 0 ? html`<p class="faint">None. A provider vouches for people who sign in with its token.</p>` : table('Providers', ['Issuer', 'Key set', ''], rows)}
    <div class="actions"><button type="button" class="quiet" @click=${() => add(realm, again)}>Add a provider</button></div>
  </section>`;
}

/** Everything else stays as it is now. @param {any} realm @param {(providers: any[]) => any[]} change */
async function put({ id }, change) {
  const path = `/admins/realms/${part(id)}`;
  const { id: _named, auth_params: params, ...rest } = await get(path);
  const providers = change(params.jwt_params?.idp_params ?? []);
  await ask('PUT', path, { ...rest, auth_params: { ...params, jwt_params: { ...params.jwt_params, idp_params: providers } } });
}

/** @param {any} realm @param {() => unknown} again */
async function add(realm, again) {
  const body = html`
    ${textField('issuer', 'Issuer', { id: 'issuer', required: true, maxlength: 2_048, placeholder: 'https://idp.example.com' })}
    ${textField('jwks', 'Address of its key set', { id: 'jwks', type: 'url', required: true, maxlength: 2_048, hint: 'https, or http on the same machine' })}
    ${textField('audience', 'Audience', { id: 'audience', maxlength: 2_048, hint: 'Which of its tokens are meant for this server' })}
  `;
  const work = async (/** @type {FormData} */ data) => {
    const provider = { jwt_issuer_uri: textIn(data, 'issuer'), jwks_uri: textIn(data, 'jwks'), jwt_audience: textIn(data, 'audience') || null };
    await put(realm, (others) => [...others, provider]);
    tell('The provider is accepted.');
  };
  if (await askIn({ title: 'Add a provider of JWTs', body, verb: 'Add', work })) await again();
}

/** @param {any} realm @param {any} provider @param {() => unknown} again */
async function remove(realm, provider, again) {
  const work = async () => {
    const gone = JSON.stringify(provider);
    await put(realm, (all) => all.filter((each) => JSON.stringify(each) !== gone));
    tell('The provider is removed.');
  };
  const body = html`<p>Nobody can sign in with a token of <bdi>${provider.jwt_issuer_uri}</bdi> any more.</p>`;
  if (await askIn({ title: 'Remove this provider?', body, verb: 'Remove', danger: true, work })) await again();
}
